"""Use the hub from asynchronous Python, on behalf of a person: pip install ./clients/python"""

import asyncio

from memoryhub_client import AsyncMemoryHub


async def main() -> None:
    async with AsyncMemoryHub() as hub:
        # Calls through `mira` serve her. A memory with scope "global" belongs to her, whichever team helps her.
        mira = hub.with_context(user="mira", session="chat-42")
        likes = ["Mira likes window seats.", "Mira gets seasick.", "Mira reads on ferries."]
        await asyncio.gather(*(mira.save(text, scope="global", type="preference") for text in likes))

        async for memory in mira.memories(scope="global"):  # pages are fetched as they are needed
            print(memory.content)

        noah = hub.with_context(user="noah")
        print("of Noah:", [memory.content async for memory in noah.memories(scope="global")])


asyncio.run(main())
