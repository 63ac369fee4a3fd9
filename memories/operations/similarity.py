"""Similar memories: each new memory is linked to those that say nearly the same, and compared with them for
duplicates and contradictions, which become pairs. The save reports both."""

import json
import logging
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from memories.embedding.active_model import get_active_models
from memories.models import Conflicting, Memory, PairKind, Relation, Similar, pgvector
from memories.rules.pairs import ComparedMemory, PairFinding, rate_pair, read_pair_threshold
from memories.text.comparison import COMPARED_TEXT
from memoryhub import background
from memoryhub.ids import uuid7
from memoryhub.prepared_statements import prepared_cursor

log = logging.getLogger(__name__)
SIGN_BIT_CANDIDATES = 10  # preselected by the sign bits of their vectors
MAX_SIMILAR_LINKS = 3  # links that one memory gets
NAMESAKES = 3  # memories with the same key that a memory is compared with

# For each memory the nearest of its audience and workspace, and those with its key. New memories are linked to what
# they nearly repeat. Indexes: embedding_nearest, memory_key.
FIND_ALIKE = f"""
WITH found AS MATERIALIZED (
    SELECT new.id AS origin_id, near.id AS target_id, near.similarity
    FROM memories_memory AS new
    JOIN memories_embedding AS mine ON mine.organization_id = new.organization_id AND mine.memory_id = new.id
        AND mine.model = %(model)s::text, LATERAL (
        SELECT rough.memory_id AS id, -(theirs.vector <#> mine.vector) AS similarity
        FROM (
            SELECT memory_id FROM memories_embedding
            WHERE organization_id = new.organization_id AND audience = new.audience AND model = %(model)s::text
                AND memory_id <> new.id
            ORDER BY signs <~> mine.signs LIMIT {SIGN_BIT_CANDIDATES}
        ) AS rough
        JOIN memories_embedding AS theirs ON theirs.organization_id = new.organization_id
            AND theirs.memory_id = rough.memory_id AND theirs.model = %(model)s::text
    ) AS near
    WHERE new.id = ANY(%(memories)s::uuid[])
    UNION ALL
    SELECT new.id, namesake.id, 0
    FROM memories_memory AS new, LATERAL (
        SELECT id FROM memories_memory
        WHERE organization_id = new.organization_id AND audience = new.audience AND key = new.key AND id <> new.id
            AND forgotten_at IS NULL
        ORDER BY updated_at DESC LIMIT {NAMESAKES}
    ) AS namesake
    WHERE new.id = ANY(%(memories)s::uuid[]) AND new.key <> ''
), alike AS MATERIALIZED (
    SELECT new.organization_id, origin_id, target_id, new.agent_id, new.user_id, new.audience,
        least(max(similarity), 1) AS similarity, (memory.created_at, memory.id) < (new.created_at, new.id) AS earlier,
        row_number() OVER (
            PARTITION BY origin_id, (memory.created_at, memory.id) < (new.created_at, new.id)
            ORDER BY max(similarity) DESC
        ) AS place
    FROM found JOIN memories_memory AS new ON new.id = origin_id JOIN memories_memory AS memory ON memory.id = target_id
    WHERE new.forgotten_at IS NULL AND new.status = 'active' AND memory.forgotten_at IS NULL
        AND memory.status = 'active' AND memory.organization_id = new.organization_id
        AND memory.workspace_id IS NOT DISTINCT FROM new.workspace_id AND memory.audience = new.audience
        AND (memory.valid_until IS NULL OR memory.valid_until > %(now)s::timestamptz)
        AND (new.valid_until IS NULL OR new.valid_until > %(now)s::timestamptz)
        AND (memory.expires_at IS NULL OR memory.expires_at > %(now)s::timestamptz)
    GROUP BY new.id, memory.id, origin_id, target_id
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
    earlier AND place <= {MAX_SIMILAR_LINKS} AND similarity > %(above)s::float8, alike.organization_id, alike.audience,
    left(new.content, {COMPARED_TEXT + 1}), new.key, new.type, new.category,
    left(memory.content, {COMPARED_TEXT + 1}), memory.key, memory.type, memory.category, team.policy -> 'pairs'
FROM alike
JOIN memories_memory AS new ON new.id = origin_id
JOIN memories_memory AS memory ON memory.id = target_id
JOIN teams_team AS team ON team.id = new.team_id
ORDER BY similarity DESC
"""  # noqa: S608 (constants of our own)


