"""One order out of two: how well a memory's words answer, and how near its meaning is.

The two are added as scores, not as ranks: measured on conversations, adding the ranks of a strong and a weak list is
worse than the strong list alone. Words are scaled by what a memory with every asked word would get, meaning by the
nearest and the farthest candidate. A memory that begins with an asked word (who or what it is about) gets a lead.
Whoever has an asked identifier, letter by letter, comes first. Pins and importance decide near-ties.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.importance import IMPORTANCE_NOW
from memories.models import MemoryQuerySet
from memories.operations.embedding import literal
from memories.recall.compiled import named
from memories.recall.statistics import Terms
from memories.recall.words import TERMS, matching, quoted
from memoryhub.prepared import prepared_cursor

CANDIDATES = 100  # from each side
WORDS, MEANING, LEAD, TIE = 0.5, 0.5, 0.25, 0.01
FULL = 2.0  # words count double what a row with all of them once would get, so that half of them already tell
K1, FLAT = 0.9, 0.6  # how soon repetition stops telling, and how much of a row's length does not matter
BEST = WORDS * FULL + MEANING + LEAD


@dataclass(frozen=True, slots=True)
class Scored:
    memory_id: UUID
    score: float  # 0 to 1
    words: float
    meaning: float | None
    lead: bool
    exact: bool
    words_rank: int | None
    meaning_rank: int | None
    total: int  # found on both sides together, no more than the candidates of each


# What the asked words are worth in a row, as BM25 has it: rarity x a frequency that saturates, less in longer rows.
# Postgres' rank of one word grows with its count c as the sum of 1/1 + 1/4 + 1/9 + … + 1/c², over pi²/6; that tells the
# count, without unpacking the row's words. Words of the key and the tags count half as much again.
WORDS_SCORE = """
coalesce((
    SELECT {full} / %(all)s::float8
        * sum(weight * count / (count + {k1} * ({flat} + (1 - {flat}) * {size} / %(mean)s::float8)))
    FROM (
        SELECT weight * CASE WHEN {row}.search @@ label THEN 1.5 ELSE 1 END AS weight,
            1 / (pi() ^ 2 / 6 * (1 - least(rank, 0.99))) - 0.5 AS count
        FROM (
            SELECT weight, label, ts_rank('{{1, 1, 1, 1}}', {row}.search, lexeme) AS rank
            FROM unnest(%(lexemes)s::tsquery[], %(labels)s::tsquery[], %(weights)s::float8[])
                AS asked (lexeme, label, weight)
        ) AS ranked
        WHERE rank > 0
    ) AS counted
), 0)
"""
BY_WORDS = """
matching AS MATERIALIZED ({matching}), by_words AS (
    SELECT id, row_number() OVER (ORDER BY exact DESC, score DESC) AS rank
    FROM (
        SELECT id, {score} AS score, search @@ ANY(%(exact)s::tsquery[]) AS exact FROM matching
    ) AS weighed
    ORDER BY rank LIMIT {candidates}
)
"""
# The nearest of what is visible, looked at one by one: exact, however few a filter leaves.
BY_MEANING = """
by_meaning AS (
    SELECT id, row_number() OVER (ORDER BY distance) AS rank
    FROM (
        SELECT memory_id AS id, vector <#> %(vector)s::vector AS distance
        FROM memories_embedding
        WHERE organization_id = %(organization)s::uuid AND audience = ANY(%(audiences)s::uuid[])
            AND model = %(model)s::text AND memory_id IN ({visible})
        ORDER BY distance LIMIT {candidates}
    ) AS near
)
"""
NOTHING = {
    name: f"{name} AS (SELECT NULL::uuid AS id, NULL::bigint AS rank WHERE false)"
    for name in ("by_words", "by_meaning")
    for name in ("by_words", "by_meaning")
}
VECTORS = """
LEFT JOIN memories_embedding AS embedding ON embedding.organization_id = memory.organization_id
    AND embedding.memory_id = memory.id AND embedding.model = %(model)s::text
