"""Sessions by REST: register, archive, extract."""

from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from memories.models import Memory, TeamFile
from teams import operations as registry
from teams.models import Agent, Project, Session, Verb
from tests import factories

pytestmark = pytest.mark.django_db

MESSAGES = [{"role": "user", "content": "We decided to ship on Tuesdays.", "id": "m-1", "at": "2030-05-04T12:00:00Z"}]


@pytest.fixture
def agent() -> Agent:
    made = factories.agent()
    Project.objects.create(organization_id=made.organization_id, team=made.team, slug="apollo", name="Apollo")
    return made


def call(
    agent: Agent, path: str, body: Any = None, *, method: str = "post", verbs: Any = tuple(Verb), **said: str
) -> Any:
    headers = {"Authorization": f"Bearer {registry.issue_token(agent=agent, verbs=verbs).text}"}
    headers |= {name.replace("_", "-"): value for name, value in said.items()}
    address = f"/api/v1/sessions/{path}"
    if method == "get":
        return Client().get(address, headers=headers)
    return getattr(Client(), method)(address, body or {}, content_type="application/json", headers=headers)


# Registering


def test_a_session_is_registered_and_read(agent: Agent) -> None:
    body = {"project": "apollo", "user": "mira", "channel": "#ship"}
    made = call(agent, "chat-1", body, method="put")
    assert made.status_code == 201, made.content
    expected = {"name": "chat-1", "agent_id": str(agent.pk), **body, "workspace": None}
    assert {name: made.json()[name] for name in expected} == expected
    assert call(agent, "chat-1", method="get").json() == made.json()
    again = call(agent, "chat-1", method="put")
    assert (again.status_code, again.json()) == (200, made.json())


def test_calls_inherit_what_the_session_is_bound_to(agent: Agent) -> None:
    call(agent, "chat-1", {"project": "apollo", "user": "mira"}, method="put")
    memory = call(agent, "chat-1/extract", {"messages": MESSAGES, "scope": "project"}).json()["saved"][0]
    assert memory["project_id"] == str(Project.objects.get().pk)
    assert memory["person_id"] is not None


def test_a_session_stays_bound(agent: Agent) -> None:
    call(agent, "chat-1", {"user": "mira"}, method="put")
    other = call(agent, "chat-1", {"user": "jonas"}, method="put")
    assert (other.status_code, list(other.json()["fields"])) == (400, ["user"])
    assert call(agent, "chat-1", {"channel": "c"}, method="put").json()["user"] == "mira"


def test_any_name_can_be_a_session(agent: Agent) -> None:
    for name in ("a/b", "Zo%C3%AB%20%F0%9F%9A%A2", "x" * 200):
        assert call(agent, name, method="put").status_code == 201
        assert call(agent, name, method="get").status_code == 200
    assert set(Session.objects.values_list("name", flat=True)) == {"a/b", "Zoë 🚢", "x" * 200}


@pytest.mark.parametrize("method", ["get", "put"])
@pytest.mark.parametrize("name", ["a%00b", "x" * 201])
def test_a_name_that_cannot_be_kept_is_refused(agent: Agent, method: str, name: str) -> None:
    refused = call(agent, name, method=method)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["session"])


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"project": "zeus"}, 404, None),
        ({"workspace": "blue"}, 400, "workspace"),
        ({"colour": "red"}, 400, "colour"),
        ({"user": "x" * 129}, 400, "user"),
    ],
)
def test_a_bad_binding_registers_nothing(agent: Agent, body: Any, status: int, field: str | None) -> None:
    answer = call(agent, "chat-1", body, method="put")
    assert (answer.status_code, list(answer.json().get("fields", [None]))) == (status, [field])
    assert not Session.objects.exists()


def test_sessions_belong_to_their_agent(agent: Agent) -> None:
    call(agent, "chat-1", method="put")
    mate = factories.agent(agent.team)
    assert call(mate, "chat-1", method="get").status_code == 404
    assert call(mate, "chat-1", method="put").status_code == 201
    assert call(agent, "chat-2", method="put", verbs=(Verb.READ,)).status_code == 403
    assert call(agent, "chat-1", method="get", verbs=(Verb.WRITE,)).status_code == 403


# Archiving


def test_an_archive_answers_its_file_and_its_memory(agent: Agent) -> None:
    made = call(
        agent, "chat-1/archive", {"name": "ship day", "messages": MESSAGES, "summary": "They ship on Tuesdays."}
    )
    assert made.status_code == 201, made.content
    file, memory = made.json()["file"], made.json()["memory"]
    assert (file["path"][:14], file["path"][24:], file["version"]) == ("conversations/", "-ship-day.md", 1)
    assert (memory["key"], memory["content"]) == (file["path"], "They ship on Tuesdays.")
    assert (memory["category"], memory["session_id"]) == ("conversation", str(Session.objects.get().pk))
    again = call(agent, "chat-1/archive", {"name": "ship day", "messages": MESSAGES})
    assert (again.status_code, again.json()["file"]["version"], again.json()["memory"]["version"]) == (200, 2, 2)


