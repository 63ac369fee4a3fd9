"""Keys through the REST door."""

import pytest

from memories.models import Memory
from teams.models import Level, Organization, Verb
from tests import factories
from tests.caller import Caller, etag
from tests.cast import Cast

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("key", ["plain", "a/b/c.md", "with%20space", "%C3%A9t%C3%A9", "a%3Fb%23c", "100%25"])
def test_a_key_is_saved_read_and_forgotten_by_its_name(caller: Caller, key: str) -> None:
    made = caller("PUT", f"keys/{key}", {"content": "one"})
    assert (made.status_code, made["ETag"], made.json()["version"]) == (201, etag(made.json()), 1), made.content
    again = caller("PUT", f"keys/{key}", {"content": "two", "tags": ["t"]})
    assert (again.status_code, again.json()["id"], again.json()["version"]) == (200, made.json()["id"], 2)
    read = caller("GET", f"keys/{key}")
    assert (read.json()["content"], read["ETag"]) == ("two", etag(again.json()))
    assert read.json()["key"] == Memory.objects.get().key
    assert caller("GET", f"keys/{key}", If_None_Match=read["ETag"]).status_code == 304
    gone = caller("DELETE", f"keys/{key}?reason=done")
    assert (gone.status_code, gone.json()["version"]) == (200, 3)
    assert Memory.objects.get().forget_reason == "done"
    for method in ("GET", "DELETE"):
        assert caller(method, f"keys/{key}").status_code == 404


def test_versions_and_only_new(caller: Caller) -> None:
    assert caller("PUT", "keys/k", {"content": "x"}, If_Match='"1"').status_code == 404
    assert caller("PUT", "keys/k", {"content": "one"}, If_None_Match="*").status_code == 201
    taken = caller("PUT", "keys/k", {"content": "two"}, If_None_Match="*")
    assert (taken.status_code, taken.json()["code"], taken.json()["current"]["content"]) == (409, "key_taken", "one")
    assert caller("PUT", "keys/k", {"content": "two"}, If_Match='"1"').status_code == 200
    for lost in (
        caller("PUT", "keys/k", {"content": "three"}, If_Match='"1"'),
        caller("PUT", "keys/k", {"content": "three", "version": 1}),
        caller("DELETE", "keys/k", If_Match='"1"'),
    ):
        assert (lost.status_code, lost.json()["current"]["content"]) == (409, "two")
    for odd in ({"If_None_Match": '"1"'}, {"If_None_Match": "*", "If_Match": '"1"'}):
        assert caller("PUT", "keys/k", {"content": "x"}, **odd).status_code == 400


def test_a_key_given_anew_does_not_pass_for_the_memory_that_was_seen(caller: Caller) -> None:
    seen = caller("PUT", "keys/k", {"content": "one"})["ETag"]
    assert caller("DELETE", "keys/k", If_Match=seen).status_code == 200
    assert caller("PUT", "keys/k", {"content": "x"}, If_Match=seen).status_code == 404
    caller("PUT", "keys/k", {"content": "anew"})
    assert caller("GET", "keys/k", If_None_Match=seen).status_code == 200
    for lost in (
        caller("PUT", "keys/k", {"content": "x"}, If_Match=seen),
        caller("POST", "memories", {"content": "x", "key": "k"}, If_Match=seen),
        caller("DELETE", "keys/k", If_Match=seen),
    ):
        assert (lost.status_code, lost.json()["code"], lost.json()["current"]["content"]) == (409, "conflict", "anew")
    assert caller("PUT", "keys/k", {"content": "x"}, If_Match='"1"').status_code == 200
    last = caller("GET", "keys/k")["ETag"]
    assert caller("PUT", "keys/k", {"content": "y"}, If_Match=last).json()["version"] == 3


def test_a_star_overwrites_the_owner_of_a_key_and_makes_none(caller: Caller) -> None:
    for missing in (
        caller("PUT", "keys/k", {"content": "x"}, If_Match="*"),
        caller("POST", "memories", {"content": "x", "key": "k"}, If_Match="*"),
    ):
        assert missing.status_code == 404
    assert not Memory.objects.exists()
    caller("PUT", "keys/k", {"content": "one"})
    assert caller("PUT", "keys/k", {"content": "two"}, If_Match="*").json()["version"] == 2
    assert caller("PUT", "keys/k", {"content": "x", "version": 1}, If_Match="*").status_code == 409


def test_without_workspaces_a_key_of_several_can_be_changed_by_its_tag(cast: Cast) -> None:
    for name in ("writer", "elsewhere"):
        factories.memory(cast[name].actor(), name, key="k")
    factories.memory(cast["writer"].actor(), "changed last", key="k")
    Organization.objects.update(workspaces_enabled=False)
    assert cast["writer"].agent
    caller = Caller(cast["writer"].agent)
    read = caller("GET", "keys/k")
    assert read.json()["content"] == "changed last"
    assert caller("PUT", "keys/k", {"content": "x"}, If_Match=read["ETag"]).json()["id"] == read.json()["id"]
    last = caller("GET", "keys/k")["ETag"]
    assert caller("DELETE", "keys/k", If_Match=last).status_code == 200


def test_scopes_have_keys_of_their_own(caller: Caller) -> None:
    caller("PUT", "keys/k", {"content": "ours"})
    caller("PUT", "keys/k?scope=agent", {"content": "mine"})
    assert caller("GET", "keys/k").json()["content"] == "ours"
    assert caller("GET", "keys/k?scope=agent").json()["content"] == "mine"
    assert caller("PUT", "keys/k?scope=project", {"content": "x"}).json()["fields"].keys() == {"project"}
    assert caller("GET", "keys/k?scope=project").status_code == 404
    caller("DELETE", "keys/k?scope=agent")
    assert caller("GET", "keys/k").json()["content"] == "ours"


def test_a_director_reads_the_nearest(caller: Caller) -> None:
    Caller(factories.agent(caller.agent.team.parent))("PUT", "keys/core", {"content": "above"})
    director = Caller(factories.agent(caller.agent.team, level=Level.DIRECTOR))
    assert director("GET", "keys/core").json()["content"] == "above"
    assert caller("GET", "keys/core").status_code == 404
    assert director("DELETE", "keys/core").status_code == 404
    caller("PUT", "keys/core", {"content": "ours"})
    assert director("GET", "keys/core").json()["content"] == "ours"


def test_a_token_that_may_not_read_gets_receipts_for_keys(caller: Caller) -> None:
    caller("PUT", "keys/k", {"content": "SECRET"})
    blind = caller.with_verbs(Verb.WRITE, Verb.FORGET)
    assert blind("GET", "keys/k").status_code == 403
    assert set(blind("PUT", "keys/k", {"content": "x"}).json()) == {"id", "key", "version", "status"}
    assert "current" not in blind("PUT", "keys/k", {"content": "x"}, If_None_Match="*").json()
    assert set(blind("DELETE", "keys/k").json()) == {"id", "key", "version", "status"}


@pytest.mark.parametrize("key", ["a%00b", "a%0Ab", "k" * 201, "%20"])
def test_an_odd_key_of_a_memory_is_refused(caller: Caller, key: str) -> None:
    refused = caller("PUT", f"keys/{key}", {"content": "x"})
    assert refused.status_code in (400, 404)
    assert not Memory.objects.exists()
