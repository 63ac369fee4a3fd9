"""Background jobs, periodic or queued by a write: each is a thin call of an operation.

Jobs are queued in Postgres, so a process that is killed loses none. Each can be repeated from any point without harm:
jobs whose worker died are.
"""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from asgiref.sync import async_to_sync
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone
from procrastinate import PsycopgConnector, RetryStrategy
from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.contrib.django.utils import connector_params
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException, UniqueViolation
from procrastinate.jobs import Status

from memories.operations import (
    audit_chain,
    decide,
    golden_run,
    keys,
    legal_holds,
    retention,
    send_digests,
    similarity,
    stray_files,
    team_retention,
)
from memories.operations import embed as embed_operations
from memories.operations.attach import drop_removed
from memories.operations.forget import delete_stored_files as discard_files
from memories.queries.jobs import MAX_COUNTED_JOBS
from teams.operations import prune as prune_operations

JOB_SECONDS = 15.0  # seconds after which a job makes room for others, and a worker may stop
COMPARE_TURNS = 120  # in one night: a large hub takes several nights to compare everything
KEEP_DONE = 48  # hours
KEEP_FAILED = 24 * 30


@app.periodic(cron="*/5 * * * *")
@app.task(name="sweep", queue="sweep", lock="sweep", queueing_lock="sweep")
def sweep_job(timestamp: int = 0) -> str:
    """Forgets expired memories, closes proposals that nobody decided about, and drops attachments and sources removed
    a while ago."""
    now = timezone.now()
    closed = decide.expire_proposals(now=now)
    expired, removed = keys.sweep_all_expired(now=now), drop_removed(now=now)
    done = f"{expired:,} expired memories forgotten, {closed:,} proposals closed"
    return f"{done}, {removed:,} removed attachments and sources dropped"


# The types say that each `periodic` takes an argument for itself, which they share.
@app.periodic(cron="* * * * *")  # type: ignore[arg-type]
@app.periodic(cron="40 3 * * *", periodic_id="all", queueing_lock="embed all", task_kwargs={"everything": True})
@app.task(name="embed", queue="embed", lock="embed", queueing_lock="embed")
def embed_job(timestamp: int = 0, *, everything: bool = False, within: float = JOB_SECONDS) -> str:
    """Creates missing vectors; every night, looks for all memories without one."""
    queued = embed_operations.queue_missing() if everything else 0
    if embed_operations.covers_all():
        return "no vector is missing"
    rest = embed_operations.catch_up(within=within)
    if rest and within < math.inf:
        with suppress(AlreadyEnqueued), transaction.atomic():
            embed_job.configure(schedule_in={"seconds": math.ceil(rest)}).defer()
    return f"{queued:,} memories without a vector found; {'more wait' if rest else 'all vectors made'}"


@app.task(name="link", queue="link", retry=RetryStrategy(max_attempts=5, exponential_wait=4))
def link_job(memory_ids: list[str]) -> str:
    """Links new memories to similar ones. Queued by each save of many."""
    linked = similarity.link_similar_or_raise([UUID(memory_id) for memory_id in memory_ids])
    return f"{len(linked):,} of {len(memory_ids):,} memories linked"


@app.task(name="discard", queue="discard", retry=RetryStrategy(max_attempts=5, exponential_wait=4))
def discard_job(names: list[str]) -> str:
    """Removes the bytes of attachments. Queued when the attachments themselves are removed."""
    discard_files(names)
    return f"{len(names):,} files removed"


@app.periodic(cron="50 3 * * *")
@app.task(name="tidy", queue="tidy", lock="tidy", queueing_lock="tidy")
def tidy_job(timestamp: int = 0, *, after: str = "", within: float = JOB_SECONDS) -> str:
    """Removes stored files that belong to no attachment, a day after they were stored."""
    turn = stray_files.remove_strays(now=timezone.now(), after=after, within=within)
    if turn.go_on_after:
        with suppress(AlreadyEnqueued), transaction.atomic():
            tidy_job.defer(after=turn.go_on_after)
    return f"{turn.removed:,} files without an attachment removed"


@app.periodic(cron="10 4 * * *")
@app.task(name="compare", queue="compare", lock="compare", queueing_lock="compare")
def compare_job(
    timestamp: int = 0, *, after: str = str(similarity.FIRST_ID), turns: int = 1, within: float = JOB_SECONDS
) -> str:
    """Compares all memories for duplicates and contradictions: those that were imported, for example."""
    turn = similarity.compare_all(after=UUID(after), within=within)
    if turn.go_on_after:
        tonight = turns < COMPARE_TURNS  # or else the next night; until then, none begins anew
        with suppress(AlreadyEnqueued), transaction.atomic():
            compare_job.configure(schedule_in={"seconds": 1} if tonight else {"hours": 23}).defer(
                after=str(turn.go_on_after), turns=turns + 1 if tonight else 1
            )
    return f"{turn.compared:,} memories compared; {'more wait' if turn.go_on_after else 'all are'}"


