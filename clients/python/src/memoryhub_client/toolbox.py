"""Tool definitions for models and the results of their tool calls, shared by the adapters of all frameworks."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from memoryhub_client import calls
from memoryhub_client.calls import Call
from memoryhub_client.client import AsyncMemoryHub, MemoryHub
from memoryhub_client.errors import MemoryHubError, Refused
from memoryhub_client.shapes import JSON

DIALECT = "graph"  # three tools that save, recall and forget


class NoSuchCall(MemoryHubError):
    """Raised when a model calls an unknown tool or sends unreadable arguments; its text is meant for the model."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool of a dialect."""

    dialect: str
    name: str
    description: str
    parameters: JSON  # a JSON schema

    @property
    def definition(self) -> JSON:
        return {"name": self.name, "description": self.description, "parameters": self.parameters}

    def call(self, arguments: str | Mapping[str, Any]) -> Call[JSON]:
        return calls.call_tool(self.dialect, self.name, parse_arguments(arguments))


class _DialectTools:
    """Selects the tools of a dialect; with `only`, just the ones named there."""

    def __init__(self, dialect: str, only: Collection[str] | None) -> None:
        self.dialect, self.only = dialect, only

    @property
    def listing(self) -> Call[list[JSON]]:
        return calls.tools(self.dialect, format="openai")

    def select_tools(self, definitions: list[JSON]) -> dict[str, Tool]:
        functions = [definition["function"] for definition in definitions]
        known = {function["name"]: Tool(self.dialect, **function) for function in functions}
        if missing := set(self.only or ()) - set(known):
            raise MemoryHubError(
                f"Dialect {self.dialect} has no {', '.join(sorted(missing))}; it has {_join_names(known)}."
            )
        return known if self.only is None else {name: tool for name, tool in known.items() if name in self.only}


class Toolbox:
    """Gives access to a hub's tools, fetching their definitions on first use."""

    def __init__(
        self, hub: MemoryHub | None = None, *, dialect: str = DIALECT, only: Collection[str] | None = None
    ) -> None:
        self.hub, self._dialect_tools, self._known = hub or MemoryHub(), _DialectTools(dialect, only), dict[str, Tool]()

    def tools(self) -> Mapping[str, Tool]:
        self._known = self._known or self._dialect_tools.select_tools(self.hub.send(self._dialect_tools.listing))
        return self._known

    def result(self, name: str, arguments: str | Mapping[str, Any]) -> JSON:
        return self.hub.send(find_tool(self.tools(), name).call(arguments))

    def answer(self, name: str, arguments: str | Mapping[str, Any]) -> str:
        """Return the text to give back to the model. A refusal is returned as text; an unreachable hub raises."""
        try:
            return result_text(self.result(name, arguments))
        except (Refused, NoSuchCall) as refusal:
            return str(refusal)


class AsyncToolbox:
    """The asynchronous counterpart of `Toolbox`."""

    def __init__(
        self, hub: AsyncMemoryHub | None = None, *, dialect: str = DIALECT, only: Collection[str] | None = None
    ) -> None:
        self.hub, self._dialect_tools, self._known = (
            hub or AsyncMemoryHub(),
            _DialectTools(dialect, only),
            dict[str, Tool](),
        )

    async def tools(self) -> Mapping[str, Tool]:
        self._known = self._known or self._dialect_tools.select_tools(await self.hub.send(self._dialect_tools.listing))
        return self._known

    async def result(self, name: str, arguments: str | Mapping[str, Any]) -> JSON:
        return await self.hub.send(find_tool(await self.tools(), name).call(arguments))

    async def answer(self, name: str, arguments: str | Mapping[str, Any]) -> str:
        try:
            return result_text(await self.result(name, arguments))
        except (Refused, NoSuchCall) as refusal:
            return str(refusal)


def find_tool(tools: Mapping[str, Tool], name: str) -> Tool:
    if name not in tools:
        raise NoSuchCall(f"There is no tool {name!r}; there are {_join_names(tools)}.")
    return tools[name]


def result_text(result: JSON) -> str:
    """Return a result as text: a single string as it is, anything else as JSON."""
    match list(result.values()):
        case [str(only)]:
            return only
    return json.dumps(result, ensure_ascii=False)


def parse_arguments(arguments: str | Mapping[str, Any]) -> Mapping[str, Any]:
    """Parse the arguments that a model wrote. Models send an empty string when there are none."""
    try:
        parsed = json.loads(arguments or "{}") if isinstance(arguments, str) else arguments
    except ValueError as error:
        raise NoSuchCall(f"The arguments are not JSON: {error}.") from error
    if not isinstance(parsed, Mapping):
        raise NoSuchCall("The arguments must be a JSON object.")
    return parsed


def _join_names(tools: Mapping[str, Tool]) -> str:
    return ", ".join(tools)
