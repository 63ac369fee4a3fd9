"""Features of candidates: what the ranking knows about each of them, beside the others and the memories around it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from memories.recall.candidates import NOBODY, Candidates, Numbers
from memories.recall.weights import EVEN_SHARE, FULL_WORDS
from memories.recall.word_stats import Terms
from memories.recall.words import MOST_TERMS

# The names of the features, by what an explanation calls them together.
FEATURES = {
    "words": ("words", "words_relative", "coverage", "share_of_words", "rarest", "frequency"),
    "meaning": ("nearness_relative", "nearness_unusual"),
    "lead": ("lead", "lead_rarity"),
    "rule": ("rule_nearness",),
    "length": ("length", "length_relative"),
    "neighbours": (
        *("before_nearness", "before_adds", "after_nearness", "after_adds", "coverage_around"),
        *("before_asks", "before_asks_for"),
    ),
    # These are the same for every candidate of a question: they say what the others are worth there.
    "question": ("asked_words", "best_words", "spread", "leads", "order_of_words", "order_of_meaning", "pairs"),
}
NAMES = tuple(name for names in FEATURES.values() for name in names)
MOST_WORDS = 1.5 * FULL_WORDS  # words score of a memory that has every word in its label
UNKNOWN_NEARNESS = -0.5  # nearness of a neighbour that is not a candidate: farther than the farthest one
FEW_PAIRS = 8.0  # neighbours among the candidates that do not yet tell whether neighbours belong together


@dataclass(frozen=True, slots=True)
class AskedWords:
    """The words of a question, as its candidates are measured by them."""

    weights: Numbers  # weight of each place in the statement; 0 for an identifier
    openings: Numbers  # the weight of each word that a memory may begin with, after 0 for none
    mean_bytes: float
    trust: float  # trust in meaning, 0 to 1: lower where the model splits a language's words into pieces

    @classmethod
    def read(cls, terms: Terms, *, openings: Sequence[str], meaning_share: float) -> Self:
        weights = [term.weight if term.words else 0.0 for term in terms.terms[:MOST_TERMS]]
        begins = [0.0, *(terms.weights.get(word, 0.0) for word in openings)]
        return cls(np.array(weights), np.array(begins), terms.mean_bytes, min(meaning_share / EVEN_SHARE, 1.0))


def compute_features(candidates: Candidates, retrieved: NDArray[np.bool_], asked: AskedWords) -> Numbers:
    """Return a row for each candidate and a column for each of NAMES. Only those that were retrieved, not led to by
    a link, say how near is near."""
    # What all words are worth together leaves out identifiers and words that occur nowhere: a share of it has no bound.
    words = np.minimum(candidates["words"], MOST_WORDS)
    nearness = asked.trust * _scale(candidates["nearness"], retrieved)
    by_words, by_meaning = Spread.measure(words), Spread.measure(nearness)
    whole = max(float(asked.weights.sum()), 1e-9)
    weights = asked.weights / whole
    has = _unpack_bits(candidates["present"], len(weights))
    rarity = has @ weights
    opening = np.maximum(candidates["opening"], 0)
    length = np.log(np.maximum(candidates["size"], 1.0))
    before, after = candidates.follows, _invert(candidates.follows)
    known = np.flatnonzero(before != NOBODY)
    columns = [
        words,
        words / max(by_words.most, 1e-9),
        rarity,
        has @ np.sign(weights) / max(int(np.count_nonzero(weights)), 1),
        (has * weights).max(axis=1) / max(float(weights.max()), 1e-9),
        np.minimum(words / np.maximum(rarity, 1e-9) * (rarity > 0), MOST_WORDS),
        nearness,
        asked.trust * by_meaning.centred / max(by_meaning.deviation, 1e-6),
        opening > 0,
        np.minimum(asked.openings[opening.astype(np.intp)] / whole, 1.0),
        nearness * (candidates["opening"] < 0),
        length,
        length - math.log(asked.mean_bytes),
        *_compare_neighbour(before, nearness=nearness, has=has, weights=weights),
        *_compare_neighbour(after, nearness=nearness, has=has, weights=weights),
        _join_words(has, before, after) @ weights,
        *_find_questions(before, asks=candidates["asks"], has=has, weights=weights),
        # The same for all. Where neighbours are alike, the order in which memories were saved tells something; where
        # they are no more alike than any two, it does not.
        float(np.count_nonzero(weights)),
        by_words.most,
        by_meaning.deviation,
        np.count_nonzero(opening) / len(words),
        by_words.correlate(known, before[known]),
        by_meaning.correlate(known, before[known]),
        len(known) / len(words),
    ]
    features = np.empty((len(columns), len(candidates)))
    for row, column in zip(features, columns, strict=True):
        row[:] = column
    return features.T


@dataclass(frozen=True, slots=True)
class Spread:
    """How far the values of the candidates are apart."""

    centred: Numbers  # less their mean
    most: float
    deviation: float

    @classmethod
    def measure(cls, values: Numbers) -> Self:
        centred = values - float(values.sum()) / len(values)
        return cls(centred, float(values.max()), math.sqrt(float(centred @ centred) / len(values)))

    def correlate(self, some: NDArray[np.intp], others: NDArray[np.intp]) -> float:
        """Return how alike the values of pairs are: 0 if no more than any two's, less sure the fewer they are."""
        likeness = float(self.centred[some] @ self.centred[others]) / (len(some) + FEW_PAIRS)
        return likeness / max(self.deviation**2, 1e-6)


def _scale(nearness: Numbers, retrieved: NDArray[np.bool_]) -> Numbers:
    """Return the nearness of each between the farthest, 0, and the nearest, 1. What has no vector yet is far."""
    known = nearness[retrieved & ~np.isnan(nearness)]
    if not len(known):
        return np.zeros(len(nearness))
    lowest, highest = float(known.min()), float(known.max())
    scaled: Numbers = (np.nan_to_num(nearness, nan=lowest) - lowest) / max(highest - lowest, 1e-9)
    return scaled


def _unpack_bits(present: Numbers, places: int) -> NDArray[np.bool_]:
    bits: NDArray[np.bool_] = (present.astype(np.int64)[:, None] >> np.arange(places)) & 1 > 0
    return bits


def _invert(before: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the position of the candidate that goes on from each."""
    after = np.full(len(before), NOBODY, dtype=np.intp)
    known = np.flatnonzero(before != NOBODY)
    after[before[known]] = known
    return after


def _compare_neighbour(
    neighbour: NDArray[np.intp], *, nearness: Numbers, has: NDArray[np.bool_], weights: Numbers
) -> list[Any]:
    """Return what the memory before or after each has of the question, and what it adds to it."""
    known = neighbour != NOBODY
    theirs = has[neighbour] & known[:, None]
    return [
        np.where(known, nearness[neighbour], UNKNOWN_NEARNESS),
        (theirs & ~has) @ weights,
    ]


def _find_questions(
    before: NDArray[np.intp], *, asks: Numbers, has: NDArray[np.bool_], weights: Numbers
) -> list[Numbers]:
    """Return whether the memory before each is a question, and what that has of the one that is asked."""
    asked_before = np.where(before != NOBODY, asks[before], 0.0)
    return [asked_before, asked_before * (has[before] @ weights)]


def _join_words(has: NDArray[np.bool_], before: NDArray[np.intp], after: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which words each has together with the two before and the two after it."""
    joined = has.copy()
    for step in (before, after):
        place = step
        for _ in range(2):
            known = place != NOBODY
            joined |= has[place] & known[:, None]
            place = np.where(known, step[place], NOBODY)
    return joined
