"""The dialect group, as its documentation has it."""

import re
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from memories.models import Memory, RecallLog, Usage
from memories.tools import group, tool
from teams.actor import Actor
from teams.models import Agent, Verb
from tests import factories, tools
from tests.caller import Caller
from tests.cast import Cast
from tests.test_races import at_once


def save_in_group(actor: Actor, key: str, content: str, **said: str) -> Any:
    return tools.result(actor, "group/save_memory", {"key": key, "content": content, **said})


def recall(actor: Actor, query: str, **said: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tools.result(actor, "group/recall_memories", {"query": query, **said})["memories"]
    return found


def forget(actor: Actor, key: str) -> Any:
    return tools.result(actor, "group/forget_memory", {"key": key})


def list_group(actor: Actor) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tools.result(actor, "group/list_memories", {})["memories"]
    return found


def test_saving_says_whether_the_key_is_new(writer: Actor) -> None:
    assert save_in_group(writer, "favorite-color", "Blue.") == {
        "key": "favorite-color",
        "category": "core",
        "status": "created",
    }
    again = save_in_group(writer, "favorite-color", "Green.", category="daily")
    assert again == {"key": "favorite-color", "category": "daily", "status": "updated"}
    row = Memory.objects.get()
    assert (row.content, row.category, row.version) == ("Green.", "daily", 2)


def test_the_category_is_core_unless_another_is_named(writer: Actor) -> None:
    for category in group.CATEGORIES:
        assert save_in_group(writer, category, "x", category=category)["category"] == category
    assert save_in_group(writer, "daily", "y")["category"] == "core"
    status, _, sentence = tools.refusal(writer, "group/save_memory", {"key": "k", "content": "x", "category": "weekly"})
    assert (status, sentence) == (400, "category: This must be one of core, daily, conversation.")


def test_recall_finds_by_any_of_the_words_the_best_first(writer: Actor) -> None:
    save_in_group(writer, "color", "The favorite color of Jo is blue.")
    save_in_group(writer, "deadline", "The project deadline is Friday.")
    save_in_group(writer, "lunch", "Lunch is at noon.")
    for query, key in (("favorite color", "color"), ("project deadline", "deadline")):  # the documented ones
        assert [hit["key"] for hit in recall(writer, query)] == [key]
    hits = recall(writer, "favorite color deadline")
    assert [hit["key"] for hit in hits] == ["color", "deadline"]
    assert set(hits[0]) == {"key", "content", "category", "updated_at"}
    assert recall(writer, "helicopter") == []


@pytest.mark.parametrize("query", ["example.com/path?x=1", "rog", "C++", "50%", "_id", "->"])
def test_what_has_no_words_is_found_as_it_stands(writer: Actor, query: str) -> None:
    save_in_group(writer, "odd", "See https://example.com/path?x=1 of Prognosis in C++: 50% of user_id -> name")
    save_in_group(writer, "other", "Nothing of the kind.")
    assert [hit["key"] for hit in recall(writer, query)] == ["odd"]


def test_parts_of_words_do_not_count_where_whole_ones_match(writer: Actor) -> None:
    save_in_group(writer, "whole", "The port is closed.")
    save_in_group(writer, "part", "Airports are open.")
    assert [hit["key"] for hit in recall(writer, "port")] == ["whole"]
    forget(writer, "whole")
    assert [hit["key"] for hit in recall(writer, "port")] == ["part"]


def test_recall_gives_five_or_as_many_as_asked(writer: Actor) -> None:
    for number in range(8):
        save_in_group(writer, f"k{number}", f"tide {number}")
    assert (len(recall(writer, "tide")), len(recall(writer, "tide", limit=7))) == (5, 7)


def test_forgetting_says_whether_there_was_one(writer: Actor) -> None:
    save_in_group(writer, "k", "x")
    assert forget(writer, "k") == {"removed": True}
    assert forget(writer, "k") == {"removed": False}
    assert forget(writer, "never") == {"removed": False}
    assert (list_group(writer), recall(writer, "x")) == ([], [])
    assert Memory.objects.get().forgotten_by == writer.name
    assert save_in_group(writer, "k", "again")["status"] == "created"


def test_forgetting_a_key_leaves_none_of_its_namesakes(writer: Actor) -> None:
    save_in_group(writer, "k", "one")
    factories.memory(writer, "two", key="k", dedupe="create")
    assert forget(writer, "k") == {"removed": True}
    assert list_group(writer) == []


def test_the_list_has_every_key_the_newest_first(writer: Actor) -> None:
    for key, category in (("a", "core"), ("b", "daily"), ("c", "core")):
        save_in_group(writer, key, key, category=category)
    save_in_group(writer, "a", "changed")
    keyless = factories.memory(writer, "From another door.")
    rows = list_group(writer)
    assert [(row["key"], row["category"]) for row in rows] == [
        *((str(keyless.pk), "fact"), ("a", "core"), ("c", "core"), ("b", "daily"))
    ]
    assert {frozenset(row) for row in rows} == {frozenset({"key", "category", "updated_at"})}
    assert forget(writer, str(keyless.pk)) == {"removed": True}


def test_a_long_list_says_that_it_is_not_whole(writer: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group, "LISTED", 2)
    for key in "abc":
        save_in_group(writer, key, key)
    answer = tools.result(writer, "group/list_memories", {})
    assert [row["key"] for row in answer["memories"]] == ["c", "b"]
    assert answer["note"] == "These are the newest 2; there are more."


def test_archived_conversations_are_files_and_are_recalled(writer: Actor) -> None:
    caller = Caller(Agent.objects.get(pk=writer.agent_id))
    said = [{"role": "user", "content": "Where is the anchor?"}]
    body = {"name": "anchor", "messages": said, "summary": "Jo asked where the anchor is."}
    path = caller("POST", "sessions/s-1/archive", body).json()["file"]["path"]
    assert re.fullmatch(r"conversations/\d{4}-\d\d-\d\d-anchor\.md", path)
    assert "Where is the anchor?" in caller("GET", f"files/{path}").json()["content"]
    (hit,) = recall(writer, "anchor")
    assert (hit["key"], hit["category"]) == (path, "conversation")
    assert hit["content"] == "Jo asked where the anchor is."


def test_one_group_does_not_read_anothers(cast: Cast) -> None:
    ops, sales, elsewhere = (factories.actor(cast[name].agent) for name in ("writer", "stranger", "outsider"))
    for actor in (ops, sales, elsewhere):
        save_in_group(actor, "plan", f"The plan of {actor.team_id}")
    for actor in (ops, sales, elsewhere):
        assert [hit["content"] for hit in recall(actor, "plan")] == [f"The plan of {actor.team_id}"]
        assert len(list_group(actor)) == 1
    forget(sales, "plan")
    assert (len(list_group(ops)), len(list_group(sales)), len(list_group(elsewhere))) == (1, 0, 1)


def test_a_directors_group_is_its_own_team(cast: Cast) -> None:
    chief = factories.actor(factories.agent(cast.executive, "chief"))
    save_in_group(chief, "plan", "Hire in autumn.")
    director = factories.actor(cast["director"].agent)
    assert (recall(director, "hire"), list_group(director), forget(director, "plan")) == ([], [], {"removed": False})


@pytest.mark.parametrize(
    ("name", "arguments", "field"),
    [
        ("save_memory", {"key": "k"}, "content"),
        ("save_memory", {"content": "x"}, "key"),
        ("save_memory", {"key": " ", "content": "x"}, "key"),
        ("save_memory", {"key": "k", "content": ""}, "content"),
        ("recall_memories", {}, "query"),
        ("recall_memories", {"query": " "}, "query"),
        ("recall_memories", {"query": "x", "limit": 51}, "limit"),
        ("forget_memory", {"key": ""}, "key"),
        ("forget_memory", {"key": "k", "group": "other"}, "group"),
        ("list_memories", {"group": "other"}, "group"),
    ],
)
def test_what_is_missing_or_odd_is_named(writer: Actor, name: str, arguments: dict[str, Any], field: str) -> None:
    response = tools.call(writer, f"group/{name}", arguments)
    assert (response.status_code, list(response.json()["fields"])) == (400, [field])
    assert not Memory.objects.exists()


def test_over_fifty_thousand_bytes_is_too_large(writer: Actor) -> None:
    assert save_in_group(writer, "k", "x" * 50_000)["status"] == "created"
    status, code, _ = tools.refusal(writer, "group/save_memory", {"key": "k", "content": "x" * 50_001})
    assert (status, code, Memory.objects.get().version) == (413, "too_large", 1)


@pytest.mark.parametrize(
    ("name", "arguments", "verb"),
    [
        ("save_memory", {"key": "k", "content": "x"}, Verb.WRITE),
        ("recall_memories", {"query": "x"}, Verb.READ),
        ("list_memories", {}, Verb.READ),
        ("forget_memory", {"key": "k"}, Verb.FORGET),
        ("forget_memory", {"key": "never"}, Verb.FORGET),
    ],
)
def test_the_verbs_of_the_token_decide_in_the_group_dialect(
    writer: Actor, name: str, arguments: dict[str, Any], verb: Verb
) -> None:
    save_in_group(writer, "k", "x")
    others = tuple(other for other in Verb if other != verb)
    assert tools.refusal(writer, f"group/{name}", arguments, verbs=others)[:2] == (403, "forbidden")
    assert tools.call(writer, f"group/{name}", arguments, verbs=(verb,)).status_code == 200


def test_recall_counts_use(writer: Actor) -> None:
    save_in_group(writer, "k", "tide tables")
    recall(writer, "tide")
    assert RecallLog.objects.get().mode == "keyword"
    assert Usage.objects.get().access_count == 1


def test_a_list_is_one_query_however_long(writer: Actor, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    for number in range(3):
        factories.memory(writer, "x", key=f"k{number}")
        with django_assert_num_queries(1):
            tool("group", "list_memories").run(actor=writer, arguments={})


@pytest.mark.django_db(transaction=True)
def test_of_twenty_that_save_a_key_one_creates_it(transactional_db: None) -> None:
    writer, saved = factories.actor(), tool("group", "save_memory")
    results = at_once(20, lambda n: saved.run(actor=writer, arguments={"key": "k", "content": f"by {n}"}))
    assert sorted(result["status"] for result in results) == ["created", *["updated"] * 19]
    assert Memory.objects.get().version == 20


@pytest.mark.django_db(transaction=True)
def test_of_ten_that_forget_a_key_one_removes_it(transactional_db: None) -> None:
    writer, gone = factories.actor(), tool("group", "forget_memory")
    factories.memory(writer, "x", key="k")
    results = at_once(10, lambda n: gone.run(actor=writer, arguments={"key": "k"}))
    assert sum(result["removed"] for result in results) == 1
