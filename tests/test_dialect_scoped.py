"""The scoped dialect, as its agents call it."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.base import ContentFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from jsonschema import Draft202012Validator

from memories import operations
from memories.models import Memory, Revision, Scope, Source
from memories.tools import Format, tools
from teams import operations as registry
from teams.models import Agent, Organization, Person, Project, Verb, Workspace
from tests import factories
from tests.cast import AGENTS, WHO_SEES, Cast
from tests.tools import call_tool_api

pytestmark = pytest.mark.django_db
Call = Callable[..., dict[str, Any]]

EXPIRY = (timezone.now() + timedelta(days=30)).replace(microsecond=0).isoformat()
NINE = {
    "key": "deploy-freeze",
    "value": "Deploys are frozen from Friday noon until Monday morning.",
    "summary": "No deploys at the weekend.",
    "category": "policy",
    "tags": ["release", "ops"],
    "importance": 8,
    "pinned": True,
    "expiresAt": EXPIRY,
    "source": "wiki-bot",
}


@pytest.fixture
def agent() -> Agent:
    agent = factories.agent()
    Project.objects.create(organization_id=agent.organization_id, team=agent.team, slug="apollo", name="Apollo")
    return agent


@pytest.fixture
def call_scoped(agent: Agent) -> Call:
    token = registry.issue_token(agent=agent).text

    def call(name: str, body: object, *, status: int = 200, user: str = "mira", **context: str) -> dict[str, Any]:
        found, answer = call_tool_api(token, f"scoped/{name}", body, user=user, **context)
        assert found == status, answer
        return answer

    return call


def keys(answer: dict[str, Any]) -> list[str]:
    return [memory["key"] for memory in answer["memories"]]


def test_all_nine_fields_come_back_by_their_names(call_scoped: Call) -> None:
    saved = call_scoped("save", NINE)
    assert saved["created"] is True
    read = call_scoped("get", {"id": saved["id"]})
    for answer in (
        saved,
        read,
        call_scoped("recall", {"query": "deploy"})["memories"][0],
        call_scoped("list", {})["memories"][0],
    ):
        assert {name: answer[name] for name in NINE} == NINE
        assert (answer["scope"], answer["version"]) == ("global", 1)
        assert datetime.fromisoformat(answer["createdAt"]) == datetime.fromisoformat(answer["updatedAt"])
    memory = Memory.objects.get()
    assert (memory.importance, memory.content) == (0.8, NINE["value"])


def test_a_key_is_found_however_it_is_written(call_scoped: Call) -> None:
    saved = call_scoped("save", {"key": " cafe\u0301 ", "value": "Opens at nine."})
    assert (
        call_scoped("get", {"key": " cafe\u0301 "})["id"]
        == call_scoped("get", {"key": "caf\u00e9"})["id"]
        == saved["id"]
    )
    assert call_scoped("delete", {"key": " cafe\u0301 "})["id"] == saved["id"]


def test_what_is_not_said_has_its_default(call_scoped: Call) -> None:
    saved = call_scoped("save", {"value": "Something."})
    found = {name: saved[name] for name in NINE}
    assert found == {
        "key": None,
        "value": "Something.",
        "summary": None,
        "category": "fact",
        "tags": [],
        "importance": 5,
        "pinned": False,
        "expiresAt": None,
        "source": "manual",
    }
    assert (saved["userId"], Person.objects.get().handle) == ("mira", "mira")


@pytest.mark.parametrize("importance", range(1, 11))
def test_importance_is_counted_in_tenths(call_scoped: Call, importance: int) -> None:
    assert call_scoped("save", {"value": "x", "importance": importance})["importance"] == importance
    assert Memory.objects.get().importance == importance / 10


@pytest.mark.parametrize("importance", [0.0, 0.04, 1.0])
def test_other_doors_importance_reads_as_one_to_ten(agent: Agent, call_scoped: Call, importance: float) -> None:
    memory = factories.memory(factories.actor(agent), importance=importance)
    assert call_scoped("get", {"id": str(memory.pk)})["importance"] == max(1, importance * 10 // 1)


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({}, 400, "value"),
        ({"value": ""}, 400, "value"),
        ({"value": "x", "key": ""}, 400, "key"),
        ({"value": "x", "key": "k" * 201}, 400, "key"),
        ({"value": "x", "summary": "s" * 1001}, 400, "summary"),
        ({"value": "x", "importance": 0}, 400, "importance"),
        ({"value": "x", "importance": 11}, 400, "importance"),
        ({"value": "x", "importance": 5.5}, 400, "importance"),
        ({"value": "x", "tags": "a,b"}, 400, "tags"),
        ({"value": "x", "pinned": "yes"}, 400, "pinned"),
        ({"value": "x", "expiresAt": "tomorrow"}, 400, "expiresAt"),
        ({"value": "x", "expiresAt": "2020-01-01T00:00:00Z"}, 400, "expiresAt"),
        ({"value": "x", "source": "s" * 65}, 400, "source"),
        ({"value": "x", "scope": "team"}, 400, "scope"),
        ({"value": "x", "dedupe": "refuse"}, 400, "dedupe"),
        ({"value": "x", "sources": [{}]}, 400, "sources.0"),
        ({"value": "x", "sources": [{"url": "javascript:alert(1)"}]}, 400, "sources.0.url"),
        ({"value": "x", "content": "y"}, 400, "content"),
        ({"value": "x" * 50_001}, 413, "value"),
    ],
)
def test_a_bad_scoped_save_names_the_field_and_changes_nothing(
    call_scoped: Call, body: Any, status: int, field: str
) -> None:
    assert list(call_scoped("save", body, status=status)["fields"]) == [field]
    assert not Memory.objects.exists()


def test_a_save_without_a_user_says_what_is_missing(call_scoped: Call) -> None:
    problem = call_scoped("save", {"value": "x"}, status=400, user="")
    assert "X-Memory-User" in problem["fields"]["userId"]
    problem = call_scoped("save", {"value": "x", "scope": "project"}, status=400)
    assert "X-Memory-Project" in problem["fields"]["projectId"]
    assert not Memory.objects.exists()


def test_each_scope_has_its_audience(agent: Agent, call_scoped: Call) -> None:
    call_scoped("save", {"value": "x", "key": "global"})
    call_scoped("save", {"value": "x", "key": "project", "scope": "project"}, project="apollo")
    call_scoped("save", {"value": "x", "key": "agent", "scope": "agent"}, user="")
    audiences = dict(Memory.objects.values_list("key", "audience"))
    project, person = Project.objects.get(), Person.objects.get()
    assert audiences == {"global": person.pk, "project": project.pk, "agent": agent.pk}
    assert set(keys(call_scoped("list", {}))) == {"global", "agent"}
    assert set(keys(call_scoped("list", {}, user="", project="apollo"))) == {"project", "agent"}
    assert keys(call_scoped("list", {"scope": "global"})) == ["global"]
    assert keys(call_scoped("list", {}, user="zoe")) == ["agent"]


def test_a_session_carries_its_context(call_scoped: Call) -> None:
    call_scoped("save", {"value": "x", "key": "k"}, session="s-1", project="apollo")
    found = call_scoped("save", {"value": "y", "key": "k", "scope": "project"}, session="s-1", user="")
    assert (found["projectId"], found["sessionId"], found["userId"]) == ("apollo", "s-1", "mira")


def test_a_token_that_serves_somebody_needs_nothing_said(agent: Agent) -> None:
    token = registry.issue_token(agent=agent, user="mira").text
    day = [("save", NINE), ("recall", {"query": "deploy"}), ("list", {}), ("get", {"key": "deploy-freeze"})]
    for name, body in (*day, ("delete", {"key": "deploy-freeze"})):
        status, answer = call_tool_api(token, f"scoped/{name}", body)
        assert status == 200, answer
        for memory in answer.get("memories", [answer] if name in ("save", "get") else []):
            assert (memory["key"], memory["scope"], memory["userId"]) == ("deploy-freeze", "global", "mira")


def test_a_call_says_its_circumstances_in_headers_or_arguments(agent: Agent, call_scoped: Call) -> None:
    Organization.objects.update(workspaces_enabled=True)
    Workspace.objects.create(organization_id=agent.organization_id, slug="blue", name="Blue")
    said = {"userId": "zoe", "projectId": "apollo", "sessionId": "s-1", "workspaceId": "blue"}
    saved = call_scoped("save", NINE | said | {"pinned": False})  # though the header says mira
    assert {name: saved[name] for name in said} == said
    assert saved["agentId"] == agent.slug
    for name, body in (("get", {"id": saved["id"]}), ("list", {}), ("recall", {"query": "deploy"})):
        answer = call_scoped(name, body | said)
        assert {name: answer.get("memories", [answer])[0][name] for name in said} == said
    session = {"sessionId": "s-1"}
    assert keys(call_scoped("list", session, user="")) == ["deploy-freeze"]  # which remembers the rest
    assert "belongs to user 'zoe'" in call_scoped("list", session | {"userId": "mira"}, status=400)["fields"]["user"]
    assert keys(call_scoped("list", {"userId": ""}, workspace="blue")) == []  # empty is as good as left out
    call_scoped("delete", {"key": "deploy-freeze"}, status=404)
    assert call_scoped("delete", {"key": "deploy-freeze"} | said)["deleted"]


@pytest.mark.parametrize("name", ["save", "recall", "list", "get", "delete"])
def test_odd_circumstances_are_named_and_strangers_not_found(call_scoped: Call, name: str) -> None:
    body: dict[str, Any] = {"save": {"value": "x"}, "recall": {"query": "x"}, "list": {}}.get(name, {"key": "k"})
    for said, field in (
        ({"userId": 7}, "userId"),
        ({"userId": "u" * 129}, "userId"),
        ({"sessionId": "a\0"}, "sessionId"),
    ):
        assert list(call_scoped(name, body | said, status=400)["fields"]) == [field]
    elsewhere = factories.agent()
    Project.objects.create(organization_id=elsewhere.organization_id, team=elsewhere.team, slug="gemini", name="x")
    for project in ("gemini", str(Project.objects.get(slug="gemini").pk), "nowhere"):
        assert "may use" in call_scoped(name, body | {"projectId": project}, status=404)["detail"]
    call_scoped(name, body | {"workspaceId": "blue"}, status=400)
    assert not Memory.objects.exists()


def test_workspaces_keep_memories_apart(agent: Agent, call_scoped: Call) -> None:
    Organization.objects.update(workspaces_enabled=True)
    for slug in ("blue", "green"):
        Workspace.objects.create(organization_id=agent.organization_id, slug=slug, name=slug)
    call_scoped("save", NINE, workspace="blue")
    for name, body in (("recall", {"query": "deploy"}), ("list", {})):
        assert keys(call_scoped(name, body, workspace="blue")) == ["deploy-freeze"]
        assert keys(call_scoped(name, body, workspace="green")) == []
    call_scoped("get", {"key": "deploy-freeze"}, workspace="green", status=404)
    call_scoped("delete", {"key": "deploy-freeze"}, workspace="green", status=404)


def test_a_known_key_is_updated_in_place(call_scoped: Call) -> None:
    first = call_scoped("save", NINE | {"pinned": False})
    again = call_scoped("save", {"key": "deploy-freeze", "value": "No freeze any more."})
    assert (again["id"], again["version"], again["created"]) == (first["id"], 2, False)
    assert (again["value"], again["importance"], again["tags"]) == ("No freeze any more.", 8, ["release", "ops"])
    assert again["summary"] is None  # it told of the value before
    other = call_scoped("save", {"key": "deploy-freeze", "value": "x", "scope": "agent"})
    elsewhere = call_scoped("save", {"key": "deploy-freeze", "value": "x"}, user="zoe")
    assert len({first["id"], other["id"], elsewhere["id"]}) == 3


def test_create_forces_a_new_row(call_scoped: Call) -> None:
    first = call_scoped("save", NINE)
    second = call_scoped("save", NINE | {"dedupe": "create"})
    assert second["created"] is True
    assert second["id"] != first["id"]
    assert keys(call_scoped("list", {})) == ["deploy-freeze"] * 2
    assert call_scoped("get", {"key": "deploy-freeze"})["id"] == first["id"]


def test_recall_gives_five_unless_said_and_fifty_at_most(agent: Agent, call_scoped: Call) -> None:
    drafts = [operations.Draft(content=f"Anchor {number}") for number in range(60)]
    operations.save_memories(actor=factories.actor(agent), drafts=drafts)
    for said, count in (({}, 5), ({"limit": 1}, 1), ({"limit": 50}, 50)):
        answer = call_scoped("recall", {"query": "anchor", **said})
        assert (len(answer["memories"]), answer["total"]) == (count, 60)
    for limit in (0, 51, -1, 10**9):
        assert list(call_scoped("recall", {"query": "anchor", "limit": limit}, status=400)["fields"]) == ["limit"]
    call_scoped("recall", {}, status=400)
    call_scoped("recall", {"query": " "}, status=400)


@pytest.mark.parametrize("field", ["key", "summary", "value", "category", "tags"])
def test_recall_looks_into_every_text(call_scoped: Call, field: str) -> None:
    word = ["quetzal"] if field == "tags" else "quetzal"
    call_scoped("save", {"value": "Something.", "key": "k", field: word})
    call_scoped("save", {"value": "Something else."})
    assert len(call_scoped("recall", {"query": "quetzal"})["memories"]) == 1


def test_recall_finds_parts_of_words(call_scoped: Call) -> None:
    call_scoped("save", {"value": "The kubernetes cluster is in Dublin.", "key": "k"})
    assert keys(call_scoped("recall", {"query": "bernet"})) == ["k"]


def test_equal_matches_are_ranked_by_pin_importance_and_change(call_scoped: Call) -> None:
    for key, more in (
        ("older", {}),
        ("newer", {}),
        ("important", {"importance": 9}),
        ("pinned", {"pinned": True, "importance": 1}),
    ):
        call_scoped("save", {"key": key, "value": "The anchor squeaks.", "importance": 5, **more})
    expected = ["pinned", "important", "newer", "older"]
    assert keys(call_scoped("recall", {"query": "anchor squeaks"})) == expected
    assert keys(call_scoped("list", {})) == expected


def test_a_better_match_comes_before_a_pinned_one(call_scoped: Call) -> None:
    call_scoped("save", {"key": "worse", "value": "The anchor is one of many things aboard.", "pinned": True})
    call_scoped("save", {"key": "better", "value": "The anchor windlass squeaks."})
    assert keys(call_scoped("recall", {"query": "anchor windlass squeaks"})) == ["better", "worse"]


@pytest.mark.parametrize("name", ["recall", "list"])
@pytest.mark.parametrize(
    "said", [{"category": "policy"}, {"tags": ["release"]}, {"source": "wiki-bot"}, {"pinned": True}]
)
def test_reads_can_be_narrowed(call_scoped: Call, name: str, said: dict[str, Any]) -> None:
    call_scoped("save", NINE)
    call_scoped("save", {"key": "other", "value": "Deploys happen.", "tags": ["ops"]})
    query = {"query": "deploys"} if name == "recall" else {}
    assert len(call_scoped(name, query)["memories"]) == 2
    assert keys(call_scoped(name, query | said)) == ["deploy-freeze"]


def test_expired_memories_are_gone_from_every_read(call_scoped: Call) -> None:
    saved = call_scoped("save", NINE)
    Memory.objects.update(expires_at=timezone.now())
    assert call_scoped("recall", {"query": "deploy"})["memories"] == []
    assert call_scoped("list", {})["memories"] == []
    call_scoped("get", {"id": saved["id"]}, status=404)
    call_scoped("get", {"key": "deploy-freeze"}, status=404)


def test_a_list_goes_on_where_it_ended(call_scoped: Call) -> None:
    for number in range(5):
        call_scoped("save", {"key": f"k{number}", "value": "x"})
    first = call_scoped("list", {"limit": 3})
    second = call_scoped("list", {"limit": 3, "offset": first["nextOffset"]})
    assert keys(first) + keys(second) == ["k4", "k3", "k2", "k1", "k0"]
    assert (first["nextOffset"], second["nextOffset"]) == (3, None)


def test_get_lists_assets_and_sources(agent: Agent, call_scoped: Call) -> None:
    origin = {"session": "s-9", "messageId": "m-3", "url": "https://example.org/wiki", "quote": "No Friday deploys!"}
    saved = call_scoped("save", NINE | {"sources": [origin]})
    actor = factories.actor(agent, user="mira")
    file = ContentFile(b"a,b\n1,2\n")
    asset = operations.attach_file(actor=actor, memory_id=saved["id"], file=file, name="freeze.csv")
    found = call_scoped("get", {"key": "deploy-freeze"})
    (source,) = found["sources"]
    assert {name: source[name] for name in origin} == origin
    assert found["assets"] == [
        {
            "id": str(asset.pk),
            "name": "freeze.csv",
            "contentType": "text/csv",
            "size": 8,
            "sha256": asset.sha256,
            "url": f"/api/v1/memories/{saved['id']}/assets/{asset.pk}",
        }
    ]


def test_the_same_source_is_noted_once(call_scoped: Call) -> None:
    first, second = {"session": "s-1", "messageId": "m-1"}, {"url": "https://example.org/"}
    for sources in ([first], [first, second], [second]):
        call_scoped("save", {"key": "k", "value": "x", "sources": sources})
    assert Source.objects.count() == 2


def test_get_by_a_key_that_lives_twice_asks_which(call_scoped: Call) -> None:
    call_scoped("save", {"key": "k", "value": "one"})
    call_scoped("save", {"key": "k", "value": "two", "scope": "agent"})
    for name in ("get", "delete"):
        problem = call_scoped(name, {"key": "k"}, status=400)
        assert problem["fields"]["scope"] == "The key 'k' exists in the scopes agent, global. Say which one."
    assert call_scoped("get", {"key": "k", "scope": "agent"})["value"] == "two"
    assert call_scoped("get", {"key": "k", "scope": "global"})["value"] == "one"


@pytest.mark.parametrize("name", ["get", "delete"])
def test_one_memory_is_named_in_one_way(call_scoped: Call, name: str) -> None:
    for body in ({}, {"id": str(uuid4()), "key": "k"}):
        assert list(call_scoped(name, body, status=400)["fields"]) == ["id"]
    call_scoped(name, {"id": str(uuid4())}, status=404)
    call_scoped(name, {"key": "nothing"}, status=404)


@pytest.mark.parametrize("by", ["id", "key"])
def test_deleting_forgets(call_scoped: Call, by: str) -> None:
    saved = call_scoped("save", NINE | {"pinned": False})
    assert call_scoped("delete", {by: saved[by], "reason": "over"}) == {"deleted": True, "id": saved["id"]}
    assert call_scoped("list", {})["memories"] == []
    memory = Memory.objects.get()
    assert memory.forgotten_at
    assert memory.forget_reason == "over"
    assert call_scoped("delete", {"id": saved["id"]}, status=409)["code"] == "conflict"


def test_the_scoped_dialect_needs_the_verbs(agent: Agent, call_scoped: Call) -> None:
    saved = call_scoped("save", NINE | {"pinned": False})
    reader = registry.issue_token(agent=agent, verbs=[Verb.READ]).text
    writer = registry.issue_token(agent=agent, verbs=[Verb.WRITE]).text
    assert call_tool_api(reader, "scoped/save", NINE, user="mira")[0] == 403
    assert call_tool_api(reader, "scoped/delete", {"id": saved["id"]}, user="mira")[0] == 403
    _, receipt = call_tool_api(writer, "scoped/save", {"key": "deploy-freeze", "value": "x"}, user="mira")
    assert receipt == {"id": saved["id"], "version": 2, "created": False}
    assert call_tool_api(writer, "scoped/get", {"id": saved["id"]}, user="mira")[0] in (403, 404)


@pytest.mark.parametrize("scope", Scope)
@pytest.mark.parametrize("name", AGENTS)
def test_each_scope_shows_only_to_its_readers_in_the_scoped_dialect(cast: Cast, scope: Scope, name: str) -> None:
    memory = cast.memory(scope, key="pager")
    context, token = cast[name].context, cast[name].token()
    said = {"project": context.project, "user": context.user, "workspace": context.workspace}
    sees = name in WHO_SEES[scope]
    for tool, body in (("recall", {"query": "pager drawer"}), ("list", {})):
        _, answer = call_tool_api(token, f"scoped/{tool}", body, **said)
        assert (str(memory.pk) in {row["id"] for row in answer["memories"]}) == sees
    for body in ({"id": str(memory.pk)}, {"key": "pager"}):
        assert call_tool_api(token, "scoped/get", body, **said)[0] == (200 if sees else 404)
    if not sees:
        assert call_tool_api(token, "scoped/delete", {"id": str(memory.pk)}, **said)[0] == 404
        assert Memory.objects.get().forgotten_at is None


def test_queries_of_the_scoped_dialect_do_not_grow_with_results(call_scoped: Call) -> None:
    counts: dict[str, list[int]] = {"recall": [], "list": [], "get": []}
    asked = {"recall": {"query": "anchor", "limit": 50}, "list": {}, "get": {"key": "k0"}}
    for number in range(9):
        call_scoped("save", {"key": f"k{number}", "value": f"Anchor {number}."})
        call_scoped("save", {"key": "k0", "value": "Anchor.", "sources": [{"session": "s", "messageId": f"m{number}"}]})
        if number in (1, 8):
            for name, body in asked.items():
                with CaptureQueriesContext(connection) as captured:
                    call_scoped(name, body)
                counts[name].append(len(captured))
    assert all(few >= many for few, many in counts.values()), counts


@pytest.mark.parametrize("format", Format)
def test_definitions_of_the_scoped_dialect_are_valid_schemas(format: Format) -> None:
    assert [tool.name for tool in tools("scoped")] == ["save", "recall", "list", "get", "delete"]
    for tool in tools("scoped"):
        definition = tool.definition(format)
        schema = definition.get("function", definition).get("parameters") or definition.get("input_schema")
        Draft202012Validator.check_schema(schema or definition["inputSchema"])


def test_the_nine_fields_fit_the_schema() -> None:
    Draft202012Validator(tools("scoped")[0].parameters).validate(NINE)


@pytest.mark.django_db(transaction=True)
def test_many_saves_of_one_key_leave_one_row_and_every_version() -> None:
    token = factories.token(factories.actor())

    def save(number: int) -> int:
        body = {"key": "k", "value": f"Said by {number}.", "sources": [{"messageId": f"m-{number}"}]}
        try:
            return call_tool_api(token, "scoped/save", body, user="mira")[0]
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(save, range(20))) == {200}
    assert (Memory.objects.get().version, Revision.objects.count(), Source.objects.count()) == (20, 20, 20)
