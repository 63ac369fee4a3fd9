"""What a team saved and recalled, day by day: counted once, and not again."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories import days, operations, recall
from memories.models import Day, Revision
from memories.recall import ledger
from teams.actor import Actor
from teams.models import Team
from tests import factories

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)


def save(by: Actor, *, ago: timedelta, content: str = "The queue runs on Postgres.") -> None:
    operations.save(actor=by, draft=operations.Draft(content=content), now=NOW - ago)


def team_of(actor: Actor) -> Team:
    return Team.objects.get(pk=actor.team_id)


def test_each_day_has_its_saves_and_recalls(writer: Actor) -> None:
    save(writer, ago=timedelta(0))
    save(writer, ago=timedelta(days=2))
    save(writer, ago=timedelta(days=2))
    recall.recall(actor=writer, query="queue", now=NOW - timedelta(days=1))
    ledger.flush()
    save(factories.actor(), ago=timedelta(days=1))
    last = days.tallies(team=team_of(writer), now=NOW)[-3:]
    assert [(tally.saved, tally.recalled) for tally in last] == [(2, 0), (0, 1), (1, 0)]


def test_only_new_texts_are_saves(writer: Actor) -> None:
    memory = operations.save(actor=writer, draft=operations.Draft(content="One."), now=NOW)
    operations.pin(actor=writer, memory_id=memory.pk, now=NOW)
    operations.append(actor=writer, memory_id=memory.pk, text="Two.", now=NOW)
    assert days.tallies(team=team_of(writer), now=NOW)[-1].saved == 2


def test_a_day_that_is_over_is_counted_once(writer: Actor) -> None:
    save(writer, ago=timedelta(days=1))
    first = days.tallies(team=team_of(writer), now=NOW)
    assert Day.objects.count() == days.SHOWN - 1
    Revision.objects.all().delete()
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert days.tallies(team=team_of(writer), now=NOW) == first
    assert not any("INSERT" in str(query["sql"]) for query in asked.captured_queries)


def test_a_day_is_not_over_until_the_ledger_is_surely_written(writer: Actor) -> None:
    midnight = NOW.replace(hour=0)
    days.tallies(team=team_of(writer), now=midnight + timedelta(minutes=1))
    save(writer, ago=NOW - midnight + timedelta(seconds=1))
    assert days.tallies(team=team_of(writer), now=midnight + timedelta(minutes=2))[-2].saved == 1
    assert days.tallies(team=team_of(writer), now=midnight + timedelta(hours=2))[-2].saved == 1


def test_a_busy_day_that_goes_on_is_counted_so_far(writer: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(days, "COUNTED", 2)
    for number in range(3):
        save(writer, ago=timedelta(0), content=f"Number {number}.")
    today = days.tallies(team=team_of(writer), now=NOW)[-1]
    assert (today.saved, today.at_least) == (2, True)
