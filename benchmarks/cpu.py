"""The CPU that a hub and its Postgres use, as the kernel counts it: steadier than clocks on a busy machine."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from memoryhub.postgres import Cluster

IDLE = 5.0  # seconds
SETTLE = 1.6  # seconds until what a request leaves to be done beside it is done


def read_cpu() -> float:
    """Return the CPU-ms used so far by the processes that this one started and by its Postgres, ended ones included."""
    roots = psutil.Process().children()
    if postgres := Cluster(Path(os.environ["MEMORYHUB_DATA"]) / "postgres").pid():
        roots.append(psutil.Process(postgres))
    processes = {process.pid: process for root in roots for process in [root, *root.children(recursive=True)]}
    return sum(map(_read_one, processes.values()))


def _read_one(process: psutil.Process) -> float:
    try:
        return 1000 * sum(process.cpu_times()[:4])  # its own and that of children that ended
    except psutil.NoSuchProcess:
        return 0.0


class Meter:
    """Tells what a block of requests uses, with what they leave to be done after the answer."""

    def __init__(self) -> None:
        time.sleep(SETTLE)
        before, began = read_cpu(), time.monotonic()
        time.sleep(IDLE)
        self.idle = (read_cpu() - before) / (time.monotonic() - began)  # CPU-ms a second while nobody asks

    @contextmanager
    def measure(self) -> Iterator[list[float]]:
        """Yield a list that has the CPU-ms of the block in it, once it has ended."""
        used: list[float] = []
        time.sleep(SETTLE)
        before, began = read_cpu(), time.monotonic()
        yield used
        time.sleep(SETTLE)
        used.append(read_cpu() - before - self.idle * (time.monotonic() - began))
