"""Claude's memory tool over a team's files: for `tools=[…]` of Anthropic's tool runner."""

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
from memoryhub_client.errors import Refused


class MemoryTool(BetaAbstractMemoryTool):
    """A refusal goes to the model as the tool's answer; a hub that cannot be reached raises."""

    def __init__(self, hub: MemoryHub | None = None, **options: Any) -> None:
        super().__init__(**options)
        self.hub = hub or MemoryHub()

    def execute(self, command: BetaMemoryTool20250818Command) -> str:
        try:
            return str(self.hub.send(_call(command))["content"])
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


class AsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same for asynchronous code."""

    def __init__(self, hub: AsyncMemoryHub | None = None, **options: Any) -> None:
        super().__init__(**options)
        self.hub = hub or AsyncMemoryHub()

    async def execute(self, command: BetaMemoryTool20250818Command) -> str:
        try:
            return str((await self.hub.send(_call(command)))["content"])
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


def _call(command: BetaMemoryTool20250818Command) -> Call[dict[str, Any]]:
    said = command.to_dict(exclude_none=True)
    return calls.call_tool("files", str(said.pop("command")), said)
