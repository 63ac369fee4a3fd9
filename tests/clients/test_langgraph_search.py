"""Searches of LangGraph's store over the hub: filters, pages, queries, and what of an item they search."""

from typing import Any

import pytest
from langgraph.store.base import PutOp
from langgraph.store.memory import InMemoryStore
from memoryhub_client import MemoryHub
from memoryhub_client.langgraph import MemoryHubStore

from tests.clients.inside import Wire

DOCS: list[tuple[tuple[str, ...], str, dict[str, Any]]] = [
    (("docs",), "1", {"author": "Alice", "tags": ["x", "y"], "score": 4.5, "meta": {"lang": "en", "year": 2024}}),
    (("docs",), "2", {"author": "Bob", "tags": ["x"], "score": 3, "meta": {"lang": "de", "year": 2024}}),
    (("docs", "old"), "3", {"author": "Alice", "score": 2.0, "done": True}),
    (("images",), "4", {"author": "Alice", "score": -1, "done": None}),
]


@pytest.mark.parametrize(
    "wanted",
    [
        {"author": "Alice"},
        {"author": "alice"},
        {"author": "Alice", "score": {"$gt": 2}},
        {"score": {"$gte": 3, "$lt": 4.5}},
        {"score": {"$ne": 3}},
        {"author": {"$eq": "Bob"}},
        {"tags": ["x"]},
        {"meta": {"lang": "en"}},
        {"meta": {"year": {"$lte": 2024}}},
        {"done": None},
        {"done": True},
        {"score": 3.0},
        {},
    ],
)
def test_filters_leave_what_langgraphs_own_store_leaves(store: MemoryHubStore, wanted: dict[str, Any]) -> None:
    theirs = InMemoryStore()
    for any_store in (store, theirs):
        any_store.batch([PutOp(*doc) for doc in DOCS])
    for prefix in ((), ("docs",)):
        ours, expected = ({item.key for item in one.search(prefix, filter=wanted, limit=99)} for one in (store, theirs))
        assert ours == expected


def test_an_operator_that_does_not_exist_is_refused(store: MemoryHubStore) -> None:
    store.put(("a",), "k", {"v": 1})
    with pytest.raises(ValueError, match=r"Unsupported operator: \$like"):
        store.search(("a",), filter={"v": {"$like": "x"}})
    assert store.search(("a",), filter={"v": {"$gt": "many"}}) == []


def test_a_search_comes_in_pages(store: MemoryHubStore, wire: Wire) -> None:
    store.batch([PutOp(("many",), f"{number}", {"number": number}) for number in range(230)])
    wire.requests.clear()
    assert len(store.search(("many",))) == 10
    assert len(wire.requests) == 1
    seen = [item.key for start in range(0, 230, 100) for item in store.search(("many",), limit=100, offset=start)]
    assert sorted(seen, key=int) == [f"{number}" for number in range(230)]
    late = store.search(("many",), filter={"number": {"$lt": 3}}, limit=2, offset=1)
    assert len(late) == 2


def test_a_query_ranks_and_the_rest_follows(store: MemoryHubStore) -> None:
    texts = {
        "pizza": "Mira loves pizza with olives.",
        "deploy": "Deploys are frozen on Friday.",
        "cat": "The cat is grey.",
    }
    store.batch([PutOp(("facts",), key, {"text": text, "kind": "fact"}) for key, text in texts.items()])
    store.put(("facts",), "hidden", {"text": "Deploys deploys deploys."}, index=False)
    store.put(("other",), "away", {"text": "Deploys are elsewhere."})
    found = store.search(("facts",), query="when are deploys frozen?")
    assert {item.key for item in found} == {*texts, "hidden"}
    assert (found[0].key, found[-1].key, found[-1].score) == ("deploy", "hidden", None)
    assert found[0].score
    narrowed = store.search(("facts",), query="deploys", filter={"kind": "fact"}, limit=1)
    assert [item.key for item in narrowed] == ["deploy"]
    first, second = (store.search(("facts",), query="deploys", limit=2, offset=offset) for offset in (0, 2))
    assert {item.key for item in (*first, *second)} == {item.key for item in found}
    assert all(item.score is None for item in store.search(("facts",)))
    for odd in ("", None, "!@#$%^&*()", "test " * 3_000):
        odd_ones = store.search(("facts",), query=odd)
        assert len(odd_ones) == 4
        assert odd or all(item.score is None for item in odd_ones)