@app.periodic(cron="0 6 * * *")
@app.task(name="digest", queue="digest", lock="digest", queueing_lock="digest")
def digest_job(timestamp: int = 0, *, after: str = str(send_digests.START), within: float = JOB_SECONDS) -> str:
    """Sends members the daily or weekly mail that they asked for, about what waits for review."""
    turn = send_digests.send_digests(now=timezone.now(), after=UUID(after), within=within)
    if turn.go_on_after:
        with suppress(AlreadyEnqueued), transaction.atomic():
            digest_job.defer(after=str(turn.go_on_after))
    return f"{turn.sent:,} digests sent; {'more wait' if turn.go_on_after else 'all are'}"


@app.periodic(cron="20 3 * * *")
@app.task(name="retain", queue="retain", lock="retain", queueing_lock="retain")
def retain_job(timestamp: int = 0) -> str:
    """Removes outdated recalls, forgotten memories, idempotency records and jobs; applies teams' retention rules."""
    removed = retention.remove_outdated(now=timezone.now())
    ended = team_retention.apply_retention_rules(now=timezone.now())
    delete = async_to_sync(app.job_manager.delete_old_jobs)
    delete(nb_hours=KEEP_DONE)
    delete(nb_hours=KEEP_FAILED, include_failed=True, include_cancelled=True, include_aborted=True)
    counts = ", ".join(f"{count:,} {what}" for what, count in removed.items())
    return f"{counts} removed; by rules {ended['forget']:,} memories forgotten, {ended['remove']:,} removed"


@app.periodic(cron="50 3 * * *")
@app.task(name="prune", queue="prune", lock="prune", queueing_lock="prune")
def prune_job(
    timestamp: int = 0, *, table: int = 0, after: str = str(prune_operations.START), within: float = JOB_SECONDS
) -> str:
    """Removes people and sessions that nothing refers to and that no call has named for a while."""
    if not settings.KEEP_UNUSED_DAYS:
        return "people and sessions are kept forever"
    result = prune_operations.prune_all(
        before=timezone.now() - timedelta(days=settings.KEEP_UNUSED_DAYS),
        table=table,
        after=UUID(after),
        within=within,
        conditions=legal_holds.PRUNABLE_UNLESS_HELD,
    )
    if result.next:
        with suppress(AlreadyEnqueued), transaction.atomic():
            prune_job.configure(schedule_in={"seconds": 1}).defer(table=result.next[0], after=str(result.next[1]))
    return f"{result.removed:,} unused people and sessions removed; {'more wait' if result.next else 'all checked'}"


@app.periodic(cron="* * * * *")  # type: ignore[arg-type]
@app.periodic(cron="30 3 * * *", periodic_id="all", queueing_lock="seal all", task_kwargs={"everything": True})
@app.task(name="seal", queue="seal", lock="seal", queueing_lock="seal")
def seal_job(timestamp: int = 0, *, everything: bool = False, within: float = JOB_SECONDS) -> str:
    """Adds new versions and what operators did to the audit chain; every night, looks for all that are not in it."""
    sealed, done = audit_chain.seal_entries(everything=everything, within=within)
    return f"{sealed:,} entries added to the audit chain{'' if done else '; more wait'}"


@app.periodic(cron="10 4 * * *")
@app.task(name="golden", queue="golden", lock="golden", queueing_lock="golden")
def golden_job(timestamp: int = 0, *, team: str = "", after: str = "", within: float = JOB_SECONDS) -> str:
    """Asks the golden questions of all teams again, or those of one team."""
    now = timezone.now()
    if team:
        return f"{golden_run.run_golden_questions(team_id=UUID(team), now=now):,} golden questions asked"
    turn = golden_run.run_all_golden_questions(now=now, after=after, within=within)
    if turn.go_on_after:
        with suppress(AlreadyEnqueued), transaction.atomic():
            golden_job.defer(after=turn.go_on_after)
    return f"{turn.asked:,} golden questions asked{'; more wait' if turn.go_on_after else ''}"


@app.periodic(cron="* * * * *")
@app.task(name="mend", queue="mend", queueing_lock="mend")  # no lock: it would keep the next from mending this one
def mend_job(timestamp: int = 0) -> str:
    """Puts back the jobs of workers that died."""
    stalled = _find_stalled_jobs(now=timezone.now())
    for job in stalled:
        _requeue_job(job)
    return f"{len(stalled):,} jobs of dead workers put back"


