"""The operators' first page: each figure is what the hub holds, and is shown to those who may look at it."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from memories import jobs
from memories.admin import overview
from memories.models import EmbeddingModel, Growth, Memory, RecallLog, Unembedded
from memories.queries import growth
from memories.recall import recall
from memoryhub.ids import first_id
from teams import operations as registry
from teams.actor import Actor
from teams.models import Agent, Token
from tests import factories

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)


def made_at(moment: datetime, number: int) -> UUID:
    return UUID(int=first_id(moment).int + number)


def test_days_that_are_over_are_counted_once(bot: Actor) -> None:
    yesterday = NOW - timedelta(days=1)
    here = {"organization_id": bot.organization_id, "team_id": bot.team_id, "agent_id": bot.agent_id}
    for number, moment in enumerate([NOW, yesterday, yesterday, NOW - timedelta(days=40)]):
        Memory.objects.create(**here, id=made_at(moment, number), content=f"Number {number}.")
    recall(actor=bot, query="number")
    RecallLog.objects.update(id=made_at(yesterday, 1))
    *older, before, today = growth.count_hub_days(now=NOW)
    assert (before.saved, before.recalled, today.saved) == (2, 1, 1)
    assert sum(tally.saved for tally in older) == 0
    assert Growth.objects.count() == 29
    Growth.objects.filter(day=yesterday.date()).update(memories=7)
    assert growth.count_hub_days(now=NOW)[-2].saved == 7


def test_a_recall_says_how_long_it_took(bot: Actor, support: Client) -> None:
    factories.memory(bot)
    assert "No recall has been timed yet." in support.get("/admin/").text
    recall(actor=bot, query="queue")
    took = RecallLog.objects.get().took_ms
    assert took is not None
    assert took > 0
    found = overview.measure_recall_speed()
    assert (found.recalls, found.p50, found.p95) == (1, took, took)
    RecallLog.objects.update(took_ms=None)
    assert overview.measure_recall_speed().recalls == 0


def test_sizes_are_counted_where_small_and_estimated_where_large(bot: Actor, support: Client) -> None:
    factories.memory(bot)
    found = {size.title: size.rows for size in overview.table_sizes()}
    assert (found["Memories"].number, found["Memories"].exact) == (1, True)
    page = support.get("/admin/").text
    assert 'href="/admin/memories/memory/">Memories</a></th><td>1</td>' in page


def test_what_waits_for_a_vector_is_said_of_each_model(bot: Actor, support: Client) -> None:
    memory = factories.memory(bot)
    model = EmbeddingModel.objects.create(name="wordllama", covered_at=timezone.now())
    assert "covers all" in support.get("/admin/").text
    here = {"organization_id": memory.organization_id, "memory": memory, "memory_version": 1}
    Unembedded.objects.create(**here, model=model.name)
    assert "0 %" in support.get("/admin/").text


def test_jobs_are_said_with_when_they_were_last_done(support: Client) -> None:
    assert "No worker runs" in support.get("/admin/").text
    done = jobs.mend_job.defer()
    with connection.cursor() as cursor:  # as a worker would
        for status in ("doing", "succeeded"):
            cursor.execute("UPDATE procrastinate_jobs SET status = %s WHERE id = %s", [status, done])
        cursor.execute("INSERT INTO procrastinate_workers DEFAULT VALUES")
    page = support.get("/admin/")
    assert "1 worker at work." in page.text
    found = {standing.name: standing for standing in page.context["jobs"]}
    assert found["mend"].done_at is not None
    assert found["retain"].done_at is None


def test_tokens_that_nobody_uses_are_listed(bot: Actor, support: Client) -> None:
    long_ago = timezone.now() - timedelta(days=91)
    agent = Agent.objects.get(pk=bot.agent_id)
    for label in ("idle", "never", "used", "new", "revoked", "expired"):
        registry.issue_token(agent=agent, label=label)
    Token.objects.exclude(label="new").update(created_at=long_ago)
    Token.objects.filter(label="idle").update(last_used_at=long_ago)
    Token.objects.filter(label="used").update(last_used_at=timezone.now())
    Token.objects.filter(label="revoked").update(revoked_at=long_ago)
    Token.objects.filter(label="expired").update(expires_at=long_ago)
    page = support.get("/admin/")
    assert {token.label for token in page.context["unused"]} == {"idle", "never"}
    listed = support.get(page.context["unused_link"])
    assert {token.label for token in listed.context["cl"].queryset} == {"idle", "never"}
    states = {"working": {"idle", "never", "used", "new"}, "expired": {"expired"}, "revoked": {"revoked"}}
    for state, labels in states.items():
        rows = support.get("/admin/teams/token/", {"state": state}).context["cl"].queryset
        assert {token.label for token in rows} == labels, state


def test_staff_without_a_role_are_shown_no_figures() -> None:
    page = factories.logged_in(factories.staff_member("nora")).get("/admin/")
    assert "Your login has no role here yet." in page.text
    for figure in ("sizes", "growth", "speed", "jobs", "coverage", "unused"):
        assert figure not in page.context, figure
