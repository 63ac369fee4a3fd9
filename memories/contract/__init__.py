"""One description of the JSON that callers send and get, shared by REST, MCP and the tools."""
