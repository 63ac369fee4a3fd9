"""A vector for each memory: made with the save or soon after it, and never in its way."""

import logging
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Prefetch, Q, QuerySet
from django.utils import timezone

from memories import extensions
from memories.embedding import Provider, Unavailable, made_by
from memories.embedding.serving import enlist, failed, look_again, note, resting, serving, succeeded
from memories.models import Embedding, EmbeddingModel, Memory, Unembedded
from memories.operations.similarity import link_similar
from memories.vectors import literal
from memoryhub import background, counts, locks
from memoryhub.ids import uuid7
from memoryhub.prepared import prepared_cursor

log = logging.getLogger(__name__)
BATCH = 64
MOST_ATTEMPTS = 3  # at a text that fails while others succeed
LOOK_AGAIN = 2.0  # seconds, while another process works off the backlog
TURN = 5.0  # seconds that a backlog keeps a process from other work beside the requests

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

# Every living memory that has no vector of its present version by this model.
QUEUE_ALL = """
INSERT INTO memories_unembedded (id, organization_id, memory_id, model, memory_version, attempts, links)
SELECT gen_random_uuid(), memory.organization_id, memory.id, %(model)s, memory.version, 0, false
FROM memories_memory AS memory
LEFT JOIN memories_embedding AS embedding ON embedding.organization_id = memory.organization_id
    AND embedding.memory_id = memory.id AND embedding.model = %(model)s AND embedding.memory_version >= memory.version
WHERE memory.forgotten_at IS NULL AND embedding.id IS NULL
ON CONFLICT (organization_id, memory_id, model) DO NOTHING
"""

# What waited, unless a newer version came to wait meanwhile.
DONE = """
DELETE FROM memories_unembedded AS waiting
USING unnest(%s::uuid[], %s::integer[]) AS done (id, version)
WHERE waiting.id = done.id AND waiting.memory_version <= done.version
"""


def embed(memories: Sequence[Memory], *, saved: bool = False) -> None:
    """Keeps the memories' vectors, or has them made soon. A provider that fails costs them nothing but time. Those of
    a save that come later bring the links of what is new; no others do, or links that were removed would come back."""
    if not memories or not extensions.has_vectors(connection):
        return
    newest = list({memory.pk: memory for memory in memories}.values())
    present = serving()
    waiting = present.behind
    for provider in present.making:
        vectors = _inline(newest, provider)
        if vectors:
            keep(newest, vectors, provider)
        else:
            queue(newest, provider, links=saved and provider is present.asked)
            waiting = True
    if waiting:
        transaction.on_commit(partial(background.soon, "embedding", catch_up_soon))


def renew(memories: Sequence[Memory]) -> None:
    """Has the memories' vectors made anew, soon, though nothing of them has changed."""
    if not memories or not extensions.has_vectors(connection):
        return
    for provider in serving().making:
        queue(memories, provider)
    transaction.on_commit(partial(background.soon, "embedding", catch_up_soon))


def _inline(memories: Sequence[Memory], provider: Provider) -> list[list[float]] | None:
    """Their vectors at once, if the provider is of that kind and does not fail, whatever its fault."""
    if not provider.inline:
        return None
    try:
        return checked(provider.documents([text_of(memory) for memory in memories]), provider)
    except Exception:
        log.exception("%s failed; %d memories wait for their vectors.", provider.name, len(memories))
        return None


def checked(vectors: list[list[float]], provider: Provider) -> list[list[float]]:
    for vector in vectors:
        if len(vector) != provider.dimension or not all(map(math.isfinite, vector)):
            raise Unavailable(f"{provider.name} made something else than a vector of {provider.dimension} numbers.")
    return vectors


def drop(memories: Sequence[Memory]) -> None:
    """What is forgotten has no place among the nearest."""
    ids = [memory.pk for memory in memories]
    within = {"organization__in": {memory.organization_id for memory in memories}, "memory__in": ids}
    Embedding.objects.filter(**within).delete()
    Unembedded.objects.filter(**within).delete()


def text_of(memory: Memory) -> str:
    """What a memory means: what it is called, then what it says."""
    return "\n".join(part for part in (memory.key, memory.summary, memory.content) if part)


def keep(memories: Sequence[Memory], vectors: Sequence[Sequence[float]], provider: Provider) -> None:
    made = list(zip(memories, vectors, strict=True))
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


def queue(memories: Sequence[Memory], provider: Provider, *, links: bool = False) -> None:
    """What waits already goes on waiting for its links, too."""
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
    """Makes missing vectors beside the requests, in turns with whatever else is done there."""
    if rest := catch_up(within=TURN if settings.BACKGROUND else math.inf):
        background.again("embedding", catch_up_soon, within=rest)


def catch_up(*, within: float = math.inf) -> float:
    """Makes whatever vectors are missing, for about so many seconds. Returns in how many it should be gone on with, if
    at all: when there are more, a provider fails or another process is at it."""
    if not extensions.has_vectors(connection):
        return 0.0
    look_again()
    until, making = time.monotonic() + within, serving().making
    rests = [resting(made.name) or _attempt(made, new=made is making[0], until=until) for made in reversed(making)]
    return min(filter(None, rests), default=0.0)


