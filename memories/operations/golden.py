"""Golden questions: a team says which memory recall should find for a question."""

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from memories.models import QUESTION_LENGTH, GoldenQuestion, Memory
from memories.models.memory import NO_SUCH_MEMORY
from memories.operations.screen import EVERY_FINDING, INJECTION_ONLY, screen_values
from memories.rules.access import may_read, may_write, require_verb
from memoryhub import background, locks
from memoryhub.errors import Forbidden, Invalid, NotFound
from memoryhub.text import normalize_text, text_problem
from teams.actor import Actor
from teams.models import Person, Project, Verb

MOST_GOLDEN_QUESTIONS = 200  # of a team: a run asks them all
SCREENED_GROUPS = EVERY_FINDING - INJECTION_ONLY  # no model reads these, and a question may look like an order
NO_SUCH_QUESTION = "There is no such golden question."


@transaction.atomic
def add_golden_question(
    *, actor: Actor, query: str, memory_id: UUID, audience: UUID | None = None, now: datetime | None = None
) -> GoldenQuestion:
    """Expect the memory among the first answers to this question, asked in the context of the audience: by default,
    of the memory's own."""
    now = now or timezone.now()
    require_testing(actor)
    memory = Memory.objects.visible_to(actor, now=now).alive(now=now).filter(pk=memory_id).defer("search").first()
    if memory is None:
        raise NotFound(NO_SUCH_MEMORY)
    question = GoldenQuestion(
        organization_id=actor.organization_id,
        team_id=actor.team_id,
        audience=_check_audience(actor, memory, audience or memory.audience),
        workspace_id=memory.workspace_id,
        query=_check_query(actor, query),
        memory=memory,
        agent_id=actor.agent_id,
        user_id=None if actor.agent_id else actor.user_id,
        created_at=now,
    )
    locks.lock_names(f"golden questions {actor.team_id}")  # so that two calls together stay below the limit
    return _find_equal(question) or _insert_question(question)


def require_testing(actor: Actor) -> None:
    require_verb(actor, Verb.WRITE)
    if not may_write(actor, actor.team_id):
        raise Forbidden("You may read this team's golden questions, but not change or ask them.")


def _check_query(actor: Actor, query: str) -> str:
    if problem := text_problem(query, longest=QUESTION_LENGTH):
        raise Invalid({"query": problem})
    text = normalize_text(query).strip()
    if not text:
        raise Invalid({"query": "Say which question."})
    screened = screen_values(actor, {"text": text}, groups=SCREENED_GROUPS, may_hold=False)
    return str(screened.values["text"])[:QUESTION_LENGTH]


def _check_audience(actor: Actor, memory: Memory, audience: UUID) -> UUID:
    """Return the audience, if questions are asked in its context and its readers find the memory there."""
    if not may_read(actor, audience):
        raise NotFound("There is no such audience.")
    if memory.audience not in (audience, actor.team_id):
        raise Invalid({"memory_id": "Whoever asks this question in its context may not read this memory."})
    if audience != actor.team_id and not _is_context(actor, audience):
        raise Invalid({"memory_id": "Only memories of this team, of a project or of a person can be expected."})
    return audience


def _is_context(actor: Actor, audience: UUID) -> bool:
    """Return True if the audience is a project or a person: recalls are made in such contexts."""
    return any(
        model._default_manager.filter(organization=actor.organization_id, pk=audience).exists()
        for model in (Project, Person)
    )


def _find_equal(question: GoldenQuestion) -> GoldenQuestion | None:
    """Return the same question with the same memory, if it is there already, no longer removed."""
    rows = GoldenQuestion.objects.in_organization(question.organization_id).of_team(question.team_id)
    same = rows.filter(
        audience=question.audience, workspace=question.workspace_id, query=question.query, memory=question.memory_id
    ).first()
    if same and same.removed_at:
        _refuse_too_many(question)
        same.removed_at = None
        same.save(update_fields=["removed_at"])
    return same


def _insert_question(question: GoldenQuestion) -> GoldenQuestion:
    _refuse_too_many(question)
    question.save(force_insert=True)
    return question


def _refuse_too_many(question: GoldenQuestion) -> None:
    rows = GoldenQuestion.objects.in_organization(question.organization_id).of_team(question.team_id)
    if rows.active().count() >= MOST_GOLDEN_QUESTIONS:
        raise Invalid({"query": f"A team has at most {MOST_GOLDEN_QUESTIONS} golden questions. Remove one first."})


@transaction.atomic
def remove_golden_question(*, actor: Actor, question_id: UUID, now: datetime | None = None) -> GoldenQuestion:
    """Take the question out of the test. It can be restored for a day."""
    require_testing(actor)
    question = _lock_question(actor, question_id, removed=False)
    question.removed_at = now or timezone.now()
    question.save(update_fields=["removed_at"])
    return question


@transaction.atomic
def restore_golden_question(*, actor: Actor, question_id: UUID) -> GoldenQuestion:
    """Put a removed question back into the test."""
    require_testing(actor)
    locks.lock_names(f"golden questions {actor.team_id}")
    question = _lock_question(actor, question_id, removed=True)
    _refuse_too_many(question)
    question.removed_at = None
    question.save(update_fields=["removed_at"])
    return question


def _lock_question(actor: Actor, question_id: UUID, *, removed: bool) -> GoldenQuestion:
    mine = GoldenQuestion.objects.visible_to(actor).of_team(actor.team_id)
    question = mine.filter(pk=question_id, removed_at__isnull=not removed).select_for_update().first()
    if question is None:
        raise NotFound(NO_SUCH_QUESTION)
    return question


def request_golden_run(*, actor: Actor) -> None:
    """Have a worker ask the team's golden questions."""
    require_testing(actor)
    background.defer_job("golden", once_as=f"golden {actor.team_id}", team=str(actor.team_id))
