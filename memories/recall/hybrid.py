"""One ranking out of three lists: how well a memory's words answer, how near its meaning is, and what links lead to it.

Where a question is asked by words and by meaning, a ranker puts the candidates in order by their features (see
`memories.recall.features`). Where it is asked by one of them, that alone decides: words are scaled by what a memory
with every asked word would get, meaning by the nearest and the farthest candidate, and a memory that begins with an
asked word (who or what it is about) gets a lead.

A memory that is reached by a link ranks no lower than its share of the score it was reached from. A memory that
contains an asked identifier, letter by letter, comes first if it was asked for alone, and gets a small lead in a
sentence. Pins and importance decide near-ties.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import Q

from memories.embedding.active_model import QueryVector
from memories.models import Memory
from memories.recall import meaning, visibility_sql, words
from memories.recall.candidates import Numbers, none_if_unknown, read_candidates
from memories.recall.meaning import VectorLimits
from memories.recall.plan import Plan, build_hits_statement, build_statement
from memories.recall.ranker import get_ranker
from memories.recall.ranking import Ranking, rank_candidates
from memories.recall.weights import EVEN_SHARE, LEAD, RECIPROCAL, TIE
from memories.recall.word_stats import Terms
from memoryhub.prepared_statements import array_literal, prepared_cursor
from teams.actor import Actor

SCORE_PARTS = {
    "words": "how well its words answer",
    "meaning": "how near its meaning is",
    "lead": "it begins with an asked word",
    "rule": "it begins as a standing rule does",
    "length": "its length",
    "neighbours": "what was saved just before and after it",
    "exact": "it has an asked identifier, letter by letter",
    "links": "what leads to it",
}


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of the parts of a score, for one question."""

    share: float  # weight of meaning; words have the rest
    lift: float  # lead for an asked identifier
    best: float  # the sum that a perfect answer would get


@dataclass(frozen=True, slots=True)
class Scored:
    """The parts of a memory's score and its ranks, which explain its position."""

    weights: Weights
    raw: float
    words: float
    meaning: float | None
    lead: bool
    exact: int  # how often it has what was asked letter by letter
    importance: float  # at this moment
    words_rank: int | None
    meaning_rank: int | None
    links_rank: int | None
    nearness: float | None  # the cosine of its meaning and the query's, as it is
    coverage: float  # share of the rarity of the asked words
    features: Numbers | None = None  # that the ranker scored it by
    feedback: float = 0.0  # the balance of what readers said, from -1 to 1

    @property
    def score(self) -> float:
        """The score, from 0 to 1."""
        return min(1.0, self.raw / self.weights.best)

    @property
    def parts(self) -> dict[str, float]:
        """The parts that the score is made of. Links raise a memory to a share of the score that they come from, so
        their part is what this adds to the rest."""
        own = self._own_parts() if self.features is None else self._ranked_parts()
        own["exact"] = self.weights.lift * self.exact
        parts = own | {"links": max(0.0, self.raw - sum(own.values()))}
        return {name: part / self.weights.best for name, part in parts.items()}

    def _own_parts(self) -> dict[str, float]:
        return {
            "words": (1 - self.weights.share) * self.words,
            "meaning": self.weights.share * (self.meaning or 0.0),
            "lead": LEAD * self.lead,
        }

    def _ranked_parts(self) -> dict[str, float]:
        """Return the ranker's score, shared out among what speaks for the memory."""
        assert self.features is not None
        ranker = get_ranker()
        owed = {name: max(0.0, part) for name, part in ranker.explain(self.features).items()}
        score = float(ranker.score(self.features[None, :])[0])
        whole = sum(owed.values())
        return {name: part * score / whole if whole else 0.0 for name, part in owed.items()} | (
            {} if whole else {"meaning": score}
        )

    @property
    def added_by_importance(self) -> float:
        """The amount that importance adds, which decides between memories that are otherwise as good."""
        return TIE * self.importance

    added_by_pin: ClassVar[float] = TIE

    @property
    def reciprocal(self) -> float:
        """The score that reciprocal rank fusion would give."""
        ranks = (self.words_rank, self.meaning_rank, self.links_rank)
        return sum(1 / (RECIPROCAL + rank) for rank in ranks if rank is not None)


