"""Memories' vectors: made within the save or soon after it, and never a reason for it to fail."""

import logging
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Prefetch
from django.utils import timezone

from memories.embedding import EmbeddingUnavailable, Provider, describe_provider
from memories.embedding.active_model import (
    backoff_remaining,
    get_active_models,
    invalidate_active_models,
    record_failure,
    record_status,
    record_success,
    register_model,
)
from memories.models import Embedding, EmbeddingModel, Memory, Unembedded, UnembeddedQuerySet, pgvector
from memories.models.vector_field import vector_literal
from memories.operations.similarity import link_similar
from memoryhub import background, counts, locks
from memoryhub.ids import uuid7
from memoryhub.prepared_statements import prepared_cursor

log = logging.getLogger(__name__)
EMBED_BATCH = 64
MOST_ATTEMPTS = 3  # at a text that fails while others succeed
RETRY_SECONDS = 2.0  # seconds, while another process works off the backlog
BACKLOG_SECONDS = 5.0  # seconds that a backlog keeps a process from other work beside the requests

# The vector of the newest version wins, whoever comes first.
UPSERT_VECTORS = """
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

# Queues every active memory that has no vector of its present version by this model.
QUEUE_ALL = """
INSERT INTO memories_unembedded (id, organization_id, memory_id, model, memory_version, attempts, links)
SELECT gen_random_uuid(), memory.organization_id, memory.id, %(model)s, memory.version, 0, false
FROM memories_memory AS memory
LEFT JOIN memories_embedding AS embedding ON embedding.organization_id = memory.organization_id
    AND embedding.memory_id = memory.id AND embedding.model = %(model)s AND embedding.memory_version >= memory.version
