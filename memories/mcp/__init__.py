"""The MCP door: JSON-RPC by streamable HTTP, stateless, in every published revision of the protocol."""
