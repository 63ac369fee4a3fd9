"""Logging: each line names its request and the caller; in production lines are JSON.

No line contains a secret or anybody's words: addresses are logged as routes, and errors of Postgres without the values
that they quote.
"""

import copy
import json
import logging
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any
from uuid import UUID

import psycopg
from django import db
from django.conf import settings
from django.db.backends.signals import connection_created
from django.http import HttpRequest

from memoryhub import metrics

_log_context: ContextVar[Mapping[str, str]] = ContextVar("about", default=MappingProxyType({}))
log = logging.getLogger("memoryhub.statement_timeout")
STATEMENT_LENGTH = 500  # characters, enough to recognize it
ROUTE_PARAMETER = re.compile(r"<(?:\w+:)?(?P<name>\w+)>")


def add_log_context(**fields: str) -> None:
    """Add fields to every log line until the request ends, such as its id and the caller."""
    _log_context.set({**_log_context.get(), **fields})


def start_log_context(**fields: str) -> None:
    """Replace the fields of every log line, at the start of a request."""
    _log_context.set(fields)


def get_log_context() -> Mapping[str, str]:
    return _log_context.get()


def mask_path(request: HttpRequest) -> str:
    """Return a request's address without secrets or anybody's words: its route, with the ids filled in.

    An address without a route is not logged at all: it may be a mistyped secret link.
    """
    if request.resolver_match is None:
        return "(no route)"
    return "/" + ROUTE_PARAMETER.sub(_fill_in_id(request.resolver_match.kwargs), request.resolver_match.route)


def _fill_in_id(captured: Mapping[str, Any]) -> Callable[[re.Match[str]], str]:
    def fill_in(parameter: re.Match[str]) -> str:
        value = captured.get(parameter["name"])
        return str(value) if isinstance(value, int | UUID) else parameter[0]

    return fill_in


class MaskingFormatter(logging.Formatter):
    """Formats records without the addresses that Django puts in its own, and without values that Postgres quotes."""

    def format(self, record: logging.LogRecord) -> str:
        record.exc_text = None  # cached by another formatter
        return super().format(mask_record(record))

    def formatException(self, ei: Any) -> str:
        text = super().formatException(ei)
        for error in _database_errors(ei[1]):
            text = text.replace(str(error), _describe_database_error(error))
        return text


def mask_record(record: logging.LogRecord) -> logging.LogRecord:
    """Return the record with the masked path in place of the address, if it is about a request."""
    request = getattr(record, "request", None)
    if not isinstance(request, HttpRequest) or not isinstance(record.args, tuple):
        return record
    masked = copy.copy(record)
    addresses = {form for address in (request.path, request.get_full_path()) for form in (address, _escape(address))}
    masked.args = tuple(mask_path(request) if argument in addresses else argument for argument in record.args)
    return masked


def _escape(address: str) -> str:
    """Return the address as Django logs it: a secret link may have been copied with the quotation mark behind it."""
    return address.encode("unicode_escape").decode()


def _database_errors(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the errors with a text from Postgres among an exception and its causes."""
    while error is not None:
        if isinstance(error, psycopg.Error | db.Error) and str(error):
            yield error
        error = error.__cause__ or error.__context__


def _describe_database_error(error: BaseException) -> str:
    cause = error if isinstance(error, psycopg.Error) else error.__cause__
    if not isinstance(cause, psycopg.Error) or not cause.sqlstate:
        return str(error)  # psycopg's own text, about a connection and not a statement
    names = [name for name in (cause.diag.table_name, cause.diag.constraint_name) if name]
    return " ".join([f"SQLSTATE {cause.sqlstate}", *names])


class LineFormatter(MaskingFormatter):
    """Formats a record as a line for people."""

    def format(self, record: logging.LogRecord) -> str:
        fields = " ".join(f"{name}={value}" for name, value in {**get_log_context(), **_record_fields(record)}.items())
        return f"{super().format(record)}{f' [{fields}]' if fields else ''}"


class JsonFormatter(MaskingFormatter):
    """Formats a record as a JSON object on one line."""

    def format(self, record: logging.LogRecord) -> str:
        record = mask_record(record)
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **get_log_context(),
            **_record_fields(record),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str, ensure_ascii=False)


def _record_fields(record: logging.LogRecord) -> dict[str, Any]:
    fields: dict[str, Any] = getattr(record, "fields", {})
    return fields


def watch_statements(*, connection: Any, **kwargs: Any) -> None:
    """Have a new connection log its slow statements."""
    if _log_if_slow not in connection.execute_wrappers:
        connection.execute_wrappers.append(_log_if_slow)


def _log_if_slow(execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any) -> Any:
    start = time.perf_counter()
    try:
        return execute(sql, params, many, context)
    finally:
        took = (time.perf_counter() - start) * 1_000
        if took >= settings.SLOW_STATEMENT:  # without its values, which may be private
            text = sql.decode() if isinstance(sql, bytes) else str(sql)
            fields = {"ms": round(took), "statement": " ".join(text.split())[:STATEMENT_LENGTH]}
            metrics.slow_statements.inc()
            log.warning("A statement took long.", extra={"fields": fields})


connection_created.connect(watch_statements, dispatch_uid="slow statements")
