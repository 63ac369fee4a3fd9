"""Jobs: what workers do, once in effect however often they are killed or how many there are."""

from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.apps import apps
from django.contrib.sessions.models import Session
from django.core.files.base import ContentFile
from django.core.management import call_command
from django.db import connection, transaction
from django.utils import timezone
from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django import DjangoAssertNumQueries, Settings

from benchmarks import kill_workers
from memories import jobs, operations
from memories.embedding import describe_provider
from memories.models import Answer, Asset, Association, EmbeddingModel, Memory, RecallLog, Revision
from memories.models.embeddings import Embedding
from memories.operations import embed, keys, retention
from memories.operations.idempotency import run_once
from memories.queries.jobs import count_pending_jobs
from memories.recall import recall
from memoryhub.ids import first_id, uuid7
from teams.actor import Actor
from tests import factories
from tests.embedding_server import EndpointServer

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def run_jobs_command(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def in_queue(**values: Any) -> list[str]:
    return list(ProcrastinateJob.objects.filter(**values).order_by("pk").values_list("task_name", flat=True))


# Sweeping


def test_everything_expired_is_swept_a_few_at_a_time(writer: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "SWEEP_BATCH", 2)
    soon = NOW + timedelta(hours=1)  # later than any run of the tests takes
    expiring = [factories.memory(by, f"fact {n}", expires_at=soon) for by in (writer, factories.actor()) for n in "abc"]
    staying = factories.memory(writer, "stays", expires_at=NOW + timedelta(days=1))
    assert keys.sweep_all_expired(now=soon) == 6
    assert keys.sweep_all_expired(now=soon) == 0
    swept = Memory.objects.filter(forgotten_at=soon, forgotten_by="system")
    assert {memory.pk for memory in swept} == {memory.pk for memory in expiring}
    assert Revision.objects.filter(memory__in=swept, change="forgotten").count() == 6
    assert Memory.objects.get(forgotten_at=None) == staying


# Retention


def aged(memory: Memory, *, days: int) -> Memory:
    Memory.objects.filter(pk=memory.pk).update(forgotten_at=NOW - timedelta(days=days))
    return memory


def test_what_was_forgotten_long_ago_is_removed_with_all_that_hangs_on_it(
    writer: Actor, settings: Settings, django_capture_on_commit_callbacks: Any
) -> None:
    settings.KEEP_FORGOTTEN_DAYS = 30
    old, young, living = (factories.memory(writer, f"{word} thing") for word in ("old", "young", "living"))
    operations.associate(actor=writer, origin_id=old.pk, target_id=living.pk)
    operations.associate(actor=writer, origin_id=living.pk, target_id=old.pk)
    operations.associate(actor=writer, origin_id=living.pk, target_id=young.pk)
    operations.add_citation(actor=writer, memory_id=old.pk, url="https://example.org/")
    asset = operations.attach_file(actor=writer, memory_id=old.pk, file=ContentFile(b"bytes"), name="a.txt")
    assert Path(asset.file.path).exists()
    recall(actor=writer, query="thing")
    for memory in (old, young):
        operations.forget_memory(actor=writer, memory_id=memory.pk)
    aged(old, days=31)
    aged(young, days=29)
    with django_capture_on_commit_callbacks(execute=True):
        assert retention.remove_outdated(now=NOW)["forgotten memories"] == 1
    assert set(Memory.objects.all()) == {young, living}
    assert not Revision.objects.filter(memory=old.pk).exists()
    assert Revision.objects.filter(memory__in=[young.pk, living.pk]).count() == 3
    assert Association.objects.get().target_id == young.pk
    assert not Asset.objects.exists()
    assert not Path(asset.file.path).exists()


def test_by_default_what_is_forgotten_stays(writer: Actor) -> None:
    memory = aged(factories.memory(writer), days=3_000)
    assert retention.remove_outdated(now=NOW)["forgotten memories"] == 0
    assert Memory.objects.get() == memory


def test_whatever_refers_to_a_memory_is_known_to_retention() -> None:
    links = {
        (model, field.name)
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if field.related_model is Memory
    }
    assert links == set(retention.MEMORY_REFERENCES)


def test_old_recalls_answers_and_sessions_are_removed(
    writer: Actor, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "REMOVAL_BATCH", 2)
    settings.KEEP_RECALLS_DAYS = 10
    for days in (9, 11, 12, 13):
        recall(actor=writer, query=f"{days} days ago")
        written = NOW - timedelta(days=days)
        said = UUID(int=first_id(written).int | uuid7().int & (1 << 62) - 1)
        RecallLog.objects.filter(query=f"{days} days ago").update(created_at=written, id=said)
    for key, hours in (("new", 23), ("old", 25)):
        made = {"actor": writer, "key": key, "request": b"", "act": lambda: operations.IdempotentResult("done")}
        run_once(**made, now=NOW - timedelta(hours=hours))
    for name, days in (("past", -1), ("coming", 1)):
        Session.objects.create(session_key=name, session_data="", expire_date=NOW + timedelta(days=days))
    assert retention.remove_outdated(now=NOW) == {"recalls": 3, "forgotten memories": 0, "answers": 1, "sessions": 1}
    assert RecallLog.objects.get().query == "9 days ago"
    assert Answer.objects.get().key == "new"
    assert Session.objects.get().session_key == "coming"
    settings.KEEP_RECALLS_DAYS = 0
    assert retention.remove_outdated(now=NOW + timedelta(days=9_999))["recalls"] == 0


# Vectors


def test_a_long_backlog_is_worked_off_in_turns(
    server: EndpointServer, writer: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embed, "EMBED_BATCH", 1)
    for word in ("one", "two", "three"):
        factories.memory(writer, word)
    assert embed.catch_up(within=-1) == embed.RETRY_SECONDS
    assert (Embedding.objects.count(), embed.covers_all()) == (1, False)
    assert embed.catch_up(within=-1) == embed.RETRY_SECONDS
    assert embed.catch_up(within=-1) == 0
    assert (Embedding.objects.count(), embed.covers_all()) == (3, True)


def test_what_was_saved_without_a_vector_is_found_at_night(chosen: Settings, writer: Actor) -> None:
    factories.memory(writer, "with one")
    embed.catch_up()
    chosen.EMBEDDING = "none"
    operations_without_vectors(chosen, writer)
    assert embed.covers_all()
    assert jobs.embed_job(everything=True) == "1 memories without a vector found; all vectors made"
    assert Embedding.objects.count() == 2
    assert jobs.embed_job(everything=True) == "no vector is missing"


def operations_without_vectors(chosen: Settings, writer: Actor) -> None:
    from memories.embedding import active_model, get_provider

    get_provider.cache_clear()
    active_model.reset_backoff()
    factories.memory(writer, "without one")
    assert Embedding.objects.count() == 1
    chosen.EMBEDDING = "wordllama"
    get_provider.cache_clear()
    active_model.reset_backoff()


def test_a_job_that_has_to_go_on_puts_itself_in_once(server: EndpointServer, writer: Actor) -> None:
    factories.memory(writer)
    server.behaviour = "500"
    for _ in range(2):
        assert "more wait" in jobs.embed_job()
    assert in_queue(status="todo") == ["embed"]


def test_looking_whether_vectors_are_missing_builds_no_model(
    writer: Actor, django_assert_num_queries: DjangoAssertNumQueries, monkeypatch: pytest.MonkeyPatch
) -> None:
    factories.memory(writer)
    embed.catch_up()
    assert EmbeddingModel.objects.get().made_by == describe_provider()

    def never() -> None:
        raise AssertionError("a model was built")

    monkeypatch.setattr("memories.operations.embed.get_active_models", never)
    with django_assert_num_queries(2):
        assert jobs.embed_job() == "no vector is missing"


# The queue


def test_a_save_of_many_puts_its_links_into_the_queue_with_it(writer: Actor, settings: Settings) -> None:
    settings.BACKGROUND = True
    drafts = [operations.Draft(content="Deploys are frozen from Friday noon.", dedupe="create") for _ in range(2)]
    with transaction.atomic():
        operations.save_memories(actor=writer, drafts=drafts)
        assert in_queue() == ["link"]
        transaction.set_rollback(True)
    assert in_queue() == []
    first, second = operations.save_memories(actor=writer, drafts=drafts)
    job = ProcrastinateJob.objects.get()
    assert job.args == {"memory_ids": [str(first.pk), str(second.pk)]}
    assert not Association.objects.exists()
    for _ in range(2):
        app.tasks[job.task_name](**job.args)
    assert {(link.origin_id, link.target_id) for link in Association.objects.all()} >= {(second.pk, first.pk)}


def test_vectors_that_come_later_bring_their_links_themselves(
    server: EndpointServer, writer: Actor, settings: Settings
) -> None:
    drafts = [operations.Draft(content="Deploys are frozen from Friday noon.", dedupe="create") for _ in range(2)]
    operations.save_memories(actor=writer, drafts=drafts)
    assert in_queue() == []
    embed.catch_up()
    assert Association.objects.exists()


def start_job(task: str, *, silent_for: float | None) -> int:
    """A job that a worker has begun, which was last heard of so long ago, or is gone."""
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO procrastinate_workers DEFAULT VALUES RETURNING id")
        (worker,) = cursor.fetchone()
        cursor.execute("SELECT id FROM procrastinate_fetch_job_v2(%s, %s)", [[task], worker])
        (job,) = cursor.fetchone()
        if silent_for is None:
            cursor.execute("DELETE FROM procrastinate_workers WHERE id = %s", [worker])
        else:
            cursor.execute(
                "UPDATE procrastinate_workers SET last_heartbeat = now() - make_interval(secs => %s)", [silent_for]
            )
    assert ProcrastinateJob.objects.get(pk=job).status == "doing"
    return int(job)


@pytest.mark.parametrize("silent_for", [None, 60.0])
def test_jobs_of_a_dead_worker_are_put_back(silent_for: float | None) -> None:
    jobs.sweep_job.defer()
    job = start_job("sweep", silent_for=silent_for)
    assert jobs.mend_job() == "1 jobs of dead workers put back"
    assert ProcrastinateJob.objects.get(pk=job).status == "todo"
    assert jobs.mend_job() == "0 jobs of dead workers put back"


def test_jobs_of_a_living_worker_are_left_alone() -> None:
    jobs.sweep_job.defer()
    job = start_job("sweep", silent_for=5.0)
    jobs.mend_job()
    assert ProcrastinateJob.objects.get(pk=job).status == "doing"


def test_a_dead_workers_job_whose_like_waits_is_dropped() -> None:
    jobs.sweep_job.defer()
    start_job("sweep", silent_for=60.0)
    jobs.sweep_job.defer()
    jobs.mend_job()
    assert in_queue() == ["sweep"]
    assert count_pending_jobs() == {"todo": 1, "doing": 0, "failed": 0}


def test_the_bytes_of_what_is_removed_go_by_a_job(writer: Actor, settings: Settings) -> None:
    settings.BACKGROUND = True
    memory = factories.memory(writer)
    asset = operations.attach_file(actor=writer, memory_id=memory.pk, file=ContentFile(b"milk"), name="list.txt")
    operations.detach_file(actor=writer, asset_id=asset.pk, now=timezone.now() - timedelta(hours=2))
    jobs.sweep_job()
    job = ProcrastinateJob.objects.get(task_name="discard")
    path = Path(settings.MEDIA_ROOT) / asset.file.name
    assert path.exists()
    for _ in range(2):
        app.tasks["discard"](**job.args)
    assert not path.exists()


# Workers that are killed, and several at once


@pytest.fixture
def database(
    transactional_db: None, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """The address of this test's database, for workers that have the same settings as we have."""
    monkeypatch.setenv("MEMORYHUB_DATA", str(tmp_path))
    settings.BACKGROUND = True
    yield f"{settings.DATABASE_ADDRESS.rpartition('/')[0]}/{connection.settings_dict['NAME']}"
    with connection.cursor() as cursor:  # which Django does not know for ours
        cursor.execute("TRUNCATE procrastinate_jobs, procrastinate_workers, procrastinate_periodic_defers CASCADE")


def test_workers_that_are_killed_leave_nothing_undone_and_do_nothing_twice(database: str, settings: Settings) -> None:
    """`python -m benchmarks.kill_workers` kills them a hundred times."""
    settings.WORKER_DEAD_AFTER = 1
    assert "each once" in kill_workers.run_worker_kills(factories.actor(), url=database, times=8, workers=2)


def test_several_workers_do_every_job_once(database: str) -> None:
    report = kill_workers.run_worker_kills(factories.actor(), url=database, times=0, workers=3, rounds=3)
    assert " 0 of them again" in report


# For operators


def test_the_command_lists_the_jobs_and_does_one(writer: Actor) -> None:
    memory = factories.memory(writer)
    Memory.objects.filter(pk=memory.pk).update(expires_at=NOW)
    jobs.sweep_job.defer()
    listed = run_jobs_command("job")
    for name in jobs.JOBS_BY_NAME:
        assert f"\n{name} " in f"\n{listed}"
    assert listed.count("1 wait") == 1
    swept = "1 expired memories forgotten, 0 proposals closed, 0 removed attachments and sources dropped"
    assert run_jobs_command("job", "sweep") == f"sweep: {swept}.\n"
    assert run_jobs_command("job", "mend") == "mend: 0 jobs of dead workers put back.\n"
    assert "recalls" in run_jobs_command("job", "retain")
    assert "vector" in run_jobs_command("job", "embed")


def test_every_job_can_be_done_by_the_command() -> None:
    assert {name for name in app.tasks if "." not in name} == set(jobs.JOBS_BY_NAME)