WHERE memory.forgotten_at IS NULL AND embedding.id IS NULL
ON CONFLICT (organization_id, memory_id, model) DO NOTHING
"""

# Removes finished rows from the backlog, unless a newer version was queued meanwhile.
DELETE_DONE = """
DELETE FROM memories_unembedded AS waiting
USING unnest(%s::uuid[], %s::integer[]) AS done (id, version)
WHERE waiting.id = done.id AND waiting.memory_version <= done.version
"""


def embed_memories(memories: Sequence[Memory], *, saved: bool = False) -> None:
    """Store the memories' vectors, or queue them if the provider is slow or fails.

    Queued vectors of a save also link what is new to similar memories; others do not, or links that somebody removed
    would come back.
    """
    if not memories or not pgvector.has_vectors(connection):
        return
    newest = list({memory.pk: memory for memory in memories}.values())
    present = get_active_models()
    waiting = present.catching_up
    for provider in present.providers:
        vectors = _embed_inline(newest, provider)
        if vectors:
            store_vectors(newest, vectors, provider)
        else:
            queue_memories(newest, provider, links=saved and provider is present.query_provider)
            waiting = True
    if waiting:
        transaction.on_commit(partial(background.run_soon, "embedding", catch_up_soon))


def queue_reembedding(memories: Sequence[Memory]) -> None:
    """Queue the memories to get new vectors, although they have not changed."""
    if not memories or not pgvector.has_vectors(connection):
        return
    for provider in get_active_models().providers:
        queue_memories(memories, provider)
    transaction.on_commit(partial(background.run_soon, "embedding", catch_up_soon))


def _embed_inline(memories: Sequence[Memory], provider: Provider) -> list[list[float]] | None:
    """Return their vectors if the provider works inline and does not fail in any way; else None."""
    if not provider.inline:
        return None
    try:
        return check_vectors(provider.documents([embedding_text(memory) for memory in memories]), provider)
    except Exception:
        log.exception("%s failed; %d memories wait for their vectors.", provider.name, len(memories))
        return None


def check_vectors(vectors: list[list[float]], provider: Provider) -> list[list[float]]:
    for vector in vectors:
        if len(vector) != provider.dimension or not all(map(math.isfinite, vector)):
            raise EmbeddingUnavailable(
                f"{provider.name} made something else than a vector of {provider.dimension} numbers."
            )
    return vectors


def drop_vectors(memories: Sequence[Memory]) -> None:
    """Delete the vectors of forgotten memories, so that no search by meaning finds them."""
    Embedding.objects.of_memories(memories).delete()
    Unembedded.objects.of_memories(memories).delete()


def embedding_text(memory: Memory) -> str:
    """Return the text that stands for a memory in its vector: key, summary and content."""
    return "\n".join(part for part in (memory.key, memory.summary, memory.content) if part)


def store_vectors(memories: Sequence[Memory], vectors: Sequence[Sequence[float]], provider: Provider) -> None:
    made = list(zip(memories, vectors, strict=True))
    with prepared_cursor() as cursor:
        cursor.execute(
            UPSERT_VECTORS,
            {
                "model": provider.name,
                "dimension": provider.dimension,
                "now": timezone.now(),
                "ids": [uuid7() for _ in made],
                "organizations": [memory.organization_id for memory, _ in made],
                "memories": [memory.pk for memory, _ in made],
                "audiences": [memory.audience for memory, _ in made],
                "versions": [memory.version for memory, _ in made],
                "vectors": [vector_literal(vector) for _, vector in made],
            },
        )


def queue_memories(memories: Sequence[Memory], provider: Provider, *, links: bool = False) -> None:
    """Queue the memories for the provider. One that is queued already keeps its request for links."""
    Unembedded.objects.bulk_create(
        [
            Unembedded(
                organization_id=memory.organization_id,
                memory_id=memory.pk,
                model=provider.name,
                memory_version=memory.version,
                links=links and memory.version == 1,
            )
            for memory in memories
        ],
        update_conflicts=True,
        unique_fields=["organization", "memory", "model"],
        update_fields=["memory_version", "attempts"],
    )


def catch_up_soon() -> None:
    """Make missing vectors in the background thread, in turns with its other work."""
    if rest := catch_up(within=BACKLOG_SECONDS if settings.BACKGROUND else math.inf):
        background.retry_later("embedding", catch_up_soon, within=rest)


def catch_up(*, within: float = math.inf) -> float:
    """Make missing vectors for about `within` seconds.

    Returns after how many seconds to call it again: when more are left, a provider fails or another process is working
    on them. 0 if there is nothing left to do.
    """
    if not pgvector.has_vectors(connection):
        return 0.0
    invalidate_active_models()
    until, making = time.monotonic() + within, get_active_models().providers
    rests = [
        backoff_remaining(made.name) or _work_on_model(made, new=made is making[0], until=until)
        for made in reversed(making)
    ]
    return min(filter(None, rests), default=0.0)


def _work_on_model(provider: Provider, *, new: bool, until: float) -> float:
    """Work off the provider's backlog. Returns after how many seconds to try again; 0 if it is done."""
    with locks.hold_lock(f"embedding {provider.name}") as alone:
        if not alone:
            return RETRY_SECONDS
        try:
            if new:
                _enroll_model(provider)
            if not _work_off_backlog(provider, until=until):
                return RETRY_SECONDS
        except EmbeddingUnavailable as error:
            log.warning("%s %d memories wait.", error, count_waiting(provider.name))
            return record_failure(provider.name, error)
        if new:
            _switch_to_model(provider)
        record_success(provider.name)
        record_status(name=provider.name)
        return 0.0


def covers_all() -> bool:
    """Return whether the model that the settings name has an empty backlog.

    Asks the database alone: building the provider would keep its weights in this process.
    """
    names = _covering_models()
    waiting = Unembedded.objects.filter(model__in=names).attempted_less_than(MOST_ATTEMPTS)
    return bool(names) and not waiting.exists()


def queue_missing() -> int:
    """Queue memories that lack a vector although their model covers all: saved while embedding was off, perhaps."""
    return sum(map(_queue_all, _covering_models()))


def _covering_models() -> list[str]:
    return list(EmbeddingModel.objects.of_provider(describe_provider()).covering().values_list("name", flat=True))


def count_waiting(model: str) -> int:
    return _model_backlog(model).count()


