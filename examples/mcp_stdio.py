"""MCP over standard input and output, for clients that start a program: pip install ./clients/python "mcp>=2.3"

`memoryhub-mcp` passes each message on to the hub. Here it offers just the tools of one dialect, graph.
"""

import asyncio
import os

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

BRIDGE = StdioServerParameters(
    command="memoryhub-mcp",
    args=["--dialect", "graph"],
    env={**os.environ, "MEMORYHUB_URL": os.environ["HUB"], "MEMORYHUB_TOKEN": os.environ["TOKEN"]},
)


async def main() -> None:
    async with Client(stdio_client(BRIDGE)) as client:
        print([tool.name for tool in (await client.list_tools()).tools])
        await client.call_tool("memory_save", {"content": "The crane is oiled on Fridays.", "memory_type": "fact"})
        found = await client.call_tool("memory_recall", {"query": "When is the crane oiled?"})
        print((found.structured_content or {})["summary"])


asyncio.run(main())
