"""Use cases of feedback: rate a memory, read how it was rated, and decide about reports."""

from collections.abc import Mapping
from typing import Any

from memories import operations
from memories.contract import outputs
from memories.queries.feedback import summarize_feedback
from memories.rules.access import require_verb
from teams.actor import Actor
from teams.models import Verb


def rate_memory(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Record what the caller says about a memory, and return its ratings."""
    operations.rate_memory(actor=actor, **arguments)
    return _summarize(actor, arguments)


def withdraw_rating(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Take back what the caller said, and return the memory's ratings."""
    operations.withdraw_rating(actor=actor, memory_id=arguments["memory_id"])
    return _summarize(actor, arguments)


def read_ratings(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return how many say what about the memory, and what the caller itself says."""
    require_verb(actor, Verb.READ)
    return _summarize(actor, arguments)


def rate_or_withdraw(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Record what the caller says about a memory; without a rating, take back what it said."""
    return rate_memory(actor, arguments) if arguments.get("rating") else withdraw_rating(actor, arguments)


def dismiss_reports(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Decide that a reported memory is right, and return it."""
    return outputs.render_memory(operations.dismiss_reports(actor=actor, memory_id=arguments["memory_id"]))


def reopen_reports(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Take such a decision back, and return the memory."""
    return outputs.render_memory(operations.reopen_reports(actor=actor, memory_id=arguments["memory_id"]))


def _summarize(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return outputs.render_ratings(summarize_feedback(actor=actor, memory_id=arguments["memory_id"]))