class AlikeRow(NamedTuple):
    """A memory and another one that may say the same."""

    origin_id: UUID
    target_id: UUID
    similarity: float
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
        policy = json.loads(self.pairs_policy) if isinstance(self.pairs_policy, str) else self.pairs_policy
        return rate_pair(
            ComparedMemory(self.content, self.key, self.type, self.category),
            ComparedMemory(self.other_content, self.other_key, self.other_type, self.other_category),
            similarity=self.similarity,
            above=read_pair_threshold({"pairs": policy}),
        )


@dataclass(slots=True)
class Likeness:
    """The memories that one memory nearly repeats, and those that it contradicts."""

    similar: list[Similar] = field(default_factory=list)
    conflicts: list[Conflicting] = field(default_factory=list)

    def report_on(self, memory: Memory) -> None:
        memory.similar, memory.conflicts, memory.disputed = self.similar, self.conflicts, bool(self.conflicts)


def link_similar(memory_ids: Sequence[UUID], *, links: bool = True) -> dict[UUID, Likeness]:
    """Link these new memories to similar ones, and record the pairs that they are in; without `links`, only the pairs.
    Logs a database error instead of raising it: the save must not fail."""
    try:
        return link_similar_or_raise(memory_ids, links=links)
    except DatabaseError:
        log.exception("%d memories were not compared with what they are similar to.", len(memory_ids))
        return {}


def link_similar_or_raise(memory_ids: Sequence[UUID], *, links: bool = True) -> dict[UUID, Likeness]:
    """Link these new memories to similar ones, and record the pairs that they are in. Can be repeated without effect.

    Within a transaction, a savepoint keeps an error from ending it.
    """
    if not pgvector.has_vectors(connection):
        return {}
    with transaction.atomic() if connection.in_atomic_block else nullcontext():
        rows = _find_alike(memory_ids, links=links)
        found = [(row, finding) for row in rows if (finding := row.rate())]
        if found:
            _record_pairs(found, now=timezone.now())
        if not links:
            _drop_outdated_pairs(memory_ids, found)
    return _collect_likenesses(rows, found)


def _find_alike(memory_ids: Sequence[UUID], *, links: bool) -> list[AlikeRow]:
    model = get_active_models().query_provider
    values: dict[str, Any] = {
        "memories": list(memory_ids),
        "model": model.name if model else "",
        "above": settings.SIMILAR_ABOVE,
        "links": links and bool(settings.SIMILAR_ABOVE),
        "now": timezone.now(),
    }
    with prepared_cursor() as cursor:
        cursor.execute(FIND_ALIKE, values)
        return [AlikeRow(*row) for row in cursor.fetchall()]


def _collect_likenesses(
    rows: Iterable[AlikeRow], found: Iterable[tuple[AlikeRow, PairFinding]]
) -> dict[UUID, Likeness]:
    likenesses: dict[UUID, Likeness] = {}
    for row in rows:
        if row.links and settings.SIMILAR_ABOVE:
            likeness = likenesses.setdefault(row.origin_id, Likeness())
            likeness.similar.append(Similar(row.target_id, row.similarity))
    for row, finding in found:
        if finding.kind is PairKind.CONTRADICTION:
            conflict = Conflicting(row.target_id, row.similarity, finding.differences)
            likenesses.setdefault(row.origin_id, Likeness()).conflicts.append(conflict)
    return likenesses


