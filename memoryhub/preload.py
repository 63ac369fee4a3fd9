"""Granian with the application's modules loaded before it forks its workers, so that a replaced worker answers at once.
The workers accept connections from one queue."""

import gc
import os
import socket
from functools import partial

import django
from django.urls import get_resolver
from granian import cli
from granian.net import SocketSpec  # type: ignore[attr-defined]
from granian.server import MPServer

from memoryhub.parent_death import end_with

COLLECT_AFTER = (20_000, 20, 20)  # new objects and rounds: an answer makes a few hundred, and hardly any in cycles


class SharedQueueServer(MPServer):
    """Runs Granian with workers that accept from one listening socket.

    On Linux, Granian gives each worker a socket of its own. The kernel distributes connections among these sockets, and
    does so until the last thread of a killed worker is gone: such a connection is never accepted and is reset in the
    end. From a shared queue another worker accepts it, or the one that replaces the killed one.
    """

    def _init_shared_socket(self) -> None:
        """Listen before any worker runs: connections wait for the first of them."""
        holder = SocketSpec(self.bind_addr, self.bind_port, self.backlog).build()
        self._shd, self._sfd = holder, holder.get_fd()  # type: ignore[assignment]
        self._sso = socket.socket(fileno=self._sfd)
        self._sso.listen(self.backlog)


def load_modules() -> None:
    """Import what a worker needs, and no more: connections, threads and language models do not survive a fork."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
    django.setup()
    get_resolver()._populate()


def spare_collector() -> None:
    """Collect garbage less often, and leave what is loaded out of it: a tenth of each request went into looking at
    modules again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)


if __name__ == "__main__":
    load_modules()
    spare_collector()
    os.register_at_fork(after_in_child=partial(end_with, os.getpid()))  # orphaned workers would keep the port
    cli.Server = SharedQueueServer  # type: ignore[attr-defined]
    cli.entrypoint()  # type: ignore[no-untyped-call]
