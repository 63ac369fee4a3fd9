"""Use cases of a call's surroundings: who the caller is, and what it should read first."""

from collections.abc import Mapping
from typing import Any

from memories.contract import outputs
from memories.prompts import context
from teams.actor import Actor


def describe_caller(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return who the caller is, what its token may do, and the context of the call."""
    return outputs.render_me(actor)


def build_context(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the text that an agent should read before it thinks."""
    return outputs.render_prompt_context(context.build_context(actor=actor, **arguments))
