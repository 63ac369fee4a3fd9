"""Refuses writes before the disk is full: a Postgres that cannot write its log stops, and reads stop with it."""

import errno
import os
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings
from django.db import OperationalError
from django.db.backends.signals import connection_created

# Tables that grow with use. Counters, sessions and the list of models are small, and reads need them.
GROWING_INSERT = re.compile(r'\bINSERT\s+INTO\s+"?memories_(?!embeddingmodel\b)', re.IGNORECASE)


def free_bytes(folder: Path) -> int:
    """Return how many bytes may still be written below a folder, which need not exist yet."""
    while not folder.exists():
        folder = folder.parent
    stats = os.statvfs(folder)
    return stats.f_bavail * stats.f_frsize


def require_space(folder: Path, *, size: int) -> None:
    """Refuse to store so many bytes if less than the reserve would remain."""
    if free_bytes(folder) - size < settings.DISK_RESERVE_BYTES:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def watch_space(*, connection: Any, **kwargs: Any) -> None:
    """Have a new connection to the embedded Postgres refuse inserts while less than the reserve is free."""
    if settings.EMBEDDED_POSTGRES and _refuse_when_full not in connection.execute_wrappers:
        connection.execute_wrappers.append(_refuse_when_full)


@lru_cache(maxsize=128)  # statements are long, and few
def _makes_tables_grow(sql: str) -> bool:
    return bool(GROWING_INSERT.search(sql))


def _refuse_when_full(execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any) -> Any:
    if _makes_tables_grow(sql.decode() if isinstance(sql, bytes) else str(sql)):
        try:
            require_space(Path(settings.DATA_FOLDER), size=0)
        except OSError as error:
            raise OperationalError("The disk is nearly full.") from psycopg.errors.DiskFull(str(error))
    return execute(sql, params, many, context)


connection_created.connect(watch_space, dispatch_uid="disk space")
