"""Thousands of odd MCP messages against a running hub, none of which may make it fail: `make fuzz-mcp`.

First every place of every valid message holds every odd value in turn; then chance mutates messages, headers, bodies
and batches. `--seed` and `--only` send one again."""

import base64
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any
from uuid import UUID

from tests.judges import node
from tests.judges.garbage import (
    ODD_TEXTS,
    ODD_VALUES,
    Line,
    Shot,
    arguments,
    header_text,
    mutate_value,
    places,
    replace_part,
    send_garbage,
)
from tests.stories import DAYS, Calls, hub_day

MODERN_REVISION = "2026-07-28"
FUZZ_REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN_REVISION)
FUZZ_NAME_PARAMS = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
UNKNOWN_ID = UUID(int=7)
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN_REVISION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "memoryhub/context": {"user": "mira", "session": "chat-1"},
    "memoryhub/idempotency-key": "once",
}
MCP_METHODS: dict[str, list[dict[str, Any]]] = {
    "initialize": [{"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}],
    "ping": [{}],
    "server/discover": [{}],
    "tools/list": [{}, {"cursor": "x"}],
    "resources/list": [{}, {"cursor": "x"}],
    "resources/templates/list": [{}],
    "resources/read": [
        {"uri": uri} for uri in ("memory://judges/blocks/core", "memory://judges/x", "memory://judges/files/a")
    ],
    "prompts/list": [{}],
    "prompts/get": [
        {"name": "team_context", "arguments": {"query": "berths", "budget": "500", "sections": "core,recent"}}
    ],
    "completion/complete": [
        {
            "ref": {"type": "ref/resource", "uri": "memory://{team}/{key}"},
            "argument": {"name": "key", "value": "b"},
            "context": {"arguments": {"team": "judges"}},
        },
        {"ref": {"type": "ref/prompt", "name": "team_context"}, "argument": {"name": "sections", "value": "c"}},
    ],
    "notifications/initialized": [{}],
    "nothing/here": [{}],
}
ODD_BODIES = (
    *(
        b"",
        b"{",
        b"[]",
        b"null",
        b"7",
        b'"x"',
        b"{}",
        b"[1,2]",
        b"[[]]",
        b"\xff\xfe",
        b"\xef\xbb\xbf{}",
        b"\0",
        b"[" * 100_000,
    ),
    *(
        b'{"a":NaN}',
        b'{"jsonrpc":"2.0","id":1e999,"method":"ping"}',
        b'{"id":1,"id":2}',
        b'{"a":"\\ud800"}',
        b"{'a':1}",
    ),
    b'{"jsonrpc":"2.0","id":' + b"9" * 5_000 + b',"method":"ping"}',
)
CONTENT_TYPES = (
    "application/json",
    "application/json; charset=utf-16",
    "text/plain",
    "",
    "multipart/form-data; boundary=x",
    "x" * 500,
)
HEADERS = (
    *(
        "Accept",
        "Origin",
        "MCP-Protocol-Version",
        "Mcp-Method",
        "Mcp-Name",
        "Mcp-Session-Id",
        "Idempotency-Key",
        "Host",
    ),
    *(
        "X-Memory-Project",
        "X-Memory-User",
        "X-Memory-Session",
        "X-Memory-Workspace",
        "X-Memory-Channel",
        "X-Request-Id",
    ),
    *("Authorization", "Content-Type", "Content-Encoding", "Last-Event-ID", "Cookie", "X-Forwarded-For"),
)


@dataclass(frozen=True)
class FuzzIds:
    """The ids that messages name: of a memory, of one that may replace it, of one whose changes the team's policy
    makes proposals, of such a proposal, and of two that contradict each other."""

    memory: str = str(UNKNOWN_ID)
    other: str = str(UNKNOWN_ID)
    guarded: str = str(UNKNOWN_ID)
    proposal: str = str(UNKNOWN_ID)
    pair: str = str(UNKNOWN_ID)


# What is saved before, by its key, and the policy under which that is done.
FUZZ_MEMORIES = {"b": "Berth 7 is closed.", "other": "Berth 8 is closed.", "guarded": "Berth 9 is closed."}
FUZZ_POLICY = {"rules": [{"writes": ["change", "forget"], "keys": ["guarded"], "then": "propose"}]}


def prepare_ids(request: Callable[[str, str, Any], Any]) -> FuzzIds:
    """Save what messages name, by requests of the API with a method, a path and a body."""
    memory, other, guarded = (
        request("POST", "memories", {"key": key, "content": content})["id"] for key, content in FUZZ_MEMORIES.items()
    )
    held = request("PATCH", f"memories/{guarded}", {"content": "Berth 9 is open."})
    for channel in (12, 14):
        request("POST", "memories", {"content": f"The harbour master listens on channel {channel}."})
    pair, *_ = request("GET", "pairs", None)["pairs"]
    return FuzzIds(memory, other, guarded, held["proposal_id"], pair["id"])


def calls_of(day: Calls, ids: FuzzIds) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what an agent says on that day, whatever it is answered: each id is that of one memory."""
    known = {"id": ids.memory, "memory_id": ids.memory, "scope": "global", "userId": "mira"}
    answer = known | {"memories": [known], "proposal_id": ids.proposal}
    answer |= {"conflicts": [known], "pairs": [{"id": ids.pair}]}
    many = answer | {"memories": [{"id": ids.other}, known]}
    try:
        call = next(day)
        while True:
            yield call
            call = day.send(many if call[0] == "memory_save_many" else answer)
    except StopIteration:
        return


@dataclass(frozen=True)
class McpFuzz:
    seed: int
    token: str
    ids: FuzzIds = FuzzIds()

    @cached_property
    def valid(self) -> list[tuple[str, dict[str, Any]]]:
        """Every method and every tool with what it takes, each with the address that it is sent to."""
        days = {"/mcp": hub_day, **{f"/mcp/{dialect}": day for dialect, day in DAYS.items()}}
        found = [("/mcp", _message(method, params)) for method, every in MCP_METHODS.items() for params in every]
        for place, day in days.items():
            calls = calls_of(day(), self.ids)
            found += [(place, _message("tools/call", {"name": name, "arguments": said})) for name, said in calls]
        return found + [(place, guarded) for place, message in found if (guarded := self._guard(message)) != message]

    def _guard(self, message: dict[str, Any]) -> Any:
        """Return the message with the id of the memory whose changes are held."""
        return json.loads(json.dumps(message).replace(self.ids.memory, self.ids.guarded))

    def shots(self, requests: int) -> Iterator[Shot]:
        """Half of them from the sweep, spread over all of it, half by chance."""
        swept = list(self.sweep())
        step = max(1, len(swept) * 2 // requests)
        number = 0
        for number, (place, message) in enumerate(swept[self.seed % step :: step], start=1):
            yield self._build_shot(number, place, message, Random(f"{self.seed} {number}"))
        for later in range(number + 1, requests + 1):
            yield self._by_chance(later)

    def sweep(self) -> Iterator[tuple[str, Any]]:
        for place, message in self.valid:
            for where in places(message):
                for odd in ODD_VALUES:
                    yield place, replace_part(message, where, odd)

    def _by_chance(self, number: int) -> Shot:
        chance = Random(f"{self.seed} {number}")
        place, message = chance.choice(self.valid)
        for _ in range(chance.choice((0, 1, 1, 1, 2, 3))):
            message = mutate_value(message, chance)
        if chance.random() < 0.15:
            batch = [chance.choice(self.valid)[1] for _ in range(chance.randrange(13))]
            return self._build_shot(
                number, place, [mutate_value(one, chance) for one in batch], chance, revision="2025-03-26"
            )
        if chance.random() < 0.05:
            place = chance.choice(("/mcp", "/mcp/", "/mcp/nothing", "/mcp/kv?x=%00", "/mcp/%00", "/mcp/%ff"))
        return self._build_shot(number, place, message, chance, odd=chance.random() < 0.3)

    def _build_shot(
        self, number: int, place: str, message: Any, chance: Random, *, revision: str = "", odd: bool = False
    ) -> Shot:
        revision = revision or chance.choice(FUZZ_REVISIONS)
        if revision == MODERN_REVISION and isinstance(message, dict) and isinstance(message.get("params"), dict):
            message = message | {"params": {"_meta": ENVELOPE} | message["params"]}
            message = mutate_value(message, chance) if chance.random() < 0.2 else message
        body = json.dumps(message, ensure_ascii=chance.random() < 0.9).encode(errors="surrogatepass")
        headers = self._headers(message, revision)
        method = "POST"
        if chance.random() < 0.1:
            del headers["MCP-Protocol-Version"]
        if odd:
            headers |= {
                chance.choice(HEADERS): header_text(chance.choice((*ODD_TEXTS, *CONTENT_TYPES))) for _ in range(2)
            }
            body = chance.choice((body, body[: len(body) // 2], body + b"x", chance.choice(ODD_BODIES)))
            method = chance.choice((*["POST"] * 8, "GET", "PUT", "DELETE", "OPTIONS", "PATCH", "HEAD"))
        return Shot(number, method, place, headers, body)

    def _headers(self, message: Any, revision: str) -> dict[str, str]:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        headers |= {"MCP-Protocol-Version": revision}
        if revision != MODERN_REVISION or not isinstance(message, dict):
            return headers
        method, params = message.get("method"), message.get("params")
        name = (
            params.get(FUZZ_NAME_PARAMS.get(method, ""))
            if isinstance(params, dict) and isinstance(method, str)
            else None
        )
        return headers | {"Mcp-Method": _in_header(method)} | ({} if name is None else {"Mcp-Name": _in_header(name)})


def _message(method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def _in_header(value: Any) -> str:
    """As it stands where a header can carry it, else in base64."""
    text = value if isinstance(value, str) else json.dumps(value)
    if text.isascii() and text.isprintable() and len(text) < 1_000:
        return text
    return f"=?base64?{base64.b64encode(text.encode(errors='surrogatepass')[:1_000]).decode()}?="


def main() -> None:
    said = arguments(__doc__ or "", requests=6_000)
    with node.start_judged_hub() as (hub, token):
        update = f"from teams.models import Team; Team.objects.update(policy={FUZZ_POLICY!r})"
        hub.manage("shell", "--no-imports", "--command", update)

        def request(method: str, path: str, body: Any) -> Any:
            return hub.request(method, f"/api/v1/{path}", body, Authorization=f"Bearer {token}")[1]

        send_garbage(
            McpFuzz(said.seed, token, prepare_ids(request)).shots(said.requests), Line(hub.port).send, said=said
        )


if __name__ == "__main__":
    main()
