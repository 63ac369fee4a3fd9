"""Requests made to be dear, each beside an ordinary one of the same size: how much more CPU does an attack take?

    python -m benchmarks.attacks [--memories 1000] [--requests 5] [--rounds 3] [--only recall] [--json PATH]

The server is the one that `manage.py serve` starts, with a team of that many memories of 20 to 60 words and some of
50 KB. Attack and ordinary request take turns over HTTP, so that the machine's mood touches both alike. What counts is
the CPU of the server, its worker and Postgres, with what they still do after the answer, less what they use when nobody
asks. The figures are the medians of the rounds; every request is a new one, so that no cache knows it.

"x" is the CPU of the attack over that of the ordinary request: above 2, an attacker gets more than everybody does, and
the command ends with an error.
"""

import argparse
import http.client
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import count, pairwise
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import quote

from benchmarks.cpu import Meter
from benchmarks.harness import Progress, Texts, database, say
from benchmarks.live_server import start_server

KIB = 1024
PAGE_BYTES = 50_000  # what a memory can hold
QUERY = 10_000  # characters, what a query can have
TOO_MUCH = 2.0  # times an ordinary request
LONG_MEMORIES = "/api/v1/memories?limit=100&type=event"  # 100 of 50 KB: as many as fit into a page
CHAIN = 900  # memories that replaced each other in turn, nearly as many as are followed
# Changes to pinned memories wait for a person; unlike by default, those to the core memory do not.
POLICY = {"rules": [{"who": ["agent"], "writes": ["change"], "pinned": True, "then": "propose"}]}
JSON = {"Content-Type": "application/json"}
FINE = (200, 201)


@dataclass(frozen=True, slots=True)
class AttackRequest:
    method: str
    path: str
    body: bytes = b""
    by_person: bool = False  # a page, opened with a session's cookie
    headers: tuple[tuple[str, str], ...] = ()

    @classmethod
    def post(cls, path: str, body: Any) -> "AttackRequest":
        return cls.with_body("POST", path, body)

    @classmethod
    def with_body(cls, method: str, path: str, body: Any) -> "AttackRequest":
        return cls(method, path, json.dumps(body, ensure_ascii=False).encode())


Make = Callable[[int], AttackRequest]  # with a number that no other request has


@dataclass(frozen=True, slots=True)
class Attack:
    name: str
    attack: Make
    ordinary: Make
    statuses: tuple[int, ...] = ()  # that the attack must be answered with, if not as the ordinary request


@dataclass(frozen=True, slots=True)
class AttackCost:
    """One line of the JSON."""

    name: str
    attack_ms: float
    ordinary_ms: float
    attack_status: int
    ordinary_status: int

    @property
    def ratio(self) -> float:
        return self.attack_ms / max(self.ordinary_ms, 0.1)


