"""Background work: run soon by a thread of each process, or durably by a worker."""

import atexit
import logging
import os
import threading
import time
from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import partial
from multiprocessing.util import Finalize
from typing import Any

from django.conf import settings
from django.db import OperationalError, connection, transaction
from procrastinate.contrib.django import app
from procrastinate.exceptions import AlreadyEnqueued

from memoryhub.outages import log_outage

log = logging.getLogger(__name__)
Work = Callable[[], object]


class BackgroundThread:
    """Runs each piece of work once, however often it was requested before it was due."""

    def __init__(self) -> None:
        self._due: dict[Hashable, tuple[float, Work]] = {}
        self._changed = threading.Condition()
        self._running = threading.Lock()
        self._process = 0  # whose thread it is: threads do not survive a fork

    def soon(self, key: Hashable, work: Work, *, within: float) -> None:
        due = time.monotonic() + within
        with self._changed:
            self._start()
            entry = self._due.get(key)
            if entry is None or due < entry[0]:
                self._due[key] = (due, work)
                self._changed.notify()

    def finish(self) -> None:
        """Run the remaining work now, after the piece that is running."""
        with self._running:
            with self._changed:
                left, self._due = list(self._due.values()), {}
            for _, work in left:
                run_and_log(work)

    def _start(self) -> None:
        if self._process != os.getpid():
            self._process = os.getpid()
            threading.Thread(target=self._run, name="keeper", daemon=True).start()
            # A web server's workers end through multiprocessing, which does not run atexit handlers.
            Finalize(None, self.finish, exitpriority=10)
            atexit.register(self.finish)

    def _run(self) -> None:
        while True:
            work = self._next()
            with self._running:
                run_and_log(work)
                connection.close()  # back to the pool

    def _next(self) -> Work:
        with self._changed:
            while True:
                key, (due, work) = min(self._due.items(), key=lambda item: item[1][0], default=(None, (None, None)))
                if due is not None and due <= time.monotonic() and work:
                    del self._due[key]
                    return work
                self._changed.wait(None if due is None else due - time.monotonic())


def run_and_log(work: Work) -> None:
    try:
        work()
    except OperationalError as error:  # it will be retried, and fail again until the outage ends
        log_outage(error)
    except Exception:
        log.exception("Work in the background failed.")


_background_thread = BackgroundThread()


def run_soon(key: Hashable, work: Work, *, within: float = 0.0) -> None:
    """Run the work within so many seconds; at once if BACKGROUND is off."""
    if settings.BACKGROUND:
        _background_thread.soon(key, work, within=within)
    else:
        _do_at_once(work)


def _do_at_once(work: Work) -> None:
    """Run the work, and only log an outage: a request must not fail because of work that it did not ask for."""
    try:
        work()
    except OperationalError as error:
        log_outage(error)


def retry_later(key: Hashable, work: Work, *, within: float) -> None:
    """Retry failed work. If BACKGROUND is off, that is left to the next caller."""
    if settings.BACKGROUND:
        _background_thread.soon(key, work, within=within)


def defer_job(job: str, *, once_as: str = "", **arguments: Any) -> None:
    """Queue the job for a worker once this transaction is committed, whatever happens to this process; with `once_as`,
    unless a job of this name is queued already."""
    if settings.BACKGROUND:
        options: dict[str, Any] = {"queueing_lock": once_as} if once_as else {}
        with suppress(AlreadyEnqueued), transaction.atomic():
            app.configure_task(job, **options).defer(**arguments)
    else:
        transaction.on_commit(partial(app.tasks[job], **arguments))


def finish_work() -> None:
    """Run now whatever is waiting in this process."""
    _background_thread.finish()
