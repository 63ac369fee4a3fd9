"""The hub's tools for LangChain, ready to bind to a model and run in a tool node."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from langchain_core.tools import StructuredTool, ToolException

from memoryhub_client.client import AsyncMemoryHub, MemoryHub
from memoryhub_client.errors import Refused
from memoryhub_client.shapes import JSON
from memoryhub_client.toolbox import DIALECT, AsyncToolbox, Tool, Toolbox, result_text

TextAndResult = tuple[str, JSON]  # text for the model, and the whole result for the program


def memory_tools(
    hub: MemoryHub | None = None, *, dialect: str = DIALECT, only: Collection[str] | None = None
) -> list[StructuredTool]:
    """Return the tools. LangChain runs them in a thread in asynchronous code. A refusal goes to the model; an
    unreachable hub raises."""
    box = Toolbox(hub, dialect=dialect, only=only)
    return [_build_langchain_tool(tool, func=_sync_runner(box, tool)) for tool in box.tools().values()]


async def async_memory_tools(
    hub: AsyncMemoryHub | None = None, *, dialect: str = DIALECT, only: Collection[str] | None = None
) -> list[StructuredTool]:
    """Return the tools for asynchronous code only."""
    box = AsyncToolbox(hub, dialect=dialect, only=only)
    return [_build_langchain_tool(tool, coroutine=_async_runner(box, tool)) for tool in (await box.tools()).values()]


def _build_langchain_tool(tool: Tool, **how: Any) -> StructuredTool:
    return StructuredTool(
        name=tool.name,
        description=tool.description,
        args_schema=tool.parameters,
        response_format="content_and_artifact",
        handle_tool_error=True,
        **how,
    )


def _sync_runner(box: Toolbox, tool: Tool) -> Callable[..., TextAndResult]:
    def run(**arguments: Any) -> TextAndResult:
        try:
            return _build_text_and_result(box.result(tool.name, arguments))
        except Refused as refusal:
            raise ToolException(refusal.sentence) from refusal

    return run


def _async_runner(box: AsyncToolbox, tool: Tool) -> Callable[..., Any]:
    async def run(**arguments: Any) -> TextAndResult:
        try:
            return _build_text_and_result(await box.result(tool.name, arguments))
        except Refused as refusal:
            raise ToolException(refusal.sentence) from refusal

    return run


def _build_text_and_result(result: Mapping[str, Any]) -> TextAndResult:
    return result_text(dict(result)), dict(result)
