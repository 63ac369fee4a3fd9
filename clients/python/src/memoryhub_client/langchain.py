"""The hub's tools for LangChain: a model that is bound to them and a node that runs them need nothing else."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from langchain_core.tools import StructuredTool, ToolException

from memoryhub_client.client import AsyncMemoryHub, MemoryHub
from memoryhub_client.errors import Refused
from memoryhub_client.shapes import JSON
from memoryhub_client.toolbox import DIALECT, AsyncToolbox, Tool, Toolbox, text_of

Answer = tuple[str, JSON]  # for the model to read; and the whole of it, for the program


def memory_tools(
    hub: MemoryHub | None = None, *, dialect: str = DIALECT, only: Collection[str] | None = None
) -> list[StructuredTool]:
    """In asynchronous code LangChain runs them in a thread. A refusal goes to the model; a hub that cannot be reached
    raises."""
    box = Toolbox(hub, dialect=dialect, only=only)
    return [_tool(tool, func=_plain(box, tool)) for tool in box.tools().values()]


async def async_memory_tools(
    hub: AsyncMemoryHub | None = None, *, dialect: str = DIALECT, only: Collection[str] | None = None
) -> list[StructuredTool]:
    """The same for asynchronous code alone."""
    box = AsyncToolbox(hub, dialect=dialect, only=only)
    return [_tool(tool, coroutine=_later(box, tool)) for tool in (await box.tools()).values()]


def _tool(tool: Tool, **how: Any) -> StructuredTool:
    return StructuredTool(
        name=tool.name,
        description=tool.description,
        args_schema=tool.parameters,
        response_format="content_and_artifact",
        handle_tool_error=True,
        **how,
    )


def _plain(box: Toolbox, tool: Tool) -> Callable[..., Answer]:
    def run(**arguments: Any) -> Answer:
        try:
            return _answer(box.result(tool.name, arguments))
        except Refused as refusal:
            raise ToolException(refusal.sentence) from refusal

    return run


def _later(box: AsyncToolbox, tool: Tool) -> Callable[..., Any]:
    async def run(**arguments: Any) -> Answer:
        try:
            return _answer(await box.result(tool.name, arguments))
        except Refused as refusal:
            raise ToolException(refusal.sentence) from refusal

    return run


def _answer(result: Mapping[str, Any]) -> Answer:
    return text_of(dict(result)), dict(result)
