"""A vector for each memory, made with the save and never in its way."""

import logging
import math
from collections.abc import Sequence

from django.db import connection
from django.utils import timezone

from memories import embedding, extensions
from memories.models import Memory
from memories.recall.meaning import literal
from memoryhub.ids import uuid7
from memoryhub.prepared import prepared_cursor

log = logging.getLogger(__name__)

# The vector of the newest version wins, whoever comes first.
KEEP = """
INSERT INTO memories_embedding
    (id, organization_id, memory_id, audience, memory_version, vector, model, dimension, created_at)
SELECT *, %(model)s::text, %(dimension)s::integer, %(now)s::timestamptz
FROM unnest(%(ids)s::uuid[], %(organizations)s::uuid[], %(memories)s::uuid[], %(audiences)s::uuid[],
    %(versions)s::integer[], %(vectors)s::vector[])
ON CONFLICT (organization_id, memory_id, model) DO UPDATE
SET audience = excluded.audience, memory_version = excluded.memory_version, vector = excluded.vector,
    dimension = excluded.dimension, created_at = excluded.created_at
WHERE memories_embedding.memory_version <= excluded.memory_version
"""


def embed(memories: Sequence[Memory]) -> None:
    """Keeps the memories' vectors. A provider that fails costs them nothing but their place in recall by meaning."""
    provider = embedding.provider()
    if not memories or provider is None or not extensions.has_vectors(connection):
        return
    newest = list({memory.pk: memory for memory in memories}.values())
    try:
        vectors = provider.documents([text_of(memory) for memory in newest])
    except Exception:
        log.exception("The embedding provider %s failed; %d memories have no vector.", provider.name, len(newest))
        return
    made = [
        (memory, vector)
        for memory, vector in zip(newest, vectors, strict=True)
        if len(vector) == provider.dimension and all(map(math.isfinite, vector))
    ]
    with prepared_cursor() as cursor:
        cursor.execute(
            KEEP,
            {
                "model": provider.name,
                "dimension": provider.dimension,
                "now": timezone.now(),
                "ids": [uuid7() for _ in made],
                "organizations": [memory.organization_id for memory, _ in made],
                "memories": [memory.pk for memory, _ in made],
                "audiences": [memory.audience for memory, _ in made],
                "versions": [memory.version for memory, _ in made],
                "vectors": [literal(vector) for _, vector in made],
            },
        )


def text_of(memory: Memory) -> str:
    """What a memory means: what it is called, then what it says."""
    return "\n".join(part for part in (memory.key, memory.summary, memory.content) if part)
