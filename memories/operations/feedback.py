"""Feedback: rate a memory, take a rating back, and decide about reports that it is wrong or outdated."""

import hashlib
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from memories.models import REPORTS, SUMMARY_LENGTH, Feedback, Memory, Rating
from memories.operations.legal_holds import refuse_if_held
from memories.operations.screen import screen_values
from memories.queries.feedback import NO_REPORTS
from memories.rules.access import require_verb
from memories.rules.feedback import weigh_rating
from memoryhub.errors import Forbidden, Invalid, NotFound
from memoryhub.text import normalize_text, text_problem
from teams.actor import Actor
from teams.models import Verb


@transaction.atomic
def rate_memory(
    *, actor: Actor, memory_id: UUID, rating: str, reason: str = "", now: datetime | None = None
) -> Feedback:
    """Record what the actor says about a memory that it may see, instead of what it said before."""
    now = now or timezone.now()
    require_verb(actor, Verb.READ, Verb.WRITE)
    memory = _lock_visible_memory(actor, memory_id, now=now)
    chosen, reason = _check_rating(actor, rating, reason)
    text_hash = hashlib.md5(memory.content.encode(), usedforsecurity=False).hexdigest()
    former = Feedback.objects.by_actor(actor).of_memory(memory).first()
    row = former or Feedback(
        organization_id=actor.organization_id, memory=memory, agent_id=actor.agent_id, user_id=_get_login(actor)
    )
    if not (former and chosen in REPORTS and former.text_hash == text_hash):
        row.settled_at = row.settled_by_id = None  # a report that was decided about does not come back by itself
    row.audience, row.text_hash, row.created_at = memory.audience, text_hash, now
    row.rating, row.reason, row.weight = chosen, reason, weigh_rating(actor, memory, chosen)
    row.save()
    return row


@transaction.atomic
def withdraw_rating(*, actor: Actor, memory_id: UUID, now: datetime | None = None) -> None:
    """Take back what the actor said about a memory, if it said anything. A report that somebody has decided about
    stays, so that it cannot come back."""
    require_verb(actor, Verb.READ, Verb.WRITE)
    memory = _lock_visible_memory(actor, memory_id, now=now or timezone.now())
    refuse_if_held(actor.organization_id, memory_id)
    Feedback.objects.by_actor(actor).of_memory(memory).filter(settled_at=None).delete()


def _lock_visible_memory(actor: Actor, memory_id: UUID, *, now: datetime) -> Memory:
    """Return the memory, locked so that two ratings of one actor follow each other, and none outlives a purge."""
    rows = Memory.objects.visible_to(actor, now=now).defer("search")
    return rows.select_for_update(no_key=True).require(memory_id)


def _check_rating(actor: Actor, rating: str, reason: str) -> tuple[Rating, str]:
    if rating not in Rating.values:
        raise Invalid({"rating": f"This must be one of {', '.join(Rating)}."})
    if found := text_problem(reason, longest=SUMMARY_LENGTH):
        raise Invalid({"reason": found})
    screened = screen_values(actor, {"reason": normalize_text(reason).strip()}, may_hold=False)
    return Rating(rating), screened.values["reason"][:SUMMARY_LENGTH]


def _get_login(actor: Actor) -> int | None:
    return None if actor.agent_id else actor.user_id


# Decisions of people


@transaction.atomic
def dismiss_reports(*, actor: Actor, memory_id: UUID, now: datetime | None = None) -> Memory:
    """Decide that a memory which was reported is right. The reports count no more, as long as its text stays."""
    now = now or timezone.now()
    memory = _lock_decidable_memory(actor, memory_id, now=now)
    reports = Feedback.objects.of_memory(memory).open_reports().about_present_text()
    if not Feedback.objects.filter(pk__in=reports.values("pk")).update(settled_at=now, settled_by=actor.user_id):
        raise NotFound(NO_REPORTS)
    return memory


@transaction.atomic
def reopen_reports(*, actor: Actor, memory_id: UUID, now: datetime | None = None) -> Memory:
    """Take the last such decision back: its reports wait again."""
    memory = _lock_decidable_memory(actor, memory_id, now=now or timezone.now())
    settled = Feedback.objects.of_memory(memory).reports().filter(settled_at__isnull=False)
    last = settled.order_by("-settled_at").first()
    if last is None:
        raise NotFound(NO_REPORTS)
    settled.filter(settled_at=last.settled_at).update(settled_at=None, settled_by=None)
    return memory


def _lock_decidable_memory(actor: Actor, memory_id: UUID, *, now: datetime) -> Memory:
    if actor.agent_id:
        raise Forbidden("Only people decide about reports.")
    memory = _lock_visible_memory(actor, memory_id, now=now)
    if not Memory.objects.writable_by(actor, now=now).filter(pk=memory_id).exists():
        raise Forbidden("You may read this memory, but not change it.")
    return memory
