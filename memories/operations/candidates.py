"""Candidates: the memories that a memory is compared with, and how similar they are.

Where there are vectors, these are the nearest of its audience; elsewhere those that share its rarest words. Memories in
the same words or with the same key are always among them.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

import orjson
from django.conf import settings
from django.db import connection

from memories.embedding.active_model import get_active_models
from memories.models import Relation, pgvector
from memories.rules.pairs import ComparedMemory, PairFinding, rate_pair, read_pair_threshold
from memories.text.wording import COMPARED_TEXT, measure_overlap
from memoryhub.prepared_statements import prepared_cursor

SIGN_BIT_CANDIDATES = 10  # preselected by the sign bits of their vectors
MAX_SIMILAR_LINKS = 3  # links that one memory gets
NAMESAKES = 3  # memories with the same key that a memory is compared with
SAME_WORDINGS = 3
RARE_WORDS, FIRST_WORDS = 16, 300  # of a text, by which others are found without vectors: the rarest of the first
MOST_SHARING, SHARING_CANDIDATES = 300, 15  # memories with any of these words, and those with most of them
KNOWN_PAIRS = 1_000  # of one memory, that are looked at again

# Index: embedding_nearest.
NEAREST = f"""
    SELECT new.organization_id, new.id AS origin_id, near.memory_id AS target_id
    FROM memories_memory AS new
    JOIN memories_embedding AS mine ON mine.organization_id = new.organization_id AND mine.memory_id = new.id
        AND mine.model = %(model)s::text, LATERAL (
        SELECT memory_id FROM memories_embedding
        WHERE organization_id = new.organization_id AND audience = new.audience AND model = %(model)s::text
            AND memory_id <> new.id
        ORDER BY signs <~> mine.signs LIMIT {SIGN_BIT_CANDIDATES}
    ) AS near
    WHERE new.id = ANY(%(memories)s::uuid[])
