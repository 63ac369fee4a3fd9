"""LangGraph's store over the hub: what LangGraph asks of every store, and the same answers as its own store gives."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

import pytest
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore
from memoryhub_client import AsyncMemoryHub, MemoryHub, MemoryHubError
from memoryhub_client.langgraph import MemoryHubStore, StoreLayout

from memories.models import Memory, Revision
from teams.actor import Actor
from tests import factories
from tests.clients.inside import URL, client_of


def namespaces(store: MemoryHubStore, prefix: tuple[str, ...]) -> set[tuple[str, ...]]:
    return {item.namespace for item in store.search(prefix, limit=100)}


def test_an_item_is_put_read_changed_and_deleted(store: MemoryHubStore) -> None:
    namespace, value = ("test", "documents"), {"title": "A document", "nested": {"list": [1, 2.5, None, True, "é"]}}
    store.put(namespace, "doc1", value)
    item = store.get(namespace, "doc1")
    assert item
    assert (item.namespace, item.key, item.value) == (namespace, "doc1", value)
    store.put(namespace, "doc1", {"title": "Another"})
    changed = store.get(namespace, "doc1")
    assert changed
    assert (changed.value, changed.created_at) == ({"title": "Another"}, item.created_at)
    assert changed.updated_at > item.updated_at
    assert store.get(("test", "other"), "doc1") is None
    assert store.get(("test",), "doc1") is None
    store.delete(namespace, "doc1")
    store.delete(namespace, "doc1")
    assert store.get(namespace, "doc1") is None
    assert [row.change for row in Revision.objects.order_by("version")] == ["created", "updated", "forgotten"]


def test_a_batch_may_hold_more_than_the_hub_takes_at_once(store: MemoryHubStore) -> None:
    store.batch([PutOp(("large",), str(number), {"text": "word " * 9_000}) for number in range(30)])
    assert len(store.search(("large",), limit=100)) == 30


def test_a_batch_reads_first_and_the_last_put_counts(store: MemoryHubStore) -> None:
    store.put(("test", "foo"), "key1", {"data": "value1"})
    store.put(("test", "bar"), "key2", {"data": "value2"})
    results = store.batch(
        [
            PutOp(("test",), "key3", {"data": "early"}),
            GetOp(("test", "foo"), "key1"),
            PutOp(("test", "bar"), "key2", None),
            SearchOp(("test",), filter={"data": "value1"}),
            ListNamespacesOp(),
            GetOp(("test",), "key3"),
            PutOp(("test",), "key3", {"data": "late"}),
        ]
    )
    assert results[0] is results[2] is results[5] is results[6] is None
    assert results[1].value == {"data": "value1"}  # type: ignore[union-attr]
    assert [item.key for item in results[3]] == ["key1"]  # type: ignore[union-attr]
    assert results[4] == [("test", "bar"), ("test", "foo")]
    item = store.get(("test",), "key3")
    assert item
    assert item.value == {"data": "late"}
    assert store.get(("test", "bar"), "key2") is None


def test_a_prefix_ends_where_a_label_does(store: MemoryHubStore) -> None:
    made = [
        ("a",),
        ("a", "b"),
        ("a", "b", "c"),
        ("ab",),
        ("ab", "c"),
        ("a_",),
        ("a%",),
        ("A",),
        ("user_1",),
        ("userX1",),
    ]
    made += [("users", "alice"), ("users", "alice\n"), ("foo", "langgraph", "foo")]
    made += [("a", "b/c"), ("a/b",), ("~", "b"), ("größe", " x "), ("a%b",), ("axxb",), ("x" * 90, "y" * 90)]
    store.batch([PutOp(namespace, "k", {"v": 1}) for namespace in made])
    assert namespaces(store, ()) == set(made)
    for prefix in [*made, ("fo",), ("a", "b", "c", "d"), ("b",), ("x" * 90,), ("a", "B")]:
        assert namespaces(store, prefix) == {found for found in made if found[: len(prefix)] == prefix}, prefix
    for namespace in made:
        item = store.get(namespace, "k")
        assert item
        assert item.namespace == namespace


def test_namespaces_are_listed(store: MemoryHubStore) -> None:
    made = [
        *(("test", "documents", "public"), ("test", "documents", "private"), ("test", "images", "public")),
        *(("prod", "documents", "public"), ("uid", "users", "alice"), ("uid", "users", "malice"), ("uidx",)),
    ]
    assert store.list_namespaces() == []
    store.batch([PutOp(namespace, "k", {}) for namespace in made])
    assert store.list_namespaces() == sorted(made)
    assert store.list_namespaces(prefix=("uid",)) == [("uid", "users", "alice"), ("uid", "users", "malice")]
    assert store.list_namespaces(suffix=("alice",)) == [("uid", "users", "alice")]
    assert store.list_namespaces(prefix=("test", "*", "public")) == [
        ("test", "documents", "public"),
        ("test", "images", "public"),
    ]
    assert store.list_namespaces(prefix=("*", "documents"), suffix=("public",)) == [
        ("prod", "documents", "public"),
        ("test", "documents", "public"),
    ]
    assert store.list_namespaces(prefix=("test",), max_depth=2) == [("test", "documents"), ("test", "images")]
    assert store.list_namespaces(max_depth=1) == [("prod",), ("test",), ("uid",), ("uidx",)]
    assert store.list_namespaces(suffix=("*", "malice")) == [("uid", "users", "malice")]
    assert store.list_namespaces(prefix=("uid", "*", "*", "alice")) == store.list_namespaces(prefix=("nothing",)) == []
    assert store.list_namespaces(prefix=["uid", "users", "alice"]) == [("uid", "users", "alice")]  # type: ignore[arg-type]
    assert store.list_namespaces(limit=2, offset=1) == sorted(made)[1:3]
    assert store.list_namespaces(limit=5, offset=6) == sorted(made)[6:]
    store.delete(("uidx",), "k")
    assert ("uidx",) not in store.list_namespaces()


def test_items_live_as_long_as_their_ttl_and_reads_prolong_it(client: MemoryHub) -> None:
    store = MemoryHubStore(client, ttl={"default_ttl": 60, "refresh_on_read": True})
    store.put(("ttl",), "default", {"v": 1})
    store.put(("ttl",), "ever", {"v": 2}, ttl=None)
    store.put(("ttl",), "short", {"v": 3}, ttl=10)

    def left(key: str) -> float:
        expires_at = Memory.objects.get(key=f"langgraph/ttl/{key}").expires_at
        return (expires_at - datetime.now(UTC)) / timedelta(minutes=1) if expires_at else -1

    def pass_by(minutes: float) -> None:
        for row in Memory.objects.exclude(expires_at=None):
            Memory.objects.filter(pk=row.pk).update(expires_at=row.expires_at - timedelta(minutes=minutes))

    assert [round(left(key)) for key in ("default", "ever", "short")] == [60, -1, 10]
    pass_by(5)
    store.get(("ttl",), "short", refresh_ttl=False)
    assert round(left("short")) == 5
    store.get(("ttl",), "short")
    assert round(left("short")) == 10
    pass_by(8)
    assert {item.key for item in store.search(("ttl",))} == {"default", "ever", "short"}
    assert [round(left(key)) for key in ("default", "short")] == [60, 10]
    store.put(("ttl", "deep"), "short", {"v": 5}, ttl=10)
    assert ("ttl", "deep") in store.list_namespaces()
    pass_by(10)
    assert store.get(("ttl",), "short") is None
    assert store.list_namespaces() == [("ttl",)]
    assert round(left("short")) == 0
    assert {item.key for item in store.search(("ttl",), query="v")} == {"default", "ever"}
    store.put(("ttl",), "default", {"v": 4}, ttl=None)
    assert round(left("default")) == -1


def test_bad_namespaces_are_refused(store: MemoryHubStore) -> None:
    for bad in ((), ("a.b",), ("",), ("langgraph", "x")):
        with pytest.raises(InvalidNamespaceError):
            store.put(bad, "k", {})
    with pytest.raises(InvalidNamespaceError):
        store.batch([GetOp(("a.b",), "k")])
    with pytest.raises(InvalidNamespaceError, match="at most 32 labels"):
        store.put(("deep",) * 33, "k", {})
    assert store.search(("deep",) * 33) == []
    assert store.list_namespaces() == []
    store.batch([PutOp(("langgraph", "x"), "k", {"v": 1})])  # past `put`, which alone keeps that label for LangGraph
    assert [item.value for item in store.search(("langgraph",))] == [{"v": 1}]
    store.delete(("langgraph", "x"), "k")
    assert store.get(("langgraph", "x"), "k") is None


def test_a_bad_operation_keeps_the_whole_batch_from_being_done(store: MemoryHubStore) -> None:
    for bad in (PutOp(("a.b",), "k", {}), PutOp(("deep",) * 33, "k", {}), SearchOp(("",)), GetOp((7,), "k")):  # type: ignore[arg-type]
        with pytest.raises(InvalidNamespaceError):
            store.batch([PutOp(("a",), "k", {"v": 1}), bad])
    assert store.search(()) == []


def test_a_value_may_be_any_mapping(store: MemoryHubStore) -> None:
    store.put(("a",), "k", MappingProxyType({"text": "olives"}))
    store.put(("a",), "k2", MappingProxyType({"text": "olives"}), index=["text"])
    assert [item.value for item in store.search(("a",))] == [{"text": "olives"}] * 2


def test_what_has_expired_leaves_no_gap_in_a_page(store: MemoryHubStore) -> None:
    for key in ("c", "b", "expired", "a"):
        store.put(("page",), key, {"v": 1}, ttl=10)
    Memory.objects.filter(key="langgraph/page/expired").update(expires_at=datetime.now(UTC) - timedelta(minutes=1))
    pages = [store.search(("page",), limit=2, offset=offset) for offset in (0, 2)]
    assert [[item.key for item in page] for page in pages] == [["a", "b"], ["c"]]


def test_stores_of_other_names_scopes_and_teams_are_apart(client: MemoryHub, writer: Actor) -> None:
    here = MemoryHubStore(client)
    here.put(("a",), "k", {"v": 1})
    client.save("A memory of the team that happens to have the tag.", tags=["a"])
    with client_of(factories.actor()) as stranger:
        for other in (
            MemoryHubStore(client, name="other"),
            MemoryHubStore(client, scope="agent"),
            MemoryHubStore(stranger),
        ):
            assert (other.get(("a",), "k"), other.search(("a",)), other.list_namespaces()) == (None, [], [])
            other.put(("a",), "k", {"v": 2})
    assert [item.value for item in here.search(())] == [{"v": 1}]


def test_people_may_write_over_an_item(store: MemoryHubStore, client: MemoryHub) -> None:
    store.put(("a",), "k", {"text": "wrong"})
    client.change(client.get_key("langgraph/a/k").id, content="Right, says Mira.")
    item = store.get(("a",), "k")
    assert item
    assert item.value == {"content": "Right, says Mira."}


def test_every_place_has_its_own_key() -> None:
    chosen, place = random.Random(7), StoreLayout("langgraph", "team")
    labels = ["a", "b", "A", "a/b", "", "~", ".", "..", "a b", "é", "e\u0301", "a" * 150, "%", "_", "-", " a"]
    made = {(tuple(chosen.choices(labels, k=chosen.randint(1, 3))), chosen.choice(labels)) for _ in range(2_000)}
    assert len({place.key(*one) for one in made}) == len(made)
    assert max(len(place.key(*one)) for one in made) <= 200


def test_a_store_for_asynchronous_code_alone_says_so() -> None:
    with pytest.raises(MemoryHubError, match="await its asynchronous methods"):
        MemoryHubStore(async_hub=AsyncMemoryHub(URL, "mh_x")).get(("a",), "k")


def test_what_others_keep_at_an_items_key_is_no_item(store: MemoryHubStore, client: MemoryHub) -> None:
    client.save("By hand.", key="langgraph/a/k", category="langgraph", tags=["a"])
    assert store.get(("a",), "k") is None
    assert store.search(("a",)) == store.search(("a",), query="by hand") == []
    assert store.list_namespaces() == []
    store.put(("a",), "k", {"v": 1})
    item = store.get(("a",), "k")
    assert item
    assert item.value == {"v": 1}


RANDOM_LABELS = ["a", "ab", "b", "A", "a_", "a%", "%", "_", "x/y", "é", "two words", "-"]


@pytest.mark.parametrize("seed", range(3))
def test_random_operations_end_as_in_langgraphs_own_store(store: MemoryHubStore, seed: int) -> None:
    chosen, theirs = random.Random(seed), InMemoryStore()
    for _ in range(15):
        for ops in (list(some_ops(chosen)), [some_list(chosen)]):
            ours, expected = store.batch(ops), theirs.batch(ops)
            assert [comparable(one) for one in ours] == [comparable(one) for one in expected], ops
            for empty in [namespace for namespace, items in theirs._data.items() if not items]:
                del theirs._data[empty]  # left over from a delete or made by a get, and it would list them


def some_ops(chosen: random.Random) -> Iterator[Any]:
    for _ in range(chosen.randint(1, 4)):
        namespace = tuple(chosen.choices(RANDOM_LABELS, k=chosen.randint(1, 3)))
        key = chosen.choice(["k", "k.1", "../k", "K", "k k"])
        yield chosen.choice(
            [
                PutOp(namespace, key, {"v": chosen.randint(0, 3)}),
                PutOp(namespace, key, {"v": chosen.randint(0, 3)}),
                PutOp(namespace, key, None),
                GetOp(namespace, key),
                SearchOp(namespace[: chosen.randint(0, 2)], limit=100, filter=chosen.choice([None, {"v": {"$gt": 1}}])),
            ]
        )


def some_list(chosen: random.Random) -> ListNamespacesOp:
    labels = tuple(chosen.choices([*RANDOM_LABELS, "*", "*"], k=chosen.choice([1, 1, 2])))
    condition = MatchCondition(chosen.choice(["prefix", "suffix"]), labels)  # type: ignore[arg-type]
    return ListNamespacesOp((condition,), max_depth=chosen.choice([None, 1, 2]))


def comparable(result: Any) -> Any:
    if isinstance(result, list):
        return sorted((one.namespace, one.key, str(one.value)) if hasattr(one, "key") else one for one in result)
    return (result.namespace, result.key, result.value) if result else None
