"""Judges of the MCP door and of pages, each one command: some from npm, which need Node, and fuzzers of our own."""
