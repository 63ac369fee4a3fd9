"""Many clients at once against the server as it runs in production: nobody's write is lost, the losers are told."""

import json
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Barrier
from typing import Any

import httpx
import psycopg
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

    def tool(self, place: str, **arguments: object) -> tuple[int, Any]:
        return self("POST", f"tools/{place}", arguments)

    def mcp(self, name: str, **arguments: object) -> Any:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        status, answer = self.made.request("POST", "/mcp", body, Authorization=self.token)
        assert status == 200, answer
        return answer["result"]

    def etag(self, path: str) -> str:
        request = urllib.request.Request(f"http://127.0.0.1:{self.made.port}/api/v1/{path}")
        request.add_header("Authorization", self.token)
        with urllib.request.urlopen(request, timeout=LIMIT) as response:
            return str(response.headers["ETag"])

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
    sent = {"memories": [body, body | {"dedupe": "create"}]} if path.endswith("batch") else body

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
    for number in range(5):
        memory = clients("POST", "memories", {"content": f"here {number}"})[1]
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


def test_twenty_taggers_all_arrive_over_http(clients: Clients) -> None:
    memory = clients("POST", "memories", {"content": "to be tagged"})[1]
    answers = clients.at_once(20, lambda n: clients.mcp("memory_tag", memory_id=memory["id"], add=[f"t{n}"]))
    assert not [answer for answer in answers if answer.get("isError")]
    assert set(clients("GET", f"memories/{memory['id']}")[1]["tags"]) == {f"t{n}" for n in range(20)}


def test_creating_and_refusing_at_once_leave_one_owner_of_a_key(clients: Clients) -> None:
    def save(number: int) -> tuple[int, Any]:
        dedupe = "refuse" if number % 2 else "create"
        return clients("POST", "memories", {"content": f"by {number}", "key": "owned", "dedupe": dedupe})

    answers = clients.at_once(20, save)
    made = {answer["id"] for status, answer in answers if status == 201}
    refused = [answer for status, answer in answers if status == 409]
    assert len(made) + len(refused) == 20
    assert len(refused) >= 9
    owner = clients("GET", "keys/owned")[1]["id"]
    assert owner in made
    assert {refusal["current"]["id"] for refusal in refused} == {owner}


def test_one_link_however_many_draw_it_over_http(clients: Clients) -> None:
    one, two = (clients("POST", "memories", {"content": f"end {n} of a link"})[1]["id"] for n in range(2))
    path = f"memories/{one}/associations"
    said = {"target_id": two, "relation": "caused_by"}
    answers = clients.at_once(20, lambda n: clients("POST", path, said | {"weight": n / 20}))
    assert sorted(status for status, _ in answers) == [200] * 19 + [201]
    links = [link for link in clients("GET", path)[1]["associations"] if link["relation"] == "caused_by"]
    assert len(links) == 1


def test_unlike_batches_in_opposite_order_all_arrive(clients: Clients) -> None:
    batches = [
        [{"key": "unlike-a", "content": "x"}, {"key": "unlike-b", "content": "x", "tags": ["t"]}],
        [{"key": "unlike-b", "content": "x"}, {"key": "unlike-a", "content": "x", "tags": ["t"]}],
    ]
    answers = clients.at_once(16, lambda n: clients("POST", "memories/batch", {"memories": batches[n % 2]}))
    assert {status for status, _ in answers} == {200}
    assert {clients("GET", f"keys/{key}")[1]["version"] for key in ("unlike-a", "unlike-b")} == {16}


def test_versions_never_run_back_in_time_over_http(clients: Clients) -> None:
    clients.at_once(30, lambda n: clients("PUT", "keys/in-time", {"content": f"by {n}"}))
    memory = clients("GET", "keys/in-time")[1]
    times = [row["created_at"] for row in reversed(clients.history(memory["id"]))]
    assert len(times) == 30
    assert times == sorted(times)
    assert memory["updated_at"] == times[-1]