def _attempt(provider: Provider, *, new: bool, until: float) -> float:
    """Works off what waits for the provider. Returns in how many seconds it should be tried again, if at all."""
    with locks.alone(f"embedding {provider.name}") as alone:
        if not alone:
            return LOOK_AGAIN
        try:
            if new:
                _enroll(provider)
            if not _work_off(provider, until=until):
                return LOOK_AGAIN
        except Unavailable as error:
            log.warning("%s %d memories wait.", error, waiting(provider.name))
            return failed(provider.name, error)
        if new:
            _cover(provider)
        succeeded(provider.name)
        note(name=provider.name)
        return 0.0


def covers_all() -> bool:
    """Whether the model that the settings name has nothing to do, as far as is known without building it: its weights
    would stay in the memory of whoever looks."""
    names = EmbeddingModel.objects.filter(made_by=made_by(), covered_at__isnull=False).values_list("name", flat=True)
    found = list(names)
    return bool(found) and not Unembedded.objects.filter(model__in=found, attempts__lt=MOST_ATTEMPTS).exists()


def queue_missing() -> int:
    """Finds what has no vector though its model covers all: saved while recall by meaning was off, perhaps."""
    covering = EmbeddingModel.objects.filter(made_by=made_by(), covered_at__isnull=False).values_list("name", flat=True)
    return sum(map(_queue_all, covering))


def waiting(model: str) -> int:
    return _backlog(model).count()


@dataclass(frozen=True, kw_only=True, slots=True)
class Coverage:
    """How far a model has come: of how many memories how many still wait for its vector."""

    model: EmbeddingModel
    memories: counts.Count
    waiting: counts.Count

    @property
    def share(self) -> float:
        if self.model.queued_at is None and self.model.covered_at is None:
            return 0.0
        return 1 - min(1.0, self.waiting.number / max(1, self.memories.number))

    @property
    def percent(self) -> int:
        """Never 100 while any waits."""
        return math.floor(self.share * 100)


def coverage(*, up_to: int = counts.COUNTED) -> list[Coverage]:
    """Of each model that serves or takes over. Beyond so many rows as many as Postgres guesses: no page waits for a
    count of millions."""
    memories = counts.about(Memory.objects.filter(forgotten_at=None), up_to=up_to)
    models = EmbeddingModel.objects.filter(Q(covered_at__isnull=False) | Q(queued_at__isnull=False))
    return [
        Coverage(model=model, memories=memories, waiting=counts.about(_backlog(model.name), up_to=up_to))
        for model in models.order_by("created_at")
    ]


def _backlog(model: str) -> QuerySet[Unembedded]:
    return Unembedded.objects.filter(model=model, attempts__lt=MOST_ATTEMPTS)


def _enroll(provider: Provider) -> None:
    """Has a new model's vectors made for all that is there."""
    model = enlist(provider)
    if model.queued_at is None:
        _queue_all(provider.name)
        EmbeddingModel.objects.filter(pk=model.pk).update(queued_at=timezone.now())


@transaction.atomic
def _queue_all(model: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 0")  # a large hub takes longer than a request may
        cursor.execute(QUEUE_ALL, {"model": model})
        return int(cursor.rowcount)


def _work_off(provider: Provider, *, until: float) -> bool:
    """Whether all of it was done in time; some of it always is, however short the turn. The rows, then their memories:
    of a table that was filled just now, Postgres knows too little to join them."""
    backlog = _backlog(provider.name).order_by("attempts", "pk")
    texts = Prefetch("memory", Memory.objects.defer("search"))
    while rows := list(backlog.prefetch_related(texts)[:BATCH]):
        _make(rows, provider)
        EmbeddingModel.objects.filter(pk=provider.name, dimension=0).update(dimension=provider.dimension)
        if time.monotonic() > until:
            return not backlog.exists()
    return True


@transaction.atomic
def _cover(provider: Provider) -> None:
    """The model serves from now on. Nobody keeps the others' vectors up to date any more."""
    if EmbeddingModel.objects.filter(pk=provider.name, covered_at=None).update(covered_at=timezone.now()):
        EmbeddingModel.objects.exclude(pk=provider.name).update(covered_at=None, queued_at=None)
        look_again()


def _make(rows: Sequence[Unembedded], provider: Provider) -> None:
    """Their vectors. If they fail together though the provider works, each for itself."""
    try:
        _make_together(rows, provider)
    except Unavailable:
        provider.documents(["a probe"])
        for row in rows:
            try:
                _make_together([row], provider)
            except Unavailable as error:
                log.warning("%s: %s", row, error)
                Unembedded.objects.filter(pk=row.pk).update(attempts=row.attempts + 1)


def _make_together(rows: Sequence[Unembedded], provider: Provider) -> None:
    living = [row.memory for row in rows if row.memory.forgotten_at is None]
    vectors = checked(provider.documents([text_of(memory) for memory in living]), provider) if living else []
    with transaction.atomic():  # with their links, which nobody would make later
        keep(living, vectors, provider)
        with connection.cursor() as cursor:
            cursor.execute(DONE, [[row.pk for row in rows], [row.memory.version for row in rows]])
        link_similar([row.memory_id for row in rows if row.links])
