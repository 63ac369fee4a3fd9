"""Workers killed at random while they work: is every job done, and once in effect?

    python -m benchmarks.kill_workers [--times 100] [--workers 2]

Between the kills there is always more to do: memories that expired, that wait for their vectors, that repeat others,
that were forgotten long ago. In the end each has been dealt with exactly once. Without kills (--times 0) several
workers show that no job is done twice.
"""

import argparse
import os
import random
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from benchmarks.harness import PROJECT_FOLDER, Texts, database, say
from memoryhub.ids import first_id, uuid7

if TYPE_CHECKING:
    from memories.models import Memory
    from teams.actor import Actor

# Kept for a day, and linked only to what says the very same.
SETTINGS = {"KEEP_FORGOTTEN_DAYS": "1", "KEEP_RECALLS_DAYS": "1", "SIMILAR_ABOVE": "0.999"}
AT_ONCE = 30  # memories of each kind that a round adds
WORKER_PATIENCE = 180.0  # seconds for a job to begin, or for all of them to end
KILL_WORKER_WITHIN = 0.4  # seconds after a job has begun, within which the blow falls
LONG_AGO = timedelta(days=10)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=100, help="how often a worker is killed (default: 100)")
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    if arguments.times:
        os.environ["WORKER_DEAD_AFTER"] = "1"
    with database() as url:
        from benchmarks.saves import create_actor

        say(run_worker_kills(create_actor(), url=url, times=arguments.times, workers=arguments.workers))


def run_worker_kills(actor: "Actor", *, url: str, times: int, workers: int, rounds: int = 5, seed: int = 7) -> str:
    """Run as many rounds of work as kills, or so many without kills. Return a report, or fail by an assertion."""
    chance, work, started = random.Random(seed), Work(actor), time.monotonic()
    alive = [begin(url) for _ in range(workers)]
    try:
        for number in range(times or rounds):
            begun = count("started")
            work.add()
            if times:
                wait_until(lambda begun=begun: count("started") > begun)
                time.sleep(chance.uniform(0, KILL_WORKER_WITHIN))
                place = chance.randrange(workers)
                end(alive[place])
                alive[place] = begin(url)
                sys.stderr.write(f"\r{number + 1} of {times} killed ")
        wait_until(lambda: is_finished() and work.left() == 0)
    finally:
        for worker in alive:
            end(worker)
    work.check()
    again = count("deferred_for_retry")
    assert times or not again, f"{again} jobs were done twice"
    return (
        f"{times} kills of {workers} workers in {time.monotonic() - started:.0f} s: {count('started'):,} jobs begun,"
        f" {again:,} of them again after their worker's death; {work}: each once"
    )


def begin(url: str) -> "subprocess.Popen[bytes]":
    from django.conf import settings

    environment = {**os.environ, **SETTINGS, "DATABASE_URL": url, "WORKER_DEAD_AFTER": str(settings.WORKER_DEAD_AFTER)}
    return subprocess.Popen([sys.executable, "manage.py", "work"], cwd=PROJECT_FOLDER, env=environment)


def end(worker: "subprocess.Popen[bytes]") -> None:
    worker.kill()
    worker.wait()


def count(event: str) -> int:
    from procrastinate.contrib.django.models import ProcrastinateEvent

    return ProcrastinateEvent.objects.filter(type=event).count()


def is_finished() -> bool:
    """Return whether no job waits or runs, after the jobs of dead workers were put back."""
    from memories import jobs
    from memories.queries.jobs import count_pending_jobs

    jobs.mend_job()
    pending = count_pending_jobs()
    assert not pending["failed"], f"{pending['failed']} jobs failed"
    return not pending["todo"] and not pending["doing"]


def wait_until(condition: "object") -> None:
    deadline = time.monotonic() + WORKER_PATIENCE
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline, "the workers do not get on"
        time.sleep(0.05)


