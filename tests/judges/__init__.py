"""Judges of the MCP door that come from npm: each is one command, none is part of the tests, for they need Node."""
