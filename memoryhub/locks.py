"""Advisory locks of Postgres, by names instead of numbers."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from typing import Any

import psycopg
from django.db import connection

LOCK_POLL_SECONDS = 0.1


def lock_number(name: str) -> int:
    """Return the number of a name, the same in every process."""
    return int.from_bytes(sha256(name.encode()).digest()[:8], signed=True)


def lock_names(*names: str, shared: bool = False) -> None:
    """Take these locks until the transaction ends, waiting for others that hold one. Those who take it shared do not
    wait for each other. The order is the same for everybody, so that there is no deadlock."""
    function = "pg_advisory_xact_lock_shared" if shared else "pg_advisory_xact_lock"
    numbers = sorted(map(lock_number, names))
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(lock) FROM unnest(%s::bigint[]) AS lock", [numbers])  # noqa: S608 (ours)


@contextmanager
def hold_lock(name: str, *, wait: bool = False) -> Iterator[bool]:
    """Yield whether this process got the lock; with `wait`, wait for it. The lock is held by an open transaction on a
    connection of its own: a pooler in front of Postgres keeps that for us, unlike a session."""
    with psycopg.connect(**connection.get_connection_params()) as own_connection:
        while not (acquired := _try_lock(own_connection, name)) and wait:
            own_connection.rollback()  # a waiting statement would hold up CREATE INDEX CONCURRENTLY
            time.sleep(LOCK_POLL_SECONDS)
        yield acquired


@contextmanager
def lock_taker() -> Iterator[Callable[[str], bool]]:
    """Yield a function that takes a lock if no other process has it, and holds it until the block ends, all on one such
    connection."""
    with psycopg.connect(**connection.get_connection_params()) as own_connection:
        yield partial(_try_lock, own_connection)


def _try_lock(own_connection: "psycopg.Connection[Any]", name: str) -> bool:
    row = own_connection.execute("SELECT pg_try_advisory_xact_lock(%s)", [lock_number(name)]).fetchone()
    return bool(row and row[0])
