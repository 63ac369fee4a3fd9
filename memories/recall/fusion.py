"""One order out of three lists: how well a memory's words answer, how near its meaning is, and what links lead to it.

Words and meaning are added as scores, not as ranks: measured on conversations, adding the ranks of a strong and a weak
list is worse than the strong list alone. Words are scaled by what a memory with every asked word would get, meaning by
the nearest and the farthest candidate. A memory that begins with an asked word (who or what it is about) gets a lead.
What a link leads to stands no lower than its share of the score it was reached from. Whoever has an asked identifier,
letter by letter, comes first if it was asked for alone, and gets a small lead in a sentence. Pins and importance decide
near-ties.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import Q

from memories.embedding.serving import Asked
from memories.importance import IMPORTANCE_NOW
from memories.models import Memory
from memories.recall import compiled, links, meaning, words
from memories.recall.statistics import Terms
from memoryhub.prepared import prepared_cursor
from teams.actor import Actor

LEAD, TIE = 0.3, 0.01  # beside words and meaning, which have a share of 1 together
HALF = 0.5  # the share of each where there is only one of them
NEAR_TIES = 10  # beyond the limit, for what pins and importance may still lift into it
RECIPROCAL = 60  # the constant of reciprocal rank fusion


@dataclass(frozen=True, slots=True)
class Weights:
    """What counts how much for one question."""

    share: float  # of meaning; words have the rest
    lift: float  # of an asked identifier
    best: float  # the sum that a perfect answer would get


@dataclass(frozen=True, slots=True)
class Scored:
    """What put a memory where it is."""

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

    @property
    def score(self) -> float:
        """0 to 1."""
        return min(1.0, self.raw / self.weights.best)

    @property
    def parts(self) -> dict[str, float]:
        """What the score is made of. Links lift a memory to their share of where they came from, so theirs is what
        that adds to the rest."""
        own = {
            "words": (1 - self.weights.share) * self.words,
            "meaning": self.weights.share * (self.meaning or 0.0),
            "lead": LEAD * self.lead,
            "exact": self.weights.lift * self.exact,
        }
        parts = own | {"links": max(0.0, self.raw - sum(own.values()))}
        return {name: part / self.weights.best for name, part in parts.items()}

    @property
    def added_by_importance(self) -> float:
        """What its importance adds where others are as good."""
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
    reach: meaning.Reach
    narrow: bool  # by meaning, only those that may be seen were looked at
    common: bool  # words that are common here were left to order what others bring
    by_words: int
    by_meaning: int
    by_meaning_alone: int
    by_links_alone: int
    near: int  # by meaning, before it was asked who may be seen

    @property
    def total(self) -> int:
        """Found by words, by meaning and by links together."""
        return self.by_words + self.by_meaning_alone + self.by_links_alone

    @property
    def bounded(self) -> bool:
        """Whether there may be more than the total: a list was cut."""
        return self.common or self.by_words >= words.MOST or self.meaning_is_full

    @property
    def hides_the_nearest(self) -> bool:
        """Whether what nobody sees may have taken the place of what would have been found by meaning."""
        lacking = self.near >= self.reach.nearly and not self.meaning_is_full
        return not self.narrow and (not self.hits or lacking)

    @property
    def meaning_is_full(self) -> bool:
        return self.by_meaning >= self.reach.candidates


FUSED = """
WITH RECURSIVE {by_words}, {by_meaning}, scored AS MATERIALIZED (
    SELECT id, words_rank, meaning_rank,
        coalesce(words, {score}) AS words,
        {nearness} AS nearness,
        coalesce(coalesce(by_words.opening, by_meaning.opening) = ANY(%(words)s::text[]), false) AS lead,
        {exact} AS exact
    FROM by_words FULL JOIN by_meaning USING (id)
), spread AS (
    SELECT *, (nearness - min(nearness) OVER ()) / nullif(max(nearness) OVER () - min(nearness) OVER (), 0) AS meaning
    FROM scored
), summed AS MATERIALIZED (
    SELECT *, (1 - %(share)s::float8) * words + %(share)s::float8 * coalesce(meaning, 0) + {lead} * lead::integer
        + %(lift)s::float8 * exact AS score
    FROM spread
){by_links}, best AS MATERIALIZED (
    SELECT id, greatest(score, pull) AS score, coalesce(words, 0) AS words, meaning, coalesce(lead, false) AS lead,
        coalesce(exact, 0) AS exact, words_rank, meaning_rank, links_rank
    FROM {linked}
    ORDER BY score DESC LIMIT %(limit)s::integer + {near_ties}
)
SELECT (SELECT count(*) FROM matching), (SELECT count(*) FROM by_meaning),
    (SELECT count(*) FROM by_meaning WHERE {unmatched}),
    {by_links_alone}, (SELECT count(*) FROM near), access_count, last_accessed_at,
    score, words, meaning, lead, exact, {importance} AS present, words_rank, meaning_rank, links_rank, {columns}
