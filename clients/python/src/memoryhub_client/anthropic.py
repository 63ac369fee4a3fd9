"""Claude's memory tool, backed by a team's files, for `tools=[…]` of Anthropic's tool runner."""

from collections.abc import Generator
from contextlib import suppress
from typing import Any

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
from anthropic.types.beta import (
    BetaMemoryTool20250818Command,
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

from memoryhub_client import calls
from memoryhub_client.calls import Call
from memoryhub_client.client import AsyncMemoryHub, MemoryHub
from memoryhub_client.errors import NotFound, Refused
from memoryhub_client.shapes import File, Me, Page


class MemoryTool(BetaAbstractMemoryTool):
    """Returns refusals to the model as tool results; an unreachable hub raises."""

    def __init__(self, hub: MemoryHub | None = None, **options: Any) -> None:
        super().__init__(**options)
        self.hub = hub or MemoryHub()

    def execute(self, command: BetaMemoryTool20250818Command) -> str:
        try:
            return str(self.hub.send(_build_tool_call(command))["content"])
        except Refused as refusal:
            raise ToolError(refusal.sentence) from refusal

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return self.execute(command)

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return self.execute(command)

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        return self.execute(command)

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        return self.execute(command)

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return self.execute(command)

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return self.execute(command)

    def clear_all_memory(self) -> str:
        """Delete all files of the token's team. People can restore them."""
        try:
            return self.hub.run(_clear_files())
        except Refused as refusal:
            raise ToolError(refusal.sentence) from refusal


class AsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """The asynchronous counterpart of `MemoryTool`."""

    def __init__(self, hub: AsyncMemoryHub | None = None, **options: Any) -> None:
        super().__init__(**options)
        self.hub = hub or AsyncMemoryHub()

    async def execute(self, command: BetaMemoryTool20250818Command) -> str:
        try:
            return str((await self.hub.send(_build_tool_call(command)))["content"])
        except Refused as refusal:
            raise ToolError(refusal.sentence) from refusal

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return await self.execute(command)

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return await self.execute(command)

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        return await self.execute(command)

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        return await self.execute(command)

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return await self.execute(command)

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return await self.execute(command)

    async def clear_all_memory(self) -> str:
        try:
            return await self.hub.run(_clear_files())
        except Refused as refusal:
            raise ToolError(refusal.sentence) from refusal


def _build_tool_call(command: BetaMemoryTool20250818Command) -> Call[dict[str, Any]]:
    arguments = command.to_dict(exclude_none=True)
    return calls.call_tool("files", str(arguments.pop("command")), arguments)


def _clear_files() -> Generator[Call[Any], Any, str]:
    """Yield calls that delete the team's own files; those of the teams above can only be read."""
    me: Me = yield calls.me()
    paths: list[str] = []
    call = calls.files(limit=200)
    while True:
        page: Page[File] = yield call
        paths += [file.path for file in page.items if file.team_id == me.team_id]
        if page.next is None:
            break
        call = call.at(page.next)
    for path in paths:
        with suppress(NotFound):  # somebody else deleted it first
            yield calls.delete_file(path)
    return "All memory cleared"