# A decision stays as long as the memories differ in the same; otherwise somebody has to look again.
RECORD_PAIRS = """
INSERT INTO memories_pair (id, organization_id, older_id, newer_id, audience, kind, similarity, fingerprint, state,
    decision, reason, undo, created_at, updated_at)
SELECT *, 'open', '', '', '{}', %(now)s::timestamptz, %(now)s::timestamptz
FROM unnest(%(ids)s::uuid[], %(organizations)s::uuid[], %(older)s::uuid[], %(newer)s::uuid[], %(audiences)s::uuid[],
    %(kinds)s::text[], %(similarities)s::float8[], %(fingerprints)s::text[])
ON CONFLICT (organization_id, older_id, newer_id) DO UPDATE
SET audience = excluded.audience, kind = excluded.kind, similarity = excluded.similarity,
    fingerprint = excluded.fingerprint, updated_at = excluded.updated_at,
    state = CASE WHEN memories_pair.fingerprint = excluded.fingerprint THEN memories_pair.state ELSE 'open' END
WHERE (memories_pair.fingerprint, memories_pair.kind, memories_pair.audience)
    <> (excluded.fingerprint, excluded.kind, excluded.audience)
"""


def _record_pairs(found: Sequence[tuple[AlikeRow, PairFinding]], *, now: datetime) -> None:
    """Record each pair once, ordered by id, so that two statements with the same pairs cannot deadlock."""
    rows: dict[tuple[UUID, UUID], tuple[AlikeRow, PairFinding]] = {}
    for row, finding in found:
        older, newer = (row.target_id, row.origin_id) if row.earlier else (row.origin_id, row.target_id)
        rows[older, newer] = (row, finding)
    ordered = sorted(rows.items())
    values: dict[str, Any] = {
        "ids": [uuid7() for _ in ordered],
        "organizations": [row.organization_id for _, (row, _) in ordered],
        "older": [older for (older, _), _ in ordered],
        "newer": [newer for (_, newer), _ in ordered],
        "audiences": [row.audience for _, (row, _) in ordered],
        "kinds": [finding.kind.value for _, (_, finding) in ordered],
        "similarities": [row.similarity for _, (row, _) in ordered],
        "fingerprints": [finding.fingerprint for _, (_, finding) in ordered],
        "now": now,
    }
    with prepared_cursor() as cursor:
        cursor.execute(RECORD_PAIRS, values)


# Pairs that a changed text is no longer in.
DROP_OUTDATED_PAIRS = """
DELETE FROM memories_pair
WHERE state = 'open' AND (older_id = ANY(%(memories)s::uuid[]) OR newer_id = ANY(%(memories)s::uuid[]))
    AND NOT (older_id, newer_id) IN (SELECT * FROM unnest(%(older)s::uuid[], %(newer)s::uuid[]))
"""


def _drop_outdated_pairs(memory_ids: Sequence[UUID], found: Sequence[tuple[AlikeRow, PairFinding]]) -> None:
    pairs = [(row.target_id, row.origin_id) if row.earlier else (row.origin_id, row.target_id) for row, _ in found]
    with prepared_cursor() as cursor:
        cursor.execute(
            DROP_OUTDATED_PAIRS,
            {
                "memories": list(memory_ids),
                "older": [older for older, _ in pairs],
                "newer": [newer for _, newer in pairs],
            },
        )


def compare_changed(memory_ids: Sequence[UUID]) -> None:
    """Compare memories whose text has changed, after this transaction."""
    transaction.on_commit(lambda: link_similar(memory_ids, links=False))


def link_similar_later(memories: Sequence[Memory]) -> None:
    """Queue a job that links and compares many new memories at once. Vectors that are made later bring their links
    themselves."""
    new = [str(memory.pk) for memory in memories if memory.version == 1 and not memory.duplicate]
    model = get_active_models().query_provider
    if new and model and model.inline and pgvector.has_vectors(connection):
        background.defer_job("link", memory_ids=new)
