"""Use cases of golden questions, for people alone."""

from collections.abc import Mapping
from typing import Any

from memories import operations
from memories.contract import outputs
from memories.queries.golden import report_golden_questions
from teams.actor import Actor


def report_golden(actor: Actor) -> dict[str, Any]:
    """Return the team's golden questions and what their last runs found."""
    return outputs.render_golden_report(report_golden_questions(actor=actor))


def add_golden(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Expect a memory among the answers to a question, and return the question."""
    return outputs.render_golden_question(operations.add_golden_question(actor=actor, **arguments))


def remove_golden(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Take a question out of the test, and return it."""
    return outputs.render_golden_question(operations.remove_golden_question(actor=actor, **arguments))


def restore_golden(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Put a removed question back, and return it."""
    return outputs.render_golden_question(operations.restore_golden_question(actor=actor, **arguments))


def run_golden(actor: Actor) -> dict[str, Any]:
    """Have a worker ask the questions."""
    operations.request_golden_run(actor=actor)
    return {"queued": True}