FROM best JOIN memories_memory AS memory USING (id)
LEFT JOIN memories_usage AS usage ON usage.organization_id = memory.organization_id AND usage.memory_id = memory.id
ORDER BY score + {tie} * ({importance} + pinned::integer) DESC, memory.id DESC
LIMIT %(limit)s::integer
"""

# How often a memory has what was asked letter by letter: as an identifier, within its text, and standing for itself.
EXACT = f"""
coalesce(exact, {words.EXACT})::integer + (
    SELECT CASE
        WHEN %(held)s::text IS NULL OR strpos(lower(text), %(part)s::text) = 0 THEN 0
        ELSE (text ~* %(held)s::text)::integer + coalesce(text ~* %(standing)s::text, false)::integer
    END
    FROM (SELECT coalesce(by_words.text, by_meaning.text) AS text) AS said
)
"""


def fused(
    *,
    actor: Actor,
    rule: Q | None,
    terms: Terms | None,
    vector: Asked | None,
    limit: int,
    reach: meaning.Reach,
    now: datetime,
    narrow: bool = False,
    few: bool = False,
    linked: bool = True,
    brought: Sequence[tuple[UUID, float]] = (),
    first_words: frozenset[str] = frozenset(),
) -> Fused:
    """The best memories for the asked terms, if any, and for the asked vector, if there is one. `few`: the actor sees
    so few that all their vectors are compared; `linked`: there are links to follow; `brought`:
    what others found."""
    visible, filtered = compiled.visible(actor, rule)
    asked = compiled.bound(actor)
    parameters: dict[str, Any] = asked | filtered | {"limit": limit, "now": now, "words": sorted(first_words)}
    by_words = terms is not None and bool(terms.terms)
    parameters |= words.bound(terms, asked["audiences"]) if terms and by_words else NO_WORDS
    share = vector.share if vector and by_words else HALF
    parameters |= {"share": share} | (meaning.bound(vector) if vector else {})
    parameters |= {"brought": [found for found, _ in brought], "pulls": [pull for _, pull in brought]}
    narrow = narrow or bool(rule) or actor.workspaces_enabled
    statement = _statement(
        visible,
        reach=reach,
        places=words.places(len(terms.terms)) if terms and by_words else 0,
        exactly=bool(parameters["exact"] or parameters["held"]),
        wider=parameters.get("wider") is not None,
        by_meaning=vector is not None,
        narrow=narrow,
        few=few,
        linked=linked,
        brought=bool(brought),
    )
    with prepared_cursor() as cursor:
        cursor.execute(statement, parameters)
        rows = cursor.fetchall()
    best = ((1 - share) * words.FULL if by_words else 0.0) + (share if vector else 0.0) + LEAD
    counts = rows[0][:COUNTS] if rows else (0,) * COUNTS
    common = by_words and terms is not None and words.leaves_out(terms)
    weights = Weights(share, parameters["lift"], best)
    return Fused([_hit(row, weights) for row in rows], reach, narrow, common, *counts)


NO_WORDS: dict[str, Any] = {"exact": [], "part": "", "held": None, "standing": None, "lift": 0.0}


@lru_cache(maxsize=500)
def _statement(
    visible: str,
    *,
    reach: meaning.Reach,
    places: int,
    exactly: bool,
    wider: bool,
    by_meaning: bool,
    narrow: bool,
    few: bool,
    linked: bool,
    brought: bool,
) -> str:
    by_words = places > 0
    by_links = links.by_links(visible, linked=linked, brought=brought)
    unmatched = "NOT (search @@ %(matching)s::tsquery OR search @@ %(wider)s::tsquery)"
    narrowed = meaning.NARROWED.format(visible=visible) if narrow else ""
    text = "content" if exactly else "NULL::text"  # not even read where nobody asks for it
    near = (meaning.AMONG_FEW if few else meaning.AMONG_MANY).format(
        narrowed=narrowed, roughly=reach.roughly, nearly=reach.nearly
    )
    return FUSED.format(
        by_words=words.BY_WORDS.format(
            visible=visible,
            wider=words.WIDER.format(visible=visible, text=text) if wider else "",
            text=text,
            exact=words.EXACT if exactly else "false",
            score=words.score("matching", places=places),
        )
        if by_words
        else words.NOT_BY_WORDS,
        by_meaning=meaning.BY_MEANING.format(visible=visible, near=near, text=text, candidates=reach.candidates)
        if by_meaning
        else meaning.NOT_BY_MEANING,
        by_links=by_links,
        linked=links.LINKED if by_links else links.NOT_LINKED,
        by_links_alone=links.BY_LINKS_ALONE if by_links else "0::bigint",
        score=words.score("by_meaning", places=places) if by_words else "0",
        exact=EXACT if exactly else "0",
        nearness=meaning.NEARNESS if by_meaning else "NULL::float8",
        unmatched=(unmatched if wider else "NOT search @@ %(matching)s::tsquery") if by_words else "true",
        lead=LEAD,
        tie=TIE,
        near_ties=NEAR_TIES,
        importance=IMPORTANCE_NOW,
        columns=", ".join(f"memory.{column}" for column in Memory.COLUMNS),
    )


COUNTS, USAGE, SCORES = 5, 2, 9  # columns of the statement above


def _hit(row: tuple[Any, ...], weights: Weights) -> tuple[Memory, Scored]:
    memory = Memory.of_row(row[COUNTS + USAGE + SCORES :], access_count=row[COUNTS], last_accessed_at=row[COUNTS + 1])
    return memory, Scored(weights, *row[COUNTS + USAGE : COUNTS + USAGE + SCORES])
