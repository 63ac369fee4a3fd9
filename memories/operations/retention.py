"""Retention: rows older than the settings keep them are removed for good, a few at a time."""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import connection, transaction
from django.db.models import Model

from memories.models import (
    Answer,
    Asset,
    Association,
    Feedback,
    GoldenQuestion,
    Memory,
    Pair,
    Proposal,
    RecallLog,
    Revision,
    SettledQuestion,
    Source,
    Usage,
)
from memories.models.embeddings import Embedding, Unembedded
from memories.operations.audit_chain import note_removals
from memories.operations.forget import remove_files_later
from memories.operations.idempotency import IDEMPOTENCY_WINDOW
from memories.operations.legal_holds import lock_holds
from memories.rules.holds import match_held_memories, match_held_recalls
from memoryhub.ids import first_id

log = logging.getLogger(__name__)
REMOVAL_BATCH = 1_000  # rows removed in one transaction

# The tables that refer to a memory, and the field by which they do.
MEMORY_REFERENCES: tuple[tuple[type[Model], str], ...] = (
    (Association, "origin"),
    (Association, "target"),
    (Asset, "memory"),
    (Source, "memory"),
    (SettledQuestion, "memory"),
    (GoldenQuestion, "memory"),
    (Embedding, "memory"),
    (Unembedded, "memory"),
    (Usage, "memory"),
    (Proposal, "memory"),
    (Feedback, "memory"),
    (Pair, "older"),
    (Pair, "newer"),
    (Revision, "memory"),
)


def remove_outdated(*, now: datetime) -> dict[str, int]:
    """Remove what is older than the settings keep it. Returns how many rows of what."""
    removed = {
        "recalls": _remove_older_than(now, days=settings.KEEP_RECALLS_DAYS, remove=_remove_recalls),
        "forgotten memories": _remove_older_than(now, days=settings.KEEP_FORGOTTEN_DAYS, remove=_remove_forgotten),
        "answers": _remove_all(lambda: _remove_answers(now - IDEMPOTENCY_WINDOW)),
        "sessions": _remove_all(lambda: _remove_sessions(now)),
    }
    log.info("Removed for good: %s.", ", ".join(f"{count:,} {what}" for what, count in removed.items()))
    return removed


def _remove_older_than(now: datetime, *, days: int, remove: Callable[[datetime], int]) -> int:
    """Remove what is older than so many days; 0 keeps it for ever."""
    return _remove_all(lambda: remove(now - timedelta(days=days))) if days else 0


def _remove_all(remove: Callable[[], int]) -> int:
    total = 0
    while removed := remove():
        total += removed
    return total


@transaction.atomic
def _remove_recalls(before: datetime) -> int:
    """Remove old recalls, unless they are held. Index: the primary key, as ids are in the order of time."""
    old = RecallLog.objects.filter(~match_held_recalls(), pk__lt=first_id(before), created_at__lt=before)
    oldest = dict(old.order_by("pk").values_list("pk", "organization")[:REMOVAL_BATCH])
    lock_holds(oldest.values())
    return RecallLog.objects.filter(~match_held_recalls(), pk__in=list(oldest)).delete()[0]


def _remove_answers(before: datetime) -> int:
    """Remove old answers, unless their key was claimed by another request meanwhile."""
    old = Answer.objects.made_before(before)
    ids = list(old.order_by("created_at").values_list("pk", flat=True)[:REMOVAL_BATCH])
    return old.filter(pk__in=ids).delete()[0]


def _remove_sessions(now: datetime) -> int:
    old = Session.objects.filter(expire_date__lt=now)
    keys = list(old.order_by("expire_date").values_list("pk", flat=True)[:REMOVAL_BATCH])
    return old.filter(pk__in=keys).delete()[0]


@transaction.atomic
def _remove_forgotten(before: datetime) -> int:
    """Remove forgotten memories with their versions and attachments. Index: memory_forgotten_at.

    One that is just being restored is locked, and stays. So does one that a legal hold covers.
    """
    old = Memory.objects.filter(~match_held_memories(), forgotten_at__lt=before)
    oldest = dict(old.order_by("forgotten_at").values_list("pk", "organization")[:REMOVAL_BATCH])
    lock_holds(oldest.values())
    locked = old.filter(pk__in=list(oldest)).order_by("pk").select_for_update(of=("self",), skip_locked=True)
    organizations = dict(locked.values_list("pk", "organization"))
    remove_memories(list(organizations), within=set(organizations.values()))
    return len(organizations)


def remove_memories(ids: list[UUID], *, within: set[UUID]) -> None:
    """Remove memories of these organizations with all that refers to them, noted in the audit chain. The caller has
    locked them."""
    remove_files_later(Asset.with_removed.of_memories(within, ids))
    note_removals(ids)
    for model, link in MEMORY_REFERENCES:
        model._base_manager.filter(**{"organization__in": within, f"{link}__in": ids}).delete()
    with connection.cursor() as cursor:  # Django would look for all of these once more
        cursor.execute("DELETE FROM memories_memory WHERE id = ANY(%s)", [ids])
