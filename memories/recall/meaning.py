"""By meaning: the memories whose vectors are nearest to the query's."""

from dataclasses import dataclass
from typing import Any

from memories.embedding.serving import Asked
from memories.vectors import literal


@dataclass(frozen=True, slots=True)
class Reach:
    """How far is looked around a question."""

    candidates: int
    nearly: int  # by their whole vectors, before it is looked who of them may be seen
    roughly: int  # by the signs of their numbers alone: among them are practically all of those


SHORT, LONG = Reach(30, 50, 100), Reach(50, 80, 150)
FEW = 400  # vectors that are all compared as they are: looking up the nearest by their signs would take longer

# "OFFSET 0" has the nearest looked up one by one, whatever the planner thinks of their number.
BY_MEANING = """
{near}, by_meaning AS MATERIALIZED (
    SELECT near.id, nearness, seen.*, row_number() OVER (ORDER BY nearness DESC) AS meaning_rank
    FROM near, LATERAL (
        SELECT search, opening, {text} AS text, octet_length(content) AS size FROM memories_memory
        WHERE id = near.id AND {visible} OFFSET 0
    ) AS seen
    ORDER BY nearness DESC LIMIT {candidates}
)
"""
# Where an audience has many, reads their signs from the index embedding_nearest and nothing else, then the vectors of
# some. Where a filter would take many of those away, only what it leaves is looked at: exact, however little that is.
AMONG_MANY = """
rough AS MATERIALIZED (
    SELECT memory_id AS id FROM memories_embedding
    WHERE organization_id = %(organization)s::uuid AND audience = ANY(%(audiences)s::uuid[])
        AND model = %(model)s::text {narrowed}
    ORDER BY signs <~> %(signs)s::varbit LIMIT {roughly}
), near AS MATERIALIZED (
    SELECT embedding.memory_id AS id, -(embedding.vector <#> %(vector)s::vector) AS nearness
    FROM rough JOIN memories_embedding AS embedding
        ON embedding.organization_id = %(organization)s::uuid AND embedding.memory_id = rough.id
        AND embedding.model = %(model)s::text
    ORDER BY nearness DESC LIMIT {nearly}
)
"""
AMONG_FEW = """
near AS MATERIALIZED (
    SELECT memory_id AS id, -(vector <#> %(vector)s::vector) AS nearness FROM memories_embedding
    WHERE organization_id = %(organization)s::uuid AND audience = ANY(%(audiences)s::uuid[])
        AND model = %(model)s::text {narrowed}
    ORDER BY nearness DESC LIMIT {nearly}
)
"""
NARROWED = "AND memory_id IN (SELECT id FROM memories_memory WHERE {visible})"
NOT_BY_MEANING = """
near AS (SELECT NULL::uuid AS id WHERE false),
by_meaning AS (
    SELECT NULL::uuid AS id, NULL::float8 AS nearness, NULL::tsvector AS search, NULL::text AS opening,
        NULL::text AS text, NULL::integer AS size, NULL::bigint AS meaning_rank
    WHERE false
)
"""

# Looked up only for what was found by words alone.
NEARNESS = """
coalesce(nearness, (
    SELECT -(vector <#> %(vector)s::vector) FROM memories_embedding
    WHERE organization_id = %(organization)s::uuid AND memory_id = by_words.id AND model = %(model)s::text
))
"""


def reach(limit: int) -> Reach:
    """As far as so many hits need."""
    return SHORT if limit <= SHORT.candidates else LONG


def bound(asked: Asked) -> dict[str, Any]:
    """The parameters that the statements above name."""
    return {
        "vector": literal(asked.vector),
        "signs": "".join(["1" if number > 0 else "0" for number in asked.vector]),
        "model": asked.model,
    }
