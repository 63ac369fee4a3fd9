"""Sealing: every new entry of the histories gets its place in the audit chain.

Writers never wait for the chain. A job seals what they have committed, one process at a time.
"""

import logging
import time
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone

from memories.models import COVERED_PLACES, FIRST_HASH, AuditEntry, AuditPlace
from memories.queries.audit_histories import HISTORIES, format_head
from memoryhub.ids import first_id
from memoryhub.locks import lock_names

log = logging.getLogger(__name__)
SEALED_AT_ONCE = 2_000
LOOK_BACK = timedelta(days=1)  # how old an entry may be when it is committed, and still be sealed before the night
CHAIN_LOCK = "audit chain"
NOTHING = bytes(32)
START = "00000000-0000-0000-0000-000000000000"


class SealedRow(NamedTuple):
    """An entry of a history, with the digests of who did what and of its words."""

    place: str
    form: int
    row_id: str
    subject_id: str
    digest: bytes
    text_digest: bytes


# Index: the primary key of the history, and row_is_in_the_audit_chain_once.
UNSEALED = """
SELECT id::text, {subject}, {digest}, {text_digest} FROM {table} AS entry
WHERE id > %(after)s AND NOT EXISTS (
    SELECT FROM memories_auditentry AS sealed
    WHERE sealed.place = '{place}' AND sealed.row_id = entry.id::text
    AND sealed.place IN ('memory version', 'file version', 'admin')
)
ORDER BY id LIMIT %(limit)s
"""


def seal_entries(*, everything: bool = False, within: float = float("inf")) -> tuple[int, bool]:
    """Add the entries that are not in the chain yet: those of the last day, or all of them. Returns how many were
    added, and whether all are in."""
    until, sealed = time.monotonic() + within, 0
    everything = everything or not AuditEntry.objects.exists()
    for place in COVERED_PLACES:
        since = START if everything else str(first_id(timezone.now() - LOOK_BACK))
        after: str | int = 0 if place == AuditPlace.ADMIN else since
        while rows := _seal_batch(place, after):
            sealed += len(rows)
            after = int(rows[-1].row_id) if place == AuditPlace.ADMIN else rows[-1].row_id
            if time.monotonic() >= until:
                return sealed, False
    if sealed:
        head = AuditEntry.objects.last_first().first()
        log.info("Audit chain: %s entries added; its head is %s.", f"{sealed:,}", format_head(head))
    return sealed, True


@transaction.atomic
def _seal_batch(place: str, after: str | int) -> list[SealedRow]:
    """Seal the next entries of a history, with the lock of the chain: what another process has sealed by then is
    seen."""
    lock_names(CHAIN_LOCK)
    history = HISTORIES[place]
    form = history.get_form(history.latest_form)._asdict()
    statement = UNSEALED.format(table=history.table, subject=history.subject, place=place, **form)
    with connection.cursor() as cursor:
        cursor.execute(statement, {"after": after, "limit": SEALED_AT_ONCE})
        rows = [SealedRow(place, history.latest_form, *row) for row in cursor.fetchall()]
    append_to_chain(rows)
    return rows


@transaction.atomic
def append_to_chain(rows: Sequence[SealedRow]) -> None:
    """Append entries, each with the hash of the one before."""
    if not rows:
        return
    lock_names(CHAIN_LOCK)
    head, now = AuditEntry.objects.last_first().first(), timezone.now()
    last, previous = (head.number, bytes(head.hash)) if head else (0, FIRST_HASH)
    entries = []
    for number, row in enumerate(rows, start=last + 1):
        entry = AuditEntry(number=number, previous=previous, sealed_at=now, **row._asdict())
        entry.hash = previous = entry.compute_hash()
        entries.append(entry)
    AuditEntry.objects.bulk_create(entries)


def note_removals(subject_ids: Iterable[UUID]) -> None:
    """Note in the chain that memories or files are removed for good with their versions, in the same transaction."""
    ids = sorted(map(str, subject_ids))
    append_to_chain([SealedRow(AuditPlace.REMOVED, 1, pk, pk, NOTHING, NOTHING) for pk in ids])


def note_rewrites(place: str, row_ids: Iterable[object]) -> None:
    """Note in the chain that the words of these entries of a history were changed for good, with their new digest, in
    the same transaction."""
    history = HISTORIES[place]
    digest, text_digest = history.get_form(history.latest_form)
    rows = sorted({str(pk) for pk in row_ids})
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT id::text, {digest}, {text_digest} FROM {history.table} WHERE id = ANY(%s)",  # noqa: S608 (ours)
            [[int(pk) for pk in rows] if place == AuditPlace.ADMIN else [UUID(pk) for pk in rows]],
        )
        found = cursor.fetchall()
    form = history.latest_form
    append_to_chain([SealedRow(AuditPlace.REWRITTEN, form, pk, place, *digests) for pk, *digests in found])
