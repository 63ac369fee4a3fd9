"""LangGraph's long-term memory in the hub: pip install "./clients/python[langgraph]"

`graph.compile(store=store)` gives it to every node of a graph. People see and correct its items as any other memory.
"""

import asyncio
import os

from memoryhub_client import AsyncMemoryHub, MemoryHub
from memoryhub_client.langgraph import MemoryHubStore

ACCESS = os.environ["HUB"], os.environ["TOKEN"]

with MemoryHub(*ACCESS) as hub:
    store = MemoryHubStore(hub)
    store.put(("users", "mira"), "food", {"text": "Mira loves olives.", "sure": True})
    store.put(("users", "mira"), "sea", {"text": "Mira gets seasick.", "sure": False}, ttl=60)  # minutes

    item = store.get(("users", "mira"), "food")
    print(item.value if item else "nothing")
    for found in store.search(("users",), query="What does she like to eat?", filter={"sure": True}):
        print(found.namespace, found.key, found.value["text"])
    print(store.list_namespaces(prefix=("users",)))


async def later() -> None:
    """For asynchronous graphs."""
    async with AsyncMemoryHub(*ACCESS) as hub:
        store = MemoryHubStore(async_hub=hub)
        await store.adelete(("users", "mira"), "sea")
        print(await store.aget(("users", "mira"), "sea"))


asyncio.run(later())
