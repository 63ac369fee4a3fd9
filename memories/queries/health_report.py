"""Health checks for operators, each a number that should be zero."""

import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from memories.models.embeddings import Unembedded
from memories.queries import stray_files
from memories.queries.audit_check import count_broken_entries
from memories.queries.jobs import count_pending_jobs
from memoryhub import disk_space
from teams.models import Organization


class HealthFinding(NamedTuple):
    what: str
    number: int
    advice: str


def examine_hub() -> list[HealthFinding]:
    """Run every check. The checks of attachments read all of them."""
    return [HealthFinding(what, check(), advice) for what, check, advice in HEALTH_CHECKS]


def count_pending_migrations() -> int:
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def count_failed_jobs() -> int:
    return count_pending_jobs()["failed"]


def count_missing_vectors() -> int:
    return Unembedded.objects.count()


def count_strays() -> int:
    organizations, now = Organization.objects.values_list("pk", flat=True), timezone.now()
    return sum(_length(stray_files.find_strays(organization_id=pk, now=now)) for pk in organizations)


def count_missing_bytes() -> int:
    return _length(stray_files.find_missing())


def count_open_files() -> int:
    """Count the private files that other accounts of the machine can read."""
    media = Path(settings.MEDIA_ROOT)
    private = [settings.DATA_FOLDER / "secret_key", media]
    closed = media.exists() and not _is_open(media)  # then nobody else can reach the files inside
    return sum(map(_is_open, [*private, *([] if closed else media.rglob("*"))]))


def count_missing_space() -> int:
    """Count the bytes by which a disk falls short of the reserve."""
    short = settings.DISK_RESERVE_BYTES - disk_space.free_bytes(Path(settings.DATA_FOLDER))
    return max(0, short)


def _is_open(path: Path) -> bool:
    return path.exists() and bool(path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO))


def _length(items: Iterable[object]) -> int:
    return sum(1 for _ in items)


HEALTH_CHECKS: tuple[tuple[str, Callable[[], int], str], ...] = (
    ("migrations to run", count_pending_migrations, "Run manage.py migrate, or start the server again."),
    ("jobs failed", count_failed_jobs, "See Jobs in the admin, where they can be done again."),
    ("vectors missing", count_missing_vectors, "A worker makes them; manage.py embeddings says how far it is."),
    ("files without an attachment", count_strays, "They are removed every night; manage.py job tidy does it now."),
    ("attachments without their bytes", count_missing_bytes, "Restore them from a backup."),
    (
        "files that other accounts can read",
        count_open_files,
        "Take their rights away: chmod -R go= on the data folder.",
    ),
    ("broken entries of the audit chain", count_broken_entries, "See manage.py audit --check."),
    ("bytes of disk space missing", count_missing_space, "Make room: until then writes are refused."),
)
