"""A tool as agents call it: one description, published in the shape that each kind of client wants."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any

from memories.operations.recording import require
from memories.schemas import Schema, checked, record, without_nulls
from teams.actor import Actor
from teams.models import Verb

Arguments = Mapping[str, Any]
Result = dict[str, Any]


class Format(StrEnum):
    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    MCP = "mcp"


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    description: str
    parameters: Schema  # of the arguments, an object
    gives: Schema  # of the result, an object too
    act: Callable[[Actor, Arguments], Result]
    think: Callable[[Actor, Arguments], Arguments] | None = None  # before it: what takes long, as arguments more
    reads: bool = False  # changes nothing
    destroys: bool = False  # takes away what others read
    repeats: bool = False  # done again, it changes nothing more
    open_to_all: bool = False  # even those who may not read
    title: str = ""
    context: Mapping[str, str] = field(default_factory=dict)  # arguments that tell the circumstances, by their names
    example: Arguments | None = None  # what a call says
    answer: Result | None = None  # and what comes back

    def run(self, *, actor: Actor, arguments: object) -> Result:
        """What the tool answers. Bad arguments are refused by name and change nothing."""
        return self.ready(actor=actor, arguments=arguments)()

    def ready(self, *, actor: Actor, arguments: object) -> Callable[[], Result]:
        """What is left to do within a transaction: the arguments are checked, and what takes long is thought."""
        if self.reads and not self.open_to_all:
            require(actor, Verb.READ)
        said = checked(self.parameters, without_nulls(self.parameters, arguments), name="arguments")
        thought = self.think(actor, said) if self.think else {}
        return partial(self.act, actor, {**said, **thought})

    def circumstances(self, arguments: object) -> dict[str, str]:
        """What a call says of them beside its headers. The doors ask, for they make the actor."""
        said = arguments if isinstance(arguments, dict) else {}
        told = {name: said[name] for name in self.context if said.get(name) not in (None, "")}
        schema = record({name: self.parameters["properties"][name] for name in told})
        return {self.context[name]: value for name, value in checked(schema, told).items()}

    def definition(self, format: Format) -> dict[str, Any]:
        described = {"name": self.name, "description": self.description}
        if format is Format.OPENAI:
            return {"type": "function", "function": described | {"parameters": self.parameters}}
        if format is Format.ANTHROPIC:
            return described | {"input_schema": self.parameters}
        titled = {"title": self.title} if self.title else {}
        shapes = {"inputSchema": self.parameters, "outputSchema": self.gives}
        return titled | described | shapes | {"annotations": titled | self._hints()}

    def _hints(self) -> dict[str, bool]:
        changes = {} if self.reads else {"destructiveHint": self.destroys, "idempotentHint": self.repeats}
        return {"readOnlyHint": self.reads, **changes, "openWorldHint": False}
