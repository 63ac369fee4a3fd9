"""Tests of a team's daily numbers of saves and recalls: each day is counted once, and not again."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories import operations, recall
from memories.models import Day, Revision
from memories.queries import daily_usage
from memories.recall import log
from teams.actor import Actor
from teams.models import Team
from tests import factories

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)


def save_days_ago(by: Actor, *, ago: timedelta, content: str = "The queue runs on Postgres.") -> None:
    operations.save_memory(actor=by, draft=operations.Draft(content=content, dedupe="create"), now=NOW - ago)


def team_of(actor: Actor) -> Team:
    return Team.objects.get(pk=actor.team_id)


def test_each_day_has_its_saves_and_recalls(writer: Actor) -> None:
    save_days_ago(writer, ago=timedelta(0))
    save_days_ago(writer, ago=timedelta(days=2))
    save_days_ago(writer, ago=timedelta(days=2))
    recall.recall(actor=writer, query="queue", now=NOW - timedelta(days=1))
    log.flush()
    save_days_ago(factories.actor(), ago=timedelta(days=1))
    last = daily_usage.count_team_days(team=team_of(writer), now=NOW)[-3:]
    assert [(tally.saved, tally.recalled) for tally in last] == [(2, 0), (0, 1), (1, 0)]


def test_only_new_texts_are_saves(writer: Actor) -> None:
    memory = operations.save_memory(actor=writer, draft=operations.Draft(content="One."), now=NOW)
    operations.tag_memory(actor=writer, memory_id=memory.pk, add=["one"], now=NOW)
    operations.append_to_memory(actor=writer, memory_id=memory.pk, text="Two.", now=NOW)
    assert daily_usage.count_team_days(team=team_of(writer), now=NOW)[-1].saved == 2


def test_a_day_that_is_over_is_counted_once(writer: Actor) -> None:
    save_days_ago(writer, ago=timedelta(days=1))
    first = daily_usage.count_team_days(team=team_of(writer), now=NOW)
    assert Day.objects.count() == daily_usage.DAYS_SHOWN - 1
    Revision.objects.all().delete()
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert daily_usage.count_team_days(team=team_of(writer), now=NOW) == first
    assert not any("INSERT" in str(query["sql"]) for query in asked.captured_queries)


def test_a_day_is_not_over_until_the_ledger_is_surely_written(writer: Actor) -> None:
    midnight = NOW.replace(hour=0)
    daily_usage.count_team_days(team=team_of(writer), now=midnight + timedelta(minutes=1))
    save_days_ago(writer, ago=NOW - midnight + timedelta(seconds=1))
    assert daily_usage.count_team_days(team=team_of(writer), now=midnight + timedelta(minutes=2))[-2].saved == 1
    assert daily_usage.count_team_days(team=team_of(writer), now=midnight + timedelta(hours=2))[-2].saved == 1


def test_a_busy_day_that_goes_on_is_counted_so_far(writer: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daily_usage, "OPEN_DAY_LIMIT", 2)
    for number in range(3):
        save_days_ago(writer, ago=timedelta(0), content=f"Number {number}.")
    today = daily_usage.count_team_days(team=team_of(writer), now=NOW)[-1]
    assert (today.saved, today.at_least) == (2, True)
