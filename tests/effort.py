"""Measures of how much work something is, to compare with other work done just now, never with a number of seconds."""

from collections.abc import Callable
from time import perf_counter, process_time
from typing import Any

TIMES = 3  # the quickest of these counts: a busy machine only ever makes work look dearer
SMALLEST = 0.002  # seconds; less than this cannot be compared


def cpu_seconds(act: Callable[[], Any], *, clock: Callable[[], float] = process_time) -> float:
    def once() -> float:
        began = clock()
        act()
        return clock() - began

    return max(SMALLEST, min(once() for _ in range(TIMES)))


def seconds(act: Callable[[], Any]) -> float:
    """Measure by the wall clock, for work that Postgres does."""
    return cpu_seconds(act, clock=perf_counter)
