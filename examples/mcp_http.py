"""MCP over HTTP with the official SDK: pip install "mcp>=2.3"

/mcp offers all of the hub's own tools; /mcp/graph, /mcp/kv, … offer the tools of one dialect.
"""

import asyncio
import os

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

HEADERS = {"Authorization": f"Bearer {os.environ['MEMORYHUB_TOKEN']}", "X-Memory-Session": "chat-42"}


async def main() -> None:
    async with (
        httpx2.AsyncClient(headers=HEADERS, timeout=30) as http,
        Client(streamable_http_client(f"{os.environ['MEMORYHUB_URL']}/mcp", http_client=http)) as client,
    ):
        print(client.protocol_version, [tool.name for tool in (await client.list_tools()).tools])

        await client.call_tool("memory_save", {"key": "berth-7", "content": "Berth 7 is closed until May."})
        result = await client.call_tool("memory_recall", {"query": "Which berths are closed?", "limit": 3})
        for memory in (result.structured_content or {})["memories"]:
            print(memory["relevance_score"], memory["content"])

        # An error is a result too: a sentence that a model can act on.
        refused = await client.call_tool("memory_get", {"key": "berth-8"})
        print(refused.is_error, refused.content[0])

        for resource in (await client.list_resources()).resources:
            print(resource.uri, resource.title)
        prompt = await client.get_prompt("team_context", {"query": "berths"})
        print(prompt.messages[0].content)


asyncio.run(main())
