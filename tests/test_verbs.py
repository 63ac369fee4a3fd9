"""A token that lacks a verb is refused before anything is looked up: by every operation of every door."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import orjson
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memories import operations
from memories.tools import DIALECTS, Tool
from memories.tools.hub import TOOLS
from teams.models import Verb
from tests.belongings import SECRET_WORD, Belongings, belongings, call, undone
from tests.cast import Cast, Member
from tests.doors import headers, messenger
from tests.test_api_schema import ENDPOINTS

Verbs = tuple[Verb, ...]
Names = Mapping[str, str]
EVERY_SET: tuple[Verbs, ...] = tuple(verbs for size in (1, 2, 3) for verbs in combinations(Verb, size))


@dataclass(frozen=True)
class Operation:
    """One thing that a caller can ask for, the verbs that it takes, and how it is asked of things with these names."""

    needs: Verbs
    ask: Callable[[Member, Verbs, Names, bool], Any]

    def refused(self) -> list[Verbs]:
        return [verbs for verbs in EVERY_SET if not set(self.needs) <= set(verbs)]


# REST


def _endpoint(name: str) -> Operation:
    def ask(member: Member, verbs: Verbs, names: Names, late: bool) -> Any:
        said = headers(member, *verbs) | ({"If-Match": '"99"'} if late else {})
        return call(said, name, ENDPOINTS[name], {"scope": "team", **names})

    return Operation(ENDPOINTS[name].verbs, ask)


BY_ARGUMENTS = {"post tools/kv/memory", "post tools/hub/<str:name>"}  # whose verbs what they are told decides
REST = {name: _endpoint(name) for name in ENDPOINTS if name not in BY_ARGUMENTS and ENDPOINTS[name].verbs}


# Tools

REQUEST_BODIES: dict[str, Any] = {
    "content": "x",
    "text": "x",
    "query": "pager",
    "to_version": 1,
    "to": "moved.md",
    "expires_at": None,
    "quote": "x",
    "add": ["x"],
    "memories": [{"content": "x"}],
    "messages": [{"role": "user", "content": "We decided to ship on Tuesday."}],
}


def _arguments(tool: Tool, names: Names, late: bool, **said: Any) -> dict[str, Any]:
    """The tool's own example, with these names in all places that take names: the id alone where a key would do."""
    properties = tool.parameters["properties"]
    known = REQUEST_BODIES | {name: value for name, value in names.items() if "id" not in properties or name != "key"}
    filled = {name: known[name] for name in properties if name in known}
    if "memory_id" in filled:
        filled.pop("key", None)
    filled |= {"version": 99} if late and "version" in properties else {}
    filled |= {"context": {"session": names["name"]}} if tool.name.startswith("session_") else {}
    return {**(tool.example or {}), **filled, **said}


def _by_rest(place: str, tool: Tool, needs: Verbs, **said: Any) -> Operation:
    def ask(member: Member, verbs: Verbs, names: Names, late: bool) -> Any:
        body = _arguments(tool, names, late, **said)
        path = f"/api/v1/tools/{place}/{tool.name}"
        return Client().post(path, body, content_type="application/json", headers=headers(member, *verbs))

    return Operation(needs, ask)


def _by_mcp(place: str, tool: Tool, needs: Verbs, **said: Any) -> Operation:
    def ask(member: Member, verbs: Verbs, names: Names, late: bool) -> Any:
        told = {"name": tool.name, "arguments": _arguments(tool, names, late, **said)}
        return messenger(member, *verbs, place=place).ask("tools/call", **told)

    return Operation(needs, ask)


def _tools() -> Iterator[tuple[str, Operation]]:
    for dialect, tools in DIALECTS.items():
        for tool in tools:
            commands = ("view", "create", "update", "search") if dialect == "kv" else ("",)
            for command in commands:
                said = {"command": command, "content": "x", "query": "pager"} if command else {}
                needs = tool.verbs(said)
                yield f"{dialect}/{tool.name} {command}", _by_rest(dialect, tool, needs, **said)
                yield f"mcp {dialect}/{tool.name} {command}", _by_mcp(f"/mcp/{dialect}", tool, needs, **said)
    for tool in TOOLS:
        if tool.verbs({}):
            yield f"hub/{tool.name}", _by_rest("hub", tool, tool.verbs({}))
            yield f"mcp {tool.name}", _by_mcp("/mcp", tool, tool.verbs({}))


# The other methods of MCP


def _method(method: str, params: Callable[[Names], dict[str, Any]]) -> Operation:
    def ask(member: Member, verbs: Verbs, names: Names, late: bool) -> Any:
        return messenger(member, *verbs).ask(method, **params(names))

    return Operation((Verb.READ,), ask)


