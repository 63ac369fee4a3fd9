"""Similar memories: each new memory is linked to those that say nearly the same, and the save reports them."""

import logging
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from memories.embedding.active_model import get_active_models
from memories.models import Memory, Relation, Similar, pgvector
from memoryhub import background
from memoryhub.prepared_statements import prepared_cursor

log = logging.getLogger(__name__)
SIGN_BIT_CANDIDATES = 10  # preselected by the sign bits of their vectors
MAX_SIMILAR_LINKS = 3  # links that one memory gets

# For each new memory the nearest of its audience and workspace. Index: embedding_nearest.
LINK_SIMILAR = f"""
WITH alike AS (
    SELECT new.organization_id, new.id AS origin_id, found.id AS target_id, new.agent_id, new.user_id,
        least(found.similarity, 1) AS similarity
    FROM memories_memory AS new
    JOIN memories_embedding AS mine ON mine.organization_id = new.organization_id AND mine.memory_id = new.id
        AND mine.model = %(model)s::text, LATERAL (
        SELECT memory.id, -(theirs.vector <#> mine.vector) AS similarity
        FROM (
            SELECT memory_id FROM memories_embedding
            WHERE organization_id = new.organization_id AND audience = new.audience AND model = %(model)s::text
                AND memory_id <> new.id
            ORDER BY signs <~> mine.signs LIMIT {SIGN_BIT_CANDIDATES}
        ) AS rough
        JOIN memories_embedding AS theirs ON theirs.organization_id = new.organization_id
            AND theirs.memory_id = rough.memory_id AND theirs.model = %(model)s::text
        JOIN memories_memory AS memory ON memory.id = rough.memory_id
        WHERE -(theirs.vector <#> mine.vector) > %(above)s::float8 AND memory.forgotten_at IS NULL
            AND memory.status = 'active' AND memory.valid_until IS NULL
            AND (memory.expires_at IS NULL OR memory.expires_at > %(now)s::timestamptz)
            AND memory.workspace_id IS NOT DISTINCT FROM new.workspace_id AND memory.created_at <= new.created_at
        ORDER BY similarity DESC LIMIT {MAX_SIMILAR_LINKS}
    ) AS found
    WHERE new.id = ANY(%(memories)s::uuid[]) AND new.forgotten_at IS NULL AND new.status = 'active'
), linked AS (
    INSERT INTO memories_association
        (id, organization_id, origin_id, target_id, agent_id, user_id, relation, weight, created_at, updated_at)
    SELECT gen_random_uuid(), organization_id, origin_id, target_id, agent_id, user_id, '{Relation.UPDATES}',
        similarity, %(now)s::timestamptz, %(now)s::timestamptz
    FROM alike
    ON CONFLICT (organization_id, origin_id, target_id, relation) DO NOTHING
)
SELECT origin_id, target_id, similarity FROM alike ORDER BY similarity DESC
"""  # noqa: S608 (constants of our own)


def link_similar(memory_ids: Sequence[UUID]) -> dict[UUID, list[Similar]]:
    """Link these new memories to similar ones. Logs a database error instead of raising it: the save must not fail."""
    try:
        return link_similar_or_raise(memory_ids)
    except DatabaseError:
        log.exception("%d memories were not linked to what they are similar to.", len(memory_ids))
        return {}


def link_similar_or_raise(memory_ids: Sequence[UUID]) -> dict[UUID, list[Similar]]:
    """Link these new memories to similar ones. Can be repeated without effect.

    One statement does it, which needs no transaction around it; within one, a savepoint keeps an error from ending it.
    """
    model = get_active_models().query_provider
    if not settings.SIMILAR_ABOVE or model is None or not pgvector.has_vectors(connection):
        return {}
    found: dict[UUID, list[Similar]] = {}
    values: dict[str, Any] = {"memories": list(memory_ids), "model": model.name, "above": settings.SIMILAR_ABOVE}
    with transaction.atomic() if connection.in_atomic_block else nullcontext(), prepared_cursor() as cursor:
        cursor.execute(LINK_SIMILAR, values | {"now": timezone.now()})
        for origin, target, similarity in cursor.fetchall():
            found.setdefault(origin, []).append(Similar(target, similarity))
    return found


def link_similar_later(memories: Sequence[Memory]) -> None:
    """Queue a job that links many new memories at once. Vectors that are made later bring their links themselves."""
    new = [str(memory.pk) for memory in memories if memory.version == 1]
    model = get_active_models().query_provider
    if new and settings.SIMILAR_ABOVE and model and model.inline and pgvector.has_vectors(connection):
        background.defer_job("link", memory_ids=new)
