"""Runs of golden questions: each is asked in its own context, every night and when somebody wants it."""

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef

from memories.models import FIRST_PLACES, GoldenQuestion, GoldenRun, Memory
from memories.operations.golden import MOST_GOLDEN_QUESTIONS
from memories.queries.golden import resolve_successors
from memories.recall import AUTO, recall
from memories.rules.holds import match_held_questions
from teams import rights
from teams.actor import Actor
from teams.models import Team

KEPT_RUNS = 30  # of each audience: about a month of nights
KEPT_REMOVED = timedelta(days=1)  # as long as a removal can be undone
NO_TEAM = str(UUID(int=0))  # before all others


@dataclass(frozen=True, slots=True)
class GoldenTurn:
    """What a turn of the nightly runs did, and the team after which the next turn goes on, if there is more."""

    asked: int
    go_on_after: str


def run_all_golden_questions(*, now: datetime, after: str, within: float) -> GoldenTurn:
    """Ask every team's golden questions, team by team in the order of their ids, until the time is over."""
    if not after:
        GoldenQuestion.objects.filter(~match_held_questions(), removed_at__lt=now - KEPT_REMOVED).delete()
    asked, deadline = 0, time.monotonic() + within
    while team := _find_next_team(UUID(after or NO_TEAM)):
        asked += run_golden_questions(team_id=team.pk, now=now)
        after = str(team.pk)
        if time.monotonic() > deadline:
            return GoldenTurn(asked, after)
    return GoldenTurn(asked, "")


def _find_next_team(after: UUID) -> Team | None:
    questions = GoldenQuestion.objects.active().filter(organization=OuterRef("organization"), team=OuterRef("pk"))
    return Team.objects.filter(Exists(questions), pk__gt=after).order_by("pk").first()


def run_golden_questions(*, team_id: UUID, now: datetime) -> int:
    """Ask a team's golden questions, each in its own context. Returns how many there are."""
    team = Team.objects.select_related("organization").filter(pk=team_id).first()
    if team is None:
        return 0
    questions = GoldenQuestion.objects.in_organization(team.organization_id).of_team(team.pk).active()
    contexts: dict[tuple[UUID, UUID | None], list[GoldenQuestion]] = defaultdict(list)
    for question in questions.order_by("pk")[:MOST_GOLDEN_QUESTIONS]:
        contexts[question.audience, question.workspace_id].append(question)
    for (audience, workspace_id), asked in contexts.items():
        reader = rights.context_reader(team=team, audience=audience, workspace_id=workspace_id)
        _store_run(_ask_questions(reader, audience, asked, now=now))
    return sum(map(len, contexts.values()))


def _ask_questions(reader: Actor, audience: UUID, questions: Sequence[GoldenQuestion], *, now: datetime) -> GoldenRun:
    """Ask each question once as the reader, without a trace in the log of recalls or the counts of use."""
    by_query: dict[str, dict[UUID, UUID]] = defaultdict(dict)
    for question, memory_id in _find_expected(reader, questions, now=now).items():
        by_query[question.query][question.pk] = memory_id
    run = GoldenRun(
        organization_id=reader.organization_id,
        team_id=reader.team_id,
        audience=audience,
        workspace_id=reader.workspace_id,
        created_at=now,
        asked=0,
        found=0,
        returned=0,
        places={},
    )
    for query, expected in by_query.items():
        hits = recall(actor=reader, query=query, min_confidence=AUTO, noted=False, now=now).hits
        _count_places(run, [hit.memory.pk for hit in hits], expected)
    return run


def _find_expected(reader: Actor, questions: Sequence[GoldenQuestion], *, now: datetime) -> dict[GoldenQuestion, UUID]:
    """Return the memory that each question expects now, or its successor; without those that the reader cannot find."""
    current = resolve_successors(reader.organization_id, {question.memory_id for question in questions})
    visible = Memory.objects.visible_to(reader, now=now).alive(now=now).holding(now)
    findable = set(visible.filter(pk__in=current.values()).values_list("pk", flat=True))
    return {question: current[question.memory_id] for question in questions if current[question.memory_id] in findable}


def _count_places(run: GoldenRun, hits: Sequence[UUID], expected: Mapping[UUID, UUID]) -> None:
    """Add the places of a question's expected memories among its hits to the run."""
    places = {memory_id: place for place, memory_id in enumerate(hits, 1)}
    run.places |= {str(pk): places.get(memory_id, 0) for pk, memory_id in expected.items()}
    wanted = set(expected.values())
    run.asked += len(wanted)
    run.found += len(wanted & set(hits[:FIRST_PLACES]))
    run.returned += len(hits[:FIRST_PLACES])


@transaction.atomic
def _store_run(run: GoldenRun) -> None:
    """Store the run instead of the oldest of its audience."""
    run.save(force_insert=True)
    same = GoldenRun.objects.in_organization(run.organization_id).of_team(run.team_id)
    same = same.filter(audience=run.audience, workspace=run.workspace_id)
    outdated = list(same.order_by("-created_at", "-pk").values_list("pk", flat=True)[KEPT_RUNS:])
    same.filter(pk__in=outdated).delete()
