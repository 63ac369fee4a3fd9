"""Ownership of keys: an owner that expires, is forgotten or moves passes its key to the newest active namesake."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Greatest

from memories.models import Change, Memory, MemoryQuerySet
from memories.operations.embed import drop_vectors
from memories.operations.record import record_revisions, translate_integrity_errors
from memoryhub.errors import KeyTaken

SWEEP_BATCH = 1_000  # memories swept in one transaction


@transaction.atomic(savepoint=False)
def sweep_expired(*, rows: MemoryQuerySet, now: datetime, wait: bool = False) -> int:
    """Forget the expired among these rows as the system, each with its revision.

    Rows that somebody else has locked are left for the next time, unless `wait` is set.
    """
    held = rows.expired_unswept(now=now).order_by("pk").select_for_update(of=("self",), skip_locked=not wait)
    expired = list(held.defer("search"))
    forget_as_system(expired, at=F("expires_at"), reason="expired", now=now)
    return len(expired)


def forget_as_system(memories: Sequence[Memory], *, at: datetime | F, reason: str, now: datetime) -> None:
    """Forget active memories that are locked, each with its revision, and hand on their keys."""
    Memory.objects.filter(pk__in=[memory.pk for memory in memories]).update(
        forgotten_at=at,
        forgotten_by="system",
        forget_reason=reason,
        version=F("version") + 1,
        updated_at=Greatest(F("updated_at"), now),
    )
    for organization_id in {memory.organization_id for memory in memories}:
        theirs = [memory.pk for memory in memories if memory.organization_id == organization_id]
        record_revisions(organization_id=organization_id, signer=None, memory_ids=theirs, change=Change.FORGOTTEN)
    drop_vectors(memories)
    for memory in memories:
        if memory.owns_key:
            hand_on_key(memory, now=now)


def sweep_all_expired(*, now: datetime) -> int:
    """Forget all expired memories, the oldest first, in batches. Index: memory_expiring."""
    total = 0
    while swept := sweep_expired(rows=Memory.objects.filter(pk__in=_find_oldest_expired(now)), now=now):
        total += swept
    return total


def _find_oldest_expired(now: datetime) -> list[UUID]:
    return list(
        Memory.objects.expired_unswept(now=now).order_by("expires_at").values_list("pk", flat=True)[:SWEEP_BATCH]
    )


def free_key(*, beside: Memory, audience: UUID, key: str, now: datetime) -> None:
    """Sweep an expired owner of the key, so that the key can be taken now and not after the next sweep."""
    owners = Memory.objects.in_slot(beside.organization_id, audience, beside.workspace_id)
    sweep_expired(rows=owners.filter(owns_key=True, key=key), now=now, wait=True)


def hand_on_key(memory: Memory, *, now: datetime) -> None:
    """Give the key to the newest active namesake, unless somebody saved it meanwhile and owns it."""
    beside = Memory.objects.alive(now=now).in_slot(memory.organization_id, memory.audience, memory.workspace_id)
    namesakes = beside.filter(key=memory.key, owns_key=False)
    while heir := namesakes.order_by("-updated_at").values_list("pk", flat=True).first():
        try:
            with transaction.atomic(), translate_integrity_errors():
                if namesakes.filter(pk=heir).update(owns_key=True):
                    return
        except KeyTaken:
            return
