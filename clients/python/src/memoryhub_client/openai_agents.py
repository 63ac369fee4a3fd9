"""The hub's tools for `tools=[…]` of OpenAI's Agents SDK."""

import asyncio
from collections.abc import Awaitable, Callable, Collection

from agents import FunctionTool

from memoryhub_client.client import AsyncMemoryHub, MemoryHub
from memoryhub_client.toolbox import DIALECT, AsyncToolbox, Tool, Toolbox


def memory_tools(
    hub: MemoryHub | None = None, *, dialect: str = DIALECT, only: Collection[str] | None = None
) -> list[FunctionTool]:
    """Return the tools. Their calls run in a thread and do not block the SDK's event loop. A refusal goes to the
    model; an unreachable hub ends the run."""
    box = Toolbox(hub, dialect=dialect, only=only)

    def answer(name: str, arguments: str) -> Awaitable[str]:
        return asyncio.to_thread(box.answer, name, arguments)

    return [_build_agents_tool(tool, answer) for tool in box.tools().values()]


async def async_memory_tools(
    hub: AsyncMemoryHub | None = None, *, dialect: str = DIALECT, only: Collection[str] | None = None
) -> list[FunctionTool]:
    """Return the tools of an asynchronous hub, which stays in the event loop that first used it."""
    box = AsyncToolbox(hub, dialect=dialect, only=only)
    return [_build_agents_tool(tool, box.answer) for tool in (await box.tools()).values()]


def _build_agents_tool(tool: Tool, answer: Callable[[str, str], Awaitable[str]]) -> FunctionTool:
    return FunctionTool(
        name=tool.name,
        description=tool.description,
        params_json_schema=tool.parameters,
        on_invoke_tool=lambda _, arguments: answer(tool.name, arguments),
        strict_json_schema=False,  # strict schemas require every argument and have no defaults
    )
