"""Questions that found nothing: what a team's agents wanted to know and nobody has told them yet."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models.functions import Left

from memories.models import QUESTION_LENGTH, RecallLog, SettledQuestion
from memories.rules import access
from teams.actor import Actor

QUERY_LENGTH = 10_000
MAX_MISSES_READ = 1_000  # of the latest recalls that found nothing
MAX_QUESTIONS = 50


@dataclass(slots=True)
class UnansweredQuestion:
    """A question that found nothing, listed once however often it was asked."""

    key: str  # by which it is known
    text: str  # as it was asked last
    last_at: datetime
    times: int
    askers: list[str]  # the last one first
    audiences: list[UUID]  # in whose contexts it was asked
    floor: float | None = None  # the confidence that was needed the last time
    confidence: float | None = None  # of the surest memory then, which was left out


def normalize_question(text: str) -> str:
    """Return a form of the question that ignores capitals and spaces, so that equal questions are counted as one."""
    return " ".join(text[:QUESTION_LENGTH].lower().split())[:QUESTION_LENGTH]


def list_unanswered(*, actor: Actor) -> list[UnansweredQuestion]:
    """Return the unanswered questions of the actor's team that were asked in contexts which the actor may read, the
    last asked first. One that was answered and is asked again comes back, because its answer is not found. One that was
    dismissed does not."""
    rows = list(_logged_queries(actor))
    settled = _load_settled(actor, {normalize_question(row[0]) for row in rows})
    return _group_by_question(
        row for row in rows if not _is_settled(row, settled.get((normalize_question(row[0]), row[4])))
    )[:MAX_QUESTIONS]


def find_question_audiences(*, actor: Actor, question: str) -> list[UUID]:
    """Return the audiences in whose contexts the question was asked lately, as far as the actor knows; else the
    team."""
    matching = (one for one in _group_by_question(_logged_queries(actor)) if one.key == question)
    return next((one.audiences for one in matching), [actor.team_id])


def list_dismissed(*, actor: Actor) -> list[SettledQuestion]:
    """Return the dismissed questions, the last dismissed first."""
    mine = SettledQuestion.objects.visible_to(actor).of_team(actor.team_id).dismissed()
    return list(mine.with_authors().order_by("-created_at")[:MAX_QUESTIONS])


LoggedQuery = tuple[str, datetime, str | None, str | None, UUID, float | None, float | None]


def _is_settled(logged: LoggedQuery, settled: SettledQuestion | None) -> bool:
    return settled is not None and (settled.memory_id is None or settled.created_at >= logged[1])


def _logged_queries(actor: Actor) -> Iterable[LoggedQuery]:
    """Return the latest queries that found nothing, newest first. Index: recall_unanswered, once per audience."""
    missed = RecallLog.objects.visible_to(actor).of_team(actor.team_id).found_nothing().order_by("-created_at")
    asked = (Left("query", QUESTION_LENGTH), "created_at", "agent__slug", "user__username", "audience")
    rows = missed.values_list(*asked, "floor", "confidence")
    firsts = [rows.filter(audience=audience)[:MAX_MISSES_READ] for audience in access.list_readable_audiences(actor)]
    latest = firsts[0].union(*firsts[1:], all=True).order_by("-created_at") if len(firsts) > 1 else firsts[0]
    return latest[:MAX_MISSES_READ]


def _group_by_question(logged: Iterable[LoggedQuery]) -> list[UnansweredQuestion]:
    questions: dict[str, UnansweredQuestion] = {}
    for text, moment, agent, login, audience, floor, confidence in logged:
        if key := normalize_question(text):
            new = UnansweredQuestion(key, text, moment, 0, [], [], floor, confidence)
            question = questions.setdefault(key, new)
            if audience not in question.audiences:
                question.audiences.append(audience)
            question.times += 1
            who = agent or login or "system"
            if who not in question.askers:
                question.askers.append(who)
    return list(questions.values())


def _load_settled(actor: Actor, keys: Collection[str]) -> dict[tuple[str, UUID | None], SettledQuestion]:
    mine = SettledQuestion.objects.visible_to(actor).of_team(actor.team_id).filter(question__in=keys)
    return {(settled.question, settled.audience): settled for settled in mine}
