"""Texts are searched letter by letter, in a time that does not grow with the text and the query multiplied."""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from memories import operations
from memories.recall import QUERY_LENGTH, recall
from memories.recall.literal_text import MOST_CANDIDATES, MOST_COMPARED
from teams.models import Agent
from tests import factories
from tests.caller import Caller
from tests.effort import seconds

FEW = 5
OPENING = "The gate of berth 7 is closed in storms. " * 20


@pytest.fixture
def caller(db: None) -> Caller:
    return Caller()


def save_texts(agent: Agent, text: str) -> None:
    actor = factories.unscreened(factories.actor(agent))
    for _ in range(FEW):
        factories.memory(actor, text)


def write_files(agent: Agent, text: str) -> None:
    actor = factories.unscreened(factories.actor(agent))
    for number in range(FEW):
        operations.files.write_file(actor=actor, path=f"{len(text)}/{number}.md", content=text)


def search_kv(caller: Caller, query: str) -> list[Any]:
    found: list[Any] = caller("POST", "tools/kv/memory", {"command": "search", "query": query}).json()["entries"]
    return found


def recall_keyword(caller: Caller, query: str) -> list[Any]:
    found: list[Any] = caller("POST", "recall", {"query": query, "mode": "keyword"}).json()["memories"]
    return found


def list_memories(caller: Caller, query: str) -> list[Any]:
    found: list[Any] = caller("GET", f"memories?text={quote(query)}").json()["memories"]
    return found


def list_files(caller: Caller, query: str) -> list[Any]:
    found: list[Any] = caller("GET", f"files?text={quote(query)}").json()["files"]
    return found


SEARCHES = {
    "kv": (save_texts, search_kv, "a", "b", 50_000, QUERY_LENGTH),
    "recall": (save_texts, recall_keyword, "a", "b", 50_000, QUERY_LENGTH),
    "memories": (save_texts, list_memories, ".", "!", 50_000, 1_000),
    "files": (write_files, list_files, "的", "水", 300_000, 1_000),  # the index of files does not have them
}


@pytest.mark.parametrize(("store", "search", "letter", "other", "size", "length"), SEARCHES.values(), ids=SEARCHES)
def test_twice_as_much_text_and_query_takes_not_four_times_as_long(
    caller: Caller,
    store: Callable[[Agent, str], None],
    search: Callable[[Caller, str], list[Any]],
    letter: str,
    other: str,
    size: int,
    length: int,
) -> None:
    def measure(part: int) -> float:
        agent = factories.agent()
        store(agent, letter * (size // part))
        query = letter * (length // part - 1) + other
        asking = Caller(agent)
        assert search(asking, query) == []
        return seconds(lambda: search(asking, query))

    half = measure(2)
    assert measure(1) < 3 * max(0.05, half)


def test_an_identifier_is_compared_in_a_bounded_time(caller: Caller) -> None:
    def measure(part: int) -> float:
        actor = factories.unscreened(factories.actor())
        query = "b1" + "a" * (998 // part)
        for number in range(FEW):
            factories.memory(actor, f"{number} {query[:2]} " + "a" * (49_000 // part))
        return seconds(lambda: recall(actor=actor, query=query))

    half = measure(2)
    assert measure(1) < 3 * max(0.05, half)


@pytest.mark.parametrize("search", [search_kv, recall_keyword])
def test_a_long_text_is_found_whole(caller: Caller, search: Callable[[Caller, str], list[Any]]) -> None:
    actor = factories.actor(caller.agent)
    wanted = factories.memory(actor, f"Rules. {OPENING}It reopens at dawn.")
    for number in range(MOST_CANDIDATES - 1):
        factories.memory(actor, f"{number} {OPENING}")
    query = f"{OPENING}IT REOPENS".lower()
    assert len(query) > MOST_COMPARED
    assert search(caller, query)[0]["content"] == wanted.content


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("10 % of C:\\x_y", "% OF c:\\X_"),
        ("Ärger im HAFEN", "äRGER IM h"),
        ("ΣΕΛΙΔΑ 7", "σελιδα "),
        ("it's 7 o'clock", "T'S 7 O'"),
    ],
)
def test_case_is_ignored_and_signs_are_themselves(caller: Caller, text: str, query: str) -> None:
    factories.memory(factories.actor(caller.agent), text)
    assert [entry["content"] for entry in search_kv(caller, query)] == [text]
    assert search_kv(caller, query.replace(" ", "_")) == []
