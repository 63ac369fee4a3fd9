"""Decisions about several proposals at once: each is made or refused for itself, and all are undone together."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from memories.operations.decide import approve_proposal, reject_proposal, reopen_proposal
from memoryhub.errors import Invalid, Trouble
from teams.actor import Actor

MOST_DECISIONS = 100  # at once


@dataclass(frozen=True, slots=True)
class DecisionsMade:
    """The proposals that were decided about, and why the others were not."""

    decided: Sequence[UUID]
    refused: Mapping[UUID, str]


def approve_proposals(
    *, actor: Actor, proposal_ids: Iterable[UUID], note: str = "", now: datetime | None = None
) -> DecisionsMade:
    now = now or timezone.now()
    return _decide_each(
        proposal_ids, lambda proposal_id: approve_proposal(actor=actor, proposal_id=proposal_id, note=note, now=now)
    )


def reject_proposals(
    *, actor: Actor, proposal_ids: Iterable[UUID], note: str = "", now: datetime | None = None
) -> DecisionsMade:
    now = now or timezone.now()
    return _decide_each(
        proposal_ids, lambda proposal_id: reject_proposal(actor=actor, proposal_id=proposal_id, note=note, now=now)
    )


def reopen_proposals(*, actor: Actor, proposal_ids: Iterable[UUID], now: datetime | None = None) -> DecisionsMade:
    """Undo decisions, the latest first. What somebody has changed since is left alone."""
    now = now or timezone.now()
    latest_first = list(proposal_ids)[::-1]
    return _decide_each(
        latest_first, lambda proposal_id: reopen_proposal(actor=actor, proposal_id=proposal_id, now=now)
    )


def _decide_each(proposal_ids: Iterable[UUID], decide: Callable[[UUID], object]) -> DecisionsMade:
    """Decide about each in a transaction of its own, so that one refusal keeps none of the others."""
    ids = list(dict.fromkeys(proposal_ids))
    if len(ids) > MOST_DECISIONS:
        raise Invalid({"proposals": f"At most {MOST_DECISIONS} at once."})
    refused: dict[UUID, str] = {}
    for proposal_id in ids:
        try:
            decide(proposal_id)
        except Trouble as refusal:
            refused[proposal_id] = refusal.message
    return DecisionsMade([each for each in ids if each not in refused], refused)
