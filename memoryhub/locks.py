"""Advisory locks of Postgres have numbers; ours have names."""

from hashlib import sha256

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