def _find_stalled_jobs(*, now: datetime) -> list[ProcrastinateJob]:
    silent_since = now - timedelta(seconds=settings.WORKER_DEAD_AFTER)
    dead = Q(worker=None) | Q(worker__last_heartbeat__lt=silent_since)
    return list(ProcrastinateJob.objects.filter(dead, status=Status.DOING.value).order_by("pk"))


def _requeue_job(job: ProcrastinateJob) -> None:
    """Queue the job again, unless an equal one is queued, it has ended, or somebody else has queued it again."""
    try:
        with transaction.atomic():
            app.job_manager.retry_job_by_id(job.pk, retry_at=timezone.now())
    except UniqueViolation:
        end = async_to_sync(app.job_manager.finish_job_by_id_async)
        with suppress(ConnectorException):
            end(job.pk, Status.ABORTED, delete_job=True)
    except ConnectorException:
        pass


# For operators


def retry_job(*, job_id: int) -> bool:
    """Queue a failed job again. Returns False if an equal one is queued already."""
    try:
        with transaction.atomic():
            app.job_manager.retry_job_by_id(job_id, retry_at=timezone.now())
    except (UniqueViolation, ConnectorException):
        return False
    return True


def run_waiting_jobs(name: str) -> str:
    """Run the jobs of that name that are queued, in this process."""
    waiting = partial(ProcrastinateJob.objects.filter(task_name=name, status=Status.TODO.value).count)
    before = waiting()
    run_worker(queues=[name], wait=False)
    return f"{before - waiting():,} of {before:,} that waited are done"


# Runs each job once and to its end, in this process.
JOBS_BY_NAME: dict[str, Callable[[], str]] = {
    "sweep": sweep_job,
    "embed": partial(embed_job, everything=True, within=math.inf),
    "link": partial(run_waiting_jobs, "link"),
    "discard": partial(run_waiting_jobs, "discard"),
    "compare": partial(compare_job, within=math.inf),
    "digest": partial(digest_job, within=math.inf),
    "tidy": partial(tidy_job, within=math.inf),
    "retain": retain_job,
    "prune": partial(prune_job, within=math.inf),
    "seal": partial(seal_job, everything=True, within=math.inf),
    "golden": partial(golden_job, within=math.inf),
    "mend": mend_job,
}


@dataclass(frozen=True, slots=True)
class JobStatus:
    """Describes the status of a job."""

    name: str
    purpose: str
    cron: str  # when it is due; empty where saves put it in
    done_at: datetime | None  # when it was last done by a worker
    waiting: int
    failed: int


# Each job has a queue of its name, which is indexed; finished jobs are removed after two days.
JOB_STATUSES = f"""
SELECT name, (
    SELECT max(at) FROM procrastinate_events WHERE type = 'succeeded' AND job_id = (
        SELECT id FROM procrastinate_jobs WHERE queue_name = name AND status = 'succeeded' ORDER BY id DESC LIMIT 1
    )
), (
    SELECT count(*) FROM (
        SELECT FROM procrastinate_jobs WHERE queue_name = name AND status IN ('todo', 'doing') LIMIT {MAX_COUNTED_JOBS}
    ) AS waiting
), (
    SELECT count(*) FROM (
        SELECT FROM procrastinate_jobs WHERE queue_name = name AND status = 'failed' LIMIT {MAX_COUNTED_JOBS}
    ) AS failed
)
FROM unnest(%s::text[]) AS name
"""  # noqa: S608 (a number of ours)


def list_job_statuses() -> list[JobStatus]:
    with connection.cursor() as cursor:
        cursor.execute(JOB_STATUSES, [list(JOBS_BY_NAME)])
        counts = {name: rest for name, *rest in cursor.fetchall()}
    return [
        JobStatus(
            name,
            (app.tasks[name].func.__doc__ or "").splitlines()[0],
            getattr(app.periodic_registry.periodic_tasks.get((name, "")), "cron", ""),
            *counts[name],
        )
        for name in JOBS_BY_NAME
    ]


def run_worker(*, concurrency: int = 1, **options: Any) -> None:
    """Run queued jobs until told to stop."""
    connector = PsycopgConnector(kwargs=connector_params(), min_size=1, max_size=concurrency + 2)
    with app.replace_connector(connector):
        app.run_worker(
            concurrency=concurrency,
            update_heartbeat_interval=settings.WORKER_DEAD_AFTER / 3,
            stalled_worker_timeout=settings.WORKER_DEAD_AFTER,
            listen_notify=connection.settings_dict["OPTIONS"]["prepare_threshold"] is not None,
            **options,
        )
