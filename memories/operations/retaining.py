"""What is kept for a time only: by settings, and removed for good a few at a time."""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import connection, transaction
from django.db.models import Model

from memories.models import Answer, Asset, Association, Memory, RecallLog, Revision, SettledQuestion, Source, Usage
from memories.models.embeddings import Embedding, Unembedded
from memories.operations.forgetting import remove_files_later
from memories.operations.idempotency import KEPT_FOR
from memoryhub.ids import first_id

log = logging.getLogger(__name__)
AT_ONCE = 1_000  # rows removed in one transaction

# What refers to a memory, and by which name.
HANGING: tuple[tuple[type[Model], str], ...] = (
    (Association, "origin"),
    (Association, "target"),
    (Asset, "memory"),
    (Source, "memory"),
    (SettledQuestion, "memory"),
    (Embedding, "memory"),
    (Unembedded, "memory"),
    (Usage, "memory"),
    (Revision, "memory"),
)


def retain(*, now: datetime) -> dict[str, int]:
    """Removes what is older than it should be. Returns how many of what."""
    removed = {
        "recalls": _since(now, days=settings.KEEP_RECALLS_DAYS, remove=_remove_recalls),
        "forgotten memories": _since(now, days=settings.KEEP_FORGOTTEN_DAYS, remove=_remove_forgotten),
        "answers": _all(lambda: _remove_answers(now - KEPT_FOR)),
        "sessions": _all(lambda: _remove_sessions(now)),
    }
    log.info("Removed for good: %s.", ", ".join(f"{count:,} {what}" for what, count in removed.items()))
    return removed


def _since(now: datetime, *, days: int, remove: Callable[[datetime], int]) -> int:
    """0 days: for ever."""
    return _all(lambda: remove(now - timedelta(days=days))) if days else 0


def _all(remove: Callable[[], int]) -> int:
    total = 0
    while removed := remove():
        total += removed
    return total


def _remove_recalls(before: datetime) -> int:
    """Hopes for the primary key: its ids are as old as the rows."""
    old = RecallLog.objects.filter(pk__lt=first_id(before), created_at__lt=before).order_by("pk")
    return RecallLog.objects.filter(pk__in=list(old.values_list("pk", flat=True)[:AT_ONCE])).delete()[0]


def _remove_answers(before: datetime) -> int:
    """Unless its key was taken for another request meanwhile."""
    old = Answer.objects.filter(created_at__lt=before)
    ids = list(old.order_by("created_at").values_list("pk", flat=True)[:AT_ONCE])
    return old.filter(pk__in=ids).delete()[0]


def _remove_sessions(now: datetime) -> int:
    old = Session.objects.filter(expire_date__lt=now)
    keys = list(old.order_by("expire_date").values_list("pk", flat=True)[:AT_ONCE])
    return old.filter(pk__in=keys).delete()[0]


@transaction.atomic
def _remove_forgotten(before: datetime) -> int:
    """With every version and all that hangs on them. Hopes for the index memory_forgotten_at.

    Whoever restores one holds it, and keeps it.
    """
    old = Memory.objects.filter(forgotten_at__lt=before)
    oldest = list(old.order_by("forgotten_at").values_list("pk", flat=True)[:AT_ONCE])
    held = old.filter(pk__in=oldest).order_by("pk").select_for_update(skip_locked=True)
    organizations = dict(held.values_list("pk", "organization"))
    _remove(list(organizations), within=set(organizations.values()))
    return len(organizations)


def _remove(ids: list[UUID], *, within: set[UUID]) -> None:
    remove_files_later(Asset.everything.filter(organization__in=within, memory__in=ids))
    for model, link in HANGING:
        model._base_manager.filter(**{"organization__in": within, f"{link}__in": ids}).delete()
    with connection.cursor() as cursor:  # Django would look for all of these once more
        cursor.execute("DELETE FROM memories_memory WHERE id = ANY(%s)", [ids])
