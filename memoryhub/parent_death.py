"""Ends processes when the one that started them is killed and cannot tell them."""

import ctypes
import os
import select
import signal
import sys
import threading
import time

SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG
GRACE_SECONDS = 10.0  # for requests that are underway when the parent dies


def end_with_parent() -> None:
    """Have Linux end this process when its parent dies. A fork has to ask for that itself."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGTERM)


def end_with(parent: int) -> None:
    """End with this parent, which may have died before we asked.

    A fork inherits its parent's handlers. Until it has its own, they would swallow the signal, and it would live on. A
    server that is told to stop while it starts may wait forever: it is killed then.
    """
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    end_with_parent()
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGTERM)
    if hasattr(os, "pidfd_open"):
        threading.Thread(target=_kill_after_parent, args=(parent,), daemon=True).start()


def _kill_after_parent(parent: int) -> None:
    """Wait for the end of the parent, and kill this process if it does not end soon after."""
    try:
        watched = os.pidfd_open(parent)
    except ProcessLookupError:
        pass
    else:
        select.select([watched], [], [])
    time.sleep(GRACE_SECONDS)
    os.kill(os.getpid(), signal.SIGKILL)
