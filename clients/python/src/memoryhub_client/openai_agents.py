"""The hub's tools for OpenAI's Agents SDK: for `tools=[…]` of an agent."""

import asyncio
from collections.abc import Awaitable, Callable, Collection

from agents import FunctionTool

from memoryhub_client.client import AsyncMemoryHub, MemoryHub
from memoryhub_client.toolbox import DIALECT, AsyncToolbox, Tool, Toolbox


def memory_tools(
    hub: MemoryHub | None = None, *, dialect: str = DIALECT, only: Collection[str] | None = None
) -> list[FunctionTool]:
    """The SDK runs in an event loop, which calls of these do not hold up. A refusal goes to the model; a hub that
    cannot be reached ends the run."""
    box = Toolbox(hub, dialect=dialect, only=only)

    def answer(name: str, arguments: str) -> Awaitable[str]:
        return asyncio.to_thread(box.answer, name, arguments)

    return [_tool(tool, answer) for tool in box.tools().values()]


async def async_memory_tools(
    hub: AsyncMemoryHub | None = None, *, dialect: str = DIALECT, only: Collection[str] | None = None
) -> list[FunctionTool]:
    """The same over an asynchronous hub, which stays in the event loop that it was first used in."""
    box = AsyncToolbox(hub, dialect=dialect, only=only)
    return [_tool(tool, box.answer) for tool in (await box.tools()).values()]


def _tool(tool: Tool, answer: Callable[[str, str], Awaitable[str]]) -> FunctionTool:
    return FunctionTool(
        name=tool.name,
        description=tool.description,
        params_json_schema=tool.parameters,
        on_invoke_tool=lambda _, arguments: answer(tool.name, arguments),
        strict_json_schema=False,  # strict ones make a model say every argument, and know no defaults
    )
