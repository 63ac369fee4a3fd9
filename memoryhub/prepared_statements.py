"""Statements that are planned once per connection and bound on the server, for the few that run all the time."""

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import orjson
import psycopg
from django.db import connection
from django.db.backends.utils import CursorWrapper
from psycopg.types.json import set_json_loads

PLACEHOLDER = re.compile(r"%%|%\((\w+)\)s")


@lru_cache(maxsize=1_000)
def number_parameters(statement: str) -> tuple[bytes, tuple[str, ...]]:
    """Return the statement with $1, $2, … for its named parameters, and their names in that order."""
    names: dict[str, int] = {}

    def number(placeholder: re.Match[str]) -> str:
        return f"${names.setdefault(placeholder[1], len(names) + 1)}" if placeholder[1] else "%"

    return PLACEHOLDER.sub(number, statement).encode(), tuple(names)


def load_stored_json(text: str | bytes) -> Any:
    """Parse JSON from the database several times as fast as psycopg does by default. Numbers that are too large for
    orjson are left to the standard library."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return json.loads(text)


set_json_loads(load_stored_json)


class PreparingCursor(psycopg.RawCursor[Any]):
    """Prepares every statement: planning our longest one takes longer than running it, and so does finding its
    parameters. Results come in binary form and need no parsing."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> "PreparingCursor":
        if isinstance(params, Mapping):
            query, names = number_parameters(query)
            params = [params[name] for name in names]
        return super().execute(query, params, prepare=True, binary=True)


def array_literal(values: Iterable[object]) -> str:
    """Return the values as Postgres writes an array, to be cast to its type: quicker than to send them one by one."""
    texts = [str(value) for value in values]
    if "\\" in (joined := "".join(texts)) or '"' in joined:
        texts = [text.replace("\\", "\\\\").replace('"', '\\"') for text in texts]
    return '{"' + '","'.join(texts) + '"}' if texts else "{}"


def prepared_cursor() -> CursorWrapper:
    """Return a cursor like `connection.cursor()`, logged and counted like any other. Parameters need explicit types."""
    connection.ensure_connection()
    cursor: CursorWrapper = connection._prepare_cursor(PreparingCursor(connection.connection))  # type: ignore[attr-defined]
    return cursor
