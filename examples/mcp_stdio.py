"""MCP over standard input and output, for clients that start a program: pip install ./clients/python "mcp>=2.3"

`memoryhub-mcp` forwards each message to the hub. Here it offers only the tools of the dialect graph.
"""

import asyncio
import os

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

BRIDGE = StdioServerParameters(
    command="memoryhub-mcp",
    args=["--dialect", "graph"],
    env=dict(os.environ),  # with MEMORYHUB_URL and MEMORYHUB_TOKEN
)


async def main() -> None:
    async with Client(stdio_client(BRIDGE)) as client:
        print([tool.name for tool in (await client.list_tools()).tools])
        await client.call_tool("memory_save", {"content": "The crane is oiled on Fridays.", "memory_type": "fact"})
        result = await client.call_tool("memory_recall", {"query": "When is the crane oiled?"})
        print((result.structured_content or {})["summary"])


asyncio.run(main())
