"""The time limit of statements in a process that serves requests."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import psycopg
from django.conf import settings
from django.db.backends.signals import connection_created

CHECK_INTERVAL = 0.5  # seconds
CANCEL_WITHIN = 5.0  # seconds


def limit_statements() -> None:
    """Limit the statements of this process. Postgres enforces the limit that we set on connecting, unless the operator
    set another. A pooler that shares connections would not pass it on: then we cancel statements ourselves."""
    options = settings.DATABASES["default"]["OPTIONS"]
    if not settings.STATEMENT_TIMEOUT:
        return
    if options["prepare_threshold"] is None:
        watch = StatementWatch(limit=settings.STATEMENT_TIMEOUT)
        connection_created.connect(watch.add_to, dispatch_uid="long statements", weak=False)
        threading.Thread(target=watch.run, name="long statements", daemon=True).start()
    else:
        options["options"] = f"-c statement_timeout={settings.STATEMENT_TIMEOUT}s {options['options']}"


@dataclass(eq=False, slots=True)
class RunningStatement:
    """Tracks a running statement. The lock keeps a cancellation from hitting the next statement of the connection."""

    connection: "psycopg.Connection[Any]"
    started: float = field(default_factory=time.monotonic)
    over: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def cancel(self) -> None:
        with self.lock, suppress(psycopg.Error):
            if not self.over:
                self.over = True
                self.connection.cancel_safe(timeout=CANCEL_WITHIN)

    def end(self) -> None:
        with self.lock:
            self.over = True


class StatementWatch:
    """Watches running statements, and cancels those that take too long."""

    def __init__(self, *, limit: float) -> None:
        self.limit = limit
        self.running: set[RunningStatement] = set()

    def add_to(self, *, connection: Any, **kwargs: Any) -> None:
        if self.execute not in connection.execute_wrappers:
            connection.execute_wrappers.append(self.execute)

    def execute(self, execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any) -> Any:
        statement = RunningStatement(context["connection"].connection)
        self.running.add(statement)
        try:
            return execute(sql, params, many, context)
        finally:
            statement.end()
            self.running.discard(statement)

    def run(self) -> None:
        while True:
            time.sleep(CHECK_INTERVAL)
            self.cancel_long()

    def cancel_long(self) -> None:
        for statement in list(self.running):
            if time.monotonic() - statement.started > self.limit:
                statement.cancel()
