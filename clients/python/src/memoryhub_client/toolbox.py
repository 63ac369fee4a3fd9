"""What a model is told of the hub's tools, and what it is answered when it calls one: for every framework's adapter."""

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
    """A model called what there is not, or said what cannot be read. It is told so, and may do better."""


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
        return calls.call_tool(self.dialect, self.name, read(arguments))


class _Offered:
    """A dialect's tools; with `only`, just those of these names."""

    def __init__(self, dialect: str, only: Collection[str] | None) -> None:
        self.dialect, self.only = dialect, only

    @property
    def listing(self) -> Call[list[JSON]]:
        return calls.tools(self.dialect, format="openai")

    def chosen(self, definitions: list[JSON]) -> dict[str, Tool]:
        functions = [definition["function"] for definition in definitions]
        known = {said["name"]: Tool(self.dialect, **said) for said in functions}
        if missing := set(self.only or ()) - set(known):
            raise MemoryHubError(f"Dialect {self.dialect} has no {', '.join(sorted(missing))}; it has {_names(known)}.")
        return known if self.only is None else {name: tool for name, tool in known.items() if name in self.only}


class Toolbox:
    """The tools of a hub, asked for when they are first needed."""

    def __init__(
        self, hub: MemoryHub | None = None, *, dialect: str = DIALECT, only: Collection[str] | None = None
    ) -> None:
        self.hub, self._offered, self._known = hub or MemoryHub(), _Offered(dialect, only), dict[str, Tool]()

    def tools(self) -> Mapping[str, Tool]:
        self._known = self._known or self._offered.chosen(self.hub.send(self._offered.listing))
        return self._known

    def result(self, name: str, arguments: str | Mapping[str, Any]) -> JSON:
        return self.hub.send(found(self.tools(), name).call(arguments))

    def answer(self, name: str, arguments: str | Mapping[str, Any]) -> str:
        """What to give back to the model. A refusal is an answer, too; a hub that cannot be reached raises."""
        try:
            return text_of(self.result(name, arguments))
        except (Refused, NoSuchCall) as refusal:
            return str(refusal)


class AsyncToolbox:
    """The same for asynchronous code."""

    def __init__(
        self, hub: AsyncMemoryHub | None = None, *, dialect: str = DIALECT, only: Collection[str] | None = None
    ) -> None:
        self.hub, self._offered, self._known = hub or AsyncMemoryHub(), _Offered(dialect, only), dict[str, Tool]()

    async def tools(self) -> Mapping[str, Tool]:
        self._known = self._known or self._offered.chosen(await self.hub.send(self._offered.listing))
        return self._known

    async def result(self, name: str, arguments: str | Mapping[str, Any]) -> JSON:
        return await self.hub.send(found(await self.tools(), name).call(arguments))

    async def answer(self, name: str, arguments: str | Mapping[str, Any]) -> str:
        try:
            return text_of(await self.result(name, arguments))
        except (Refused, NoSuchCall) as refusal:
            return str(refusal)


def found(tools: Mapping[str, Tool], name: str) -> Tool:
    if name not in tools:
        raise NoSuchCall(f"There is no tool {name!r}; there are {_names(tools)}.")
    return tools[name]


def text_of(result: JSON) -> str:
    """A result that is one text alone reads best as it stands."""
    match list(result.values()):
        case [str(only)]:
            return only
    return json.dumps(result, ensure_ascii=False)


def read(arguments: str | Mapping[str, Any]) -> Mapping[str, Any]:
    """Models write JSON by hand, and nothing at all for no arguments."""
    try:
        said = json.loads(arguments or "{}") if isinstance(arguments, str) else arguments
    except ValueError as error:
        raise NoSuchCall(f"The arguments are not JSON: {error}.") from error
    if not isinstance(said, Mapping):
        raise NoSuchCall("The arguments must be a JSON object.")
    return said


def _names(tools: Mapping[str, Tool]) -> str:
    return ", ".join(tools)