@dataclass(frozen=True, kw_only=True, slots=True)
class Coverage:
    """A model's progress: how many memories there are, and how many still wait for its vector."""

    model: EmbeddingModel
    memories: counts.EstimatedCount
    waiting: counts.EstimatedCount

    @property
    def share(self) -> float:
        if self.model.queued_at is None and self.model.covered_at is None:
            return 0.0
        return 1 - min(1.0, self.waiting.number / max(1, self.memories.number))

    @property
    def percent(self) -> int:
        """Never 100 while any waits."""
        return math.floor(self.share * 100)


def measure_coverage(*, up_to: int = counts.COUNT_UP_TO) -> list[Coverage]:
    """Return the progress of each model that serves or takes over. Above `up_to` rows the counts are estimates of
    Postgres: no page waits for a count of millions."""
    memories = counts.estimate_count(Memory.objects.filter(forgotten_at=None), up_to=up_to)
    models = EmbeddingModel.objects.in_use()
    return [
        Coverage(model=model, memories=memories, waiting=counts.estimate_count(_model_backlog(model.name), up_to=up_to))
        for model in models.order_by("created_at")
    ]


def _model_backlog(model: str) -> UnembeddedQuerySet:
    return Unembedded.objects.by_model(model).attempted_less_than(MOST_ATTEMPTS)


def _enroll_model(provider: Provider) -> None:
    """Register a new model and queue all existing memories for it."""
    model = register_model(provider)
    if model.queued_at is None:
        _queue_all(provider.name)
        EmbeddingModel.objects.filter(pk=model.pk).update(queued_at=timezone.now())


@transaction.atomic
def _queue_all(model: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 0")  # a large hub takes longer than a request may
        cursor.execute(QUEUE_ALL, {"model": model})
        return int(cursor.rowcount)


def _work_off_backlog(provider: Provider, *, until: float) -> bool:
    """Return whether the whole backlog was done in time; at least one batch always is.

    Reads the rows first and their memories by a second statement: Postgres has no statistics yet of a table that was
    filled just now, and would plan the join badly.
    """
    backlog = _model_backlog(provider.name).next_first()
    texts = Prefetch("memory", Memory.objects.defer("search"))
    while rows := list(backlog.prefetch_related(texts)[:EMBED_BATCH]):
        _make_vectors(rows, provider)
        EmbeddingModel.objects.filter(pk=provider.name, dimension=0).update(dimension=provider.dimension)
        if time.monotonic() > until:
            return not backlog.exists()
    return True


@transaction.atomic
def _switch_to_model(provider: Provider) -> None:
    """Let the model serve from now on. The other models' vectors are no longer kept up to date."""
    if EmbeddingModel.objects.filter(pk=provider.name, covered_at=None).update(covered_at=timezone.now()):
        EmbeddingModel.objects.exclude(pk=provider.name).update(covered_at=None, queued_at=None)
        invalidate_active_models()


def _make_vectors(rows: Sequence[Unembedded], provider: Provider) -> None:
    """Make the rows' vectors. If the batch fails although the provider works, make them one by one."""
    try:
        _make_batch(rows, provider)
    except EmbeddingUnavailable:
        provider.documents(["a probe"])
        for row in rows:
            try:
                _make_batch([row], provider)
            except EmbeddingUnavailable as error:
                log.warning("%s: %s", row, error)
                Unembedded.objects.filter(pk=row.pk).update(attempts=row.attempts + 1)


def _make_batch(rows: Sequence[Unembedded], provider: Provider) -> None:
    living = [row.memory for row in rows if row.memory.forgotten_at is None]
    vectors = (
        check_vectors(provider.documents([embedding_text(memory) for memory in living]), provider) if living else []
    )
    with transaction.atomic():  # with their links, which nobody would make later
        store_vectors(living, vectors, provider)
        with connection.cursor() as cursor:
            cursor.execute(DELETE_DONE, [[row.pk for row in rows], [row.memory.version for row in rows]])
        for links in (True, False):
            if waiting := [row.memory_id for row in rows if row.links is links]:
                link_similar(waiting, links=links)