def main() -> None:
    arguments = parse_arguments()
    with database():
        hub = prepare_hub(arguments.memories)
        with start_server() as port:
            hub.port = port
            chosen = [attack for attack in list_attacks(hub) if arguments.only in attack.name]
            rows = list(measure_attack(hub, chosen, requests=arguments.requests, rounds=arguments.rounds))
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    if too_much := [row.name for row in rows if row.ratio > TOO_MUCH]:
        raise SystemExit(f"More than {TOO_MUCH:g} times an ordinary request: {'; '.join(too_much)}")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=1_000)
    parser.add_argument("--requests", type=int, default=5, help="of each kind in a round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="attacks whose name has this in it")
    parser.add_argument("--json", type=Path, help="a file for all figures")
    return parser.parse_args()


# The hub


def split(rows: list[Any], size: int) -> list[list[Any]]:
    return [rows[start : start + size] for start in range(0, len(rows), size)]


@dataclass
class AttackedHub:
    token: str
    cookie: str
    team: str  # the address of its pages
    texts: Texts = field(default_factory=lambda: Texts(seed=11))
    port: int = 0

    def send(self, request: AttackRequest) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        known = {"Cookie": self.cookie} if request.by_person else {"Authorization": f"Bearer {self.token}"}
        headers = known | (JSON if request.body else {}) | dict(request.headers)
        try:
            connection.request(request.method, request.path, request.body or None, headers)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def create(self, path: str, body: Any, *, method: str = "POST") -> dict[str, Any]:
        """Return what the hub answers to a request that must succeed."""
        status, answer = self.send(AttackRequest.with_body(method, path, body))
        if status >= 300:
            raise RuntimeError(f"{path}: {status} {answer[:300]!r}")
        made: dict[str, Any] = json.loads(answer)
        return made

    def save_core(self, text: str) -> None:
        self.create("/api/v1/keys/core", {"content": text}, method="PUT")

    def save_many(self, contents: Sequence[str], **fields: Any) -> list[str]:
        """Return the ids of new memories."""
        drafts = [{"content": content, **fields} for content in contents]
        batches = [self.create("/api/v1/memories/batch", {"memories": part}) for part in split(drafts, 20)]
        return [memory["id"] for batch in batches for memory in batch["memories"]]

    def write_prose(self, size: int) -> str:
        """Return that many characters of a new ordinary text, with lines."""
        lines: list[str] = []
        while sum(map(len, lines)) < size:
            lines.append(f"{self.texts.text(8, 16).capitalize()}.\n")
        return "".join(lines)[:size]


def prepare_hub(memories: int) -> AttackedHub:
    """Return a hub with a team that has an agent, a person and memories, some of them long."""
    from django.contrib.auth.models import User
    from django.test import Client

    from benchmarks.hub import disconnect
    from memories import operations
    from teams import auth
    from teams import operations as registry
    from teams.models import Membership, Role, Team

    organization = registry.ensure_organization(slug="bench")
    team = registry.ensure_team(organization=organization, slug="bench")
    Team.objects.filter(pk=team.pk).update(policy=POLICY)
    token = registry.issue_token(agent=registry.ensure_agent(team=team, slug="bench")).text
    user = User.objects.create_user(username="reader")
    Membership.objects.create(organization=organization, team=team, user=user, role=Role.OWNER)
    browser = Client()
    browser.force_login(user)
    hub = AttackedHub(token, f"sessionid={browser.session.session_key}", "/t/bench/bench/")
    actor, progress = auth.authenticate_agent(token=token), Progress(memories, "memories")
    long = [hub.write_prose(PAGE_BYTES) for _ in range(20)]
    texts = [*long, *hub.texts.texts(memories)]
    for part in split(texts, 20):
        operations.save_memories(actor=actor, drafts=[operations.Draft(content=text) for text in part])
        progress.add(min(20, max(0.1, memories - progress.done)))
    disconnect()
    return hub


# The attacks


def list_attacks(hub: AttackedHub) -> Iterator[Attack]:
    yield from attack_headers()
    yield from attack_json(hub)
    yield from attack_files(hub)
    yield from attack_pages(hub)
    yield from attack_saving(hub)
    yield from attack_recall(hub)
    yield from attack_searches(hub)
    yield from attack_conversations(hub)
    yield from attack_batches(hub)
    yield from attack_context(hub)
    yield from attack_replacements(hub)
    yield from attack_proposals(hub)


def save_body(content: str, **fields: Any) -> AttackRequest:
    return AttackRequest.post("/api/v1/memories", {"content": content, **fields})


def attack_headers() -> Iterator[Attack]:
    def open_login(name: str, value: str) -> Make:
        return lambda _: AttackRequest("GET", "/login/", headers=((name, value),))

    ordinary = open_login("Cookie", f"theirs={'a' * 80_000}")
    yield Attack(
        "cookie of 40,000 escaped backslashes", open_login("Cookie", 'theirs="' + r"\\" * 40_000 + '"'), ordinary
    )
    for name in ("Content-Type", "Accept"):
        yield Attack(f"{name} of 80,000 semicolons", open_login(name, "a/b" + ";" * 80_000), ordinary, (400,))


def attack_json(hub: AttackedHub) -> Iterator[Attack]:
    def repeat_names(number: int) -> AttackRequest:
        pairs = ",".join(f'"f{place // 2}":{number}' for place in range(15_500))
        return AttackRequest("POST", "/api/v1/memories", f"{{{pairs}}}".encode()[:193_000] + b"}")

    def name_unknown(number: int) -> AttackRequest:
        return save_body("x", **{f"f{number}_{place}": 1 for place in range(15_000)})

    def file_of(size: int) -> Make:
        return lambda number: AttackRequest.post(
            "/api/v1/tools/files/create", {"path": f"/memories/{size}/{number}.txt", "file_text": hub.write_prose(size)}
        )

    yield Attack("193 KB of JSON with repeated names", repeat_names, file_of(193_000), (400,))
    yield Attack("15,000 unknown fields", name_unknown, file_of(15_000 * 14), (400,))


def attack_files(hub: AttackedHub) -> Iterator[Attack]:
    tool = "/api/v1/tools/files/"
    prose = "Berth 7 is closed.\n" + hub.write_prose(300 * KIB) + "Berth 7 is open."
    for name, text in (("letter", "a" * 300 * KIB), ("prose", prose)):
        hub.create(f"{tool}create", {"path": f"/memories/{name}.txt", "file_text": text})

    def replace(name: str, old: str) -> Make:
        body = {"path": f"/memories/{name}.txt", "old_str": old, "new_str": "x"}
        return lambda _: AttackRequest.post(f"{tool}str_replace", body)

    for old in (1, 20, 150_000):
        yield Attack(
            f"str_replace of {old:,} in 300 KiB of one letter",
            replace("letter", "a" * old),
            replace("prose", "Berth 7 is" if old < 100 else hub.write_prose(old)),
            (400,),
        )


def attack_pages(hub: AttackedHub) -> Iterator[Attack]:
    quotes = ">" * (PAGE_BYTES - 10)

    def write(text: str | None) -> Make:
        return lambda number: save_body(text + f"{number:09}" if text else hub.write_prose(PAGE_BYTES - 10))

    def open_page(path: str) -> Make:
        return lambda _: AttackRequest("GET", f"{hub.team}{path}", by_person=True)

    def open_home(text: str) -> Make:
        def make(number: int) -> AttackRequest:
            hub.save_core(text)
            return AttackRequest("GET", hub.team, by_person=True)

        return make

    yield Attack("save of markdown of 50,000 >", write(quotes), write(None))
    pages = [hub.create("/api/v1/memories", {"content": text}) for text in (quotes, hub.write_prose(PAGE_BYTES))]
    attack, ordinary = (open_page(f"memories/{page['id']}/") for page in pages)
    yield Attack("page of markdown of 50,000 >", attack, ordinary)
    yield Attack("home page with a core of 50,000 >", open_home(quotes), open_home(hub.write_prose(PAGE_BYTES)))
    tables = [write_table(seed) for seed in range(10)]
    versions = [hub.write_prose(PAGE_BYTES - 100) for _ in range(10)]
    attack, ordinary = (open_page(f"memories/{keep_versions(hub, each)}/history/") for each in (tables, versions))
    yield Attack("history of ten tables of numbers", attack, ordinary)


def write_table(seed: int) -> str:
    chance = random.Random(seed)
    return "\n".join(",".join(str(chance.randrange(100)) for _ in range(10)) for _ in range(2_000))[:PAGE_BYTES]


def keep_versions(hub: AttackedHub, texts: Sequence[str]) -> str:
    """Return the id of a memory that said each of these in turn."""
    memory: str = hub.create("/api/v1/memories", {"content": texts[0]})["id"]
    for text in texts[1:]:
        hub.create(f"/api/v1/memories/{memory}", {"content": text}, method="PATCH")
    return memory


SCRIPTS = {"Chinese": (0x4E00, 0x9FA0), "Japanese": (0x3041, 0x3097), "Thai": (0x0E01, 0x0E2F)}


def write_script(script: str, length: int, *, seed: int) -> str:
    """Return so many letters of a script, in any order and without spaces."""
    first, beyond = SCRIPTS[script]
    chance = random.Random(seed)
    return "".join(chr(chance.randrange(first, beyond)) for _ in range(length))


def attack_saving(hub: AttackedHub) -> Iterator[Attack]:
    for script in SCRIPTS:
        yield Attack(
            f"save of 16,000 letters: {script}",
            lambda number, script=script: save_body(write_script(script, 16_000, seed=number)),  # type: ignore[misc]
            lambda _: save_body(hub.write_prose(48_000)),
        )


def attack_recall(hub: AttackedHub) -> Iterator[Attack]:
    def ask(query: str, **fields: Any) -> AttackRequest:
        return AttackRequest.post("/api/v1/recall", {"query": query[:QUERY], **fields})

    def write_unknown(number: int) -> str:
        return " ".join(f"w{number}{place:x}q" for place in range(1_500))

    def sign(number: int) -> str:
        return f"{number} " + " .,;:!?-/" * 1_200

    queries: dict[str, Callable[[int], str]] = {
        "unknown names": write_unknown,
        "Chinese": lambda number: write_script("Chinese", 9_000, seed=number),
        "Chinese words": lambda number: " ".join(
            write_script("Chinese", 4, seed=number * 2_000 + n) for n in range(2_000)
        ),
        "one letter": lambda number: "abcdefghij"[number % 10] * QUERY,
        "letters": lambda _: "a b c d e f g h i j k l m " * 400,
        "spaces and punctuation": sign,
    }
    short = {"snippets": True, "explain": True}
    yield Attack(
        "recall of 10,000 characters: English, beside 5 words",
        lambda _: ask(hub.write_prose(QUERY), **short),
        lambda _: ask(hub.texts.text(5, 5), **short),
    )
    for name, write in queries.items():
        yield Attack(
            f"recall of 10,000 characters: {name}",
            lambda number, write=write: ask(write(number), **short),  # type: ignore[misc]
            lambda _: ask(hub.write_prose(QUERY), **short),
        )


def attack_searches(hub: AttackedHub) -> Iterator[Attack]:
    """Searches letter by letter: for a text that nearly stands everywhere in texts of one letter."""
    for number, text in enumerate([f"{place}" + "a" * (PAGE_BYTES - 2) for place in range(20)]):
        hub.create("/api/v1/memories", {"content": text})
        body = {"path": f"/memories/nearly/{number}.txt", "file_text": "的" * 100_000}
        hub.create("/api/v1/tools/files/create", body)

    def search_kv(write: Callable[[int], str]) -> Make:
        return lambda number: AttackRequest.post(
            "/api/v1/tools/kv/memory", {"command": "search", "query": write(number)[:QUERY]}
        )

    def search_files(write: Callable[[int], str]) -> Make:
        return lambda number: AttackRequest("GET", f"/api/v1/files?text={quote(write(number)[:1_000])}")

    yield Attack(
        "kv search of 9,999 a and b in 50 KB of a",
        search_kv(lambda number: "a" * (QUERY - 1 - number % 9) + "b"),
        search_kv(lambda _: hub.write_prose(QUERY)),
    )
    yield Attack(
        "file list with 999 of one letter and another",
        search_files(lambda number: "的" * (999 - number % 9) + "水"),
        search_files(lambda number: write_script("Chinese", 1_000, seed=number)),
    )


def attack_conversations(hub: AttackedHub) -> Iterator[Attack]:
    def extract(text: Callable[[], str]) -> Make:
        return lambda number: AttackRequest.post(
            f"/api/v1/sessions/s{number}/extract", {"messages": [{"role": "user", "content": text()}]}
        )

    def extract_messages(texts: Callable[[], list[str]]) -> Make:
        return lambda number: AttackRequest.post(
            f"/api/v1/sessions/s{number}/extract", {"messages": [{"role": "user", "content": text} for text in texts()]}
        )

    def archive(name: Callable[[int], str]) -> Make:
        def make(number: int) -> AttackRequest:
            messages = [{"role": "user", "content": hub.write_prose(2_000)}]
            return AttackRequest.post(
                f"/api/v1/sessions/s{number}/archive", {"messages": messages, "name": name(number)}
            )

        return make

    for opening in ("we decided ", "my " * 10, "a" * 10, ", and we " * 3):
        text = f"our {opening * (PAGE_BYTES // len(opening))}"
        yield Attack(
            f"extraction of 50 KB of {opening[:12].strip()!r}",
            extract(lambda text=text: text),  # type: ignore[misc]
            extract(lambda: hub.write_prose(PAGE_BYTES)),
        )
    yield Attack(
        "extraction of 10,000 messages",
        extract_messages(lambda: [hub.texts.text(10, 14) for _ in range(10_000)]),
        extract_messages(lambda: [hub.write_prose(9_000) for _ in range(100)]),
    )
    for number in range(200):
        hub.create(f"/api/v1/sessions/many{number}/archive", archive_body("The same name"))
    yield Attack(
        "archive of one name after 200 that day", archive(lambda _: "The same name"), archive(lambda n: f"N{n}")
    )


def archive_body(name: str) -> dict[str, Any]:
    return {"name": name, "messages": [{"role": "user", "content": "Where is the anchor?"}]}


def attack_batches(hub: AttackedHub) -> Iterator[Attack]:
    def call(tool: str, **arguments: Any) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}

    def send_messages(number: int) -> AttackRequest:
        return AttackRequest.post("/mcp", [call("memory_recall", query=hub.texts.text(5, 5)) for _ in range(100)])

    def send_one(number: int) -> AttackRequest:
        return AttackRequest.post("/mcp", call("memory_recall", query=hub.texts.text(5, 5)))

    def save_batch(count: int, size: int) -> Make:
        return lambda _: AttackRequest.post(
            "/api/v1/memories/batch", {"memories": [{"content": hub.write_prose(size)} for _ in range(count)]}
        )

    yield Attack("batch of 100 JSON-RPC messages", send_messages, send_one, (400,))
    yield Attack("batch of 480 memories of 4 KB", save_batch(480, 4_000), save_batch(100, 4_000), (202, 413))


