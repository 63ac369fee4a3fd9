"""What is logged, and how: each line says which request it belongs to and who asked; in production as JSON."""

import json
import logging
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from django.conf import settings
from django.db.backends.signals import connection_created

from memoryhub import figures

_about: ContextVar[Mapping[str, str]] = ContextVar("about", default=MappingProxyType({}))
log = logging.getLogger("memoryhub.statements")
STATEMENT = 500  # characters, by which it is known again


def about(**said: str) -> None:
    """Adds to what every line says until the request ends: its id, who asked."""
    _about.set({**_about.get(), **said})


def anew(**said: str) -> None:
    """Begins another request."""
    _about.set(said)


def told() -> Mapping[str, str]:
    return _about.get()


class Line(logging.Formatter):
    """For people."""

    def format(self, record: logging.LogRecord) -> str:
        said = " ".join(f"{name}={value}" for name, value in {**told(), **_extra(record)}.items())
        return f"{super().format(record)}{f' [{said}]' if said else ''}"


class Json(logging.Formatter):
    """For programs: an object in each line."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **told(),
            **_extra(record),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str, ensure_ascii=False)


def _extra(record: logging.LogRecord) -> dict[str, Any]:
    found: dict[str, Any] = getattr(record, "said", {})
    return found


def watch_statements(*, connection: Any, **kwargs: Any) -> None:
    """Whenever Django connects: slow statements are logged from then on."""
    if _timed not in connection.execute_wrappers:
        connection.execute_wrappers.append(_timed)


def _timed(execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any) -> Any:
    start = time.perf_counter()
    try:
        return execute(sql, params, many, context)
    finally:
        took = (time.perf_counter() - start) * 1_000
        if took >= settings.SLOW_STATEMENT:  # without its values, which may be anybody's words
            text = sql.decode() if isinstance(sql, bytes) else str(sql)
            said = {"ms": round(took), "statement": " ".join(text.split())[:STATEMENT]}
            figures.slow_statements.inc()
            log.warning("A statement took long.", extra={"said": said})


connection_created.connect(watch_statements, dispatch_uid="slow statements")
