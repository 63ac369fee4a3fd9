"""Unanswered questions: answer, dismiss or reopen a question that found nothing."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from memories.models import Memory, SettledQuestion
from memories.operations.forget import forget_memory
from memories.operations.save import Dedupe, Draft, save_memory
from memories.queries.unanswered import QUERY_LENGTH, find_question_audiences, normalize_question
from memories.rules import access
from memories.rules.access import require_verb
from memoryhub.errors import Forbidden, Invalid, NotFound
from memoryhub.text import text_problem
from teams.actor import Actor
from teams.models import Verb


@transaction.atomic
def answer_question(*, actor: Actor, question: str, draft: Draft, now: datetime | None = None) -> SettledQuestion:
    """Save a memory that answers the question, and take the question off the list."""
    now = now or timezone.now()
    draft = replace(draft, dedupe=Dedupe.CREATE)  # one that is taken back with the answer
    memory = save_memory(actor=actor, draft=draft, now=now)
    return _settle(actor=actor, question=question, memory=memory, now=now)


@transaction.atomic
def dismiss_question(*, actor: Actor, question: str, now: datetime | None = None) -> SettledQuestion:
    return _settle(actor=actor, question=question, memory=None, now=now or timezone.now())


@transaction.atomic
def reopen_question(*, actor: Actor, settled_id: UUID, now: datetime | None = None) -> SettledQuestion:
    """Put the question back on the list. Its answer is forgotten, unless somebody has changed that since."""
    _require_settling(actor)
    mine = SettledQuestion.objects.visible_to(actor).of_team(actor.team_id)
    settled = mine.filter(pk=settled_id).select_for_update().first()
    if settled is None:
        raise NotFound("There is no such question, or somebody has settled it otherwise by now.")
    saved = settled.memory_id
    if saved and Memory.objects.writable_by(actor, now=now).filter(pk=saved, version=1).exists():
        forget_memory(actor=actor, memory_id=saved, reason="An answer that was taken back", now=now)
    mine.filter(question=settled.question, created_at=settled.created_at).delete()
    return settled


def _settle(*, actor: Actor, question: str, memory: Memory | None, now: datetime) -> SettledQuestion:
    """Settle the question in each context in which it was asked. One statement decides between concurrent callers."""
    _require_settling(actor)
    if not normalize_question(question) or text_problem(question, longest=QUERY_LENGTH):
        raise Invalid({"question": "Say which question."})
    mine = {
        "organization_id": actor.organization_id,
        "team_id": actor.team_id,
        "question": normalize_question(question),
    }
    mine |= {"workspace_id": actor.workspace_id}
    audiences = find_question_audiences(actor=actor, question=normalize_question(question))
    former = SettledQuestion.objects.filter(**mine, audience__in=audiences)
    former.delete()  # taking that one back must not take this one back
    by = {"memory": memory, "agent_id": actor.agent_id, "user_id": actor.user_id, "created_at": now}
    SettledQuestion.objects.bulk_create(
        [SettledQuestion(**mine, **by, audience=audience) for audience in audiences],
        update_conflicts=True,
        unique_fields=["organization", "team", "audience", "workspace", "question"],
        update_fields=["memory", "agent", "user", "created_at"],
    )
    return SettledQuestion.objects.get(**mine, audience=audiences[0])


def _require_settling(actor: Actor) -> None:
    require_verb(actor, Verb.WRITE)
    if not access.may_write(actor, actor.team_id):
        raise Forbidden("You may read this team's questions, but not answer or dismiss them.")