def attack_context(hub: AttackedHub) -> Iterator[Attack]:
    def read(text: str) -> Make:
        def make(number: int) -> AttackRequest:
            hub.save_core(text)
            return AttackRequest("GET", "/api/v1/context")

        return make

    breaks = f"a{chr(10) * (PAGE_BYTES - 2)}b"
    yield Attack("context with a core of 50,000 line breaks", read(breaks), read(hub.write_prose(PAGE_BYTES)))


def attack_replacements(hub: AttackedHub) -> Iterator[Attack]:
    chain = hub.save_many([f"Port {number}." for number in range(CHAIN)])
    for old, new in pairwise(chain):
        hub.create(f"/api/v1/memories/{old}/supersede", {"by": new})
    hub.save_many([hub.write_prose(PAGE_BYTES) for _ in range(100)], key="port", dedupe="create", type="event")

    def replace(by: Callable[[], str]) -> Make:
        def make(number: int) -> AttackRequest:
            (old,) = hub.save_many([f"Gate {number}."])
            return AttackRequest.post(f"/api/v1/memories/{old}/supersede", {"by": by()})

        return make

    yield Attack(
        f"replacement by the first of {CHAIN} that replaced each other",
        replace(lambda: chain[0]),
        replace(lambda: hub.save_many(["The gate is open."])[0]),
    )
    yield Attack(
        "timeline of a key of 100 memories of 50 KB",
        lambda _: AttackRequest("GET", "/api/v1/timeline/port"),
        lambda _: AttackRequest("GET", LONG_MEMORIES),
    )


