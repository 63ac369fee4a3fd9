"""The running hub: started by one command, stopped by Ctrl-C, and losing nothing when it is killed."""

import errno
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import psutil
import psycopg
import pytest

from benchmarks import kill_hub
from memories.management.commands import serve
from tests.hub import Hub, hub

SAVES = 1_000
CLIENTS = 8
MOST_SETUPS = 6  # that a start may take the CPU of: serve, the web server and two workers take 2.6


def token(made: Hub) -> str:
    made.manage("create_team", "--org", "acme", "--team", "ops")
    printed = made.manage("create_token", "--org", "acme", "--team", "ops", "--agent", "bot")
    assert printed.count("\n") == 1
    return printed.strip()


def test_nothing_acknowledged_is_lost_when_everything_is_killed() -> None:
    with hub() as made:
        made.start()
        bearer = f"Bearer {token(made)}"
        acknowledged: dict[int, dict[str, Any]] = {}
        enough = {count: threading.Event() for count in (SAVES // 4, SAVES // 2)}

        def save(number: int) -> None:
            """Retries with its idempotency key until it is told that the memory is saved."""
            body = {"content": f"fact {number} " + "é" * (number % 400), "tags": [f"n{number}"]}
            body |= {"key": f"shared-{number % 10}"} if number % 4 == 0 else {}
            deadline = time.monotonic() + 120
            while time.monotonic() < deadline:
                try:
                    headers = {"Authorization": bearer, "Idempotency_Key": f"save-{number}"}
                    status, answer = made.request("POST", "/api/v1/memories", body, **headers)
                except OSError:
                    status = 0
                if status in (200, 201):
                    acknowledged[number] = answer
                    for count, event in enough.items():
                        if len(acknowledged) >= count:
                            event.set()
                    return
                assert status in (0, 503), answer
                time.sleep(0.1)

        with ThreadPoolExecutor(CLIENTS) as clients:
            saves = clients.map(save, range(SAVES))
            assert enough[SAVES // 4].wait(120)
            postmaster = made.cluster.pid()
            assert postmaster
            os.kill(postmaster, signal.SIGKILL)  # the server starts Postgres again by itself
            assert enough[SAVES // 2].wait(120)
            made.kill_everything()
            before = dict(acknowledged)
            made.start()
            list(saves)

        assert SAVES // 2 <= len(before) < SAVES
        assert len(acknowledged) == SAVES
        check_all_there(made, acknowledged)


def check_all_there(made: Hub, acknowledged: dict[int, dict[str, Any]]) -> None:
    """Each acknowledged version in full, none twice, and each memory's versions without a gap."""
    with psycopg.connect(made.cluster.url) as connection:
        rows = connection.execute("SELECT memory_id::text, version, content, tags FROM memories_revision").fetchall()
        memories = connection.execute("SELECT id::text, version, content FROM memories_memory").fetchall()
    assert len(rows) == SAVES
    kept = {(row[0], row[1]): (row[2], row[3]) for row in rows}
    for answer in acknowledged.values():
        assert kept[answer["id"], answer["version"]] == (answer["content"], answer["tags"])
    for memory, version, content in memories:
        assert [(memory, number) in kept for number in range(1, version + 1)] == [True] * version
        assert kept[memory, version][0] == content


def test_ctrl_c_stops_all_of_it() -> None:
    with hub(new=True) as made:
        made.start()
        assert made.request("GET", "/healthz") == (200, {"status": "ok"})
        assert made.stop(signal.SIGINT) == 0
        assert made.cluster.pid() is None
        with socket.create_server(("127.0.0.1", made.port)):
            pass  # the port is free


def test_a_taken_port_is_said_before_anything_starts() -> None:
    with hub() as made, socket.create_server(("127.0.0.1", made.port)):
        refused = made.run("serve", "--port", str(made.port))
        assert refused.returncode != 0
        assert "cannot be used" in refused.stderr
        assert "Traceback" not in refused.stderr


def test_a_recall_is_noted_though_the_server_is_stopped_right_after() -> None:
    with hub() as made:
        made.start()
        bearer = f"Bearer {token(made)}"
        assert made.request("POST", "/api/v1/memories", {"content": "blue berth"}, Authorization=bearer)[0] == 201
        assert made.request("POST", "/api/v1/recall", {"query": "berth"}, Authorization=bearer)[0] == 200
        assert made.stop() == 0
        with made.cluster.running(), psycopg.connect(made.cluster.url) as connection:
            assert connection.execute("SELECT query FROM memories_recalllog").fetchall() == [("berth",)]
            assert connection.execute("SELECT access_count FROM memories_usage").fetchall() == [(1,)]


def test_others_answer_when_a_worker_is_killed_and_another_takes_its_place() -> None:
    with hub() as made:
        made.start("--no-worker", "--workers", "2")
        assert made.process
        (server,) = psutil.Process(made.process.pid).children()
        before = {process.pid for process in server.children()}
        assert len(before) == 2
        kill(server.children()[0])
        for _ in range(50):
            assert made.request("GET", "/healthz")[0] == 200
        made.wait_until(lambda: len({process.pid for process in server.children()} - before) == 1)
        assert made.stop() == 0


def test_requests_wait_when_all_workers_are_killed_and_others_take_their_places() -> None:
    with hub() as made:
        made.start("--no-worker", "--workers", "2")
        assert made.process
        (server,) = psutil.Process(made.process.pid).children()
        before = server.children()
        for worker in before:
            kill(worker)
        for _ in range(10):
            assert made.request("GET", "/healthz")[0] == 200
        assert not {worker.pid for worker in before} & {worker.pid for worker in server.children()}
        assert made.stop() == 0


def test_workers_end_with_the_web_server_that_was_killed_together_with_serve() -> None:
    with hub() as made:
        made.start("--no-worker", "--workers", "2")
        assert made.process
        serving = psutil.Process(made.process.pid)
        (server,) = serving.children()
        workers = server.children()
        assert len(workers) == 2
        for process in (serving, server):
            kill(process)
        assert not psutil.wait_procs(workers, timeout=30)[1]


# A server that handles the signal, and a worker that has no handler of its own yet.
FORKING = """
import os, signal, time
from functools import partial
from memoryhub.parent_death import end_with

signal.signal(signal.SIGTERM, lambda *_: None)
os.register_at_fork(after_in_child=partial(end_with, os.getpid()))
if os.fork() == 0:
    print(os.getpid(), flush=True)
time.sleep(60)
"""


def test_a_worker_that_is_still_starting_ends_with_the_web_server() -> None:
    with subprocess.Popen([sys.executable, "-c", FORKING], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        worker = psutil.Process(int(server.stdout.readline()))
        server.kill()
        assert not psutil.wait_procs([worker], timeout=30)[1]


# A worker whose server swallows the signal, as Granian does with one that comes while it starts.
SWALLOWING = FORKING.replace(
    "time.sleep(60)", "signal.signal(signal.SIGTERM, lambda *_: None)\ntime.sleep(60)"
).replace(
    "signal.signal", "import memoryhub.parent_death\nmemoryhub.parent_death.GRACE_SECONDS = 0.2\nsignal.signal", 1
)


def test_a_worker_that_swallows_the_signal_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", SWALLOWING], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        worker = psutil.Process(int(server.stdout.readline()))
        server.kill()
        assert not psutil.wait_procs([worker], timeout=30)[1]


def kill(process: psutil.Process) -> None:
    """Kill the process and wait until it runs no more. Its parent may not have noticed yet."""
    process.kill()
    with suppress(psutil.NoSuchProcess):
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
            time.sleep(0.01)


def test_it_waits_though_the_clock_was_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the kernel answers who sleeps until a moment before the clock's beginning."""

    def refuse(seconds: float) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    part = serve.WatchedProcess()
    part.command = [sys.executable, "-c", "import time; time.sleep(60)"]
    part.start()
    monkeypatch.setattr(time, "sleep", refuse)
    part.tell_to_stop()
    part.wait(until=time.monotonic() + 30)
    assert part.process
    assert part.process.wait() == -signal.SIGTERM


def test_the_web_server_is_killed_under_eight_clients_and_loses_nothing() -> None:
    """`python -m benchmarks.kill_hub web` kills it twenty times. A start takes little more than loading the code."""
    found = kill_hub.run_hub_kills(target="web", times=1)
    assert "0 lost, 0 doubled, 0 memories with wrong versions" in found
    ratio = re.search(r"([\d.]+) times django.setup\(\)", found)
    assert ratio
    assert float(ratio[1]) < MOST_SETUPS
