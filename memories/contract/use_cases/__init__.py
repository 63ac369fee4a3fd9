"""Use cases that REST, MCP and the hub's tools share: checked parameters in, plain dicts out."""
