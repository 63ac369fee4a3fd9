"""Advisory locks of Postgres have numbers; ours have names."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

import psycopg
from django.db import connection

ASK_EVERY = 0.1  # seconds


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
    with psycopg.connect(**connection.get_connection_params()) as apart:
        while not (taken := _taken(apart, name)) and wait:
            apart.rollback()  # a statement that waits would hold up whoever builds an index beside the writers
            time.sleep(ASK_EVERY)
        yield taken


def _taken(apart: "psycopg.Connection[Any]", name: str) -> bool:
    found = apart.execute("SELECT pg_try_advisory_xact_lock(%s)", [number(name)]).fetchone()
    return bool(found and found[0])
