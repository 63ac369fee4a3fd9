"""An agent with a memory, built with OpenAI's Agents SDK: pip install "./clients/python[openai]"

If OPENAI_API_KEY is set, a real model answers. Otherwise a stand-in makes the calls that a model would make.
"""

import asyncio

import stand_in
from agents import Agent, OpenAIResponsesModel, RunConfig, Runner
from memoryhub_client import AsyncMemoryHub
from memoryhub_client.openai_agents import async_memory_tools
from openai import AsyncOpenAI

CALLS = [
    ("memory_save", {"content": "Mira wants to be in Kiel by noon.", "memory_type": "goal"}),
    ("memory_recall", {"query": "Where does Mira want to be?"}),
]
QUESTION = "Remember that I, Mira, want to be in Kiel by noon. Then look up what you know about my plans."


async def main() -> None:
    with stand_in.openai(CALLS) as (reached, model):
        async with AsyncMemoryHub() as hub, AsyncOpenAI(**reached) as client:
            agent = Agent(
                name="Travel agent",
                instructions=(await hub.context(budget=2000)).text,  # what the team already knows
                tools=[*await async_memory_tools(hub)],  # memory_save, memory_recall, memory_delete
                model=OpenAIResponsesModel(model=model, openai_client=client),
            )
            result = await Runner.run(agent, QUESTION, run_config=RunConfig(tracing_disabled=True))
            print(result.final_output)


asyncio.run(main())
