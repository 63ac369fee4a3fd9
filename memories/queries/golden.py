"""Reads of golden questions: where the last runs found the expected memories, and what they find no longer."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import F, Window
from django.db.models.functions import RowNumber

from memories.models import GoldenQuestion, GoldenRun, Memory
from teams.actor import Actor

LAST_RUNS = 7  # whose places are listed for each question
MOST_SUCCESSORS = 20  # that are followed to the memory that holds now


@dataclass(frozen=True, slots=True)
class GoldenResult:
    """A golden question, the memory that it expects now, and where the last runs found that."""

    question: GoldenQuestion
    memory: Memory | None  # None if the reader may not see it, or it is gone
    places: Sequence[int | None]  # the last run's first; None: it was not asked
    is_regression: bool  # it was among the first five in the run before, and is no longer

    @property
    def place(self) -> int | None:
        return self.places[0] if self.places else None

    @property
    def earlier_places(self) -> Sequence[int | None]:
        return self.places[1:]


@dataclass(frozen=True, slots=True)
class GoldenReport:
    """The golden questions that a reader may see, and the figures of their last runs together."""

    results: Sequence[GoldenResult]
    last_runs: Sequence[GoldenRun]  # of each audience

    @property
    def asked(self) -> int:
        return sum(run.asked for run in self.last_runs)

    @property
    def found(self) -> int:
        return sum(run.found for run in self.last_runs)

    @property
    def recall(self) -> float | None:
        """The share of expected memories among the first five answers."""
        return self.found / self.asked if self.asked else None

    @property
    def precision(self) -> float | None:
        """The share of the first five answers that were expected."""
        returned = sum(run.returned for run in self.last_runs)
        return self.found / returned if returned else None

    @property
    def recall_percent(self) -> int:
        return round(100 * (self.recall or 0))

    @property
    def precision_percent(self) -> int:
        return round(100 * (self.precision or 0))

    @property
    def run_at(self) -> datetime | None:
        return max((run.created_at for run in self.last_runs), default=None)

    @property
    def regressions(self) -> Sequence[GoldenResult]:
        return [result for result in self.results if result.is_regression]


def report_golden_questions(*, actor: Actor) -> GoldenReport:
    """Return the team's golden questions of contexts that the actor reads, with their last runs."""
    rows = GoldenQuestion.objects.visible_to(actor).of_team(actor.team_id).active()
    questions = list(rows.with_authors().order_by("-created_at", "-pk"))
    current = resolve_successors(actor.organization_id, {question.memory_id for question in questions})
    memories = Memory.objects.visible_to(actor).defer("search").in_bulk(current.values())
    runs = _load_last_runs(actor, questions)
    results = [
        _describe_result(question, memories.get(current[question.memory_id]), runs[_get_context(question)])
        for question in questions
    ]
    return GoldenReport(results, [listed[0] for listed in runs.values() if listed])


def resolve_successors(organization_id: UUID, memory_ids: Iterable[UUID]) -> dict[UUID, UUID]:
    """Return the last successor of each memory that was superseded; the others stand for themselves."""
    current = {memory_id: memory_id for memory_id in memory_ids}
    for _ in range(MOST_SUCCESSORS):
        rows = Memory.objects.in_organization(organization_id).filter(pk__in=set(current.values()))
        successors = {pk: last for pk, last in rows.values_list("pk", "superseded_by") if last}
        if not successors:
            break
        current = {first: successors.get(last, last) for first, last in current.items()}
    return current


GoldenContext = tuple[UUID, UUID | None]  # an audience and a workspace


def _get_context(row: GoldenQuestion | GoldenRun) -> GoldenContext:
    return row.audience, row.workspace_id


def _load_last_runs(actor: Actor, questions: Collection[GoldenQuestion]) -> Mapping[GoldenContext, list[GoldenRun]]:
    """Return the last runs of each context in which the questions are asked, newest first. Index: golden_run_newest."""
    contexts = {_get_context(question) for question in questions}
    numbered = GoldenRun.objects.visible_to(actor).of_team(actor.team_id)
    numbered = numbered.filter(audience__in={audience for audience, _ in contexts})
    number = Window(
        RowNumber(), partition_by=[F("audience"), F("workspace")], order_by=[F("created_at").desc(), F("pk").desc()]
    )
    last = numbered.annotate(number=number).filter(number__lte=LAST_RUNS).order_by("number") if contexts else ()
    runs: dict[GoldenContext, list[GoldenRun]] = defaultdict(list)
    for run in last:
        if _get_context(run) in contexts:
            runs[_get_context(run)].append(run)
    return runs


def _describe_result(question: GoldenQuestion, memory: Memory | None, runs: Sequence[GoldenRun]) -> GoldenResult:
    places = [run.place_of(question.pk) for run in runs]
    regressed = (
        len(runs) > 1
        and places[0] is not None
        and runs[1].found_first(question.pk)
        and not runs[0].found_first(question.pk)
    )
    return GoldenResult(question, memory, places, regressed)
