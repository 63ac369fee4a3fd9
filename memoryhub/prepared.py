"""Statements that are planned once per connection and bound on the server: for the few that run all the time."""

from typing import Any

import psycopg
from django.db import connection
from django.db.backends.utils import CursorWrapper


class PreparingCursor(psycopg.Cursor[Any]):
    """Planning our longest statement takes longer than running it."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> "PreparingCursor":
        return super().execute(query, params, prepare=True)


def prepared_cursor() -> CursorWrapper:
    """A cursor like `connection.cursor()`, logged and counted like any other. Parameters need their types named."""
    connection.ensure_connection()
    cursor: CursorWrapper = connection._prepare_cursor(PreparingCursor(connection.connection))  # type: ignore[attr-defined]
    return cursor
