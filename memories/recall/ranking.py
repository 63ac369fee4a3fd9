"""Ranking of candidates: a score for each, by the ranker or by the weights of the statement, raised by links."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memories.recall.candidates import NOBODY, Candidates, Numbers
from memories.recall.features import AskedWords, compute_features
from memories.recall.plan import Plan
from memories.recall.ranker import get_ranker
from memories.recall.weights import FULL_WORDS, LEAD, TIE
from memories.recall.word_stats import Terms
from memoryhub.prepared_statements import array_literal

NEAR_TIES = 10  # rows beyond the limit that pins and importance may still lift into it


@dataclass(frozen=True, slots=True)
class Ranking:
    """The candidates with their scores."""

    candidates: Candidates
    scores: Numbers
    full_score: float  # that a perfect answer would get
    link_ranks: Numbers  # 0 of those that no link leads to
    features: Numbers | None  # one row per candidate, if the ranker scored any
    ranked: NDArray[np.bool_]  # True for candidates that the ranker scored

    def bind_best(self, limit: int) -> dict[str, Any]:
        """Return the parameters of the statement that reads the best candidates in full: so many, and what pins and
        importance may still lift among them."""
        order = np.argsort(-self.scores, kind="stable")
        scores = self.scores[order]
        ties = scores[limit:] > scores[limit - 1] - 2 * TIE if len(scores) > limit else scores[:0]
        places = order[: limit + min(int(np.count_nonzero(ties)), NEAR_TIES)].tolist()
        ids, best = [self.candidates.ids[place].hex() for place in places], scores[: len(places)].tolist()
        return {"ids": array_literal(ids), "scores": array_literal(best), "places": array_literal(places)}

    def find_features(self, place: int) -> Numbers | None:
        return self.features[place] if self.features is not None and self.ranked[place] else None


def rank_candidates(
    candidates: Candidates, *, plan: Plan, parameters: Mapping[str, Any], terms: Terms | None, openings: Sequence[str]
) -> Ranking:
    """Return the candidates with their scores.

    Of those that contain the whole query letter by letter, the ranker knows nothing: it was fitted to questions. Words
    and meaning put them in order.
    """
    lift = parameters["exact_bonus"] * candidates["exact"]
    retrieved = candidates["meaning_rank"] + candidates["words_rank"] > 0
    plain = candidates["score"] - lift
    features, ranked = None, retrieved
    if plan.ranked and terms and retrieved.any():
        asked = AskedWords.read(terms, openings=openings, meaning_share=parameters["meaning_share"])
        features = compute_features(candidates, retrieved, asked)
        ranked = retrieved & ~((candidates["exact"] > 0) & bool(terms.literal))
        full_score, scores = 1.0, np.where(ranked, get_ranker().score(features), plain)
    else:
        full_score, scores = _add_full_parts(plan, parameters["meaning_share"]), plain
    if not plan.has_links:
        return Ranking(candidates, scores + lift, full_score, np.zeros(len(candidates)), features, ranked)
    pulls = candidates["share"] * np.where(
        candidates.seeds == NOBODY, 1.0, np.minimum(scores, full_score)[candidates.seeds]
    )
    scores = np.maximum(np.where(retrieved, scores + lift, 0.0), pulls)
    return Ranking(candidates, scores, full_score, _rank_links(pulls), features, ranked)


def _add_full_parts(plan: Plan, meaning_share: float) -> float:
    """Return the sum of the weights that a perfect answer would get."""
    by_words = (1 - meaning_share) * FULL_WORDS if plan.word_places else 0.0
    return by_words + (meaning_share if plan.limits else 0.0) + LEAD


def _rank_links(pulls: Numbers) -> Numbers:
    ranks = np.zeros(len(pulls))
    reached = np.argsort(-pulls, kind="stable")[: np.count_nonzero(pulls)]
    ranks[reached] = np.arange(1, len(reached) + 1)
    return ranks
