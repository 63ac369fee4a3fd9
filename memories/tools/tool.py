"""A tool as agents call it: one description, published in the form that each kind of client wants."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any

from memories.rules.access import require_verb, writes_anything
from memoryhub.json_schema import Schema, record, without_nulls
from memoryhub.validation import validate_input
from teams import rate_limits
from teams.actor import Actor
from teams.models import Verb

Arguments = Mapping[str, Any]
Result = dict[str, Any]
Verbs = tuple[Verb, ...]
Needs = Verbs | Callable[[Arguments], Verbs] | None


class Format(StrEnum):
    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    MCP = "mcp"


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    description: str
    parameters: Schema  # schema of the arguments, an object
    gives: Schema  # schema of the result, also an object
    act: Callable[[Actor, Arguments], Result]
    prepare: Callable[[Actor, Arguments], Arguments] | None = None  # slow work that adds arguments
    reads: bool = False  # changes nothing
    destroys: bool = False  # removes what others can read
    repeats: bool = False  # repeating it changes nothing more
    needs: Needs = None  # verbs that a call needs; by default, what `reads` and `destroys` imply
    title: str = ""
    weigh: Callable[[Actor, Arguments], int] | None = None  # what a call costs beyond an ordinary request
    context: Mapping[str, str] = field(default_factory=dict)  # names of context fields by the arguments that give them
    example: Arguments | None = None  # example arguments
    answer: Result | None = None  # and their result
    context_schema: Schema = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        schema = record({name: self.parameters["properties"][name] for name in self.context})
        object.__setattr__(self, "context_schema", schema)

    def run(self, *, actor: Actor, arguments: object) -> Result:
        """Return the tool's answer. Invalid arguments are refused by name and change nothing."""
        return self.ready(actor=actor, arguments=arguments)()

    def ready(self, *, actor: Actor, arguments: object) -> Callable[[], Result]:
        """Check the arguments, do what takes long, and return the rest of the work, to be run within a transaction."""
        require_verb(actor, *self.verbs(arguments))
        checked = validate_input(self.parameters, without_nulls(self.parameters, arguments), name="arguments")
        if self.weigh:
            rate_limits.charge_work(actor=actor, work=self.weigh(actor, checked))
        prepared = self.prepare(actor, checked) if self.prepare else {}
        return partial(self.act, actor, {**checked, **prepared})

    def verbs(self, arguments: object) -> Verbs:
        """Return the verbs that a call with these arguments takes. Every door asks for them before anything else."""
        if callable(self.needs):
            return self.needs(arguments if isinstance(arguments, dict) else {})
        if self.needs is not None:
            return self.needs
        return (Verb.READ if self.reads else Verb.FORGET if self.destroys else Verb.WRITE,)

    def writes(self, arguments: object) -> bool:
        """Return whether a call with these arguments may change something."""
        return writes_anything(self.verbs(arguments))

    def read_context(self, arguments: object) -> dict[str, str]:
        """Return the context that a call names in its arguments, in addition to its headers. Callers of the tool need
        it to make the actor."""
        given = arguments if isinstance(arguments, dict) else {}
        named = {name: given[name] for name in self.context if given.get(name) not in (None, "")}
        return {self.context[name]: value for name, value in validate_input(self.context_schema, named).items()}

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
