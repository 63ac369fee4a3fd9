"""Bare SQL: the very statements of a recall or a request, run again by psycopg with nothing of ours around them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg

from benchmarks.client_processes import WARM_UP_CALLS
from benchmarks.fill_stores import Ask, StoreQuestion
from benchmarks.hub import Hub
from memoryhub.prepared_statements import number_parameters

LATER = WARM_UP_CALLS  # questions in between, so that bare SQL finds the rows no warmer than recall found them


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement as psycopg runs it without us."""

    sql: str | bytes
    values: Sequence[Any] | Mapping[str, Any] = ()

    @classmethod
    def heard(cls, sql: str, params: Any) -> "Statement":
        if not isinstance(params, Mapping):
            return cls(sql, params or ())
        raw, names = number_parameters(sql)  # one of those that we prepare
        return cls(raw, [params[name] for name in names])

    def run(self, connection: "psycopg.Connection[Any]") -> list[Any]:
        cursor: psycopg.Cursor[Any] = (
            psycopg.RawCursor(connection) if isinstance(self.sql, bytes) else connection.cursor()
        )
        cursor.execute(self.sql, self.values, prepare=not self.bounds, binary=True)
        return cursor.fetchall() if cursor.description else []

    @property
    def bounds(self) -> bool:
        """Return whether the statement begins or ends a transaction."""
        return self.sql in ("BEGIN", "COMMIT")


def connect_as_django(url: str) -> "psycopg.Connection[Any]":
    """Connect as Django does, with every statement planned once."""
    from django.conf import settings

    return psycopg.connect(url, autocommit=True, options=f"-c TimeZone=UTC {settings.PLAN_ONCE}")


@contextmanager
def undone() -> Iterator[list[Statement]]:
    """Yield the statements that run inside this block. They are undone, so that the rows are still to be written."""
    from django.db import connection, transaction

    heard: list[Statement] = []
    depth = 0

    def listen(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal depth
        if sql.startswith("SAVEPOINT"):  # inside our transaction theirs are savepoints
            heard.extend([Statement("BEGIN")] if depth == 0 else [])
            depth += 1
        elif sql.startswith("RELEASE SAVEPOINT"):
            depth -= 1
            heard.extend([Statement("COMMIT")] if depth == 0 else [])
        else:
            heard.append(Statement.heard(sql, params))
        return execute(sql, params, many, context)

    with transaction.atomic(), connection.execute_wrapper(listen):
        yield heard
        transaction.set_rollback(True)


class Echo:
    """A recall whose statements are recorded, and these statements. Each client has a copy of its own."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.heard: list[list[Statement]] = []

    def recall(self) -> Ask:
        from django.db import connection

        recall = self.hub.client()

        def ask(question: StoreQuestion) -> int:
            self.heard.append([])
            with connection.execute_wrapper(self._listen):
                return recall(question)

        return ask

    def _listen(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        result = execute(sql, params, many, context)
        if context["cursor"].description:  # it returns rows; what writes is not run twice
            self.heard[-1].append(Statement.heard(sql, params))
        return result

    def bare(self) -> Ask:
        connection = connect_as_django(self.hub.url)
        asked = 0

        def ask(question: StoreQuestion) -> int:
            nonlocal asked
            statements = self.heard[asked if asked < LATER else asked - LATER]
            asked += 1
            rows: list[Any] = []
            for statement in statements:
                rows = statement.run(connection)
            return len(rows)

        return ask
