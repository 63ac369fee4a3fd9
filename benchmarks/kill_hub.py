"""The hub killed while eight clients save: is every acknowledged save there, and once?

    python -m benchmarks.kill_hub server|web|postgres [--times 20]

`server` kills `serve`, the web server and its workers, and starts them again; `web` kills the web server's main process
and `postgres` the database, which `serve` then starts again by itself. Each client repeats a save with its idempotency
key until it is acknowledged.

Before that, the CPU of a start is measured: of `serve`, the web server and its workers until the hub is ready, as a
multiple of what a bare `django.setup()` takes.
"""

import argparse
import itertools
import os
import random
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import psycopg

from tests.hub import PROJECT_ROOT, Hub

TARGETS = ("server", "web", "postgres")
CLIENTS = 8
BETWEEN = 40  # saves acknowledged between two kills
KILL_HUB_WITHIN = 0.3  # seconds after these, within which the blow falls
SAVE_PATIENCE = 120.0  # seconds for a save to be acknowledged
SHARED_KEYS = 10  # which every fourth save writes to, so that memories have versions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--times", type=int, default=20, help="how often it is killed (default: 20)")
    arguments = parser.parse_args()
    print(run_hub_kills(target=arguments.target, times=arguments.times))


def run_hub_kills(*, target: str, times: int, seed: int = 7) -> str:
    """Kill the target so many times. Fail by an assertion when a save is lost or doubled; return the figures."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="memoryhub-bench-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        hub = Hub(Path(name))
        try:
            hub.start("--no-worker", "--workers", "2")
            saves, down = Saves(hub, create_token(hub)), list[float]()
            hub.stop(signal.SIGTERM)
            start_cost = measure_start(hub) / measure_setup(hub)
            with saves.going_on():
                for number in range(times):
                    saves.wait_for(BETWEEN)
                    time.sleep(chance.uniform(0, KILL_HUB_WITHIN))
                    down.append(kill_and_wait(hub, target))
                    sys.stderr.write(f"\r{number + 1} of {times} killed ")
                saves.wait_for(BETWEEN)
            found = saves.check()
        finally:
            if hub.process and hub.process.poll() is None:
                hub.stop(signal.SIGTERM)
    return (
        f"{times} kills of {target} under {CLIENTS} clients: {found}; it answered again after"
        f" {statistics.median(down):.1f} s in the median, {max(down):.1f} s at most; a start takes the CPU of"
        f" {start_cost:.1f} times django.setup()"
    )


def measure_start(hub: Hub) -> float:
    """Start the hub, whose database is migrated already; return the CPU seconds of its processes but Postgres."""
    hub.start("--no-worker", "--workers", "2")
    assert hub.process
    serve = psutil.Process(hub.process.pid)
    processes = [serve, *(child for child in serve.children(recursive=True) if "postgres" not in child.name())]
    return sum(sum(process.cpu_times()[:4]) for process in processes)


def measure_setup(hub: Hub) -> float:
    """Return the CPU seconds of a process that does nothing but set Django up."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = hub.environment | {"DJANGO_SETTINGS_MODULE": "memoryhub.settings"}
    command = [sys.executable, "-c", "import django; django.setup()"]
    subprocess.run(command, cwd=PROJECT_ROOT, env=environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def create_token(hub: Hub) -> str:
    hub.manage("create_team", "--org", "acme", "--team", "ops")
    return hub.manage("create_token", "--org", "acme", "--team", "ops", "--agent", "bot").strip()


def kill_and_wait(hub: Hub, target: str) -> float:
    """Kill the target with signal 9; return the seconds until the hub is ready again."""
    assert hub.process
    started = time.monotonic()
    serve = psutil.Process(hub.process.pid)
    (web,) = [child for child in serve.children() if "memoryhub.preload" in child.cmdline()]
    if target == "postgres":
        postmaster = hub.cluster.pid()
        assert postmaster
        kill_all([psutil.Process(postmaster)])
    elif target == "web":
        kill_all([web])
    else:
        kill_all([serve, web, *web.children()])
        hub.process.wait()
        hub.start("--no-worker", "--workers", "2")
    hub.wait_until(lambda: hub.request("GET", "/readyz")[0] == 200)
    return time.monotonic() - started


def kill_all(processes: list[psutil.Process]) -> None:
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            os.kill(process.pid, signal.SIGKILL)
    for process in processes:  # a dying one may still answer for a moment
        with suppress(psutil.NoSuchProcess, psutil.TimeoutExpired):
            while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                time.sleep(0.01)


@dataclass
class Saves:
    """The saves of all clients, and what they were told of them."""

    hub: Hub
    token: str
    acknowledged: dict[int, dict[str, Any]] = field(default_factory=dict)
    repeated: int = 0
    numbers: "itertools.count[int]" = field(default_factory=itertools.count)
    enough: threading.Event = field(default_factory=threading.Event)

    def going_on(self) -> "Clients":
        return Clients(self)

    def save_until_enough(self) -> None:
        while not self.enough.is_set():
            self.save(next(self.numbers))

    def save(self, number: int) -> None:
        """Repeat the save with its idempotency key until it is acknowledged."""
        body: dict[str, Any] = {"content": f"fact {number} " + "é" * (number % 400)}
        if number % 4 == 0:
            body["key"] = f"shared-{number % SHARED_KEYS}"
        headers = {"Authorization": f"Bearer {self.token}", "Idempotency_Key": f"save-{number}"}
        deadline = time.monotonic() + SAVE_PATIENCE
        while time.monotonic() < deadline:
            status, answer = 0, {}
            with suppress(OSError):
                status, answer = self.hub.request("POST", "/api/v1/memories", body, **headers)
            if status in (200, 201):
                self.acknowledged[number] = answer
                return
            assert status in (0, 503), answer
            self.repeated += 1
            time.sleep(0.1)
        raise AssertionError(f"Save {number} was not acknowledged within {SAVE_PATIENCE:.0f} s.")

    def wait_for(self, more: int) -> None:
        count = len(self.acknowledged) + more
        self.hub.wait_until(lambda: len(self.acknowledged) >= count)

    def check(self) -> str:
        """Compare what was acknowledged with what the database holds."""
        with psycopg.connect(self.hub.cluster.url) as connection:
            rows = connection.execute("SELECT memory_id::text, version, content FROM memories_revision").fetchall()
            memories = connection.execute("SELECT id::text, version, content FROM memories_memory").fetchall()
        kept = {(memory, version): content for memory, version, content in rows}
        lost = sum(kept.get((told["id"], told["version"])) != told["content"] for told in self.acknowledged.values())
        doubled = sum(count > 1 for count in Counter(content for _, _, content in rows).values())
        wrong = sum(
            kept.get((memory, version)) != content or any((memory, n) not in kept for n in range(1, version))
            for memory, version, content in memories
        )
        found = (
            f"{len(self.acknowledged):,} saves acknowledged after {self.repeated:,} attempts that failed,"
            f" {len(rows):,} versions of {len(memories):,} memories kept; {lost} lost, {doubled} doubled,"
            f" {wrong} memories with wrong versions"
        )
        assert (lost, doubled, wrong, len(rows)) == (0, 0, 0, len(self.acknowledged)), found
        return found


class Clients:
    """Let eight threads save until the block ends; raise what went wrong in any of them."""

    def __init__(self, saves: Saves) -> None:
        self.saves = saves
        self.pool = ThreadPoolExecutor(CLIENTS)

    def __enter__(self) -> None:
        self.running = [self.pool.submit(self.saves.save_until_enough) for _ in range(CLIENTS)]

    def __exit__(self, *raised: object) -> None:
        self.saves.enough.set()
        self.pool.shutdown()
        for client in self.running:
            client.result()


if __name__ == "__main__":
    main()
