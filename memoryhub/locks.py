"""Advisory locks of Postgres have numbers; ours have names."""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256

import psycopg
from django.db import connection


def number(name: str) -> int:
    """The same for the same name, in every process."""
    return int.from_bytes(sha256(name.encode()).digest()[:8], signed=True)


def take_turns(*names: str) -> None:
    """Waits until no other transaction has one of these, and keeps them until this one ends. In the same order for
    everybody, so that none waits in a circle."""
    numbers = sorted(map(number, names))
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(lock) FROM unnest(%s::bigint[]) AS lock", [numbers])


@contextmanager
def alone(name: str, *, wait: bool = False) -> Iterator[bool]:
    """Whether no other process is at this; with `wait`, once none is. By an open transaction of a connection of its
    own, which a pooler before Postgres leaves with us until it ends, as it does not with a session."""
    take = "SELECT pg_advisory_xact_lock(%s) IS NOT NULL" if wait else "SELECT pg_try_advisory_xact_lock(%s)"
    with psycopg.connect(**connection.get_connection_params()) as apart:
        found = apart.execute(take, [number(name)]).fetchone()
        yield bool(found and found[0])