@dataclass(frozen=True, slots=True)
class Fused:
    hits: list[tuple[Memory, Scored]]
    plan: Plan
    skips_common_words: bool  # they only order what others bring
    by_words: int
    by_meaning: int
    by_meaning_alone: int
    by_links_alone: int
    near: int  # candidates by meaning, before visibility was checked

    @property
    def total(self) -> int:
        """The number of memories found by words, by meaning and by links together."""
        return self.by_words + self.by_meaning_alone + self.by_links_alone

    @property
    def bounded(self) -> bool:
        """True if there may be more memories than the total, because a list was cut."""
        return self.skips_common_words or self.by_words >= words.MOST_MATCHES or self.meaning_is_full

    @property
    def vector_search_starved(self) -> bool:
        """True if memories that the actor may not see may have displaced some that would have been found by meaning."""
        if self.plan.limits is None or self.plan.filter_inside_ann:
            return False
        lacking = self.near >= self.plan.limits.rescored and not self.meaning_is_full
        return not self.hits or lacking

    @property
    def meaning_is_full(self) -> bool:
        return self.plan.limits is not None and self.by_meaning >= self.plan.limits.final


def fuse_rankings(
    *,
    actor: Actor,
    rule: Q | None,
    terms: Terms | None,
    vector: QueryVector | None,
    limit: int,
    limits: VectorLimits,
    now: datetime,
    as_of: datetime | None = None,
    filter_inside_ann: bool = False,
    exact_scan: bool = False,
    follow_links: bool = True,
    extra_candidates: Sequence[tuple[UUID, float]] = (),
    first_words: frozenset[str] = frozenset(),
) -> Fused:
    """Return the best memories for the query's terms, if any, and for its vector, if there is one."""
    visible, filter_parameters = visibility_sql.render_visibility(actor, rule)
    terms = terms if terms and terms.terms else None
    parameters = (
        visibility_sql.bind_visibility(actor) | filter_parameters | _bind_question(terms, vector, extra_candidates)
    )
    parameters |= words.bind_words(terms, parameters["audiences"]) if terms else NO_WORDS
    openings = sorted(first_words)
    parameters |= {"limit": limit, "now": now, "holds_at": as_of or now, "words": array_literal(openings)}
    parameters["audiences"] = array_literal(parameters["audiences"])
    plan = Plan(
        word_places=words.count_places(len(terms.terms)) if terms else 0,
        exact_match=bool(parameters["identifiers"] or parameters["contains_regex"]),
        fallback_query=parameters["fallback"] is not None,
        limits=limits if vector else None,
        exact_scan=exact_scan,
        filter_inside_ann=filter_inside_ann or bool(rule) or actor.workspaces_enabled,
        follow_links=follow_links,
        extra_candidates=bool(extra_candidates),
    )
    with prepared_cursor() as cursor:
        cursor.execute(build_statement(plan, visible), parameters)
        *counts, raw = cursor.fetchone()
        ranking = rank_candidates(
            read_candidates(raw, linked=plan.has_links),
            plan=plan,
            parameters=parameters,
            terms=terms,
            openings=openings,
        )
        cursor.execute(build_hits_statement(visible), parameters | ranking.bind_best(limit))
        rows = cursor.fetchall()
    weights = Weights(parameters["meaning_share"], parameters["exact_bonus"], ranking.full_score)
    shares = words.share_out_rarity(terms) if terms else []
    hits = [_read_hit(row, ranking, weights, shares) for row in rows]
    return Fused(hits, plan, terms is not None and words.skips_common_words(terms), *counts)


def _bind_question(
    terms: Terms | None, vector: QueryVector | None, extra_candidates: Sequence[tuple[UUID, float]]
) -> dict[str, Any]:
    return (meaning.bind_vector(vector) if vector else {}) | {
        "meaning_share": vector.share if vector and terms else EVEN_SHARE,
        "extra_ids": [memory_id for memory_id, _ in extra_candidates],
        "extra_scores": [score for _, score in extra_candidates],
    }


NO_WORDS: dict[str, Any] = {
    "fallback": None,
    "identifiers": [],
    "literal": "",
    "contains_regex": None,
    "standalone_regex": None,
    "exact_bonus": 0.0,
}


def _read_hit(
    row: tuple[Any, ...], ranking: Ranking, weights: Weights, shares: Sequence[float]
) -> tuple[Memory, Scored]:
    place, importance, access_count, last_accessed_at, disputed, anchor_state, feedback, *columns = row
    memory = Memory.from_row(
        columns,
        access_count=access_count,
        last_accessed_at=last_accessed_at,
        disputed=disputed,
        anchor_state=anchor_state,
    )
    candidate = ranking.candidates.describe(place)
    return memory, Scored(
        weights=weights,
        raw=float(ranking.scores[place]),
        words=candidate.words,
        meaning=none_if_unknown(candidate.meaning),
        lead=candidate.opening > 0,
        exact=int(candidate.exact),
        importance=importance,
        words_rank=int(candidate.words_rank) or None,
        meaning_rank=int(candidate.meaning_rank) or None,
        links_rank=int(ranking.link_ranks[place]) or None,
        nearness=none_if_unknown(candidate.nearness),
        coverage=words.find_coverage(shares, int(candidate.present)),
        features=ranking.find_features(place),
        feedback=feedback or 0.0,
    )
