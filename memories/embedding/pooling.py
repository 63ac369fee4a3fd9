"""Pooling of token vectors into one: weights of tokens, and normalization to length 1."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.floating[Any]]


def position_weights(count: int, *, reach: float) -> Numbers:
    """Return the weight of each token by its position: the beginning tells more of what a text is about."""
    return 1 / (1 + np.arange(count, dtype=np.float32) / np.float32(reach)) ** 2


def word_weights(text: str, *, offsets: Iterable[tuple[int, int]], weights: Mapping[str, float]) -> Numbers:
    """Return for each token, given by its offsets, the weight of the word that contains it; 1 outside of words."""
    characters = _character_weights(text, weights)
    return np.array([max(characters[start:end], default=1.0) for start, end in offsets], dtype=np.float32)


def _character_weights(text: str, weights: Mapping[str, float]) -> list[float]:
    """Return for each character the weight of the word that contains it."""
    characters = [1.0] * len(text)
    start = 0
    for position in range(len(text) + 1):
        if position == len(text) or not text[position].isalnum():
            word = text[start:position].lower()
            characters[start:position] = [weights.get(word, 1.0)] * (position - start)
            start = position + 1
    return characters


def normalize(vector: Numbers) -> list[float]:
    """Return the vector at length 1, or unchanged if it is zero."""
    length = float(np.linalg.norm(vector))
    made: list[float] = (vector / length if length else vector).tolist()
    return made