def test_a_query_with_a_filter_finds_all_that_pass_it(store: MemoryHubStore) -> None:
    """The first hits are not among them, and more pass than one recall gives."""
    ops = [PutOp(("many",), f"{n}", {"text": "deploy deploy deploy", "kind": "loud"}) for n in range(60)]
    ops += [PutOp(("many",), f"{60 + n}", {"text": "We deploy.", "kind": "quiet", "n": n}) for n in range(70)]
    store.batch(ops)
    wanted = {"kind": "quiet"}
    found = store.search(("many",), query="deploy", filter=wanted, limit=100)
    assert {item.key for item in found} == {f"{60 + n}" for n in range(70)}
    pages = [
        store.search(("many",), query="deploy", filter=wanted, limit=30, offset=start) for start in (0, 30, 60, 90)
    ]
    assert [item.key for page in pages for item in page] == [item.key for item in found]
    few = store.search(("many",), query="deploy", filter={"n": {"$lt": 3}}, limit=5)
    assert {item.key for item in few} == {"60", "61", "62"}
    assert len(store.search(("many",), query="deploy", limit=200)) == 130


def best(store: MemoryHubStore, query: str, **narrowed: Any) -> list[str]:
    """The keys of what a query finds by what is in it, best first."""
    return [item.key for item in store.search(("docs",), query=query, **narrowed) if item.score]


def test_a_query_ranks_what_a_filter_leaves(store: MemoryHubStore) -> None:
    fruit = {"1": ("red apple", "red", 4.5), "2": ("red car", "red", 3), "3": ("green apple", "green", 4)}
    fruit["4"] = ("blue car", "blue", 3.5)
    store.batch([PutOp(("docs",), key, {"text": text, "color": c, "score": s}) for key, (text, c, s) in fruit.items()])
    for query, wanted, expected in (
        ("apple", {"color": "red"}, ["1", "2"]),
        ("car", {"color": "red"}, ["2", "1"]),
        ("blue", {"score": {"$gt": 3.2}}, ["4", "1", "3"]),
        ("apple", {"score": {"$gte": 4.0}, "color": "green"}, ["3"]),
    ):
        found = [item.key for item in store.search(("docs",), query=query, filter=wanted)]
        assert (found[0], sorted(found)) == (expected[0], sorted(expected)), query


def test_one_of_many_is_found_first(store: MemoryHubStore) -> None:
    store.batch([PutOp(("docs",), f"{n}", {"text": f"Notes about berth {n}."}) for n in range(120)])
    store.put(("docs", "deep"), "M", {"text": "The lighthouse keeper sleeps at noon."})
    store.batch([PutOp(("docs",), f"{n}", {"text": f"Notes about berth {n}."}) for n in range(120, 150)])
    found = store.search((), query="When does the lighthouse keeper sleep?", limit=10)
    assert (found[0].key, len({item.key for item in found})) == ("M", 10)
    assert found[0].score
    assert all((item.score or 0) < found[0].score for item in found[1:])


def test_a_changed_item_is_found_by_what_it_says_now(store: MemoryHubStore) -> None:
    store.put(("docs",), "1", {"text": "A zany zebra called Xerxes."})
    store.put(("docs",), "2", {"text": "Something about dogs."})
    (before, *_) = store.search(("docs",), query="zany Xerxes")
    store.put(("docs",), "1", {"text": "New text about birds."})
    after = {item.key: item.score or 0 for item in store.search(("docs",), query="zany Xerxes")}
    assert before.key == "1"
    assert before.score
    assert after["1"] < before.score
    assert best(store, "birds")[0] == "1"


