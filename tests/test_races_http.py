"""Many clients at once against the server as it runs in production: nobody's write is lost, the losers are told."""

import json
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Barrier
from typing import Any

import pytest

from tests.hub import Hub, hub

LIMIT = 60  # seconds that a client waits for its turn


@dataclass
class Clients:
    made: Hub
    token: str

    def __call__(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, Any]:
        status, answer = self.made.request(method, f"/api/v1/{path}", body, Authorization=self.token, **headers)
        return status, json.loads(answer) if isinstance(answer, bytes) else answer

    def at_once(self, number: int, act: Callable[[int], Any]) -> list[Any]:
        start = Barrier(number)

        def one(position: int) -> Any:
            start.wait()
            return act(position)

        with ThreadPoolExecutor(number) as pool:
            return list(pool.map(one, range(number)))

    def history(self, memory_id: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self("GET", f"memories/{memory_id}/history?limit=200")[1]["versions"]
        return found


@pytest.fixture(scope="module")
def clients() -> Iterator[Clients]:
    with hub() as made:
        made.start()
        made.manage("create_team", "--org", "acme", "--team", "ops")
        token = made.manage("create_token", "--org", "acme", "--team", "ops", "--agent", "bot").strip()
        yield Clients(made, f"Bearer {token}")


@pytest.mark.parametrize("door", ["memories", "keys"])
def test_fifty_clients_saving_one_key_leave_one_memory_with_fifty_versions(clients: Clients, door: str) -> None:
    def save(number: int) -> tuple[int, Any]:
        if door == "keys":
            return clients("PUT", "keys/by-address", {"content": f"by {number}"})
        return clients("POST", "memories", {"content": f"by {number}", "key": "by-body"})

    answers = clients.at_once(50, save)
    assert sorted(status for status, _ in answers) == [200] * 49 + [201]
    assert len({memory["id"] for _, memory in answers}) == 1
    assert sorted(memory["version"] for _, memory in answers) == list(range(1, 51))
    kept = {(row["version"], row["content"]) for row in clients.history(answers[0][1]["id"])}
    assert kept == {(memory["version"], memory["content"]) for _, memory in answers}


@pytest.mark.parametrize("by", ["header", "body"])
def test_of_twenty_clients_with_one_version_one_wins(clients: Clients, by: str) -> None:
    memory = clients("POST", "memories", {"content": "before"})[1]

    def change(number: int) -> tuple[int, Any]:
        said = {"content": f"by {number}"} | ({"version": 1} if by == "body" else {})
        headers = {"If_Match": '"1"'} if by == "header" else {}
        return clients("PATCH", f"memories/{memory['id']}", said, **headers)

    answers = clients.at_once(20, change)
    assert sorted(status for status, _ in answers) == [200] + [409] * 19
    winner = next(answer for status, answer in answers if status == 200)
    losers = [answer for status, answer in answers if status == 409]
    assert {(loser["current"]["version"], loser["current"]["content"]) for loser in losers} == {(2, winner["content"])}
    assert len(clients.history(memory["id"])) == 2


@pytest.mark.parametrize("path", ["memories", "memories/batch"])
def test_one_idempotency_key_writes_once_and_answers_all_the_same(clients: Clients, path: str) -> None:
    body: dict[str, Any] = {"content": f"once by {path}"}
    sent = {"memories": [body, body]} if path.endswith("batch") else body

    def save(_: int) -> tuple[int, bytes]:
        """The answer's bytes."""
        request = urllib.request.Request(f"http://127.0.0.1:{clients.made.port}/api/v1/{path}", method="POST")
        said = {"Authorization": clients.token, "Content-Type": "application/json", "Idempotency-Key": f"once:{path}"}
        for name, value in said.items():
            request.add_header(name, value)
        with urllib.request.urlopen(request, data=json.dumps(sent).encode(), timeout=LIMIT) as response:
            return response.status, response.read()

    answers = clients.at_once(20, save)
    assert len(set(answers)) == 1
    found = clients("GET", "memories?text=once&limit=200")[1]["memories"]
    assert len([row for row in found if row["content"] == body["content"]]) == (2 if path.endswith("batch") else 1)


def test_twenty_additions_all_arrive(clients: Clients) -> None:
    memory = clients("POST", "memories", {"content": "start"})[1]
    path = f"memories/{memory['id']}"
    answers = clients.at_once(20, lambda n: clients("POST", f"{path}/append", {"text": f"line {n}"}))
    assert {status for status, _ in answers} == {200}
    content = clients("GET", path)[1]["content"]
    assert sorted(content.splitlines()[1:]) == sorted(f"line {n}" for n in range(20))
    assert len(clients.history(memory["id"])) == 21


def test_a_file_written_and_added_to_by_many_keeps_every_version(clients: Clients) -> None:
    clients.at_once(10, lambda n: clients("PUT", "files/notes/day.md", {"content": f"by {n}"}))
    answers = clients.at_once(20, lambda n: clients("POST", "files/notes/day.md", {"text": f"line {n}"}))
    assert {status for status, _ in answers} == {200}
    file = clients("GET", "files/notes/day.md")[1]
    assert file["version"] == 30
    assert sorted(file["content"].splitlines()[1:]) == sorted(f"line {n}" for n in range(20))


def test_batches_in_opposite_order_all_arrive(clients: Clients) -> None:
    keys = [f"batch-{n}" for n in range(20)]

    def batch(number: int) -> tuple[int, Any]:
        ordered = keys if number % 2 else list(reversed(keys))
        drafts = [{"key": key, "content": f"by {number}"} for key in ordered]
        return clients("POST", "memories/batch", {"memories": drafts, "each": number % 3 == 0})

    assert {status for status, _ in clients.at_once(12, batch)} == {200}
    assert {clients("GET", f"keys/{key}")[1]["version"] for key in keys} == {12}


def test_forgetting_and_changing_at_once_never_changes_the_forgotten(clients: Clients) -> None:
    for _ in range(5):
        memory = clients("POST", "memories", {"content": "here"})[1]
        path = f"memories/{memory['id']}"
        acts = [lambda path=path: clients("DELETE", path)] * 2 + [
            lambda path=path: clients("PATCH", path, {"content": "changed"})
        ] * 2
        statuses = [status for status, _ in clients.at_once(4, lambda n, acts=acts: acts[n]())]
        assert sorted(statuses[:2]) == [200, 409]
        assert set(statuses[2:]) <= {200, 409}
        back = clients("POST", f"{path}/restore")[1]
        changes = [row["change"] for row in reversed(clients.history(memory["id"]))]
        assert changes == ["created"] + ["updated"] * statuses[2:].count(200) + ["forgotten", "restored"]
        assert back["version"] == len(changes)
