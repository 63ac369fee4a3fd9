"""The running hub: started by one command, stopped by Ctrl-C, and losing nothing when it is killed."""

import os
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg

from tests.hub import Hub, hub

SAVES = 1_000
CLIENTS = 8


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
