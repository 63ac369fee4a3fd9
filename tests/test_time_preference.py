"""Words of time in a question move memories of that time up a little."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memories import operations
from memories.models import Memory
from memories.recall import Hit, recall, why_not
from memories.recall.time_preference import measure_closeness
from memories.text.time_words import Period, find_period
from teams.actor import Actor
from tests import factories
from tests.caller import Caller

pytestmark = pytest.mark.django_db
ASKED_AT = datetime(2026, 11, 18, 15, 30, tzinfo=UTC)
MARCH, JULY = datetime(2026, 3, 10, tzinfo=UTC), datetime(2026, 7, 10, tzinfo=UTC)


def save_at(actor: Actor, content: str, moment: datetime, **fields: Any) -> Memory:
    draft = operations.Draft(content=content, **fields)
    return operations.save_memory(actor=actor, draft=draft, now=moment)


@pytest.fixture
def visits(bot: Actor) -> dict[str, Memory]:
    """Two memories that answer about equally, of different months."""
    return {
        "March": save_at(bot, "Inspector: the crew of the ferry works very well.", MARCH),
        "July": save_at(bot, "Inspector: more lamps are needed along the quay.", JULY),
    }


def ask_at_autumn(actor: Actor, query: str, **options: Any) -> list[Hit]:
    return recall(actor=actor, query=query, now=ASKED_AT, **options).hits


@pytest.mark.parametrize("month", ["March", "July"])
def test_the_time_that_a_question_names_decides_between_equals(
    bot: Actor, visits: dict[str, Memory], month: str, settings: Any
) -> None:
    settings.TIME_WEIGHT = 0.3
    hits = ask_at_autumn(bot, f"What did the inspector say in {month}?")
    assert hits[0].memory.pk == visits[month].pk
    assert [hit.time_factor for hit in hits] == pytest.approx([1.3, 1.0])
    assert hits[0].relevance >= hits[1].relevance
    other = next(memory for name, memory in visits.items() if name != month)
    assert why_not(actor=bot, memory_id=other.pk, query=f"What did the inspector say in {month}?").rank == 2


def test_without_words_of_time_nothing_moves(bot: Actor, visits: dict[str, Memory], settings: Any) -> None:
    assert {hit.time for hit in ask_at_autumn(bot, "What did the inspector say?")} == {None}
    settings.TIME_WEIGHT = 0
    assert {hit.time for hit in ask_at_autumn(bot, "What did the inspector say in March?")} == {None}


def test_the_start_of_validity_counts_before_the_moment_of_saving(bot: Actor, visits: dict[str, Memory]) -> None:
    told = save_at(bot, "The inspector visited the harbour and counted the ropes.", JULY, valid_from=MARCH)
    hits = ask_at_autumn(bot, "What did the inspector say in March?")
    assert {hit.memory.pk for hit in hits if hit.time_factor > 1} == {told.pk, visits["March"].pk}


def test_with_as_of_the_words_are_counted_from_that_moment(bot: Actor, visits: dict[str, Memory]) -> None:
    hits = ask_at_autumn(bot, "What did the inspector say last month?", as_of=datetime(2026, 8, 5, tzinfo=UTC))
    assert hits[0].memory.pk == visits["July"].pk
    assert hits[0].time
    assert (hits[0].time.period.start.month, hits[0].time.period.words) == (7, "last month")


def test_a_literal_identifier_stays_in_front(bot: Actor) -> None:
    exact = save_at(bot, "PIER-6 was visited by the inspector.", JULY)
    save_at(bot, "The inspector visited the piers in the morning.", MARCH)
    assert ask_at_autumn(bot, "PIER-6 in March")[0].memory.pk == exact.pk


def test_no_time_lifts_the_unrelated(bot: Actor) -> None:
    answer = save_at(bot, "The backup runs at two in the morning.", JULY)
    save_at(bot, "Lunch is served at noon.", MARCH)
    assert ask_at_autumn(bot, "When did the backup run in March?")[0].memory.pk == answer.pk


def test_explanations_give_the_period_and_the_factor(bot: Actor) -> None:
    memory = factories.memory(bot, "The inspector visited pier six.")
    assert memory.agent
    caller = Caller(memory.agent)
    (hit,) = caller("POST", "recall", {"query": "Which pier was visited today?", "explain": True}).json()["memories"]
    assert hit["explain"]["time_factor"] == 1.1
    assert hit["explain"]["period"]["words"] == "today"
    (hit,) = caller("POST", "recall", {"query": "Which pier was visited?", "explain": True}).json()["memories"]
    assert (hit["explain"]["time_factor"], hit["explain"]["period"]) == (1.0, None)


def test_closeness_falls_with_the_distance() -> None:
    period = find_period("in March", ASKED_AT)
    assert isinstance(period, Period)
    length = period.end - period.start
    for moment, closeness in (
        (period.start, 1.0),
        (period.end, 1.0),
        (period.start - length / 2, 0.5),
        (period.end + length / 4, 0.75),
        (period.end + length * 9, 0.0),
        (period.start - timedelta(days=9_000), 0.0),
    ):
        assert measure_closeness(Memory(created_at=moment), period) == pytest.approx(closeness)