def test_a_write_that_does_not_care_wins_beside_deletions_over_http(clients: Clients) -> None:
    for _ in range(5):
        clients("PUT", "files/contested.md", {"content": "start"})
        acts = [("DELETE", None)] + [("PUT", {"content": f"by {n}"}) for n in range(4)]
        answers = clients.at_once(5, lambda n, acts=acts: clients(acts[n][0], "files/contested.md", acts[n][1]))
        assert answers[0][0] in (200, 409)
        assert {status for status, _ in answers[1:]} <= {200, 201}


def test_whoever_is_late_while_it_is_forgotten_is_told_so_over_http(clients: Clients) -> None:
    for _ in range(3):
        path = f"memories/{clients('POST', 'memories', {'content': 'one'})[1]['id']}"
        clients("PATCH", path, {"content": "two"})

        def act(number: int, path: str = path) -> tuple[int, Any]:
            return clients("PATCH", path, {"content": "late", "version": 1}) if number else clients("DELETE", path)

        statuses = [status for status, _ in clients.at_once(20, act)]
        assert statuses == [200] + [409] * 19


def test_whoever_saw_the_former_owner_of_a_key_never_overwrites_the_next_over_http(clients: Clients) -> None:
    former = clients("PUT", "keys/handed-on", {"content": "seen"})[1]
    seen = clients.etag("keys/handed-on")

    def act(number: int) -> int:
        if number % 2:
            return clients("PUT", "keys/handed-on", {"content": "over"}, If_Match=seen)[0]
        clients("DELETE", f"memories/{former['id']}")
        return clients("PUT", "keys/handed-on", {"content": "anew"})[0]

    statuses = clients.at_once(20, act)
    assert set(statuses[::2]) <= {200, 201}
    assert set(statuses[1::2]) <= {200, 404, 409}  # 200 while the former still has it
    following = clients("GET", "keys/handed-on")[1]
    assert following["id"] != former["id"]
    assert {row["content"] for row in clients.history(following["id"])} == {"anew"}
    assert following["version"] == 10


def test_whoever_saw_the_former_file_of_a_path_never_overwrites_the_next_over_http(clients: Clients) -> None:
    path = "files/handed-on.md"
    former = clients("PUT", path, {"content": "seen"})[1]
    seen = clients.etag(path)

    def act(number: int) -> int:
        if number % 2:
            return clients("PUT", path, {"content": "over"}, If_Match=seen)[0]
        if number == 0:
            clients("DELETE", path)
        return clients("PUT", path, {"content": "anew"})[0]

    statuses = clients.at_once(20, act)
    assert set(statuses) <= {200, 201, 404, 409}
    following = clients("GET", path)[1]
    assert following["id"] != former["id"]
    said = {clients("GET", f"{path}?version={n + 1}")[1]["content"] for n in range(following["version"])}
    assert said == {"anew"}


def test_entries_added_to_and_saved_by_many_tools_lose_nothing(clients: Clients) -> None:
    clients.tool("kv/memory", command="create", key="diary", content="start")
    added = {"command": "update", "key": "diary", "mode": "append"}
    answers = clients.at_once(20, lambda n: clients.tool("kv/memory", **added, content=f"line {n}"))
    assert {status for status, _ in answers} == {200}
    lines = clients.tool("kv/memory", command="view", key="diary")[1]["content"].splitlines()
    assert sorted(lines[1:]) == sorted(f"line {n}" for n in range(20))
    answers = clients.at_once(20, lambda n: clients.tool("group/save_memory", key="shared", content=f"by {n}"))
    assert sorted(answer["status"] for _, answer in answers) == ["created"] + ["updated"] * 19


def test_saves_that_link_to_the_same_memories_in_any_order_all_arrive(clients: Clients) -> None:
    ends = [clients("POST", "memories", {"content": f"end {n} of many links"})[1]["id"] for n in range(5)]

    def save(number: int) -> tuple[int, Any]:
        ordered = ends if number % 2 else list(reversed(ends))
        links = [{"target_id": end, "relation_type": "part_of"} for end in ordered]
        return clients.tool("graph/memory_save", content=f"Linked by client {number}", associations=links)

    answers = clients.at_once(12, save)
    assert {status for status, _ in answers} == {200}
    saved = {answer["memory_id"] for _, answer in answers}
    for end in ends:
        links = clients("GET", f"memories/{end}/associations?limit=200")[1]["associations"]
        assert {link["origin_id"] for link in links if link["relation"] == "part_of"} == saved


