"""Forgetting: soft delete, restore and purge."""

from collections.abc import Iterable
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.core.files.storage import Storage
from django.db import transaction
from django.utils import timezone

from memories.models import (
    PURGED_CONTENT,
    Answer,
    Asset,
    Association,
    Change,
    Feedback,
    GoldenQuestion,
    Memory,
    Pair,
    Proposal,
    ProposedOperation,
    Revision,
    Source,
)
from memories.operations.keys import free_key, hand_on_key
from memories.operations.legal_holds import refuse_if_held
from memories.operations.propose import proposable
from memories.operations.record import reveal_if_readable
from memories.operations.revise import revise
from memories.rules.access import require_verb
from memories.rules.fields import clean_fields
from memories.rules.preconditions import ExpectedVersion, VersionCheck
from memoryhub import background
from memoryhub.errors import Conflict, Forbidden, KeyTaken, NotFound
from teams.actor import Actor
from teams.models import Verb


@proposable(ProposedOperation.FORGET)
@transaction.atomic
def forget_memory(
    *, actor: Actor, memory_id: UUID, reason: str = "", version: VersionCheck = None, now: datetime | None = None
) -> Memory:
    """Hide the memory from every read. It is kept for audit, and `restore_memory` brings it back."""
    require_verb(actor, Verb.FORGET)
    now = now or timezone.now()
    reason = clean_fields({"reason": reason}, now=now)["reason"]
    values = {"forgotten_at": now, "forgotten_by": actor.name, "forget_reason": reason}
    gone = revise(
        actor=actor,
        memory_id=memory_id,
        change=Change.FORGOTTEN,
        version=version,
        now=now,
        values=values,
        verb=Verb.FORGET,
    )
    if gone.owns_key:
        hand_on_key(gone, now=now)
    return gone


@transaction.atomic
def restore_memory(
    *, actor: Actor, memory_id: UUID, version: VersionCheck = None, now: datetime | None = None
) -> Memory:
    """Restore a forgotten memory. If its key has a new owner by now, it does not own the key."""
    require_verb(actor, Verb.WRITE)
    now = now or timezone.now()
    values: dict[str, Any] = {"forgotten_at": None, "forgotten_by": "", "forget_reason": ""}
    gone = Memory.objects.restorable_by(actor).filter(pk=memory_id)
    present = gone.select_for_update().first()
    if present is None:
        if Memory.objects.visible_to(actor, now=now).filter(pk=memory_id).exists():
            raise Conflict("This memory is not forgotten.")
        raise NotFound("There is no such forgotten memory.")
    seen = ExpectedVersion.of(version)
    if not seen.matches(present):
        raise Conflict(seen.explain_conflict(present), current=reveal_if_readable(actor, present))
    if present.expires_at and present.expires_at <= now:
        values["expires_at"] = None
    if present.key:
        free_key(beside=present, audience=present.audience, key=present.key, now=now)
    again = partial(revise, actor=actor, memory_id=memory_id, change=Change.RESTORED, version=None, now=now, rows=gone)
    try:
        with transaction.atomic():
            return again(values=values | {"owns_key": bool(present.key)})
    except KeyTaken:
        return again(values=values | {"owns_key": False})


@transaction.atomic
def purge_memory(*, actor: Actor, memory_id: UUID, now: datetime | None = None) -> Memory:
    """Erase the memory's text from every version, and its attachments. Only owners may; it cannot be undone."""
    require_verb(actor, Verb.FORGET)
    now = now or timezone.now()
    reachable = Memory.objects.purgeable_by(actor)
    memory = reachable.filter(pk=memory_id).select_for_update().first()
    if memory is None:
        Memory.objects.visible_to(actor, now=now).require(memory_id)
        raise Forbidden("Only an owner may purge a memory.")
    refuse_if_held(actor.organization_id, memory_id)
    blank = {"key": "", "content": PURGED_CONTENT, "summary": "", "tags": [], "metadata": {}, "category": "fact"}
    blank |= {"source": "manual", "forget_reason": ""}
    gone = {"forgotten_at": memory.forgotten_at or now, "forgotten_by": memory.forgotten_by or actor.name}
    purged = revise(
        actor=actor,
        memory_id=memory_id,
        change=Change.PURGED,
        version=None,
        now=now,
        values=blank | gone | {"purged_at": now, "owns_key": False},
        rows=reachable.filter(pk=memory_id),
    )
    Revision.objects.of_every_audience(actor.organization_id, [memory_id]).update(**blank)
    _drop_attachments(purged)
    if memory.owns_key and memory.forgotten_at is None:
        hand_on_key(memory, now=now)
    return purged


def _drop_attachments(memory: Memory) -> None:
    remove_files_later(Asset.with_removed.of_memory(memory))
    Asset.with_removed.of_memory(memory).delete()
    Source.with_removed.of_memory(memory).delete()
    Association.objects.leaving(memory).delete()
    Association.objects.reaching(memory).delete()
    Proposal.objects.in_organization(memory.organization_id).filter(memory=memory.pk).delete()
    Pair.objects.in_organization(memory.organization_id).of_memories([memory.pk]).delete()
    Feedback.objects.of_memory(memory).delete()
    GoldenQuestion.objects.of_memory(memory.organization_id, memory.pk).delete()
    Answer.objects.that_may_quote(memory).delete()


def remove_files_later(assets: Iterable[Asset]) -> None:
    """Queue a job within the transaction that removes the bytes, even if this process is killed after it."""
    names = [str(asset.file.name) for asset in assets]
    if names:
        background.defer_job("discard", names=names)


def delete_stored_files(names: Iterable[str]) -> None:
    """Delete the stored bytes of removed attachments."""
    storage: Storage = Asset._meta.get_field("file").storage
    for name in names:
        storage.delete(name)
