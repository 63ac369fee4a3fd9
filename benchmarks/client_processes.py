"""Clients that ask at the same time, each a process of its own, for Python runs only one thread at a time."""

import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from threading import BrokenBarrierError
from typing import Any, TypeVar

from benchmarks.harness import Progress

WARM_UP_CALLS = 10  # questions of each kind that each client asks before the clock runs; a fifth repetition is prepared
BURST = 5  # questions that a client asks in a row where there are several clients
CLIENT_PATIENCE = 600  # seconds that one client waits for another

T = TypeVar("T")
context = get_context("fork")


@dataclass(frozen=True, slots=True)
class CallKind:
    """One thing to measure: how a client opens it, and the questions of each client."""

    name: str
    open: Callable[[], Callable[[Any], int]]
    questions: Sequence[Sequence[Any]]


@dataclass(slots=True)
class Timings:
    """The milliseconds of each question, and how many memories were found in all."""

    milliseconds: list[float] = field(default_factory=list)
    found: int = 0

    def share(self, part: float) -> float:
        return sorted(self.milliseconds)[int(part * (len(self.milliseconds) - 1) + 0.5)]

    @property
    def p50(self) -> float:
        return self.share(0.5)

    @property
    def p95(self) -> float:
        return self.share(0.95)

    @property
    def hits(self) -> float:
        return self.found / len(self.milliseconds)


def measure_calls(*, title: str, kinds: Sequence[CallKind], clients: int) -> dict[str, Timings]:
    """Measure all kinds in turns: one client changes after every question, several after every few. Several wait for
    each other before each turn, so that a kind meets no load but its own. Every other round goes backwards: whatever
    one kind leaves warm or cold for the next, the next leaves for it."""
    barrier = context.Barrier(clients, timeout=CLIENT_PATIENCE)
    burst = 1 if clients == 1 else BURST

    def client(number: int) -> dict[str, Timings]:
        asks = [(kind, kind.open(), Timings()) for kind in kinds]
        for kind, ask, _ in asks:
            for question in kind.questions[number][:WARM_UP_CALLS]:
                ask(question)
        count = len(kinds[0].questions[number]) - WARM_UP_CALLS
        progress = Progress(count, title)
        for turn, start in enumerate(range(WARM_UP_CALLS, WARM_UP_CALLS + count, burst)):
            for kind, ask, timings in asks if turn % 2 == 0 else reversed(asks):
                barrier.wait()
                for question in kind.questions[number][start : start + burst]:
                    began = time.perf_counter()
                    timings.found += ask(question)
                    timings.milliseconds.append((time.perf_counter() - began) * 1000)
            if number == 0:
                progress.add(min(burst, count - progress.done))
        return {kind.name: timings for kind, _, timings in asks}

    together: dict[str, Timings] = {kind.name: Timings() for kind in kinds}
    for answers in in_processes(clients, client, stop=barrier.abort):
        for name, timings in answers.items():
            together[name].milliseconds += timings.milliseconds
            together[name].found += timings.found
    return together


def in_processes(count: int, work: Callable[[int], T], stop: Callable[[], None] = lambda: None) -> list[T]:
    """Run a function in so many processes, each with its number, and return the results. If one fails, tell the others
    to stop."""

    def run(number: int, answer: Any) -> None:
        try:
            answer.send((work(number), ""))
        except BaseException as error:
            stop()
            answer.send((None, "" if isinstance(error, BrokenBarrierError) else traceback.format_exc()))

    started = []
    for number in range(count):
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=run, args=(number, theirs))
        process.start()
        theirs.close()
        started.append((process, ours))
    answers = [ours.recv() for _, ours in started]
    for process, _ in started:
        process.join()
    if troubles := [trouble for _, trouble in answers if trouble]:
        sys.stderr.write(troubles[0])
        raise SystemExit("A client failed.")
    return [answer for answer, _ in answers]
