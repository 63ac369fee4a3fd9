"""Prompt blocks: the context an agent reads before it thinks."""
