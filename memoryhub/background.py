"""Work that nobody should wait for: done soon by a thread of each process, or durably by a worker."""

import atexit
import logging
import os
import threading
import time
from collections.abc import Callable, Hashable
from functools import partial
from multiprocessing.util import Finalize
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from procrastinate.contrib.django import app

log = logging.getLogger(__name__)
Work = Callable[[], object]


class Keeper:
    """Does each piece of work once, however often it was asked for before its time came."""

    def __init__(self) -> None:
        self._due: dict[Hashable, tuple[float, Work]] = {}
        self._changed = threading.Condition()
        self._running = threading.Lock()
        self._process = 0  # whose thread it is: threads do not survive a fork

    def soon(self, key: Hashable, work: Work, *, within: float) -> None:
        due = time.monotonic() + within
        with self._changed:
            self._start()
            known = self._due.get(key)
            if known is None or due < known[0]:
                self._due[key] = (due, work)
                self._changed.notify()

    def finish(self) -> None:
        """Does at once whatever is left, when nothing else of it runs."""
        with self._running:
            with self._changed:
                left, self._due = list(self._due.values()), {}
            for _, work in left:
                attempt(work)

    def _start(self) -> None:
        if self._process != os.getpid():
            self._process = os.getpid()
            threading.Thread(target=self._run, name="keeper", daemon=True).start()
            # A web server's workers end as multiprocessing has it, which knows nothing of atexit.
            Finalize(None, self.finish, exitpriority=10)
            atexit.register(self.finish)

    def _run(self) -> None:
        while True:
            work = self._next()
            with self._running:
                attempt(work)
                connection.close()  # back to the pool

    def _next(self) -> Work:
        with self._changed:
            while True:
                key, (due, work) = min(self._due.items(), key=lambda item: item[1][0], default=(None, (None, None)))
                if due is not None and due <= time.monotonic() and work:
                    del self._due[key]
                    return work
                self._changed.wait(None if due is None else due - time.monotonic())


def attempt(work: Work) -> None:
    try:
        work()
    except Exception:
        log.exception("Work in the background failed.")


_keeper = Keeper()


def soon(key: Hashable, work: Work, *, within: float = 0.0) -> None:
    """Has the work done within so many seconds; at once where nothing may run beside (BACKGROUND is off)."""
    if settings.BACKGROUND:
        _keeper.soon(key, work, within=within)
    else:
        work()


def again(key: Hashable, work: Work, *, within: float) -> None:
    """Has work that failed tried again. Where nothing may run beside, that is left to the next caller."""
    if settings.BACKGROUND:
        _keeper.soon(key, work, within=within)


def later(job: str, **arguments: Any) -> None:
    """Has a worker do the job once this transaction is committed, whatever becomes of this process."""
    if settings.BACKGROUND:
        app.configure_task(job).defer(**arguments)
    else:
        transaction.on_commit(partial(app.tasks[job], **arguments))


def finish() -> None:
    """Has whatever waits in this process done now."""
    _keeper.finish()
