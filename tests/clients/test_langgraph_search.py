"""Searches of LangGraph's store over the hub: filters, pages, queries, and what of an item they search."""

from typing import Any

import pytest
from langgraph.store.base import PutOp
from langgraph.store.memory import InMemoryStore
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
    for odd in ("", "!@#$%^&*()", "test " * 3_000):
        assert len(store.search(("facts",), query=odd)) == 4


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


def test_fields_to_index_are_taken_and_no_narrower(store: MemoryHubStore) -> None:
    store.put(("a",), "k", {"title": "Harbour", "body": "The crane is oiled."}, index=["title"])
    (found,) = store.search(("a",), query="crane")
    assert found.score
