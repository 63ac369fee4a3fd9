"""Recognizes an unavailable database or a full disk, and logs it now and then instead of for every failing request."""

import errno
import logging
import threading
import time
from collections import Counter

import psycopg
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.exceptions import SessionInterrupted
from django.db import InterfaceError, OperationalError

DISK_FULL = "53100"
NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
DATABASE_ERRORS = (OperationalError, InterfaceError, psycopg.OperationalError, psycopg.InterfaceError)
# Django raises these for any failure to store a session, without a cause.
SESSION_ERRORS = (SessionInterrupted, UpdateError)
LOG_EVERY = 10.0  # seconds
log = logging.getLogger(__name__)
_lock = threading.Lock()
_logged_at: dict[str, float] = {}
_since: Counter[str] = Counter()


def find_outage(error: BaseException | None) -> BaseException | None:
    """Return the first of `error` and its causes that comes from an unavailable database or a full disk."""
    while error is not None and not isinstance(error, DATABASE_ERRORS) and not _is_out_of_space(error):
        error = error.__cause__ or (error.__context__ if isinstance(error, SESSION_ERRORS) else None)
    return error


def find_sqlstate(error: BaseException) -> str | None:
    """Return the SQLSTATE, if the error comes from Postgres itself."""
    state: str | None = getattr(error, "sqlstate", None) or getattr(error.__cause__, "sqlstate", None)
    return state


def is_disk_full(error: BaseException) -> bool:
    return _is_out_of_space(error) or find_sqlstate(error) == DISK_FULL


def _is_out_of_space(error: BaseException) -> bool:
    return isinstance(error, OSError) and error.errno in NO_SPACE


def log_outage(error: BaseException) -> None:
    """Log an outage, unless it was logged within the last seconds. The line says how often it happened since."""
    full = is_disk_full(error)
    what = "The disk is full: nothing can be saved." if full else "The database does not serve requests."
    if times := _count_failure(what, now=time.monotonic()):
        log.error("%s", what if full else f"{what} {describe_error(error)}", extra={"fields": {"times": times}})


def _count_failure(what: str, *, now: float) -> int:
    """Return the number of failures since the last line, or 0 if it is too early for another one."""
    with _lock:
        _since[what] += 1
        if now - _logged_at.get(what, -LOG_EVERY) < LOG_EVERY:
            return 0
        _logged_at[what] = now
        return _since.pop(what)


def describe_error(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


class OutageFilter(logging.Filter):
    """Logs an outage by its message, without a traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = find_outage(record.exc_info[1]) if record.exc_info else None
        if error is not None:
            record.msg = f"{record.getMessage()} {describe_error(error)}"
            record.args, record.exc_info, record.exc_text = (), None, None
        return True
