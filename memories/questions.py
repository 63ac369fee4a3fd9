"""Questions that found nothing: what a team's agents wanted to know and nobody has told them yet."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models.functions import Left

from memories.models import QUESTION_LENGTH, RecallLog, SettledQuestion
from teams.actor import Actor

QUERY_LENGTH = 10_000
LOOKED_AT = 1_000  # of the latest recalls that found nothing
SHOWN = 50


@dataclass(slots=True)
class Question:
    """The same one, however often it was asked."""

    key: str  # by which it is known
    text: str  # as it was asked last
    last_at: datetime
    times: int
    askers: list[str]  # the last one first


def plain(text: str) -> str:
    """The same for two who ask the same, whatever their capitals and spaces."""
    return " ".join(text[:QUESTION_LENGTH].lower().split())[:QUESTION_LENGTH]


def unanswered(*, actor: Actor) -> list[Question]:
    """Those of the actor's team, the last asked first. One that was answered and is asked again comes back: the answer
    is not found. One that was dismissed does not."""
    asked = _asked(actor)
    settled = _settled(actor, asked)
    return [one for one in asked if not _off(one, settled.get(one.key))][:SHOWN]


def dismissed(*, actor: Actor) -> list[SettledQuestion]:
    """The last ones first."""
    mine = SettledQuestion.objects.filter(organization=actor.organization_id, team=actor.team_id, memory=None)
    return list(mine.select_related("agent", "user").order_by("-created_at")[:SHOWN])


def _off(question: Question, settled: SettledQuestion | None) -> bool:
    return settled is not None and (settled.memory_id is None or settled.created_at >= question.last_at)


def _asked(actor: Actor) -> list[Question]:
    """Hopes for the index recall_unanswered."""
    missed = RecallLog.objects.filter(organization=actor.organization_id, team=actor.team_id, total_found=0)
    rows = missed.exclude(query="").order_by("-created_at")
    asked = rows.values_list(Left("query", QUESTION_LENGTH), "created_at", "agent__slug", "user__username")
    return _grouped(asked[:LOOKED_AT])


def _grouped(asked: Iterable[tuple[str, datetime, str | None, str | None]]) -> list[Question]:
    found: dict[str, Question] = {}
    for text, moment, agent, login in asked:
        if key := plain(text):
            question = found.setdefault(key, Question(key, text, moment, 0, []))
            question.times += 1
            who = agent or login or "system"
            if who not in question.askers:
                question.askers.append(who)
    return list(found.values())


def _settled(actor: Actor, asked: Iterable[Question]) -> dict[str, SettledQuestion]:
    keys = [question.key for question in asked]
    mine = SettledQuestion.objects.filter(organization=actor.organization_id, team=actor.team_id, question__in=keys)
    return {settled.question: settled for settled in mine}