"""
FUSED = """
WITH {by_words}, {by_meaning}, candidates AS (
    SELECT id, min(words_rank) AS words_rank, min(meaning_rank) AS meaning_rank
    FROM (
        SELECT id, rank AS words_rank, NULL::bigint AS meaning_rank FROM by_words
        UNION ALL
        SELECT id, NULL, rank FROM by_meaning
    ) AS both_lists
    GROUP BY id
), scored AS (
    SELECT memory.id, words_rank, meaning_rank, {score} AS words,
        {nearness} AS nearness,
        lower(substring(memory.content FROM '\\w+')) = ANY(%(words)s::text[]) AS lead,
        memory.search @@ ANY(%(exact)s::tsquery[]) AS exact,
        {importance} + memory.pinned::integer AS tie
    FROM candidates
    JOIN memories_memory AS memory ON memory.id = candidates.id
    {vectors}
), spread AS (
    SELECT *, (nearness - min(nearness) OVER ()) / nullif(max(nearness) OVER () - min(nearness) OVER (), 0) AS meaning
    FROM scored
), summed AS (
    SELECT *, {weight_words} * words + {weight_meaning} * coalesce(meaning, 0) + {lead} * coalesce(lead, false)::integer
        AS score
    FROM spread
)
SELECT id, score, words, meaning, lead, exact, words_rank, meaning_rank, count(*) OVER () AS total
FROM summed
ORDER BY exact DESC, score + {tie} * tie DESC, id DESC
LIMIT %(limit)s::integer
"""


def fused(
    *,
    visible: MemoryQuerySet,
    organization_id: UUID,
    audiences: Sequence[UUID],
    terms: Terms,
    vector: Sequence[float] | None,
    model: str,
    weight_words: float = WORDS,
    limit: int,
    now: datetime,
) -> list[Scored]:
    """The best memories for the asked words, unless they weigh nothing, and for the asked meaning, if there is one."""
    asked = terms.terms[:TERMS]
    parameters: dict[str, Any] = {
        "organization": organization_id,
        "audiences": list(audiences),
        "lexemes": [quoted(term.lexeme) for term in asked],
        "labels": [f"{quoted(term.lexeme)}:A" for term in asked],
        "weights": [term.weight for term in asked],
        "words": sorted(terms.weights),
        "exact": [quoted(term.lexeme) for term in asked if term.is_identifier],
        "mean": terms.mean_length,
        "all": sum(term.weight for term in asked if term.words) or 1.0,
        "limit": limit,
        "now": now,
    }
    parts = NOTHING | {"nearness": "NULL::float8", "vectors": ""}
    if weight_words and asked:
        rows = matching(visible=visible, audiences=audiences, terms=asked).values("id", "search")
        sql, bound = named(rows, prefix="matching")
        score = WORDS_SCORE.format(row="matching", size="length(matching.search)", full=FULL, k1=K1, flat=FLAT)
        parts["by_words"] = BY_WORDS.format(matching=sql, score=score, candidates=CANDIDATES)
        parameters |= bound
    if vector:
        sql, bound = named(visible.values("id"), prefix="visible")
        parts |= {"nearness": "-(embedding.vector <#> %(vector)s::vector)", "vectors": VECTORS}
        parts["by_meaning"] = BY_MEANING.format(visible=sql, candidates=CANDIDATES)
        parameters |= bound | {"vector": literal(vector), "model": model}
    statement = FUSED.format(
        **parts,
        score=WORDS_SCORE.format(row="memory", size="length(memory.search)", full=FULL, k1=K1, flat=FLAT),
        importance=IMPORTANCE_NOW,
        weight_words=weight_words,
        weight_meaning=MEANING,
        lead=LEAD,
        tie=TIE,
    )
    with prepared_cursor() as cursor:
        cursor.execute(statement, parameters)
        return [Scored(row[0], min(1.0, row[1] / BEST), *row[2:]) for row in cursor.fetchall()]
