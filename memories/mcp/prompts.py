"""Prompts that a person can choose: the team's context, ready to begin a conversation with."""

from collections.abc import Mapping
from typing import Any

from memories import context
from memories.api.context import ASKED
from memories.schemas import checked, record, spelled
from memoryhub.errors import Invalid, NotFound
from teams.actor import Actor

NAME = "team_context"
PROMPTS: list[dict[str, Any]] = [
    {
        "name": NAME,
        "title": "What the team knows",
        "description": "The team's core memory, what is pinned, the newest, and with a query what is relevant.",
        "arguments": [
            {"name": name, "description": schema["description"], "required": False} for name, schema in ASKED.items()
        ],
    }
]
NOTHING = "The team has not saved anything yet."


def made(*, actor: Actor, name: str, said: Mapping[str, Any]) -> dict[str, Any]:
    if name != NAME:
        raise NotFound(f"There is no prompt {name!r}; there is {NAME}.")
    found = context.context(actor=actor, **_asked(said))
    message = {"role": "user", "content": {"type": "text", "text": found.text or NOTHING}}
    return {"description": PROMPTS[0]["description"], "messages": [message]}


def _asked(said: Mapping[str, Any]) -> Any:
    """All arguments of prompts are text; an empty one says nothing, and a list has commas."""
    if wrong := [name for name, value in said.items() if not isinstance(value, str)]:
        raise Invalid(dict.fromkeys(wrong, "This must be text."))
    given = {name: value for name, value in said.items() if value}
    read = {
        name: spelled(ASKED[name], _parts(name, value)) if name in ASKED else value for name, value in given.items()
    }
    return checked(record(ASKED), read, name="arguments")


def _parts(name: str, value: str) -> list[str]:
    return [part.strip() for part in value.split(",")] if ASKED[name]["type"] == "array" else [value]
