"""Who owns a key: an owner that expires, is forgotten or moves away leaves it to its newest living namesake."""

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Greatest

from memories.models import Change, Memory, MemoryQuerySet
from memories.operations.embedding import drop
from memories.operations.recording import in_our_words, record
from memoryhub.errors import KeyTaken

AT_ONCE = 1_000  # memories swept in one transaction


@transaction.atomic(savepoint=False)
def sweep(*, rows: MemoryQuerySet, now: datetime, wait: bool = False) -> int:
    """Forgets the expired among these rows in the system's name, each with its revision.

    Rows that somebody else holds are left for the next time, unless we wait for them.
    """
    held = rows.expired(now=now).order_by("pk").select_for_update(of=("self",), skip_locked=not wait)
    expired = list(held.defer("search"))
    Memory.objects.filter(pk__in=[memory.pk for memory in expired]).update(
        forgotten_at=F("expires_at"),
        forgotten_by="system",
        forget_reason="expired",
        version=F("version") + 1,
        updated_at=Greatest(F("updated_at"), now),
    )
    for organization_id in {memory.organization_id for memory in expired}:
        theirs = [memory.pk for memory in expired if memory.organization_id == organization_id]
        record(organization_id=organization_id, signer=None, memory_ids=theirs, change=Change.FORGOTTEN)
    drop(expired)
    for memory in expired:
        if memory.owns_key:
            hand_on_key(memory, now=now)
    return len(expired)


def sweep_all(*, now: datetime) -> int:
    """Everything that has expired, anywhere; the oldest first, a few at a time. Hopes for the index memory_expiring."""
    total = 0
    while swept := sweep(rows=Memory.objects.filter(pk__in=_oldest(now)), now=now):
        total += swept
    return total


def _oldest(now: datetime) -> list[UUID]:
    return list(Memory.objects.expired(now=now).order_by("expires_at").values_list("pk", flat=True)[:AT_ONCE])


def free_key(*, beside: Memory, audience: UUID, key: str, now: datetime) -> None:
    """An expired owner holds its key until it is swept; whoever wants the key now need not wait for that."""
    owners = Memory.objects.filter(organization=beside.organization_id, workspace=beside.workspace_id)
    owners = owners.filter(audience=audience)
    sweep(rows=owners.filter(owns_key=True, key=key), now=now, wait=True)


def hand_on_key(memory: Memory, *, now: datetime) -> None:
    """Unless somebody saved the key meanwhile: then it has a new owner already."""
    namesakes = Memory.objects.alive(now=now).filter(
        organization=memory.organization_id,
        audience=memory.audience,
        workspace=memory.workspace_id,
        key=memory.key,
        owns_key=False,
    )
    while heir := namesakes.order_by("-updated_at").values_list("pk", flat=True).first():
        try:
            with transaction.atomic(), in_our_words():
                if namesakes.filter(pk=heir).update(owns_key=True):
                    return
        except KeyTaken:
            return
