"""Prompts that a person can choose: the team's context, ready to begin a conversation with."""

from collections.abc import Mapping
from typing import Any

from memories.contract import inputs
from memories.prompts import context
from memoryhub.errors import Invalid, NotFound
from memoryhub.json_schema import parse_strings, record
from memoryhub.validation import validate_input
from teams.actor import Actor

NAME = "team_context"
PROMPTS: list[dict[str, Any]] = [
    {
        "name": NAME,
        "title": "What the team knows",
        "description": "The team's core memory, what is pinned, the newest, and with a query what is relevant.",
        "arguments": [
            {"name": name, "description": schema["description"], "required": False}
            for name, schema in inputs.CONTEXT.items()
        ],
    }
]
ARGUMENTS = record(inputs.CONTEXT)
NOTHING = "The team has not saved anything yet."


def build_prompt(*, actor: Actor, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    if name != NAME:
        raise NotFound(f"There is no prompt {name!r}; there is {NAME}.")
    found = context.build_context(actor=actor, **_read_arguments(arguments))
    message = {"role": "user", "content": {"type": "text", "text": found.text or NOTHING}}
    return {"description": PROMPTS[0]["description"], "messages": [message]}


def _read_arguments(arguments: Mapping[str, Any]) -> Any:
    """Return the checked arguments of a prompt. They are all text: an empty one counts as left out, and lists are
    separated by commas."""
    if wrong := [name for name, value in arguments.items() if not isinstance(value, str)]:
        raise Invalid(dict.fromkeys(wrong, "This must be text."))
    given = {name: value for name, value in arguments.items() if value}
    read = {
        name: parse_strings(inputs.CONTEXT[name], _parts(name, value)) if name in inputs.CONTEXT else value
        for name, value in given.items()
    }
    return validate_input(ARGUMENTS, read, name="arguments")


def _parts(name: str, value: str) -> list[str]:
    return [part.strip() for part in value.split(",")] if inputs.CONTEXT[name]["type"] == "array" else [value]