"""  # noqa: S608 (constants of our own)

# Words that were never counted are taken to be rare, the longest first. Indexes: memories_lexeme's primary key,
# memory_search.
SHARING_WORDS = f"""
    SELECT new.organization_id, new.id AS origin_id, sharing.id AS target_id
    FROM memories_memory AS new, LATERAL (
        SELECT ('''@' || new.audience || ''' & (' || string_agg(quoted, ' | ') || ')')::tsquery AS query
        FROM (
            SELECT '''' || replace(replace(word.lexeme, '\\', '\\\\'), '''', '''''') || '''' AS quoted,
                sum(coalesce(counted.memories, 1)) OVER common AS memories, row_number() OVER common AS place
            FROM (
                SELECT lexeme FROM unnest(new.search) AS found (lexeme, positions, weights)
                WHERE lexeme NOT LIKE '@%%' AND (positions[1] <= {FIRST_WORDS} OR lexeme LIKE '~%%')
                LIMIT {FIRST_WORDS}
            ) AS word
            LEFT JOIN memories_lexeme AS counted ON counted.organization_id = new.organization_id
                AND counted.audience = new.audience AND counted.lexeme = word.lexeme
            WINDOW common AS (
                ORDER BY coalesce(counted.memories, 1), length(word.lexeme) DESC, word.lexeme
                ROWS UNBOUNDED PRECEDING
            )
        ) AS rare
        WHERE place = 1 OR place <= {RARE_WORDS} AND memories <= {MOST_SHARING}
    ) AS words, LATERAL (
        SELECT id FROM (
            SELECT id, search FROM memories_memory
            WHERE organization_id = new.organization_id AND audience = new.audience AND forgotten_at IS NULL
                AND search @@ words.query AND id <> new.id
            LIMIT {MOST_SHARING}
        ) AS any_word
        ORDER BY ts_rank(search, words.query) DESC LIMIT {SHARING_CANDIDATES}
    ) AS sharing
    WHERE new.id = ANY(%(memories)s::uuid[])
"""  # noqa: S608

# Indexes: memory_same_wording, memory_key.
SAME_WORDING_OR_KEY = f"""
    SELECT new.organization_id, new.id, twin.id
    FROM memories_memory AS new, LATERAL (
        SELECT id FROM memories_memory
        WHERE organization_id = new.organization_id AND audience = new.audience AND id <> new.id
            AND md5(memory_wording(content)) = md5(memory_wording(new.content)) AND forgotten_at IS NULL
        LIMIT {SAME_WORDINGS}
    ) AS twin
    WHERE new.id = ANY(%(memories)s::uuid[])
    UNION
    SELECT new.organization_id, new.id, namesake.id
    FROM memories_memory AS new, LATERAL (
        SELECT id FROM memories_memory
        WHERE organization_id = new.organization_id AND audience = new.audience AND key = new.key AND id <> new.id
            AND forgotten_at IS NULL
        ORDER BY updated_at DESC LIMIT {NAMESAKES}
    ) AS namesake
    WHERE new.id = ANY(%(memories)s::uuid[]) AND new.key <> ''
"""  # noqa: S608

# Those with which the memory is in a pair already: it is no longer there if it is not found again. Indexes:
# pair_is_there_once, the key of `newer`.
IN_A_PAIR = f"""
    SELECT new.organization_id, new.id, pair.other
    FROM memories_memory AS new, LATERAL (
        SELECT newer_id AS other FROM memories_pair
        WHERE organization_id = new.organization_id AND older_id = new.id AND state = 'open'
        UNION ALL
        SELECT older_id FROM memories_pair
        WHERE organization_id = new.organization_id AND newer_id = new.id AND state = 'open'
        LIMIT {KNOWN_PAIRS}
    ) AS pair
    WHERE new.id = ANY(%(memories)s::uuid[])
"""  # noqa: S608

MEASURED_BY_VECTORS = """
    SELECT origin_id, target_id, -(theirs.vector <#> mine.vector) AS similarity
    FROM found
    LEFT JOIN memories_embedding AS mine ON mine.organization_id = found.organization_id
        AND mine.memory_id = origin_id AND mine.model = %(model)s::text
    LEFT JOIN memories_embedding AS theirs ON theirs.organization_id = found.organization_id
        AND theirs.memory_id = target_id AND theirs.model = %(model)s::text
"""
NOT_MEASURED = "SELECT origin_id, target_id, NULL::float8 AS similarity FROM found"

# The candidates that may be compared. New memories are linked to what they nearly repeat.
FIND_ALIKE = f"""
WITH found AS MATERIALIZED (<found>), measured AS (<measured>), alike AS MATERIALIZED (
    SELECT new.organization_id, origin_id, target_id, new.agent_id, new.user_id, new.audience,
        CASE WHEN similarity > 1 THEN 1 ELSE similarity END AS similarity,
        (memory.created_at, memory.id) < (new.created_at, new.id) AS earlier,
        row_number() OVER (
            PARTITION BY origin_id, (memory.created_at, memory.id) < (new.created_at, new.id)
            ORDER BY similarity DESC NULLS LAST
        ) AS place
    FROM measured
    JOIN memories_memory AS new ON new.id = origin_id JOIN memories_memory AS memory ON memory.id = target_id
    WHERE new.forgotten_at IS NULL AND new.status = 'active' AND memory.forgotten_at IS NULL
        AND memory.status = 'active' AND memory.organization_id = new.organization_id
        AND memory.workspace_id IS NOT DISTINCT FROM new.workspace_id AND memory.audience = new.audience
        AND (memory.valid_until IS NULL OR memory.valid_until > %(now)s::timestamptz)
        AND (new.valid_until IS NULL OR new.valid_until > %(now)s::timestamptz)
        AND (memory.expires_at IS NULL OR memory.expires_at > %(now)s::timestamptz)
), linked AS (
    INSERT INTO memories_association
        (id, organization_id, origin_id, target_id, agent_id, user_id, relation, weight, created_at, updated_at)
    SELECT gen_random_uuid(), organization_id, origin_id, target_id, agent_id, user_id, '{Relation.UPDATES}',
        similarity, %(now)s::timestamptz, %(now)s::timestamptz
    FROM alike
    WHERE %(links)s::boolean AND earlier AND place <= {MAX_SIMILAR_LINKS} AND similarity > %(above)s::float8
    ON CONFLICT (organization_id, origin_id, target_id, relation) DO NOTHING
)
SELECT origin_id, target_id, similarity, earlier,
    coalesce(earlier AND place <= {MAX_SIMILAR_LINKS} AND similarity > %(above)s::float8, false),
    alike.organization_id, alike.audience,
    left(new.content, {COMPARED_TEXT + 1}), new.key, new.type, new.category,
    left(memory.content, {COMPARED_TEXT + 1}), memory.key, memory.type, memory.category, team.policy -> 'pairs'
FROM alike
JOIN memories_memory AS new ON new.id = origin_id
JOIN memories_memory AS memory ON memory.id = target_id
JOIN teams_team AS team ON team.id = new.team_id
ORDER BY similarity DESC NULLS LAST
"""  # noqa: S608


@cache
def build_statement(*, by_vectors: bool, with_pairs: bool) -> str:
    """Return the statement for a hub with or without vectors, and with or without the pairs that are known."""
    found = [NEAREST if by_vectors else SHARING_WORDS, SAME_WORDING_OR_KEY, *([IN_A_PAIR] if with_pairs else [])]
    measured = MEASURED_BY_VECTORS if by_vectors else NOT_MEASURED
    return FIND_ALIKE.replace("<found>", "UNION".join(found)).replace("<measured>", measured)


class AlikeRow(NamedTuple):
    """A memory and another one that may say the same."""

    origin_id: UUID
    target_id: UUID
    similarity: float  # the cosine of their vectors, or the letters that they share
    earlier: bool  # the other one is older
    links: bool
    organization_id: UUID
    audience: UUID
    content: str
    key: str
    type: str
    category: str
    other_content: str
    other_key: str
    other_type: str
    other_category: str
    pairs_policy: Any

    def rate(self) -> PairFinding | None:
        """Return what the two are to each other."""
        policy = orjson.loads(self.pairs_policy) if isinstance(self.pairs_policy, str) else self.pairs_policy
        return rate_pair(
            ComparedMemory(self.content, self.key, self.type, self.category),
            ComparedMemory(self.other_content, self.other_key, self.other_type, self.other_category),
            similarity=self.similarity,
            above=read_pair_threshold({"pairs": policy}),
        )


def find_alike(memory_ids: Sequence[UUID], *, links: bool, now: datetime) -> list[AlikeRow]:
    """Return what may say the same as these memories, and with `links` link these to what they nearly repeat; without,
    look at their known pairs again."""
    model = get_comparing_model()
    values: dict[str, Any] = {
        "memories": list(memory_ids),
        "model": model,
        "above": settings.SIMILAR_ABOVE,
        "links": links and bool(settings.SIMILAR_ABOVE),
        "now": now,
    }
    with prepared_cursor() as cursor:
        cursor.execute(build_statement(by_vectors=bool(model), with_pairs=not links), values)
        return [_measure_row(AlikeRow(*row)) for row in cursor.fetchall()]


def _measure_row(row: AlikeRow) -> AlikeRow:
    """Return the row with a similarity, by letters where there are no vectors."""
    if row.similarity is not None:
        return row
    return row._replace(similarity=measure_overlap(row.content, row.other_content))


def get_comparing_model() -> str:
    """Return the name of the model by whose vectors memories are compared, or nothing where there are none."""
    model = get_active_models().query_provider if pgvector.has_vectors(connection) else None
    return model.name if model else ""
