"""Judges from npm, of the MCP door and of pages: each is one command, none is part of the tests, for they need Node."""
