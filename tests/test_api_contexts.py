"""Tests of calls whose context or filters name what is not the caller's own: nothing leaks, and what belongs to others
is refused in the same words as what does not exist."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from memories import operations
from memories.models import Memory, Source
from teams.models import Organization, Person, Project, Session, Workspace
from tests import factories
from tests.belongings import SECRET_WORD, belongings
from tests.cast import Cast, Member
from tests.doors import headers, messenger
from tests.tools import call_tool_api

Refusal = tuple[int, str]
Way = Callable[[Member, str, str], Refusal]


def by_header(member: Member, field: str, value: str) -> Refusal:
    response = Client().get("/api/v1/me", headers=headers(member) | {f"X-Memory-{field.title()}": value})
    return response.status_code, response.content.decode()


def by_body_of_session(member: Member, field: str, value: str) -> Refusal:
    response = Client().put(
        "/api/v1/sessions/mine", {field: value}, content_type="application/json", headers=headers(member)
    )
    return response.status_code, response.content.decode()


def by_argument(member: Member, field: str, value: str) -> Refusal:
    """Name the context in an argument, in the dialect that takes it so."""
    said = {name: value for name, value in (("workspace", member.context.workspace),) if name != field}
    status, answer = call_tool_api(member.token(), "scoped/list", {f"{field}Id": value}, **said)
    return status, str(answer)


def by_mcp_header(member: Member, field: str, value: str) -> Refusal:
    agent = messenger(member)
    agent.context[field] = value
    return _read_refusal(agent.result("tools/call", name="whoami", arguments={}))


def by_mcp_argument(member: Member, field: str, value: str) -> Refusal:
    return _read_refusal(messenger(member).result("tools/call", name="whoami", arguments={"context": {field: value}}))


def by_mcp_meta(member: Member, field: str, value: str) -> Refusal:
    meta = {"memoryhub/context": {field: value}}
    return _read_refusal(messenger(member).result("tools/call", name="whoami", arguments={}, _meta=meta))


def _read_refusal(result: dict[str, Any]) -> Refusal:
    return 404 if result.get("isError") else 200, result["content"][0]["text"]


WAYS = (by_header, by_body_of_session, by_argument, by_mcp_header, by_mcp_argument, by_mcp_meta)


@pytest.fixture
def foreign(cast: Cast) -> dict[str, list[str]]:
    """Return what the stranger may not name: of another team of its organization, and of another organization."""
    globex = Organization.objects.get(slug="globex")
    Organization.objects.filter(pk=globex.pk).update(workspaces_enabled=True)
    team = factories.team(globex, "labs")
    zeus = Project.objects.create(organization=globex, team=team, slug="zeus", name="Zeus")
    red = Workspace.objects.create(organization=globex, slug="red", name="Red")
    return {
        "project": ["apollo", str(cast.project.pk), "zeus", str(zeus.pk)],
        "workspace": ["red", str(red.pk), str(Workspace.objects.get(slug="blue").pk)],
    }


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_context_of_others_is_refused_like_one_that_is_not_there(
    cast: Cast, foreign: dict[str, list[str]], way: Way
) -> None:
    stranger = cast["stranger"]
    for field, theirs in foreign.items():
        told = {}
        for value in (*theirs, "nowhere", str(uuid4())):
            status, text = way(stranger, field, value)
            told[value] = (status, text.replace(value, "…"))
        assert len(set(told.values())) == 1, told
        assert told["nowhere"][0] == 404
    assert not Session.objects.filter(agent=stranger.agent).exists()


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_session_or_person_of_others_is_only_a_name(cast: Cast, way: Way) -> None:
    """A caller that names one gets its own by that name, and is not shown whose the other is, or in which project."""
    writer = replace(cast["writer"], context=replace(cast["writer"].context, session="theirs/chat"))
    theirs = Session.objects.get(pk=writer.actor().session_id)
    mira = Person.objects.get(handle="mira", organization=cast.ops.organization_id)
    for member in (cast["stranger"], cast["outsider"]):
        for field, value in (("session", theirs.name), ("session", str(theirs.pk)), ("user", str(mira.pk))):
            if way is by_body_of_session and field == "session":
                continue  # whose name is its address
            status, text = way(member, field, value)
            assert status in (200, 201), text
            told = text.replace(value, "…")
            assert not [said for said in ("apollo", cast.project.pk, theirs.pk, mira.pk) if str(said) in told], told
    theirs.refresh_from_db()
    assert theirs.agent == cast["writer"].agent


def test_a_handle_of_another_organization_is_another_person(cast: Cast) -> None:
    cast.memory("global", SECRET_WORD)  # type: ignore[arg-type]
    said = headers(cast["outsider"]) | {"X-Memory-User": "mira"}
    Client().post("/api/v1/memories", {"content": "Any."}, content_type="application/json", headers=said)
    assert [row["content"] for row in Client().get("/api/v1/memories", headers=said).json()["memories"]] == ["Any."]
    assert Person.objects.filter(handle="mira").count() == 2


def test_a_source_names_ones_own_session_even_by_the_name_of_anothers(cast: Cast) -> None:
    theirs = belongings(cast["writer"].actor(), "theirs")
    for name in ("stranger", "teammate"):
        mine = belongings(cast[name].actor(), f"mine of {name}", "My own drawer.")
        path = f"/api/v1/memories/{mine.memory.pk}/sources"
        said = {"content_type": "application/json", "headers": headers(cast[name])}
        assert Client().post(path, {"session": theirs.session}, **said).status_code == 201  # type: ignore[arg-type]
        cited = Source.objects.select_related("session").get(memory=mine.memory, quote="")
        assert cited.session
        assert cited.session.agent_id == mine.memory.agent_id


def lists(member: Member, **filters: object) -> list[Any]:
    """Return the answers of every list and recall with these filters."""
    said = headers(member)
    asked = {"query": "pager drawer", **filters}
    agent = messenger(member)
    return [
        Client().get("/api/v1/memories", filters, headers=said).json(),
        Client().get("/api/v1/memories", filters | {"text": "drawer"}, headers=said).json(),
        Client().get("/api/v1/memories", filters | {"forgotten": "true"}, headers=said).json(),
        Client().post("/api/v1/recall", asked, content_type="application/json", headers=said).json(),
        agent.call("memory_list", **filters),
        agent.call("memory_recall", **asked),
    ]


def test_filters_by_what_is_anothers_find_what_filters_by_nothing_find(cast: Cast) -> None:
    writer = factories.actor(
        cast["writer"].agent, project="apollo", user="mira", session="theirs", workspace="blue", channel="#theirs"
    )
    labels = {"source": "theirs", "category": "theirs"}
    theirs = factories.memory(writer, SECRET_WORD, tags=["theirs"], **labels)
    gone = factories.memory(writer, SECRET_WORD, tags=["theirs"], **labels)
    operations.forget_memory(actor=writer, memory_id=gone.pk)
    by_id = {name: str(getattr(theirs, name)) for name in ("project_id", "agent_id", "person_id", "session_id")}
    filters = [({name: value}, {name: str(uuid4())}) for name, value in by_id.items()]
    filters += [({name: "theirs"}, {name: "nobody's"}) for name in labels]
    filters += [({name: ["theirs"]}, {name: ["nobody's"]}) for name in ("tags", "any_tags")]
    filters += [({"channel_id": "#theirs"}, {"channel_id": "#nobody"})]
    for name in ("stranger", "outsider", "elsewhere"):
        member = cast[name]
        factories.memory(member.actor(), "My own drawer.")
        for foreign, unknown in filters:
            if name == "elsewhere" and not foreign.keys().isdisjoint({"person_id", "project_id"}):
                continue  # who is at work there too, in another workspace
            assert lists(member, **foreign) == lists(member, **unknown), (name, foreign)


def test_a_cursor_of_another_leads_only_through_ones_own(cast: Cast) -> None:
    for number in range(3):
        cast.memory(content=f"{SECRET_WORD} {number}")
    page = Client().get("/api/v1/memories?limit=1", headers=headers(cast["writer"])).json()
    for name in ("stranger", "outsider", "elsewhere"):
        mine = factories.memory(cast[name].actor(), "My own drawer.")
        Memory.objects.filter(pk=mine.pk).update(created_at="2020-01-01T00:00:00Z")
        response = Client().get("/api/v1/memories", {"limit": 1, "cursor": page["next"]}, headers=headers(cast[name]))
        assert response.status_code in (200, 400)
        assert SECRET_WORD not in response.content.decode()
