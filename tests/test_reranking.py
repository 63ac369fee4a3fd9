"""A reranker puts the first hits in its own order, and recall goes on without it where it fails."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from pytest_django import Settings

from memories import operations
from memories.recall import Recalled, recall, reranking
from memories.reranking import RerankerUnavailable, get_reranker
from memories.reranking.cross_encoder import CrossEncoder
from teams.actor import Actor
from tests.caller import Caller
from tests.reranking_server import ODD_ANSWERS, RERANKER_KEY, RerankServer, rerank_server
from tests.tiny_onnx import write_model

CRANES = [f"Crane {number} lifts {number} tonnes." for number in (10, 40, 20, 50, 30)]


class BrokenReranker:
    """A reranker of the operator's own, with a fault."""

    def score(self, query: str, texts: Sequence[str], *, seconds: float) -> list[float]:
        raise ZeroDivisionError


@pytest.fixture
def chosen(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """The settings, from which the next reranker is made."""
    get_reranker.cache_clear()
    monkeypatch.setattr(reranking, "_paused_until", 0.0)
    yield settings
    get_reranker.cache_clear()


@pytest.fixture
def reranker(chosen: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[RerankServer]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    chosen.RERANKER, chosen.RERANKER_MODEL, chosen.RERANKER_KEY = "endpoint", "small", RERANKER_KEY
    with rerank_server() as made:
        chosen.RERANKER_URL = made.url
        yield made


@pytest.fixture
def harbour(writer: Actor) -> Actor:
    drafts = [operations.Draft(content=content) for content in CRANES]
    operations.save_memories(actor=writer, drafts=drafts)
    return writer


def list_contents(result: Recalled) -> list[str]:
    return [hit.memory.content for hit in result.hits]


def test_without_a_reranker_nothing_is_reordered(harbour: Actor) -> None:
    result = recall(actor=harbour, query="Which crane lifts much?")
    assert len(result.hits) == 5
    assert all(hit.reranked is None for hit in result.hits)


def test_the_first_hits_come_in_the_rerankers_order(harbour: Actor, reranker: RerankServer) -> None:
    result = recall(actor=harbour, query="Which crane lifts much?", limit=3)
    assert list_contents(result) == [f"Crane {number} lifts {number} tonnes." for number in (50, 40, 30)]
    assert [hit.reranked for hit in result.hits] == [0.5, 0.4, 0.3]
    assert all(one.relevance >= other.relevance for one, other in pairwise(result.hits))
    assert result.total == 5
    assert not result.note
    (request,), (key,), (path,) = reranker.requests, reranker.keys, reranker.paths
    assert (request["model"], request["query"], path) == ("small", "Which crane lifts much?", "/v1/rerank")
    assert sorted(request["documents"]) == sorted(CRANES)
    assert key == f"Bearer {RERANKER_KEY}"


@pytest.mark.usefixtures("db")
def test_explanations_have_the_rerankers_score(reranker: RerankServer) -> None:
    caller = Caller()
    for content in CRANES[:2]:
        caller.save(content)
    result = caller("POST", "recall", {"query": "Which crane lifts much?", "explain": True}).json()
    assert [hit["explain"]["reranker"] for hit in result["memories"]] == [0.4, 0.1]


def test_only_the_first_hits_are_reranked(harbour: Actor, reranker: RerankServer, settings: Settings) -> None:
    settings.RERANKER_CANDIDATES = 2
    hits = recall(actor=harbour, query="Which crane lifts much?").hits
    (request,) = reranker.requests
    assert len(hits) == 5
    assert sorted(request["documents"]) == sorted(hit.memory.content for hit in hits[:2])
    assert [hit.reranked is None for hit in hits] == [False, False, True, True, True]


def test_only_the_beginning_of_a_long_text_is_sent(writer: Actor, reranker: RerankServer) -> None:
    drafts = [operations.Draft(content=f"crane {number} {'crane ' * 5_000}") for number in (1, 2)]
    operations.save_memories(actor=writer, drafts=drafts)
    recall(actor=writer, query="Which crane lifts much?")
    assert [len(text) for text in reranker.requests[0]["documents"]] == [reranking.RERANKED_CHARACTERS] * 2


def test_by_words_alone_no_reranker_is_asked(harbour: Actor, reranker: RerankServer) -> None:
    assert recall(actor=harbour, query="crane", mode="keyword").hits
    assert not reranker.requests


def test_an_identifier_stays_first(harbour: Actor, reranker: RerankServer) -> None:
    operations.save_memory(actor=harbour, draft=operations.Draft(content="ADR-016 is about 1 crane."))
    hits = recall(actor=harbour, query="ADR-016").hits
    assert hits[0].memory.content == "ADR-016 is about 1 crane."
    assert hits[0].reranked is None


@pytest.mark.parametrize("behaviour", [*ODD_ANSWERS, "slow", "401", "500"])
def test_a_reranker_that_fails_leaves_the_order_and_is_left_alone(
    harbour: Actor, reranker: RerankServer, settings: Settings, behaviour: str, caplog: pytest.LogCaptureFixture
) -> None:
    settings.RERANKER_MILLISECONDS = 200
    expected = list_contents(recall(actor=harbour, query="crane", mode="keyword", limit=5))
    reranker.behaviour = behaviour
    result = recall(actor=harbour, query="Which crane lifts much?", limit=5)
    assert sorted(list_contents(result)) == sorted(expected)
    assert result.note == reranking.UNAVAILABLE_NOTE
    assert RERANKER_KEY not in caplog.text
    recall(actor=harbour, query="Which crane lifts much?")
    assert len(reranker.requests) == 1


def test_after_a_pause_it_is_asked_again(
    harbour: Actor, reranker: RerankServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    reranker.behaviour = "500"
    assert recall(actor=harbour, query="Which crane lifts much?").note
    reranker.behaviour = "good"
    monkeypatch.setattr(reranking, "_paused_until", 0.0)
    assert not recall(actor=harbour, query="Which crane lifts much?").note


@pytest.mark.parametrize("path", [f"{__name__}.BrokenReranker", "no.such.Class"])
def test_a_class_that_fails_leaves_the_order(harbour: Actor, chosen: Settings, path: str) -> None:
    chosen.RERANKER = path
    result = recall(actor=harbour, query="Which crane lifts much?")
    assert len(result.hits) == 5
    assert result.note == reranking.UNAVAILABLE_NOTE


def test_a_cross_encoder_reads_query_and_text_together(chosen: Settings, tmp_path: Path) -> None:
    write_model(tmp_path)
    chosen.RERANKER_FOLDER = str(tmp_path)
    texts = ["poor", "best of all", "fair", "good enough, not poor", "poor", "good"]
    scores = CrossEncoder().score("best good", texts, seconds=60)
    assert scores == [4, 7, 5, 6, 4, 6]


def test_a_cross_encoder_stops_when_its_time_is_up(chosen: Settings, tmp_path: Path) -> None:
    write_model(tmp_path)
    chosen.RERANKER_FOLDER = str(tmp_path)
    assert CrossEncoder().score("best", ["good"] * 10, seconds=0) == []


def test_a_cross_encoder_reorders_a_recall(writer: Actor, chosen: Settings, tmp_path: Path) -> None:
    write_model(tmp_path)
    chosen.RERANKER, chosen.RERANKER_FOLDER = "cross-encoder", str(tmp_path)
    for content in ("The berth is poor.", "The berth is best.", "The berth is fair."):
        operations.save_memory(actor=writer, draft=operations.Draft(content=content))
    hits = recall(actor=writer, query="How is the berth?").hits
    assert [hit.memory.content for hit in hits] == ["The berth is best.", "The berth is fair.", "The berth is poor."]


def test_a_folder_without_a_model_is_named(chosen: Settings, tmp_path: Path) -> None:
    chosen.RERANKER_FOLDER = str(tmp_path)
    with pytest.raises(RerankerUnavailable, match=r"RERANKER_FOLDER has no model\.onnx"):
        CrossEncoder()
