"""Ranker: weights and small decision trees that make one score of a candidate's features. The table is fitted by
`python -m benchmarks.fit_ranking`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from memories.recall.candidates import Numbers
from memories.recall.features import FEATURES, NAMES

# The kinds of features that speak for or against one candidate, and their places among NAMES.
EXPLAINED = {kind: [NAMES.index(name) for name in names] for kind, names in FEATURES.items() if kind != "question"}
TABLE = Path(__file__).parent / "ranking.json"
Small = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Ranker:
    """A sum of weighted features and of the leaves that the trees lead to.

    Each leaf of a tree is a bit. A split rules out the leaves on its left for the candidates above its threshold, and
    the lowest leaf that no split rules out is the candidate's. So all splits of all trees are looked at at once, and
    for each tree there is a value for whatever may be ruled out.
    """

    weights: Numbers
    features: NDArray[np.intp]  # feature of each split, tree after tree
    thresholds: Small
    ruled_out: NDArray[np.uint8]  # leaves that each split rules out
    values: Small  # a row for each tree
    neutral: Numbers  # the features of a candidate that has nothing of the question
    middle: float  # the sum that is a score of one half
    width: float

    @classmethod
    def read(cls, table: Mapping[str, Any]) -> Self:
        if tuple(table["names"]) != NAMES:
            raise ValueError("The table was fitted for other features.")
        leaves = np.array(table["leaves"], dtype=np.float32)
        return cls(
            weights=np.array(table["weights"]),
            features=np.array(table["features"], dtype=np.intp).ravel(),
            thresholds=np.array(table["thresholds"], dtype=np.float32).ravel(),
            ruled_out=np.array(table["ruled_out"], dtype=np.uint8).ravel(),
            values=leaves[:, [_find_first_left(bits, leaves.shape[1]) for bits in range(1 << leaves.shape[1])]],
            neutral=np.array(table["neutral"]),
            middle=table["middle"],
            width=table["width"],
        )

    def score(self, features: Numbers) -> Numbers:
        """Return the score of each candidate, from 0 to 1."""
        scores: Numbers = 1 / (1 + np.exp((self.middle - self.sum_up(features)) / self.width))
        return scores

    def sum_up(self, features: Numbers) -> Numbers:
        """Return the sum for each candidate, which has no bounds."""
        trees, ways = self.values.shape
        columns = np.ascontiguousarray(features.T, dtype=np.float32)
        above = columns.take(self.features, axis=0) > self.thresholds[:, None]
        ruled_out = above.view(np.uint8) * self.ruled_out[:, None]
        left = np.bitwise_or.reduce(ruled_out.reshape(trees, -1, len(features)), axis=1)
        reached = self.values.ravel().take(left + np.arange(0, trees * ways, ways)[:, None])
        total: Numbers = features @ self.weights + reached.sum(axis=0)
        return total

    def explain(self, features: Numbers) -> dict[str, float]:
        """Return how much the sum for one candidate owes to each kind of feature: what it would lack if the candidate
        had nothing of this kind."""
        without = np.repeat(features[None, :], len(EXPLAINED) + 1, axis=0)
        for row, places in enumerate(EXPLAINED.values()):
            without[row, places] = self.neutral[places]
        *lacking, whole = self.sum_up(without).tolist()
        return {name: round(whole - rest, 6) for name, rest in zip(EXPLAINED, lacking, strict=True)}


def _find_first_left(ruled_out: int, leaves: int) -> int:
    """Return the first leaf whose bit is not set; the last if all are, which no candidate meets."""
    return next((leaf for leaf in range(leaves) if not ruled_out >> leaf & 1), leaves - 1)


@cache
def get_ranker() -> Ranker:
    return Ranker.read(json.loads(TABLE.read_text(encoding="utf-8")))