def test_a_file_edited_by_many_tools_keeps_every_edit(clients: Clients) -> None:
    text = "\n".join(f"[{n}]" for n in range(12))
    clients.tool("files/create", path="/memories/edited.md", file_text=text)

    def edit(number: int) -> tuple[int, Any]:
        said = {"path": "/memories/edited.md"}
        if number % 2:
            return clients.tool("files/insert", **said, insert_line=0, insert_text=f"by {number}")
        return clients.tool("files/str_replace", **said, old_str=f"[{number}]", new_str=f"edited {number}")

    assert {status for status, _ in clients.at_once(12, edit)} == {200}
    lines = clients("GET", "files/edited.md")[1]["content"].splitlines()
    assert {f"by {n}" for n in range(1, 12, 2)} | {f"edited {n}" for n in range(0, 12, 2)} <= set(lines)


def test_a_folder_moved_and_deleted_at_once_stays_together(clients: Clients) -> None:
    for turn in range(4):
        for n in range(8):
            clients("PUT", f"files/whole-{turn}/{n}.md", {"content": "x"})

        def act(number: int, turn: int = turn) -> int:
            folder = f"/memories/whole-{turn}"
            if number == 0:
                return clients.tool("files/delete", path=folder)[0]
            return clients.tool("files/rename", old_path=folder, new_path=f"/memories/moved-{turn}-{number}")[0]

        statuses = clients.at_once(4, act)
        assert set(statuses) <= {200, 404}
        assert statuses.count(200) == 1
        left = [len(clients("GET", f"files?prefix={place}-{turn}")[1]["files"]) for place in ("whole", "moved")]
        assert left == [0, 0 if statuses[0] == 200 else 8]


# An owner who is logged in; agents purge nothing.
OWNER = """
from django.contrib.auth.models import User
from teams.models import Membership, Role, Team
team = Team.objects.get(slug="ops")
user = User.objects.create_user("olga", password="a fine long one 9")
Membership.objects.create(organization=team.organization, team=team, user=user, role=Role.OWNER)
"""


def test_nothing_is_hung_on_a_memory_while_an_owner_purges_it(clients: Clients) -> None:
    clients.made.manage("shell", "--verbosity=0", "--command", OWNER)
    with httpx.Client(base_url=f"http://127.0.0.1:{clients.made.port}", trust_env=False, timeout=LIMIT) as owner:

        def send(path: str, **said: str) -> int:
            token = owner.cookies.get("csrftoken", "")
            return owner.post(path, data={**said, "csrfmiddlewaretoken": token}).status_code

        owner.get("/login/")
        assert send("/login/", username="olga", password="a fine long one 9") == 302
        for _ in range(5):
            memory, other = (
                clients("POST", "memories", {"content": content})[1]["id"] for content in ("SECRET", "Another.")
            )

            def act(n: int, memory: str = memory, other: str = other) -> int:
                if n == 0:
                    return send(f"/t/acme/ops/memories/{memory}/purge/")
                if n == 1:
                    return clients("POST", f"memories/{memory}/sources", {"quote": "SECRET"})[0]
                return clients("POST", f"memories/{other}/associations", {"target_id": memory})[0]

            purged, cited, linked = clients.at_once(3, act)
            assert purged == 302
            assert {cited, linked} <= {201, 404}
            assert clients("GET", f"memories/{memory}")[0] == 404
            with psycopg.connect(clients.made.cluster.url) as connection:
                for table, column in (("memories_source", "memory_id"), ("memories_association", "target_id")):
                    rows = connection.execute(f"SELECT count(*) FROM {table} WHERE {column} = %s", [memory])
                    assert rows.fetchone() == (0,)
