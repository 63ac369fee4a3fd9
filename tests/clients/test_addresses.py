"""No name that a model makes up leads a call to another address than its own."""

import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from memoryhub_client import Invalid, MemoryHub, MemoryHubError, NotFound, calls
from memoryhub_client.calls import Call

from tests.clients.inside import Wire

ID = "01a8c2f0-3b1e-7d64-9a55-0f6b1c2d3e4f"
BY_NAME: dict[str, tuple[str, Callable[[str], Call[Any]]]] = {
    "get_key": ("/api/v1/keys/", calls.get_key),
    "save_key": ("/api/v1/keys/", lambda name: calls.save_key(name, "x")),
    "forget_key": ("/api/v1/keys/", calls.forget_key),
    "read_file": ("/api/v1/files/", calls.read_file),
    "write_file": ("/api/v1/files/", lambda name: calls.write_file(name, "x")),
    "append_file": ("/api/v1/files/", lambda name: calls.append_file(name, "x")),
    "delete_file": ("/api/v1/files/", calls.delete_file),
    "rename_file": ("/api/v1/files/", lambda name: calls.rename_file(name, "x")),
    "file_history": ("/api/v1/file-history/", calls.file_history),
    "revert_file": ("/api/v1/file-history/", lambda name: calls.revert_file(name, 1)),
    "session": ("/api/v1/sessions/", calls.session),
    "register_session": ("/api/v1/sessions/", calls.register_session),
    "archive_session": ("/api/v1/sessions/", lambda name: calls.archive_session(name, [])),
    "extract": ("/api/v1/sessions/", calls.extract),
    "timeline": ("/api/v1/timeline/", calls.timeline),
    "call_tool": ("/api/v1/tools/graph/", lambda name: calls.call_tool("graph", name, {})),
    "call_tool of a dialect": ("/api/v1/tools/", lambda name: calls.call_tool(name, "memory_save", {})),
}
BY_ID: dict[str, Callable[[str], Call[Any]]] = {
    "get": calls.get,
    "change": calls.change,
    "append": lambda name: calls.append(name, "x"),
    "verify": calls.verify,
    "pin": calls.pin,
    "tag": calls.tag,
    "expire": lambda name: calls.expire(name, None),
    "move": lambda name: calls.move(name, "agent"),
    "forget": calls.forget,
    "restore": calls.restore,
    "revert": lambda name: calls.revert(name, 1),
    "supersede": lambda name: calls.supersede(name, ID),
    "reinstate": calls.reinstate,
    "proposal": calls.proposal,
    "withdraw": calls.withdraw,
    "rate": lambda name: calls.rate(name, "wrong"),
    "ratings": calls.ratings,
    "withdraw_rating": calls.withdraw_rating,
    "history": calls.history,
    "why_not": lambda name: calls.why_not(name, "x"),
    "associate": lambda name: calls.associate(name, ID),
    "associations": calls.associations,
    "dissociate": lambda name: calls.dissociate(ID, name),
    "cite": calls.cite,
    "sources": calls.sources,
    "report_anchors": lambda name: calls.report_anchors({name: None}),
    "uncite": lambda name: calls.uncite(ID, name),
    "attach": lambda name: calls.attach(name, "x", b"x"),
    "assets": calls.assets,
    "read_asset": lambda name: calls.read_asset(ID, name),
    "detach": lambda name: calls.detach(ID, name),
}
ADDRESS_PARTS = [
    "..",
    ".",
    "%2e%2e",
    "%2E",
    "me",
    "memories",
    ID,
    "",
    "...",
    "a",
    "?x=1",
    "#x",
    "http:",
    "a\\..",
    "\\",
    ";",
    "é",
]


@pytest.mark.parametrize("name", BY_NAME)
def test_a_name_stays_below_its_address(client: MemoryHub, wire: Wire, name: str) -> None:
    start, call = BY_NAME[name]
    chosen = random.Random(name)
    for _ in range(60):
        said = "/".join(chosen.choices(ADDRESS_PARTS, k=chosen.randint(1, 4)))
        wire.requests.clear()
        with suppress(MemoryHubError):
            client.send(call(said))
        for request in wire.requests:
            path = request.url.raw_path.decode().partition("?")[0]
            assert path.startswith(start), said
            assert not {".", "..", "%2e%2e", "%2e"} & set(path.lower().split("/")), said


@pytest.mark.parametrize("name", BY_NAME)
def test_dots_are_refused_before_they_are_sent(client: MemoryHub, wire: Wire, name: str) -> None:
    for dots in ("../../memories", "..", ".", "a/../b", "a/..", "..\\me"):
        with pytest.raises(Invalid, match="cannot be parts of a name"):
            client.send(BY_NAME[name][1](dots))
    assert wire.requests == []


@pytest.mark.parametrize("name", BY_ID)
def test_what_is_no_id_is_not_found(client: MemoryHub, wire: Wire, name: str) -> None:
    for wrong in ("../me", "batch", f"{ID}/history", "", f"{ID}?x=1"):
        with pytest.raises(NotFound, match="There is no"):
            client.send(BY_ID[name](wrong))
    assert wire.requests == []


def test_every_call_with_a_name_or_an_id_is_tried_here() -> None:
    plain = {
        "me",
        "save",
        "save_many",
        "save_each",
        "memories",
        "recall",
        "recalls",
        "proposals",
        "anchors",
        "context",
        "export",
        "files",
        "tools",
    }
    built = {name for name in calls.__all__ if name.islower()}
    assert built - plain == {name.partition(" ")[0] for name in (*BY_NAME, *BY_ID)}


def test_a_memory_whose_key_is_dots_is_read_by_its_id(client: MemoryHub) -> None:
    """Its key is no address that servers and proxies between here and there agree about."""
    saved = client.save("Dots.", key="../me")
    assert client.get(saved.id).key == "../me"
    assert client.save("Dots again.", key="../me").version == 2
    with pytest.raises(Invalid):
        client.get_key("../me")


@pytest.mark.parametrize("key", ["a b", "ä/ö", "50%", "x?y#z", "...", "a/...b", "%2e%2e", "a;b", "a//b", "C:\\x"])
def test_odd_names_come_back_as_they_went(client: MemoryHub, key: str) -> None:
    saved = client.save_key(key, "Odd.")
    assert client.get_key(key).id == saved.id
    assert saved.key == key
