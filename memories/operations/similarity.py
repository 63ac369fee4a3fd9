"""Similar memories: each new memory is linked to those that say nearly the same, and compared with them for
duplicates and contradictions, which become pairs. The save reports both."""

import logging
import time
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
from memories.models import Conflicting, Memory, PairKind, Similar
from memories.operations.candidates import AlikeRow, find_alike, get_comparing_model
from memories.rules.pairs import PairFinding
from memoryhub import background
from memoryhub.ids import uuid7
from memoryhub.prepared_statements import prepared_cursor

log = logging.getLogger(__name__)
COMPARE_BATCH = 20  # memories that are compared in one transaction
FIRST_ID = UUID(int=0)


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
    now = timezone.now()
    with transaction.atomic() if connection.in_atomic_block else nullcontext():
        rows = find_alike(memory_ids, links=links, now=now)
        found = [(row, finding) for row in rows if (finding := row.rate())]
        if found:
            _record_pairs(found, now=now)
        if not links:
            _drop_outdated_pairs(memory_ids, found)
    return _collect_likenesses(rows, found)


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
    if new and not _waits_for_vectors():
        background.defer_job("link", memory_ids=new)


def _waits_for_vectors() -> bool:
    model = get_active_models().query_provider if get_comparing_model() else None
    return model is not None and not model.inline


class CompareTurn(NamedTuple):
    """The result of one turn: how many memories it compared, and the one to go on after (None at the end)."""

    compared: int
    go_on_after: UUID | None


def compare_all(*, after: UUID = FIRST_ID, within: float) -> CompareTurn:
    """Compare the active memories in the order of their ids, whenever they were saved or imported, and stop after so
    many seconds."""
    compared, until = 0, time.monotonic() + within
    while ids := _list_ids(after=after):
        link_similar(ids, links=False)
        compared, after = compared + len(ids), ids[-1]
        if time.monotonic() > until:
            return CompareTurn(compared, after)
    return CompareTurn(compared, None)


def _list_ids(*, after: UUID) -> list[UUID]:
    following = Memory.objects.alive().filter(pk__gt=after).order_by("pk")
    return list(following.values_list("pk", flat=True)[:COMPARE_BATCH])
