"""One vector out of many tokens': how much each token weighs, and the unit length that every vector has."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.floating[Any]]


def by_place(count: int, *, reach: float) -> Numbers:
    """What a text begins with tells more of what it is about: the weight of each of its tokens."""
    return 1 / (1 + np.arange(count, dtype=np.float32) / np.float32(reach)) ** 2


def by_word(text: str, *, offsets: Iterable[tuple[int, int]], weights: Mapping[str, float]) -> Numbers:
    """For each token, which begins and ends at its offsets, the weight of the word it stands in; 1 outside of words."""
    characters = _by_character(text, weights)
    return np.array([max(characters[start:end], default=1.0) for start, end in offsets], dtype=np.float32)


def _by_character(text: str, weights: Mapping[str, float]) -> list[float]:
    """For each character the weight of the word it stands in."""
    characters = [1.0] * len(text)
    start = 0
    for position in range(len(text) + 1):
        if position == len(text) or not text[position].isalnum():
            word = text[start:position].lower()
            characters[start:position] = [weights.get(word, 1.0)] * (position - start)
            start = position + 1
    return characters


def unit(vector: Numbers) -> list[float]:
    """The vector at length 1, unless it has none."""
    length = float(np.linalg.norm(vector))
    made: list[float] = (vector / length if length else vector).tolist()
    return made
