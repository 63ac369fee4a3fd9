"""Statements that are planned once per connection and bound on the server: for the few that run all the time."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import psycopg
from django.db import connection
from django.db.backends.utils import CursorWrapper

PLACEHOLDER = re.compile(r"%%|%\((\w+)\)s")


@lru_cache(maxsize=1_000)
def numbered(statement: str) -> tuple[bytes, tuple[str, ...]]:
    """The statement with $1, $2, … for its named parameters, and their names in that order."""
    names: dict[str, int] = {}

    def number(found: re.Match[str]) -> str:
        return f"${names.setdefault(found[1], len(names) + 1)}" if found[1] else "%"

    return PLACEHOLDER.sub(number, statement).encode(), tuple(names)


class PreparingCursor(psycopg.RawCursor[Any]):
    """Planning our longest statement takes longer than running it, and so does looking for its parameters. What comes
    back needs no parsing."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> "PreparingCursor":
        if isinstance(params, Mapping):
            query, names = numbered(query)
            params = [params[name] for name in names]
        return super().execute(query, params, prepare=True, binary=True)


def prepared_cursor() -> CursorWrapper:
    """A cursor like `connection.cursor()`, logged and counted like any other. Parameters need their types named."""
    connection.ensure_connection()
    cursor: CursorWrapper = connection._prepare_cursor(PreparingCursor(connection.connection))  # type: ignore[attr-defined]
    return cursor
