"""The same hub from asynchronous Python, on behalf of somebody: pip install ./clients/python"""

import asyncio
import os

from memoryhub_client import AsyncMemoryHub


async def main() -> None:
    async with AsyncMemoryHub(os.environ["HUB"], os.environ["TOKEN"]) as hub:
        # Whom a conversation serves. What is saved with scope "global" is hers, in whichever team she is helped.
        mira = hub.with_context(user="mira", session="chat-42")
        likes = ["Mira likes window seats.", "Mira gets seasick.", "Mira reads on ferries."]
        await asyncio.gather(*(mira.save(text, scope="global", type="preference") for text in likes))

        async for memory in mira.memories(scope="global"):  # page by page, as they are needed
            print(memory.content)

        others = hub.with_context(user="noah")
        print("of Noah:", [memory.content async for memory in others.memories(scope="global")])


asyncio.run(main())
