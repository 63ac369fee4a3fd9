"""What workers do, by the clock or after a save: each job is a thin call of an operation.

Jobs wait in Postgres, so a process that is killed loses none. Each may be done again from any point without harm: that
is what becomes of those whose worker died.
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

from memories.operations import attaching, embedding, forgetting, keys, retaining, similarity

TURN = 15.0  # seconds after which a job makes room for others, and a worker may stop
KEEP_DONE = 48  # hours
KEEP_FAILED = 24 * 30
COUNTED = 10_000


@app.periodic(cron="*/5 * * * *")
@app.task(name="sweep", queue="sweep", lock="sweep", queueing_lock="sweep")
def sweep(timestamp: int = 0) -> str:
    """Forgets what has expired, each with its revision, and drops what was taken off memories a while ago."""
    now = timezone.now()
    expired, removed = keys.sweep_all(now=now), attaching.drop_removed(now=now)
    return f"{expired:,} expired memories forgotten, {removed:,} removed attachments and sources dropped"


# The types say that each `periodic` takes an argument for itself, which they share.
@app.periodic(cron="* * * * *")  # type: ignore[arg-type]
@app.periodic(cron="40 3 * * *", periodic_id="all", queueing_lock="embed all", task_kwargs={"everything": True})
@app.task(name="embed", queue="embed", lock="embed", queueing_lock="embed")
def embed(timestamp: int = 0, *, everything: bool = False, within: float = TURN) -> str:
    """Makes the vectors that are missing; every night, looks for all that have none."""
    found = embedding.queue_missing() if everything else 0
    if embedding.covers_all():
        return "no vector is missing"
    rest = embedding.catch_up(within=within)
    if rest and within < math.inf:
        with suppress(AlreadyEnqueued), transaction.atomic():
            embed.configure(schedule_in={"seconds": math.ceil(rest)}).defer()
    return f"{found:,} memories without a vector found; {'more wait' if rest else 'all vectors made'}"


@app.task(name="link", queue="link", retry=RetryStrategy(max_attempts=5, exponential_wait=4))
def link(memory_ids: list[str]) -> str:
    """Links new memories to what they nearly repeat. Put in by each save of many."""
    found = similarity.link([UUID(memory_id) for memory_id in memory_ids])
    return f"{len(found):,} of {len(memory_ids):,} memories linked"


@app.task(name="discard", queue="discard", retry=RetryStrategy(max_attempts=5, exponential_wait=4))
def discard(names: list[str]) -> str:
    """Removes the bytes of attachments. Put in by whatever removes the attachments themselves."""
    forgetting.discard(names)
    return f"{len(names):,} files removed"


@app.periodic(cron="20 3 * * *")
@app.task(name="retain", queue="retain", lock="retain", queueing_lock="retain")
def retain(timestamp: int = 0) -> str:
    """Removes what is kept for a time only: the ledger, forgotten memories, answers, jobs that are done."""
    removed = retaining.retain(now=timezone.now())
    delete = async_to_sync(app.job_manager.delete_old_jobs)
    delete(nb_hours=KEEP_DONE)
    delete(nb_hours=KEEP_FAILED, include_failed=True, include_cancelled=True, include_aborted=True)
    return ", ".join(f"{count:,} {what}" for what, count in removed.items()) + " removed"


@app.periodic(cron="* * * * *")
@app.task(name="mend", queue="mend", queueing_lock="mend")  # no lock: it would keep the next from mending this one
def mend(timestamp: int = 0) -> str:
    """Puts back the jobs of workers that died."""
    stalled = _stalled(now=timezone.now())
    for job in stalled:
        _put_back(job)
    return f"{len(stalled):,} jobs of dead workers put back"


def _stalled(*, now: datetime) -> list[ProcrastinateJob]:
    silent_since = now - timedelta(seconds=settings.WORKER_DEAD_AFTER)
    dead = Q(worker=None) | Q(worker__last_heartbeat__lt=silent_since)
    return list(ProcrastinateJob.objects.filter(dead, status=Status.DOING.value).order_by("pk"))


def _put_back(job: ProcrastinateJob) -> None:
    """Unless its like waits already; or it has ended, or another has put it back."""
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


def do_again(*, job_id: int) -> bool:
    """Puts a job that failed in again; not if its like waits already."""
    try:
        with transaction.atomic():
            app.job_manager.retry_job_by_id(job_id, retry_at=timezone.now())
    except (UniqueViolation, ConnectorException):
        return False
    return True


def do_waiting(name: str) -> str:
    """What saves have put in, here and now."""
    waiting = partial(ProcrastinateJob.objects.filter(task_name=name, status=Status.TODO.value).count)
    before = waiting()
    work(queues=[name], wait=False)
    return f"{before - waiting():,} of {before:,} that waited are done"


# Each once and to its end, in the process that asks.
NOW: dict[str, Callable[[], str]] = {
    "sweep": sweep,
    "embed": partial(embed, everything=True, within=math.inf),
    "link": partial(do_waiting, "link"),
    "discard": partial(do_waiting, "discard"),
    "retain": retain,
    "mend": mend,
}


@dataclass(frozen=True, slots=True)
class Standing:
    """How a job fares."""

    name: str
    purpose: str
    cron: str  # when it is due; empty where saves put it in
    done_at: datetime | None  # when it was last done by a worker
    waiting: int
    failed: int


# Each job has a queue of its name, which is indexed; what is done is gone after two days.
STANDINGS = f"""
SELECT name, (
    SELECT max(at) FROM procrastinate_events WHERE type = 'succeeded' AND job_id = (
        SELECT id FROM procrastinate_jobs WHERE queue_name = name AND status = 'succeeded' ORDER BY id DESC LIMIT 1
    )
), (
    SELECT count(*) FROM (
        SELECT FROM procrastinate_jobs WHERE queue_name = name AND status IN ('todo', 'doing') LIMIT {COUNTED}
    ) AS waiting
), (
    SELECT count(*) FROM (
        SELECT FROM procrastinate_jobs WHERE queue_name = name AND status = 'failed' LIMIT {COUNTED}
    ) AS failed
)
FROM unnest(%s::text[]) AS name
"""  # noqa: S608 (a number of ours)


def standings() -> list[Standing]:
    with connection.cursor() as cursor:
        cursor.execute(STANDINGS, [list(NOW)])
        found = {name: rest for name, *rest in cursor.fetchall()}
    return [
        Standing(
            name,
            (app.tasks[name].func.__doc__ or "").splitlines()[0],
            getattr(app.periodic_registry.periodic_tasks.get((name, "")), "cron", ""),
            *found[name],
        )
        for name in NOW
    ]


# Jobs that are done stay for two days only, so the table is small; and however many wait, so many are looked at.
PENDING = f"""
SELECT status::text, count(*) FROM (
    SELECT status FROM procrastinate_jobs WHERE status IN ('todo', 'doing', 'failed') LIMIT {COUNTED}
) AS jobs GROUP BY status
"""  # noqa: S608 (a number of ours)


def pending() -> dict[str, int]:
    """How many jobs wait, run and have failed; together 10,000 at most."""
    with connection.cursor() as cursor:
        cursor.execute(PENDING)
        return {"todo": 0, "doing": 0, "failed": 0} | dict(cursor.fetchall())


def work(*, concurrency: int = 1, **options: Any) -> None:
    """Does what waits, and goes on until it is told to stop."""
    connector = PsycopgConnector(kwargs=connector_params(), min_size=1, max_size=concurrency + 2)
    with app.replace_connector(connector):
        app.run_worker(
            concurrency=concurrency,
            update_heartbeat_interval=settings.WORKER_DEAD_AFTER / 3,
            stalled_worker_timeout=settings.WORKER_DEAD_AFTER,
            listen_notify=connection.settings_dict["OPTIONS"]["prepare_threshold"] is not None,
            **options,
        )