@pytest.mark.parametrize("text", ["这是中文", "これは日本語です", "이건 한국어야", "Это русский", "यह हिन्दी है"])
def test_any_writing_is_found(store: MemoryHubStore, text: str) -> None:
    store.batch([PutOp(("docs",), f"{n}", {"text": f"Note {n}."}) for n in range(5)])
    store.put(("docs",), "wanted", {"text": text})
    for index in (None, ["text"]):
        store.put(("docs",), "wanted", {"text": text}, index=index)  # type: ignore[arg-type]
        assert best(store, text)[0] == "wanted"


def test_a_query_searches_the_fields_that_are_indexed(store: MemoryHubStore) -> None:
    value = {"title": "Harbour", "body": "The crane is oiled.", "parts": [{"name": "hook"}, {"name": "größe"}]}
    store.put(("docs",), "title", value, index=["title", "missing"])
    store.put(("docs",), "parts", value, index=["parts[*].name"])
    store.put(("docs",), "whole", value)
    store.put(("docs",), "all", value, index=["$"])
    assert best(store, "harbour")[0] == "title"
    assert set(best(store, "crane")[:2]) == {"whole", "all"}
    assert set(best(store, "hook")[:3]) == {"whole", "all", "parts"}
    assert best(store, "größe")[0] == "parts"
    for key in ("title", "parts", "whole", "all"):
        item = store.get(("docs",), key)
        assert item
        assert item.value == value
    assert len(store.search(("docs",), query="crane", filter={"body": "The crane is oiled."})) == 4


def test_a_store_may_say_which_fields_are_indexed(client: MemoryHub) -> None:
    store = MemoryHubStore(client, fields=["title"])
    store.put(("docs",), "short", {"title": "Harbour", "body": "The crane is oiled."})
    store.put(("docs",), "other", {"title": "Harbour", "body": "The crane is oiled."}, index=["body"])
    store.put(("docs",), "none", {"body": "The crane is oiled."})
    assert best(store, "crane")[0] == "other"
    assert best(store, "harbour")[0] == "short"
    assert "none" not in best(store, "crane")
    assert len(store.search(("docs",), query="crane")) == 3


def test_what_is_not_indexed_takes_no_place_among_the_ranked(store: MemoryHubStore) -> None:
    loud = {"text": "deploy deploy deploy"}
    store.batch([PutOp(("docs",), f"hidden {n}", loud, index=False) for n in range(60)])
    store.put(("docs",), "seen", {"text": "We deploy."})
    assert best(store, "deploy") == ["seen"]
    found = store.search(("docs",), query="deploy", limit=3)
    assert [item.score is None for item in found] == [False, True, True]
    assert len(store.search(("docs",), limit=100)) == 61
    store.put(("docs",), "hidden 7", loud)
    assert set(best(store, "deploy")) == {"seen", "hidden 7"}


def test_a_value_too_large_to_be_apart_is_searched_whole(store: MemoryHubStore) -> None:
    value = {"title": "Harbour", "body": "The crane is oiled. " * 500}
    store.put(("docs",), "large", value, index=["title"])
    item = store.get(("docs",), "large")
    assert item
    assert item.value == value
    assert best(store, "harbour") == best(store, "crane") == ["large"]


def test_people_may_write_over_the_text_of_fields(store: MemoryHubStore, client: MemoryHub) -> None:
    store.put(("docs",), "k", {"title": "Harbour", "n": 1}, index=["title"])
    memory = client.get_key("langgraph/docs/k")
    assert memory.content == "Harbour"
    client.change(memory.id, content="The old harbour, says Mira.")
    (found,) = store.search(("docs",))
    assert found.value == {"content": "The old harbour, says Mira."}
