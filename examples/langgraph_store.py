"""LangGraph's long-term memory in the hub: pip install "./clients/python[langgraph]"

`graph.compile(store=store)` gives the store to every node. People see and correct its items like any other memory.
"""

import asyncio

from memoryhub_client import AsyncMemoryHub, MemoryHub
from memoryhub_client.langgraph import MemoryHubStore

with MemoryHub() as hub:
    store = MemoryHubStore(hub)
    store.put(("users", "mira"), "food", {"text": "Mira loves olives.", "sure": True})
    store.put(("users", "mira"), "sea", {"text": "Mira gets seasick.", "sure": False}, ttl=60)  # minutes

    item = store.get(("users", "mira"), "food")
    print(item.value if item else "nothing")
    for hit in store.search(("users",), query="What does she like to eat?", filter={"sure": True}):
        print(hit.namespace, hit.key, hit.value["text"])
    print(store.list_namespaces(prefix=("users",)))


async def use_async_store() -> None:
    """Use the store from an asynchronous graph."""
    async with AsyncMemoryHub() as hub:
        store = MemoryHubStore(async_hub=hub)
        await store.adelete(("users", "mira"), "sea")
        print(await store.aget(("users", "mira"), "sea"))


asyncio.run(use_async_store())
