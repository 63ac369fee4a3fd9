"""The REST door's first endpoints."""

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from pytest_django import Settings

from memories.models import Memory
from teams import operations as registry
from teams.models import Agent, Person, Token, Verb
from tests.caller import etag

pytestmark = pytest.mark.django_db


def post(agent: Agent, body: Any, *, verbs: tuple[Verb, ...] = tuple(Verb), **headers: str) -> Any:
    bearer = f"Bearer {registry.issue_token(agent=agent, verbs=verbs).text}"
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Client().post(
        "/api/v1/memories", body, content_type="application/json", headers={"Authorization": bearer, **named}
    )


def test_a_save_answers_the_memory_with_id_and_version(agent: Agent) -> None:
    response = post(agent, {"content": "Berth 7 is closed.", "type": "event", "tags": ["Berth"]})
    saved = response.json()
    assert (response.status_code, saved["version"], response["ETag"]) == (201, 1, etag(saved))
    assert (saved["type"], saved["tags"], saved["importance"]) == ("event", ["berth"], 0.5)
    memory = Memory.objects.get(pk=saved["id"])
    assert (memory.content, memory.agent_id) == ("Berth 7 is closed.", agent.pk)


def test_a_known_key_is_a_new_version(agent: Agent) -> None:
    post(agent, {"content": "one", "key": "k"})
    again = post(agent, {"content": "two", "key": "k"})
    assert (again.status_code, again.json()["version"]) == (200, 2)
    stale = post(agent, {"content": "three", "key": "k", "version": 1})
    assert (stale.status_code, stale.json()["code"]) == (409, "conflict")
    assert (stale.json()["current"]["content"], stale.json()["current"]["version"]) == ("two", 2)


def test_an_idempotency_key_makes_retries_safe(agent: Agent) -> None:
    first, second = (post(agent, {"content": "once"}, Idempotency_Key="k") for _ in range(2))
    assert first.json() == second.json()
    assert Memory.objects.count() == 1
    other = post(agent, {"content": "twice"}, Idempotency_Key="k")
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")


@pytest.mark.parametrize(
    ("body", "status", "code", "fields"),
    [
        ({}, 400, "invalid", ["content"]),
        ([], 400, "invalid", ["body"]),
        ({"content": "x", "colour": "red"}, 400, "invalid", ["colour"]),
        ({"content": "x", "audience": str(uuid4())}, 400, "invalid", ["audience"]),
        ({"content": "x", "importance": 7}, 400, "invalid", ["importance"]),
        ({"content": "x", "expires_at": "tomorrow"}, 400, "invalid", ["expires_at"]),
        ({"content": "x", "expires_at": "2030-02-31T00:00:00Z"}, 400, "invalid", ["expires_at"]),
        ({"content": "x", "version": "one"}, 400, "invalid", ["version"]),
        ({"content": "é" * 25_001}, 413, "too_large", ["content"]),
    ],
)
def test_bad_input_is_a_problem_document(agent: Agent, body: Any, status: int, code: str, fields: list[str]) -> None:
    response = post(agent, body)
    problem = response.json()
    assert (response.status_code, problem["code"], list(problem["fields"])) == (status, code, fields)
    assert response["Content-Type"] == "application/problem+json"
    assert not Memory.objects.exists()


@pytest.mark.parametrize("raw", [b"{", b"\xff", b'{"content": NaN}', b"[" * 5_000, b'{"content": "\\ud800"}', b""])
def test_what_is_not_json_is_said_so(agent: Agent, raw: bytes) -> None:
    response = post(agent, raw)
    assert response.status_code == 400, response.content
    assert not Memory.objects.exists()


def test_without_a_good_token_there_is_nothing(agent: Agent, client: Client) -> None:
    secret = registry.issue_token(agent=agent)
    registry.revoke_token(token=Token.objects.get())
    for header in ("", "Bearer ", "Bearer mh_nonsense", f"Basic {secret.text}", f"Bearer {secret.text}"):
        response = client.get("/api/v1/me", headers={"Authorization": header})
        assert (response.status_code, response.json()["code"]) == (401, "unauthenticated")
        assert response["WWW-Authenticate"].startswith("Bearer")


def test_a_token_that_only_reads_does_not_write(agent: Agent) -> None:
    response = post(agent, {"content": "x"}, verbs=(Verb.READ,))
    assert (response.status_code, response.json()["code"]) == (403, "forbidden")


def test_me_says_who_one_is(agent: Agent, client: Client) -> None:
    bearer = f"Bearer {registry.issue_token(agent=agent).text}"
    registry.open_session(agent=agent, name="s-1")
    me = client.get("/api/v1/me", headers={"Authorization": bearer, "X-Memory-Session": "s-1"}).json()
    assert (me["name"], me["team_id"], me["verbs"]) == (agent.slug, str(agent.team_id), ["forget", "read", "write"])
    assert me["session_id"]


def test_a_body_over_the_limit_is_refused(agent: Agent, settings: Settings) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    response = post(agent, {"content": "x" * 1000})
    assert (response.status_code, response.json()["code"]) == (413, "too_large")


def test_a_token_that_may_not_read_gets_a_receipt(agent: Agent) -> None:
    post(agent, {"content": "one", "key": "k", "summary": "SECRET"})
    response = post(agent, {"content": "two", "key": "k"}, verbs=(Verb.WRITE,))
    assert set(response.json()) == {"id", "key", "version", "status"}


def test_names_beyond_ascii_come_percent_encoded(agent: Agent, client: Client) -> None:
    bearer = f"Bearer {registry.issue_token(agent=agent).text}"
    said = {"Authorization": bearer, "X-Memory-User": "Zo%C3%AB"}
    client.post("/api/v1/memories", {"content": "Any."}, content_type="application/json", headers=said)
    assert Person.objects.get().handle == "Zoë"


@pytest.mark.parametrize(
    "moment", ["2090-01-01T00:00:00+20:00", "9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00"]
)
def test_far_moments_are_taken_or_refused(agent: Agent, moment: str) -> None:
    assert post(agent, {"content": "x", "expires_at": moment}).status_code in (201, 400)
    assert post(agent, {"content": "y", "review_by": moment}).status_code in (201, 400)
