"""Memories through the REST door: changed, forgotten and brought back, one by one and many at once."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from memories import operations
from memories.models import Answer, Memory, Revision
from teams.models import Verb
from tests import factories
from tests.caller import Caller, etag

pytestmark = pytest.mark.django_db


def test_a_read_is_tagged_with_its_version_and_its_id(caller: Caller) -> None:
    saved, other = caller.save(), caller.save("Another thing.")
    tag = etag(saved)
    read = caller("GET", f"memories/{saved['id']}")
    assert (read.status_code, read["ETag"], read.json()["content"]) == (200, tag, "Berth 7 is closed.")
    for known in (tag, f"W/{tag}", f'"7", {tag}', "*"):
        unchanged = caller("GET", f"memories/{saved['id']}", If_None_Match=known)
        assert (unchanged.status_code, unchanged.content, unchanged["ETag"]) == (304, b"", tag)
    for unknown in ('"1"', tag.replace("1-", "2-", 1), etag(other)):
        assert caller("GET", f"memories/{saved['id']}", If_None_Match=unknown).status_code == 200


def test_a_tag_of_another_memory_is_a_lost_race(caller: Caller) -> None:
    saved, other = caller.save(), caller.save("Another thing.")
    path, headers = f"memories/{saved['id']}", {"If_Match": etag(other)}
    for lost in (
        caller("PATCH", path, {"content": "mine"}, **headers),
        caller("PATCH", path, {"key": "mine"}, **headers),
        caller("POST", f"{path}/append", {"text": "mine"}, **headers),
        caller("POST", f"{path}/revert", {"to_version": 1}, **headers),
        caller("POST", f"{path}/pin", {"pinned": True}, **headers),
        caller("POST", f"{path}/tags", {"add": ["mine"]}, **headers),
        caller("POST", f"{path}/expire", {"expires_at": None}, **headers),
        caller("POST", f"{path}/move", {"scope": "agent"}, **headers),
        caller("POST", f"{path}/verify", {}, **headers),
        caller("DELETE", path, **headers),
    ):
        problem = lost.json()
        assert (lost.status_code, problem["code"], problem["current"]["id"]) == (409, "conflict", saved["id"])
        assert problem["detail"] == "You saw another one than this, which is at version 1."
    assert Memory.objects.get(pk=saved["id"]).version == 1
    gone = caller("DELETE", path, If_Match=etag(saved))
    assert gone["ETag"] == etag(gone.json())
    assert caller("POST", f"{path}/restore", **headers).status_code == 409
    assert caller("POST", f"{path}/restore", If_Match=gone["ETag"]).status_code == 200


def test_a_change_overwrites_what_is_said(caller: Caller) -> None:
    saved = caller.save(summary="closed", tags=["a"])
    changed = caller("PATCH", f"memories/{saved['id']}", {"pinned": True, "tags": ["B"], "summary": None})
    body = changed.json()
    assert (changed.status_code, changed["ETag"], body["version"]) == (200, etag(body), 2)
    assert (body["pinned"], body["tags"], body["summary"], body["content"]) == (True, ["b"], None, saved["content"])


def test_single_changes_have_their_names_in_the_history(caller: Caller) -> None:
    path = f"memories/{caller.save(tags=['a'])['id']}"
    for address, said, found in (
        (f"{path}/pin", {"pinned": False}, {"pinned": False}),
        (f"{path}/tags", {"add": ["B"], "remove": ["A"]}, {"tags": ["b"]}),
        (f"{path}/expire", {"expires_at": "2099-01-31T12:00:00Z"}, {"expires_at": "2099-01-31T12:00:00+00:00"}),
        (f"{path}/move", {"scope": "agent"}, {"scope": "agent"}),
    ):
        response = caller("POST", address, said, Idempotency_Key=f"{address}{said}".replace(" ", ""))
        body = response.json()
        assert (response.status_code, response["ETag"]) == (200, etag(body))
        assert {name: body[name] for name in found} == found
    caller("PATCH", path, {"pinned": True})
    history = caller("GET", f"{path}/history").json()["versions"]
    assert [row["change"] for row in history] == ["pinned", "updated"]  # those before are the team's
    changes = Revision.objects.order_by("version").values_list("change", flat=True)
    assert list(changes) == ["created", "unpinned", "tagged", "expiry", "updated", "pinned"]


def test_single_changes_say_what_is_missing(caller: Caller) -> None:
    path = f"memories/{caller.save()['id']}"
    for address, said, field in (
        (f"{path}/pin", {}, "pinned"),
        (f"{path}/tags", {}, "add"),
        (f"{path}/expire", {"expires_at": "2020-01-01T00:00:00Z"}, "expires_at"),
        (f"{path}/move", {"scope": "global"}, "user"),
    ):
        problem = caller("POST", address, said).json()
        assert (problem["status"], list(problem["fields"])) == (400, [field])


def test_moving_away_takes_the_verb_forget(caller: Caller) -> None:
    path = f"memories/{caller.save()['id']}/move"
    assert caller.with_verbs(Verb.READ, Verb.WRITE)("POST", path, {"scope": "agent"}).status_code == 403


def test_only_owners_purge_by_the_api(caller: Caller) -> None:
    path = f"memories/{caller.save()['id']}"
    refused = caller("POST", f"{path}/purge")
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert caller("GET", path).json()["content"] == "Berth 7 is closed."


@pytest.mark.parametrize("by", ["header", "body"])
def test_a_lost_race_gets_the_present_memory(caller: Caller, by: str) -> None:
    saved = caller.save()
    path = f"memories/{saved['id']}"
    caller("PATCH", path, {"content": "Open again."})
    headers = {"If_Match": '"1"'} if by == "header" else {}
    version = {"version": 1} if by == "body" else {}
    attempts = [
        caller("PATCH", path, {"content": "mine", **version}, **headers),
        caller("POST", f"{path}/append", {"text": "mine", **version}, **headers),
        caller("POST", f"{path}/revert", {"to_version": 1, **version}, **headers),
        caller("POST", f"{path}/verify", version, **headers),
    ]
    if by == "header":
        attempts.append(caller("DELETE", path, **headers))
    for lost in attempts:
        problem = lost.json()
        assert (lost.status_code, problem["code"]) == (409, "conflict")
        assert (problem["current"]["content"], problem["current"]["version"]) == ("Open again.", 2)
    assert Memory.objects.get().version == 2
    assert caller("PATCH", path, {"content": "mine"}, If_Match='"2"').status_code == 200


@pytest.mark.parametrize(
    "header",
    ["1", '"one"', '"1-"', '"1-12345678901"', '"1-12345678901G"', 'W/"1"', '"1", "2"', "", '"0"', '"99999999999"'],
)
def test_an_odd_if_match_is_refused(caller: Caller, header: str) -> None:
    saved = caller.save()
    refused = caller("PATCH", f"memories/{saved['id']}", {"content": "x"}, If_Match=header)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["If-Match"])
    assert Memory.objects.get().version == 1


def test_two_versions_that_differ_are_refused_and_a_star_matches_any(caller: Caller) -> None:
    saved = caller.save()
    path = f"memories/{saved['id']}"
    assert caller("PATCH", path, {"content": "x", "version": 1}, If_Match='"2"').status_code == 400
    assert caller("PATCH", path, {"content": "x"}, If_Match="*").status_code == 200


def test_a_change_of_nothing_is_refused(caller: Caller) -> None:
    saved = caller.save()
    assert caller("PATCH", f"memories/{saved['id']}", {}).json()["fields"] == {"memory": "Say what to change."}


def test_an_addition_has_a_line_of_its_own(caller: Caller) -> None:
    saved = caller.save("one")
    longer = caller("POST", f"memories/{saved['id']}/append", {"text": "two"})
    assert (longer.status_code, longer.json()["content"]) == (200, "one\ntwo")


def test_forgotten_and_brought_back(caller: Caller) -> None:
    saved = caller.save(key="k")
    path = f"memories/{saved['id']}"
    gone = caller("DELETE", f"{path}?reason=moved")
    assert (gone.status_code, gone.json()) == (200, {"id": saved["id"], "key": "k", "version": 2, "status": "active"})
    assert caller("GET", path).status_code == 404
    again = caller("DELETE", path)
    assert (again.status_code, again.json()["code"]) == (409, "conflict")
    (listed,) = caller("GET", "memories?forgotten=true").json()["memories"]
    assert (listed["forget_reason"], listed["forgotten_by"]) == ("moved", caller.agent.slug)
    lost = caller("POST", f"{path}/restore", If_Match='"1"')
    assert (lost.status_code, lost.json()["current"]["version"]) == (409, 2)
    back = caller("POST", f"{path}/restore", If_Match='"2"')
    assert (back.status_code, back.json()["version"]) == (200, 3)
    assert caller("POST", f"{path}/restore").status_code == 409
    assert caller("GET", path).status_code == 200


def test_verified_with_a_moment_to_look_again(caller: Caller) -> None:
    saved, checker = caller.save(), Caller(factories.agent(caller.agent.team))
    verified = checker("POST", f"memories/{saved['id']}/verify", {"review_by": "2090-01-01T00:00:00Z"}).json()
    assert (verified["verified_by"], verified["review_by"]) == (checker.agent.slug, "2090-01-01T00:00:00+00:00")
    assert verified["verified_at"]


def test_history_is_read_back_page_by_page_and_reverted(caller: Caller) -> None:
    saved = caller.save("first")
    path = f"memories/{saved['id']}"
    for word in ("second", "third"):
        caller("PATCH", path, {"content": word})
    newest = caller("GET", f"{path}/history?limit=2").json()
    assert [(row["version"], row["content"], row["by"]) for row in newest["versions"]] == [
        (3, "third", caller.agent.slug),
        (2, "second", caller.agent.slug),
    ]
    rest = caller("GET", f"{path}/history?limit=2&cursor={newest['next']}").json()
    assert ([row["version"] for row in rest["versions"]], rest["next"]) == ([1], None)
    reverted = caller("POST", f"{path}/revert", {"to_version": 1})
    assert (reverted.json()["content"], reverted.json()["version"]) == ("first", 4)
    assert caller("POST", f"{path}/revert", {"to_version": 9}).status_code == 404


def test_history_keeps_what_was_written_for_another_audience(caller: Caller) -> None:
    actor = factories.actor(caller.agent)
    memory = factories.memory(actor, "for me alone", scope="agent")
    operations.change_scope(actor=actor, memory_id=memory.pk, scope="team", audience=actor.team_id)
    mate = Caller(factories.agent(caller.agent.team))
    versions = mate("GET", f"memories/{memory.pk}/history").json()["versions"]
    assert [row["version"] for row in versions] == [2]


def test_a_write_says_how_often_it_was_recalled(caller: Caller) -> None:
    saved = caller.save()
    caller("POST", "recall", {"query": "berth"})
    assert caller("PATCH", f"memories/{saved['id']}", {"pinned": True}).json()["access_count"] == 1


def test_a_token_that_may_not_read_sees_receipts_only(caller: Caller) -> None:
    saved = caller.save(summary="SECRET")
    path = f"memories/{saved['id']}"
    blind = caller.with_verbs(Verb.WRITE, Verb.FORGET)
    answers = [
        blind("PATCH", path, {"content": "x"}),
        blind("POST", f"{path}/append", {"text": "y"}),
        blind("POST", f"{path}/revert", {"to_version": 1}),
        blind("DELETE", path),
        blind("POST", f"{path}/restore"),
    ]
    for answer in answers:
        assert (answer.status_code, set(answer.json())) == (200, {"id", "key", "version", "status"})
    lost = blind("PATCH", path, {"content": "x"}, If_Match='"1"')
    assert (lost.status_code, "current" in lost.json()) == (409, False)
    for reading in (path, f"{path}/history", "memories"):
        assert blind("GET", reading).status_code == 403
    assert blind("GET", "memories?forgotten=true").status_code == 403
    batch = blind("POST", "memories/batch", {"memories": [{"content": "x"}], "each": True}).json()
    assert set(batch["results"][0]["memory"]) == {"id", "key", "version", "status"}


def test_recalls_are_explained_as_published(caller: Caller) -> None:
    saved = caller.save("The crane of berth 7 is broken.", pinned=True)
    for mode in ("hybrid", "keyword", "semantic", "recent", "important", "typed"):
        asked = {"query": "broken crane", "mode": mode, "type": "fact", "explain": True, "snippets": True, "tags": None}
        (hit,) = caller("POST", "recall", asked).json()["memories"]
        assert (hit["id"], "explain" in hit) == (saved["id"], True)
    asked = {"memory_id": saved["id"], "query": "lunch"}
    assert caller("POST", "recall/why-not", asked).json()["reason"]
    assert list(caller("POST", "recall", {}).json()["fields"]) == ["query"]


# Many at once


def test_a_batch_answers_in_its_order(caller: Caller) -> None:
    drafts = [{"content": f"fact {n}", "key": f"k{n % 2}"} for n in range(4)]
    response = caller("POST", "memories/batch", {"memories": drafts})
    assert response.status_code == 200, response.content
    found = response.json()["memories"]
    assert [(row["content"], row["version"]) for row in found] == [
        ("fact 0", 1),
        ("fact 1", 1),
        ("fact 2", 2),
        ("fact 3", 2),
    ]


def test_a_batch_is_all_or_nothing_and_says_which_is_wrong(caller: Caller) -> None:
    late = (timezone.now() - timedelta(days=1)).isoformat()
    drafts = [{"content": "good"}, {"content": " "}, {"content": "x", "expires_at": late}]
    refused = caller("POST", "memories/batch", {"memories": drafts})
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["memories.1.content"])
    refused = caller("POST", "memories/batch", {"memories": [{"content": "good"}, {"colour": 1}]})
    assert set(refused.json()["fields"]) == {"memories.1.content", "memories.1.colour"}
    assert not Memory.objects.exists()


def test_each_by_itself_leaves_the_others(caller: Caller) -> None:
    caller.save(key="taken")
    drafts: list[dict[str, Any]] = [
        {"content": "good"},
        {"content": " "},
        {"content": "x", "key": "taken", "dedupe": "refuse"},
        {"content": "y", "scope": "project"},
        {"content": "also good", "key": "taken"},
        {"content": "z", "colour": "red"},
    ]
    response = caller("POST", "memories/batch", {"memories": drafts, "each": True})
    results = response.json()["results"]
    assert response.status_code == 200
    assert [result.get("problem", {}).get("code") for result in results] == [
        None,
        "invalid",
        "key_taken",
        "invalid",
        None,
        "invalid",
    ]
    assert list(results[1]["problem"]["fields"]) == ["content"]
    assert (results[0]["memory"]["content"], results[4]["memory"]["version"]) == ("good", 2)
    assert Revision.objects.count() == 3


def test_each_may_be_wrong(caller: Caller) -> None:
    results = caller("POST", "memories/batch", {"memories": [{}, {"content": 1}], "each": True}).json()["results"]
    assert [list(result["problem"]["fields"]) for result in results] == [["content"], ["content"]]


def test_each_takes_the_quick_way_if_nothing_is_refused(caller: Caller, django_assert_max_num_queries: Any) -> None:
    drafts = [{"content": f"fact {n}"} for n in range(50)]
    with django_assert_max_num_queries(20):
        results = caller("POST", "memories/batch", {"memories": drafts, "each": True}).json()["results"]
    assert [result["memory"]["content"] for result in results] == [draft["content"] for draft in drafts]


def test_a_batch_without_the_verb_or_beyond_the_limit_is_refused_as_a_whole(caller: Caller) -> None:
    reader = caller.with_verbs(Verb.READ)
    for each in (True, False):
        body = {"memories": [{"content": "x"}], "each": each}
        assert reader("POST", "memories/batch", body).status_code == 403
        assert caller("POST", "memories/batch", {"memories": [{"content": "x"}] * 501, "each": each}).status_code == 400
    assert caller("POST", "memories/batch", {"memories": []}).status_code == 400


# Repeated


def test_a_repeated_request_is_answered_byte_for_byte(caller: Caller) -> None:
    saved = caller.save()
    requests = [
        ("memories", {"content": "Once, é.", "metadata": {"b": 1, "a": 2}}),
        ("memories/batch", {"memories": [{"content": "x"}, {"content": ""}], "each": True}),
        (f"memories/{saved['id']}/append", {"text": "more"}),
        (f"memories/{saved['id']}/revert", {"to_version": 1}),
    ]
    for path, body in requests:
        first, second = (caller("POST", path, body, Idempotency_Key=path) for _ in range(2))
        assert first.status_code < 300, first.content
        assert (first.status_code, first.content) == (second.status_code, second.content)
        assert first.get("ETag") == second.get("ETag")
    assert Memory.objects.get(pk=saved["id"]).version == 3
    assert Memory.objects.count() == 3


def test_a_repeated_recall_shows_nothing_that_was_forgotten_meanwhile(caller: Caller) -> None:
    saved = caller.save()
    first = caller("POST", "recall", {"query": "berth"}, Idempotency_Key="k").json()
    assert [hit["id"] for hit in first["memories"]] == [saved["id"]]
    caller("DELETE", f"memories/{saved['id']}")
    assert caller("POST", "recall", {"query": "berth"}, Idempotency_Key="k").json()["memories"] == []


@pytest.mark.parametrize("key", ["two words", "é", "", " ", "k" * 300])
def test_an_odd_idempotency_key_is_refused(caller: Caller, key: str) -> None:
    refused = caller("POST", "memories", {"content": "x"}, Idempotency_Key=key)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["idempotency_key"])
    assert not Memory.objects.exists()


def test_a_refusal_leaves_the_key_free(caller: Caller) -> None:
    assert caller("POST", "memories", {"content": " "}, Idempotency_Key="k").status_code == 400
    assert caller("POST", "memories", {"content": "x"}, Idempotency_Key="k").status_code == 201


def test_a_purge_takes_the_remembered_answers_with_it(caller: Caller) -> None:
    saved = caller("POST", "memories", {"content": "SECRET"}, Idempotency_Key="a").json()
    other = caller("POST", "memories", {"content": "plain"}, Idempotency_Key="b").json()
    caller("POST", "memories/batch", {"memories": [{"content": "SECRET too"}], "each": True}, Idempotency_Key="d")
    owner = factories.owner_actor(caller.agent.team)
    for memory in Memory.objects.exclude(pk=other["id"]):
        operations.purge_memory(actor=owner, memory_id=memory.pk)
    assert saved["id"] not in set(Memory.objects.alive().values_list("pk", flat=True))
    assert list(Answer.objects.values_list("key", flat=True)) == ["b"]
    assert "SECRET" not in str(list(Answer.objects.values_list("answer", flat=True)))


# Problems


def test_whatever_is_not_there_is_a_problem_document(caller: Caller) -> None:
    cases = [
        ("GET", "memories/0198c0de-0000-7000-8000-000000000001", 404, "not_found"),
        ("GET", "memories/not-an-id", 404, "not_found"),
        ("GET", "nowhere", 404, "not_found"),
        ("GET", "memories/", 404, "not_found"),
        ("PUT", "memories", 405, "method_not_allowed"),
        ("TRACE", "me", 405, "method_not_allowed"),
    ]
    for method, path, status, code in cases:
        response = caller(method, path)
        problem = response.json()
        assert (response.status_code, problem["code"], problem["status"]) == (status, code, status)
        assert response["Content-Type"] == "application/problem+json"
    assert caller("PUT", "memories")["Allow"] == "GET, POST, HEAD, OPTIONS"
    assert caller("GET", "me", Accept="text/html").json()["code"] == "not_acceptable"


def test_other_kinds_of_body_are_refused(caller: Caller) -> None:
    response = Client().post("/api/v1/memories", b"content=x", content_type="text/plain", headers=caller.headers)
    assert (response.status_code, response.json()["code"]) == (415, "unsupported_media_type")


def test_unknown_parameters_are_named(caller: Caller) -> None:
    refused = caller("GET", "me?colour=red")
    assert (refused.status_code, refused.json()["fields"]) == (400, {"colour": "There is no such parameter."})
