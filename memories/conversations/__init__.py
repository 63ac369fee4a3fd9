"""Conversations: transcripts as markdown files, and extraction of what is worth remembering."""