METHODS = {
    "resources/list": _method("resources/list", lambda names: {}),
    "resources/read": _method("resources/read", lambda names: {"uri": f"memory://ops/files/{names['path']}"}),
    "prompts/get": _method("prompts/get", lambda names: {"name": "team_context"}),
    "completion/complete": _method(
        "completion/complete",
        lambda names: {
            "ref": {"type": "ref/resource", "uri": "memory://{team}/{key}"},
            "argument": {"name": "key", "value": names["key"]},
        },
    ),
}

OPERATIONS = REST | dict(_tools()) | METHODS
OF_OWNERS = {"post memories/<uuid:memory_id>/purge"}  # and no agent is one


def operation_names(theirs: Belongings, operation: str) -> Names:
    places = theirs.places | {"id": str(theirs.memory.pk), "scope": "team"}
    in_dialect = "files/" in operation and "<" not in operation
    return places | ({"path": f"/memories/{theirs.file.path}"} if in_dialect else {})


@dataclass(frozen=True)
class Targets:
    there: Belongings
    forgotten: Belongings
    missing: Belongings

    def asked(self, operation: str) -> list[tuple[Names, bool]]:
        every = (self.there, self.forgotten, self.missing)
        return [
            *((operation_names(theirs, operation), False) for theirs in every),
            (operation_names(self.there, operation), True),
        ]


@pytest.fixture
def targets(cast: Cast) -> Targets:
    writer = cast["writer"].actor()
    there, forgotten = belongings(writer, "theirs"), belongings(writer, "former")
    operations.forget_memory(actor=writer, memory_id=forgotten.memory.pk)
    operations.files.delete_file(actor=writer, path=forgotten.file.path)
    with undone():
        missing = belongings(writer, "nobodys")
    return Targets(there, forgotten, missing)


@pytest.mark.parametrize("verbs", EVERY_SET, ids=" ".join)
def test_a_token_without_the_verb_learns_nothing(cast: Cast, targets: Targets, verbs: Verbs) -> None:
    """The same bytes for what is there, was forgotten, never was or has another version; and no table of what the hub
    remembers was read."""
    member, wrong = cast["teammate"], []
    headers(member, *verbs)  # the token is made before
    for name, operation in OPERATIONS.items():
        if verbs not in operation.refused():
            continue
        answers, read = set(), set()
        for names, late in targets.asked(name):
            with undone(), CaptureQueriesContext(connection) as queries:
                response = operation.ask(member, verbs, names, late)
            answers.add((response.status_code, bytes(response.content)))
            read |= {query["sql"] for query in queries if "memories_" in (query["sql"] or "")}
        ((status, body), *others) = answers
        said = "This token may not " in body.decode()
        if others or status not in (403, 200, 400) or not said or read or SECRET_WORD in body.decode():
            wrong.append((name, answers, read))
    assert wrong == []


def test_a_token_with_just_the_verbs_is_heard(cast: Cast, targets: Targets) -> None:
    """So that no more is refused than should be."""
    member, wrong = cast["teammate"], []
    for name, operation in OPERATIONS.items():
        if name in OF_OWNERS:
            continue
        headers(member, *operation.needs)
        whose = targets.forgotten if "restore" in name else targets.there
        with undone():
            response = operation.ask(member, operation.needs, operation_names(whose, name), False)
        body = b"".join(response.streaming_content) if response.streaming else response.content
        if file := getattr(response, "file_to_stream", None):
            file.close()
        if response.status_code == 401 or re.search(rb"This token may not (read|write|forget)", body):
            wrong.append((name, response.status_code, body))
    assert wrong == []


def test_every_operation_is_in_the_table() -> None:
    declared = {name for name, published in ENDPOINTS.items() if published.verbs} | BY_ARGUMENTS
    assert set(ENDPOINTS) - declared == {"get me", "get tools"}
    assert {tool.name for tool in TOOLS if not tool.verbs({})} == {"whoami"}


def test_the_document_says_which_verbs_an_operation_takes() -> None:
    document = Client().get("/api/schema/").json()
    paths = document["paths"]
    assert paths["/api/v1/memories/{memory_id}/move"]["post"]["x-token-verbs"] == ["write", "forget"]
    assert paths["/api/v1/memories"]["get"]["x-token-verbs"] == ["read"]
    assert paths["/api/v1/me"]["get"]["x-token-verbs"] == []


def test_a_read_only_token_gets_no_memory_from_restoring(cast: Cast, targets: Targets) -> None:
    path = f"/api/v1/memories/{targets.forgotten.memory.pk}/restore"
    response = Client().post(path, headers=headers(cast["teammate"], Verb.READ) | {"If-Match": '"99"'})
    assert (response.status_code, SECRET_WORD in response.content.decode()) == (403, False)
    assert orjson.loads(response.content)["code"] == "forbidden"