def attack_proposals(hub: AttackedHub) -> Iterator[Attack]:
    def change_all(name: str, *, pinned: bool) -> Make:
        keys = [f"{name}/{number}" for number in range(20)]
        for key in keys:
            hub.create("/api/v1/memories", {"content": "Gate 7 is closed.", "key": key, "pinned": pinned})
        return lambda number: AttackRequest.post(
            "/api/v1/memories/batch", {"memories": [{"content": f"{key} {number}", "key": key} for key in keys]}
        )

    pinned = hub.create("/api/v1/memories", {"content": "Gate 8 is closed.", "pinned": True})["id"]
    for _ in range(100):
        hub.create(f"/api/v1/memories/{pinned}", {"content": hub.write_prose(PAGE_BYTES)}, method="PATCH")
    yield Attack(
        "list of 100 proposals of 50 KB",
        lambda _: AttackRequest("GET", "/api/v1/proposals?limit=200"),
        lambda _: AttackRequest("GET", LONG_MEMORIES),
    )
    yield Attack(
        "batch of changes to 20 memories that a policy guards",
        change_all("guarded", pinned=True),
        change_all("free", pinned=False),
    )


# Taking turns


def measure_attack(hub: AttackedHub, attacks: Sequence[Attack], *, requests: int, rounds: int) -> Iterator[AttackCost]:
    """Print and yield a line for each attack. The first round warms up and is not counted."""
    numbers, meter = count(1), Meter()
    say(f"{'':58}{'attack':>12}{'ordinary':>12}{'x':>8}   CPU-ms of a request")
    for attack in attacks:
        turns = [Turn(hub, attack.attack, attack.statuses or FINE), Turn(hub, attack.ordinary, (*FINE, 400))]
        for number in range(rounds + 1):
            for turn in turns if number % 2 else reversed(turns):
                turn.take(meter, [turn.make(next(numbers)) for _ in range(requests if number else 2)])
        (dear, attacked), (usual, answered) = ((median(turn.spent[1:]), turn.status) for turn in turns)
        row = AttackCost(attack.name, dear, usual, attacked, answered)
        mark = "  <-- too much" if row.ratio > TOO_MUCH else ""
        say(f"{row.name:58}{row.attack_ms:12.1f}{row.ordinary_ms:12.1f}{row.ratio:8.2f}{mark}")
        yield row


@dataclass(slots=True)
class Turn:
    """One kind of request and the CPU-ms that each took, round by round."""

    hub: AttackedHub
    make: Make
    wanted: tuple[int, ...]
    spent: list[float] = field(default_factory=list)
    status: int = 0

    def take(self, meter: Meter, requests: Sequence[AttackRequest]) -> None:
        with meter.measure() as used:
            for request in requests:
                self.status, answer = self.hub.send(request)
                if self.status not in self.wanted:
                    raise RuntimeError(f"{request.method} {request.path}: {self.status} {answer[:300]!r}")
        self.spent.append(used[0] / len(requests))


if __name__ == "__main__":
    main()