def test_without_a_name_it_is_called_as_its_session(agent: Agent) -> None:
    assert call(agent, "chat-1/archive", {"messages": MESSAGES}).json()["file"]["path"].endswith("-chat-1.md")


def test_a_session_with_a_long_id_is_archived_too(agent: Agent) -> None:
    assert call(agent, f"{'s' * 200}/archive", {"messages": MESSAGES}).status_code == 201


def test_a_repeated_archive_is_written_once(agent: Agent) -> None:
    first, second = (call(agent, "c/archive", {"messages": MESSAGES}, Idempotency_Key="k") for _ in range(2))
    assert (first.json(), first.status_code) == (second.json(), second.status_code)
    assert TeamFile.objects.get().version == 1


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "user"}]}, "messages.0.content"),
        ({"messages": [{"role": "user", "content": ["x"]}]}, "messages.0.content"),
        ({"messages": [{"role": "user", "content": "x", "at": "noon"}]}, "messages.0.at"),
        ({"messages": [{"role": "us er", "content": "x"}]}, "messages.0.role"),
        ({"messages": MESSAGES, "name": "???"}, "name"),
        ({"messages": MESSAGES, "path": "/etc/passwd"}, "path"),
    ],
)
def test_a_bad_archive_is_refused_by_name(agent: Agent, body: Any, field: str) -> None:
    answer = call(agent, "chat-1/archive", body)
    assert (answer.status_code, list(answer.json()["fields"])) == (400, [field])
    assert not Memory.objects.exists()


def test_a_token_that_may_not_read_gets_receipts_for_sessions(agent: Agent) -> None:
    archived = call(agent, "c/archive", {"messages": MESSAGES}, verbs=(Verb.WRITE,)).json()
    extracted = call(agent, "c/extract", {"messages": MESSAGES}, verbs=(Verb.WRITE,)).json()
    assert set(archived["memory"]) == set(extracted["saved"][0]) == {"id", "key", "version", "status"}
    assert call(agent, "c/extract", verbs=(Verb.WRITE,)).status_code == 403
    assert call(agent, "c/archive", {"messages": MESSAGES}, verbs=(Verb.READ,)).status_code == 403


# Extracting


def test_an_extraction_answers_what_it_saved_and_what_was_known(agent: Agent) -> None:
    first = call(agent, "chat-1/extract", {"messages": MESSAGES}).json()
    (memory,) = first["saved"]
    assert (memory["content"], memory["source"], first["by"]) == (MESSAGES[0]["content"], "auto", "rules")
    assert (first["held"], first["known"], "note" in first) == ([], [], False)
    again = call(agent, "chat-1/extract", {"messages": MESSAGES}).json()
    known = {"content": memory["content"], "type": "decision", "memory_id": memory["id"], "similarity": 1.0}
    assert (again["saved"], again["known"]) == ([], [known])
    blind = call(agent, "chat-1/extract", {"messages": MESSAGES}, verbs=(Verb.WRITE,)).json()
    assert (blind["saved"], blind["known"]) == ([], [])


def test_an_extraction_reads_the_archive(agent: Agent) -> None:
    assert call(agent, "chat-1/extract").status_code == 404
    call(agent, "chat-1/archive", {"messages": MESSAGES})
    assert len(call(agent, "chat-1/extract").json()["saved"]) == 1


def test_held_ones_wait_for_approval(agent: Agent, settings: Settings) -> None:
    settings.EXTRACTION_HOLD = True
    (held,) = call(agent, "chat-1/extract", {"messages": MESSAGES}).json()["held"]
    assert (held["status"], Memory.objects.get(pk=held["id"]).status) == ("proposed", "proposed")


def test_a_call_cannot_override_that_the_hub_holds(agent: Agent, settings: Settings) -> None:
    settings.EXTRACTION_HOLD = True
    answer = call(agent, "chat-1/extract", {"messages": MESSAGES, "hold": False}).json()
    assert (answer["saved"], len(answer["held"])) == ([], 1)
    settings.EXTRACTION_HOLD = False
    other = [{"role": "user", "content": "Remember that the gate is green."}]
    assert len(call(agent, "chat-1/extract", {"messages": other, "hold": True}).json()["held"]) == 1


def test_switched_off_it_says_so(agent: Agent, settings: Settings) -> None:
    settings.EXTRACTION = "none"
    answer = call(agent, "chat-1/extract", {"messages": MESSAGES}).json()
    assert (answer["saved"], answer["note"]) == ([], "Extraction is switched off here.")


def test_a_repeated_extraction_is_saved_once(agent: Agent) -> None:
    first, second = (call(agent, "c/extract", {"messages": MESSAGES}, Idempotency_Key="k") for _ in range(2))
    assert first.json() == second.json()
    assert Memory.objects.count() == 1


@pytest.mark.parametrize(("body", "field"), [({"scope": "world"}, "scope"), ({"scope": "project"}, "project")])
def test_a_bad_extraction_is_refused_by_name(agent: Agent, body: Any, field: str) -> None:
    answer = call(agent, "chat-1/extract", {"messages": MESSAGES, **body})
    assert (answer.status_code, list(answer.json()["fields"])) == (400, [field])
