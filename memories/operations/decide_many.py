"""Decisions about several proposals at once: each is made or refused for itself, and all are undone together."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Func, IntegerField, Sum, TextField
from django.db.models.functions import Cast
from django.utils import timezone

from memories.models import Proposal
from memories.models.constants import octet_length
from memories.operations.decide import approve_proposal, reject_proposal, reopen_proposal
from memoryhub.errors import Invalid, TooLarge, Trouble
from teams.actor import Actor

MOST_DECISIONS = 100  # at once
DECISION_BYTES = 2 * 1024 * 1024  # of the memories and of what was proposed, all of which is indexed and embedded


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
        actor,
        proposal_ids,
        lambda proposal_id: approve_proposal(actor=actor, proposal_id=proposal_id, note=note, now=now),
    )


def reject_proposals(
    *, actor: Actor, proposal_ids: Iterable[UUID], note: str = "", now: datetime | None = None
) -> DecisionsMade:
    now = now or timezone.now()
    return _decide_each(
        actor,
        proposal_ids,
        lambda proposal_id: reject_proposal(actor=actor, proposal_id=proposal_id, note=note, now=now),
    )


def reopen_proposals(*, actor: Actor, proposal_ids: Iterable[UUID], now: datetime | None = None) -> DecisionsMade:
    """Undo decisions, the latest first. What somebody has changed since is left alone."""
    now = now or timezone.now()
    latest_first = list(proposal_ids)[::-1]
    return _decide_each(
        actor, latest_first, lambda proposal_id: reopen_proposal(actor=actor, proposal_id=proposal_id, now=now)
    )


def _decide_each(actor: Actor, proposal_ids: Iterable[UUID], decide: Callable[[UUID], object]) -> DecisionsMade:
    """Decide about each in a transaction of its own, so that one refusal keeps none of the others."""
    ids = list(dict.fromkeys(proposal_ids))
    if len(ids) > MOST_DECISIONS:
        raise Invalid({"proposals": f"At most {MOST_DECISIONS} at once."})
    _check_size(actor, ids)
    refused: dict[UUID, str] = {}
    for proposal_id in ids:
        try:
            decide(proposal_id)
        except Trouble as refusal:
            refused[proposal_id] = refusal.message
    return DecisionsMade([each for each in ids if each not in refused], refused)


def _check_size(actor: Actor, ids: Sequence[UUID]) -> None:
    proposed = Func(Cast("arguments", TextField()), function="octet_length", output_field=IntegerField())
    rows = Proposal.objects.reviewable_by(actor).filter(pk__in=ids)
    size = rows.aggregate(size=Sum(octet_length("memory__content") + proposed))["size"] or 0
    if size > DECISION_BYTES and len(ids) > 1:
        sentence = f"At most {DECISION_BYTES:,} bytes of text at once; these are {size:,}. Do it in parts."
        raise TooLarge({"proposals": sentence})