@dataclass
class Work:
    """The work that there is to do, and its expected outcome."""

    actor: "Actor"
    texts: Texts = field(default_factory=Texts)
    expired: list[UUID] = field(default_factory=list)
    bare: list[UUID] = field(default_factory=list)  # without a vector
    repeated: list[tuple[UUID, UUID]] = field(default_factory=list)
    forgotten: list[UUID] = field(default_factory=list)
    recalls: list[UUID] = field(default_factory=list)

    def __str__(self) -> str:
        kinds = {"swept": self.expired, "embedded": self.bare, "linked": self.repeated}
        kinds |= {"removed": self.forgotten, "recalls removed": self.recalls}
        return ", ".join(f"{len(found):,} {kind}" for kind, found in kinds.items())

    def add(self) -> None:
        from procrastinate.exceptions import AlreadyEnqueued

        from memories import jobs

        self._expire()
        self._lay_bare()
        self._repeat()
        self._forget()
        self._recall()
        for job in (jobs.sweep_job, jobs.embed_job, jobs.retain_job):
            with suppress(AlreadyEnqueued):
                job.defer()

    def _save_texts(self, texts: list[str]) -> "list[Memory]":
        from memories.operations import Draft, save_memories

        return save_memories(actor=self.actor, drafts=[Draft(content=text, dedupe="create") for text in texts])

    def _expire(self) -> None:
        from django.utils import timezone

        from memories.models import Memory

        ids = [memory.pk for memory in self._save_texts(self.texts.texts(AT_ONCE))]
        Memory.objects.filter(pk__in=ids).update(expires_at=timezone.now())
        self.expired += ids

    def _lay_bare(self) -> None:
        """Save memories without vectors, as if the provider had failed when they were saved."""
        from django.db import transaction

        from memories.embedding.active_model import get_active_models
        from memories.models import Embedding
        from memories.operations import embed

        with transaction.atomic():
            memories = self._save_texts(self.texts.texts(AT_ONCE))
            Embedding.objects.filter(memory__in=memories).delete()
            for provider in get_active_models().providers:
                embed.queue_memories(memories, provider)
        self.bare += [memory.pk for memory in memories]

    def _repeat(self) -> None:
        texts = self.texts.texts(AT_ONCE // 2)
        first, second = ([memory.pk for memory in self._save_texts(texts)] for _ in range(2))
        self.repeated += zip(second, first, strict=True)

    def _forget(self) -> None:
        from django.core.files.base import ContentFile
        from django.utils import timezone

        from memories import operations
        from memories.models import Memory

        ids = [memory.pk for memory in self._save_texts(self.texts.texts(AT_ONCE // 3))]
        operations.attach_file(actor=self.actor, memory_id=ids[0], file=ContentFile(b"milk"), name="list.txt")
        for memory_id in ids:
            operations.forget_memory(actor=self.actor, memory_id=memory_id)
        Memory.objects.filter(pk__in=ids).update(forgotten_at=timezone.now() - LONG_AGO)
        self.forgotten += ids

    def _recall(self) -> None:
        from django.utils import timezone

        from memories.models import RecallLog

        moment = timezone.now() - LONG_AGO
        said = {"organization_id": self.actor.organization_id, "team_id": self.actor.team_id, "query": "long ago"}
        logs = [
            RecallLog(id=UUID(int=first_id(moment).int | uuid7().int & (1 << 62) - 1), created_at=moment, **said)
            for _ in range(AT_ONCE)
        ]
        self.recalls += [log.pk for log in RecallLog.objects.bulk_create(logs)]

    def left(self) -> int:
        """Return how much of the work is left to do. Links are not counted: they wait in jobs alone."""
        from memories.models import Memory, RecallLog, Unembedded

        expired = Memory.objects.filter(pk__in=self.expired, forgotten_at=None).count()
        forgotten = Memory.objects.filter(pk__in=self.forgotten).count()
        return expired + forgotten + Unembedded.objects.count() + RecallLog.objects.filter(pk__in=self.recalls).count()

    def check(self) -> None:
        from django.db.models import Count, F

        from memories.models import Asset, Association, Embedding, Memory, Revision
        from memories.operations.retention import MEMORY_REFERENCES

        swept = Revision.objects.filter(memory__in=self.expired, change="forgotten").values("memory")
        assert sorted(swept.annotate(times=Count("pk")).values_list("times", flat=True)) == [1] * len(self.expired)
        assert set(Memory.objects.filter(pk__in=self.expired).values_list("version", flat=True)) == {2}

        living = Memory.objects.filter(forgotten_at=None)
        assert living.count() == len(self.bare) + 2 * len(self.repeated)
        vectors = Embedding.objects.filter(memory__in=living, memory_version=F("memory__version"))
        assert sorted(vectors.values_list("memory", flat=True)) == sorted(living.values_list("pk", flat=True))
        assert Embedding.objects.count() == living.count()

        links = Association.objects.values_list("origin", "target")
        assert sorted(links) == sorted(self.repeated)

        for model, link in MEMORY_REFERENCES:
            assert not model._default_manager.filter(**{f"{link}__in": self.forgotten}).exists()
        storage = Asset._meta.get_field("file").storage
        left = [path for path in Path(storage.location).rglob("*") if path.is_file()]
        assert not left, f"{len(left)} attachments were left behind"


if __name__ == "__main__":
    main()
