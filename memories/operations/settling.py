"""Questions that found nothing, taken off the list of those: by an answer, or because they need none."""

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from memories.models import Memory, SettledQuestion
from memories.operations.forgetting import forget
from memories.operations.recording import require
from memories.operations.saving import Draft, save
from memories.questions import QUERY_LENGTH, plain
from memoryhub.errors import Forbidden, Invalid, NotFound
from memoryhub.text import flaw
from teams.actor import Actor
from teams.models import Verb


@transaction.atomic
def answer(*, actor: Actor, question: str, draft: Draft, now: datetime | None = None) -> SettledQuestion:
    """Saves what should have been found."""
    now = now or timezone.now()
    memory = save(actor=actor, draft=draft, now=now)
    return _settle(actor=actor, question=question, memory=memory, now=now)


@transaction.atomic
def dismiss(*, actor: Actor, question: str, now: datetime | None = None) -> SettledQuestion:
    return _settle(actor=actor, question=question, memory=None, now=now or timezone.now())


@transaction.atomic
def reopen(*, actor: Actor, settled_id: UUID, now: datetime | None = None) -> SettledQuestion:
    """Puts it back on the list; an answer that was saved for it is forgotten, unless somebody made more of it."""
    _may_settle(actor)
    mine = SettledQuestion.objects.filter(organization=actor.organization_id, team=actor.team_id)
    settled = mine.filter(pk=settled_id).select_for_update().first()
    if settled is None:
        raise NotFound("There is no such question, or somebody has settled it otherwise by now.")
    saved = settled.memory_id
    if saved and Memory.objects.writable_by(actor, now=now).filter(pk=saved, version=1).exists():
        forget(actor=actor, memory_id=saved, reason="An answer that was taken back", now=now)
    mine.filter(pk=settled_id).delete()
    return settled


def _settle(*, actor: Actor, question: str, memory: Memory | None, now: datetime) -> SettledQuestion:
    """One statement decides, whoever else settles it at once."""
    _may_settle(actor)
    if not plain(question) or flaw(question, longest=QUERY_LENGTH):
        raise Invalid({"question": "Say which question."})
    mine = {"organization_id": actor.organization_id, "team_id": actor.team_id, "question": plain(question)}
    SettledQuestion.objects.filter(**mine).delete()  # taking that one back must not take this one back
    SettledQuestion.objects.bulk_create(
        [SettledQuestion(**mine, memory=memory, agent_id=actor.agent_id, user_id=actor.user_id, created_at=now)],
        update_conflicts=True,
        unique_fields=["organization", "team", "question"],
        update_fields=["memory", "agent", "user", "created_at"],
    )
    return SettledQuestion.objects.get(**mine)


def _may_settle(actor: Actor) -> None:
    require(actor, Verb.WRITE)
    if actor.team_id not in actor.writes:
        raise Forbidden("You may read this team's questions, but not answer or dismiss them.")
