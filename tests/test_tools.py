"""The tools of every dialect over HTTP."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from jsonschema import Draft202012Validator

from memories import operations
from memories.mcp.servers import HUB
from memories.models import Memory, Scope
from memories.tools import DIALECTS
from teams.actor import Actor
from tests import doors, factories, tools
from tests.caller import Caller
from tests.cast import AGENTS, WHO_SEES, Cast

FORMATS = ("openai", "anthropic", "mcp")
EVERY = [(dialect, tool) for dialect, every in DIALECTS.items() for tool in every]


def definitions(actor: Actor, **asked: str) -> Any:
    response = Client().get("/api/v1/tools", asked, headers={"Authorization": f"Bearer {factories.token(actor)}"})
    return response.status_code, response.json()


def parts(definition: dict[str, Any], format: str) -> tuple[str, str, dict[str, Any]]:
    """Return name, description and schema, from where each kind of client looks for them."""
    if format == "openai":
        assert (set(definition), definition["type"]) == ({"type", "function"}, "function")
        function = definition["function"]
        return function["name"], function["description"], function["parameters"]
    schema = definition["input_schema" if format == "anthropic" else "inputSchema"]
    return definition["name"], definition["description"], schema


@pytest.mark.parametrize("format", FORMATS)
def test_definitions_are_what_each_kind_of_client_takes(writer: Actor, format: str) -> None:
    status, body = definitions(writer, format=format)
    assert (status, body["format"], set(body["dialects"])) == (200, format, set(DIALECTS))
    for dialect, every in body["dialects"].items():
        found = [parts(definition, format) for definition in every]
        assert [name for name, _, _ in found] == [tool.name for tool in DIALECTS[dialect]]
        for name, description, schema in found:
            assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name)
            assert 10 < len(description) < 1024
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"


def test_definitions_of_one_dialect_are_openais_unless_asked_otherwise(writer: Actor) -> None:
    status, body = definitions(writer, dialect="group")
    assert (status, body["format"], body["dialect"]) == (200, "openai", "group")
    names = [definition["function"]["name"] for definition in body["tools"]]
    assert names == ["save_memory", "recall_memories", "forget_memory", "list_memories"]


@pytest.mark.parametrize("format", FORMATS)
def test_the_hubs_own_tools_are_defined_as_mcp_lists_them(writer: Actor, format: str) -> None:
    status, body = definitions(writer, dialect="hub", format=format)
    assert (status, body["dialect"]) == (200, "hub")
    listed = [(tool["name"], tool["description"], tool["inputSchema"]) for tool in HUB.definitions]
    assert [parts(definition, format) for definition in body["tools"]] == listed


def test_the_hubs_own_tools_are_run_in_the_context_that_they_say(cast: Cast) -> None:
    token, about = cast["writer"].token(), {"user": "mira", "workspace": "blue"}
    said = {"content": "Mira likes olives.", "scope": "global", "context": about}
    status, saved = tools.call_tool_api(token, "hub/memory_save", said)
    assert (status, saved["scope"]) == (200, "global")
    read = {"memory_id": saved["id"]}
    assert tools.call_tool_api(token, "hub/memory_get", read | {"context": about})[1]["content"] == "Mira likes olives."
    assert tools.call_tool_api(token, "hub/memory_get", read, user="mira", workspace="blue")[0] == 200
    assert tools.call_tool_api(token, "hub/memory_get", read, workspace="blue")[0] == 404


def test_of_the_hubs_own_tools_only_what_writes_is_remembered(db: None) -> None:
    caller, said = Caller(), {"content": "Berth 7 is closed."}
    listed = [caller("POST", "tools/hub/memory_list", {}, Idempotency_Key="read").json()]
    saved = [caller("POST", "tools/hub/memory_save", said, Idempotency_Key="k").content for _ in range(2)]
    listed.append(caller("POST", "tools/hub/memory_list", {}, Idempotency_Key="read").json())
    assert saved[0] == saved[1]
    assert [len(answer["memories"]) for answer in listed] == [0, 1]


@pytest.mark.parametrize(
    ("place", "said", "status", "words"),
    [
        ("hub/dance", {}, 404, "The hub has no tool 'dance'; it has whoami, memory_context"),
        ("hub/whoami", [], 400, "arguments: "),
        ("hub/whoami", {"context": "here"}, 400, "context: "),
        ("hub/whoami", {"context": {"team": "x"}}, 400, "team: There is no such field."),
        ("hub/memory_get", {"team_id": "x"}, 400, "team_id: There is no such field."),
    ],
)
def test_what_the_hubs_own_tools_cannot_do_is_told(
    writer: Actor, place: str, said: Any, status: int, words: str
) -> None:
    found, _, sentence = tools.refusal(writer, place, said)
    assert (found, sentence[: len(words)]) == (status, words)


def test_tools_that_only_read_say_so_to_mcp(writer: Actor) -> None:
    _, body = definitions(writer, dialect="group", format="mcp")
    reading = {tool["name"] for tool in body["tools"] if tool["annotations"]["readOnlyHint"]}
    assert reading == {"recall_memories", "list_memories"}


@pytest.mark.parametrize(
    ("asked", "status", "words"),
    [
        ({"dialect": "klingon"}, 404, "There is no dialect 'klingon'; there are kv, group"),
        ({"format": "xml"}, 400, "format: This must be one of openai, anthropic, mcp."),
        ({"dialects": "kv"}, 400, "dialects: There is no such parameter."),
    ],
)
def test_what_cannot_be_asked_for_is_told(writer: Actor, asked: dict[str, str], status: int, words: str) -> None:
    found, problem = definitions(writer, **asked)
    assert (found, problem["detail"][: len(words)]) == (status, words)


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("klingon/memory", "There is no dialect 'klingon'"),
        ("kv/save", "Dialect kv has no tool 'save'; it has memory."),
    ],
)
def test_a_tool_that_is_not_there_is_told(writer: Actor, place: str, words: str) -> None:
    status, code, sentence = tools.refusal(writer, place, {})
    assert (status, code, sentence[: len(words)]) == (404, "not_found", words)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_tool_publishes_a_call_that_answers_what_it_says(writer: Actor, dialect: str) -> None:
    """The tools are called one after the other, those that destroy something last."""
    for tool in sorted(DIALECTS[dialect], key=lambda tool: tool.destroys):
        assert tool.example is not None
        found = tools.result(writer, f"{dialect}/{tool.name}", tool.example)
        assert names(found) == names(tool.answer), tool.name


def names(found: object) -> object:
    """Return the structure of an answer: its names without its values."""
    if isinstance(found, dict):
        return {name: names(value) for name, value in found.items()}
    return [names(value) for value in found if isinstance(value, dict)] if isinstance(found, list) else ()


@pytest.mark.parametrize("body", [[], b'"text"', 7, b"null"])
def test_arguments_are_an_object(writer: Actor, body: object) -> None:
    status, code, _ = tools.refusal(writer, "kv/memory", body)
    assert (status, code) == (400, "invalid")


def test_a_null_leaves_an_argument_out(writer: Actor) -> None:
    arguments = {"command": "create", "key": "k", "content": "x", "mode": None, "query": None}
    assert tools.result(writer, "kv/memory", arguments)["key"] == "k"


@pytest.mark.django_db
@pytest.mark.parametrize("place", ["", "/kv/memory"])
def test_without_a_token_there_are_no_tools(client: Client, place: str) -> None:
    response = client.post(f"/api/v1/tools{place}") if place else client.get("/api/v1/tools")
    assert (response.status_code, response.json()["code"]) == (401, "unauthenticated")


@pytest.mark.parametrize(("dialect", "tool"), EVERY, ids=lambda part: getattr(part, "name", part))
def test_every_tool_refuses_what_it_does_not_know(writer: Actor, dialect: str, tool: Any) -> None:
    status, code, sentence = tools.refusal(writer, f"{dialect}/{tool.name}", {"team_id": "another"})
    assert (status, code) == (400, "invalid")
    assert "team_id: There is no such field." in sentence


@pytest.mark.parametrize("door", doors.OF_THE_TEAM, ids=lambda door: door.__name__)
@pytest.mark.parametrize("scope", Scope)
def test_a_teams_own_tools_show_what_the_team_shares_to_its_agents(cast: Cast, door: doors.Door, scope: Scope) -> None:
    memory = cast.memory(scope)
    seers = {name for name in AGENTS if door(cast[name], memory)}
    assert seers == (WHO_SEES[Scope.TEAM] & set(AGENTS) if scope == Scope.TEAM else set())


@pytest.mark.parametrize("door", doors.OF_THE_TEAM, ids=lambda door: door.__name__)
def test_only_a_directors_search_shows_what_is_of_the_team_above(cast: Cast, door: doors.Door) -> None:
    chief = factories.actor(factories.agent(cast.executive, "chief"), workspace="blue")
    above = factories.memory(chief, "We hire in autumn.")
    seers = {name for name in AGENTS if door(cast[name], above)}
    upwards = (doors.team_search, doors.mcp_resource, doors.mcp_completed)
    assert seers == ({"director"} if door in upwards else set())


@pytest.mark.parametrize("door", doors.OF_THE_TEAM, ids=lambda door: door.__name__)
def test_a_teams_own_tools_show_nothing_expired_or_forgotten(cast: Cast, door: doors.Door) -> None:
    expired = cast.memory(expires_at=timezone.now() + timedelta(hours=1))
    Memory.objects.filter(pk=expired.pk).update(expires_at=timezone.now())
    forgotten = cast.memory()
    operations.forget_memory(actor=cast["writer"].actor(), memory_id=forgotten.pk)
    assert not [name for name in AGENTS if door(cast[name], expired) or door(cast[name], forgotten)]
