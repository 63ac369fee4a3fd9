"""Ends processes when the one that started them is killed and cannot tell them."""

import ctypes
import os
import signal
import sys

SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG


def end_with_parent() -> None:
    """Have Linux end this process when its parent dies. A fork has to ask for that itself."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGTERM)


def end_with(parent: int) -> None:
    """End with this parent, which may have died before we asked.

    A fork inherits its parent's handlers. Until it has its own, they would swallow the signal, and it would live on.
    """
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    end_with_parent()
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGTERM)
