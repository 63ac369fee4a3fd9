"""Every recall is counted and noted, beside the recall and in nobody's way."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from memories import operations
from memories.models import Memory, RecallLog, Usage
from memories.operations.embed import catch_up
from memories.recall import Filters, Mode, log, recall
from memoryhub import background
from teams.actor import Actor
from teams.models import Session
from tests import factories


def test_a_recall_is_noted_with_what_came_back(writer: Actor) -> None:
    memory = factories.memory(writer, "blue berth", type="lesson")
    operations.pin_memory(actor=writer, memory_id=memory.pk)
    recall(actor=writer, query="berth?", filters=Filters(type="lesson", any_tags=[], created_before=None))
    row = RecallLog.objects.get()
    assert (row.query, row.mode, row.filters) == ("berth?", "hybrid", {"type": "lesson"})
    assert (row.memory_ids, row.versions, row.total_found) == ([memory.pk], [2], 1)
    assert (row.agent_id, row.team_id) == (writer.agent_id, writer.team_id)


def test_every_mode_counts_and_the_count_is_shown(writer: Actor) -> None:
    memory = factories.memory(writer, "blue berth")
    for mode in Mode:
        recall(actor=writer, query="berth", mode=mode, filters=Filters(type="fact"))
    usage = Usage.objects.get()
    assert (usage.memory_id, usage.access_count, usage.audience) == (memory.pk, len(Mode), writer.team_id)
    assert Memory.objects.with_usage().get().access_count == len(Mode)
    assert recall(actor=writer, query="berth").hits[0].memory.access_count == len(Mode)


def test_use_keeps_a_memory_important(writer: Actor) -> None:
    long_ago = timezone.now() - timedelta(days=200)
    for text in ("idle", "used"):
        operations.save_memory(actor=writer, draft=operations.Draft(content=text), now=long_ago)
    recall(actor=writer, query="used", mode=Mode.KEYWORD)
    assert [hit.memory.content for hit in recall(actor=writer, mode=Mode.IMPORTANT).hits] == ["used", "idle"]


def test_a_refused_recall_counts_nothing(writer: Actor) -> None:
    factories.memory(writer, "blue berth")
    with pytest.raises(Exception, match="must be"):
        recall(actor=writer, query="berth", limit=0)
    assert not RecallLog.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_note_of_somebody_gone_does_not_take_the_others_with_it(settings: Settings) -> None:
    settings.BACKGROUND = True
    writer, leaver = factories.actor(), factories.actor(session="call-7")
    for actor in (writer, leaver):
        factories.memory(actor, "blue berth")
        recall(actor=actor, query="berth")
    Memory.objects.filter(session__isnull=False).update(session=None)
    Session.objects.all().delete()
    background.finish_work()
    assert [row.team_id for row in RecallLog.objects.all()] == [writer.team_id]


@pytest.mark.django_db(transaction=True)
def test_notes_wait_while_the_database_refuses(settings: Settings) -> None:
    settings.BACKGROUND = True
    writer = factories.actor()
    factories.memory(writer, "blue berth")
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE memories_usage RENAME TO hidden_usage")
        cursor.execute("CREATE VIEW memories_usage AS SELECT * FROM hidden_usage WHERE false AND 1 / 1 = 2")
    recall(actor=writer, query="berth")
    background.finish_work()
    with connection.cursor() as cursor:
        cursor.execute("DROP VIEW memories_usage")
        cursor.execute("ALTER TABLE hidden_usage RENAME TO memories_usage")
    log.flush()
    assert Usage.objects.get().access_count == 1
    assert RecallLog.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_recalls_while_eight_save_wait_for_no_memory_and_lose_no_count(settings: Settings) -> None:
    settings.BACKGROUND = True
    writer = factories.actor()
    drafts = [operations.Draft(content=f"berth {n} is blue", key=f"k{n}") for n in range(20)]
    operations.save_memories(actor=writer, drafts=drafts)
    catch_up()
    over, waits = threading.Event(), []

    def save(number: int) -> None:
        while not over.is_set():
            draft = operations.Draft(content=f"berth {number} is {time.monotonic()}", key=f"k{number}")
            operations.save_memory(actor=writer, draft=draft)
        connection.close()

    def watch() -> None:
        with connection.cursor() as cursor:
            while not over.is_set():
                cursor.execute(
                    "SELECT locktype, mode, query FROM pg_locks JOIN pg_stat_activity USING (pid)"
                    " WHERE NOT granted AND datname = current_database() AND locktype IN ('tuple', 'transactionid')"
                    " AND query LIKE '%memories_memory%'"
                )
                waits.extend(cursor.fetchall())
                time.sleep(0.005)
        connection.close()

    def ask(_: int) -> int:
        returned = 0
        for _ in range(15):
            returned += len(recall(actor=writer, query="blue berth", limit=20).hits)
        connection.close()
        return returned

    with ThreadPoolExecutor(11) as pool:
        writers = [pool.submit(save, number) for number in range(8)]
        watcher = pool.submit(watch)
        try:
            returned = sum(pool.map(ask, range(2)))
        finally:
            over.set()
        for work in (*writers, watcher):
            work.result()
    background.finish_work()
    assert returned > 0
    assert sum(Usage.objects.values_list("access_count", flat=True)) == returned
    assert RecallLog.objects.count() == 30
    assert waits == []
