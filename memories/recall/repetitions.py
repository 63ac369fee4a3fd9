"""Repetitions: hits that say the same as a better one, in the same words or nearly."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from memories.models import Memory
from memories.recall.hits import Hit
from memories.text.facts import differs_in_facts

COMPARED_CHARACTERS = 4_000  # longest texts compared by words; longer ones must be identical
LENGTHS_APART = 0.2  # greatest difference in length, as a share of the longer text
COVERAGES_APART, NEARNESSES_APART = 0.01, 0.05  # texts in nearly the same words hardly differ in these
PARTS_APART = (
    1.0  # greatest number of differing parts, as a share of all: an ending or a sign changes one part in each text
)
WORD = re.compile(r"\w+(?:['’]\w+)?")
SMALL_WORDS = frozenset(
    ("a", "an", "and", "are", "at", "be", "by", "for", "had", "has", "have", "in", "is", "it", "of", "on", "our", "so")
).union(("that", "the", "this", "to", "was", "we", "were", "with"))
ENDINGS = frozenset({"s", "es", "d", "ed", "ing", "ly", "'s", "’s"})
SHORTEST_STEM = 3


def fold_repetitions(hits: Sequence[Hit], *, limit: int) -> tuple[list[Hit], int]:
    """Return the first hits that say something of their own, and how many others had to make way for them."""
    scores = [_get_scores(hit) for hit in hits]
    kept: list[int] = []
    for place in range(len(hits)):
        if len(kept) == limit:
            return [hits[other] for other in kept], place - limit
        if _find_same(hits, scores, place, kept) is None:
            kept.append(place)
    return [hits[other] for other in kept], len(hits) - len(kept)


def find_better(hits: Sequence[Hit], place: int) -> int | None:
    """Return the place of the first hit before this one that says the same."""
    return _find_same(hits, [_get_scores(hit) for hit in hits], place, range(place))


def _get_scores(hit: Hit) -> tuple[float, float]:
    """Return the nearness and the coverage of a hit, which cost nothing to compare."""
    scored = hit.scored
    return (scored.nearness or 0.0, scored.coverage) if scored else (0.0, 0.0)


def _find_same(
    hits: Sequence[Hit], scores: Sequence[tuple[float, float]], place: int, others: Iterable[int]
) -> int | None:
    """Return the first of the other places whose hit says the same. Each check is dearer than the one before, and few
    pairs go far."""
    nearness, coverage = scores[place]
    for other in others:
        near, covers = scores[other]
        if abs(nearness - near) > NEARNESSES_APART or abs(coverage - covers) > COVERAGES_APART:
            continue
        if _repeats(hits[place].memory, hits[other].memory):
            return other
    return None


def _repeats(one: Memory, other: Memory) -> bool:
    mine, theirs = one.content, other.content
    if abs(len(mine) - len(theirs)) > LENGTHS_APART * max(len(mine), len(theirs)):
        return False
    if max(len(mine), len(theirs)) > COMPARED_CHARACTERS:  # every pair of fifty hits may come here
        return mine == theirs and _keys_agree(one, other)
    return _keys_agree(one, other) and (mine == theirs or say_the_same(mine, theirs))


def _keys_agree(one: Memory, other: Memory) -> bool:
    """Return whether the memories may be about the same thing: the same text under two keys is two facts."""
    return not one.key or not other.key or one.key == other.key


def say_the_same(one: str, other: str) -> bool:
    """Return whether two texts differ in nothing but capitals, spaces, punctuation, small words and endings. A number,
    a name or a negation tells them apart."""
    mine, theirs = _split(one), _split(other)
    if len(mine ^ theirs) > PARTS_APART * max(len(mine), len(theirs)):
        return False
    if _find_beginnings(one) != _find_beginnings(other):
        return False
    if _flatten(one) == _flatten(other):
        return True
    if max(len(one), len(other)) > COMPARED_CHARACTERS or differs_in_facts(one, than=other):
        return False
    return _find_stems(one) == _find_stems(other)


def _flatten(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!")


@lru_cache(maxsize=64)
def _split(text: str) -> frozenset[str]:
    return frozenset(text.casefold().split())


@lru_cache(maxsize=64)
def _find_beginnings(text: str) -> frozenset[str]:
    """Return the first letters of the words, as many as a stem keeps: texts with the same stems have the same ones."""
    return frozenset(word[:SHORTEST_STEM] for word in WORD.findall(text.casefold()) if word not in SMALL_WORDS)


def _find_stems(text: str) -> set[str]:
    return {_find_stem(word) for word in WORD.findall(text.casefold()) if word not in SMALL_WORDS}


def _find_stem(word: str) -> str:
    """Return the word without the longest ending that leaves a stem."""
    stems = (word[: -len(ending)] for ending in ENDINGS if word.endswith(ending))
    return min((stem for stem in stems if len(stem) >= SHORTEST_STEM), key=len, default=word)
