"""Forgetting: softly and restorable, by the clock, or for good."""

from collections.abc import Iterable
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.core.files.storage import Storage
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from memories import scopes
from memories.fields import clean
from memories.models import Answer, Asset, Association, Change, Memory, Revision, Source
from memories.operations.keys import free_key, hand_on_key
from memories.operations.recording import require, shown
from memories.operations.revising import revise
from memories.operations.seeing import Seen, Version
from memoryhub import background
from memoryhub.errors import Conflict, Forbidden, KeyTaken, NotFound
from teams.actor import Actor
from teams.models import Verb

PURGED = "[purged]"


@transaction.atomic
def forget(
    *, actor: Actor, memory_id: UUID, reason: str = "", version: Version = None, now: datetime | None = None
) -> Memory:
    """Gone from every read, kept for audit; `restore` brings it back."""
    require(actor, Verb.FORGET)
    now = now or timezone.now()
    reason = clean({"reason": reason}, now=now)["reason"]
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
def restore(*, actor: Actor, memory_id: UUID, version: Version = None, now: datetime | None = None) -> Memory:
    """Brings a forgotten memory back; if its key has a new owner, without the key's ownership."""
    now = now or timezone.now()
    values: dict[str, Any] = {"forgotten_at": None, "forgotten_by": "", "forget_reason": ""}
    gone = Memory.objects.restorable_by(actor).filter(pk=memory_id)
    present = gone.select_for_update().first()
    if present is None:
        if Memory.objects.visible_to(actor, now=now).filter(pk=memory_id).exists():
            raise Conflict("This memory is not forgotten.")
        raise NotFound("There is no such forgotten memory.")
    seen = Seen.of(version)
    if not seen.still(present):
        raise Conflict(seen.refusal(present), current=shown(actor, present))
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
def purge(*, actor: Actor, memory_id: UUID, now: datetime | None = None) -> Memory:
    """Removes the content from the memory, from every version and from all that hangs on it. Owners only; for good."""
    now = now or timezone.now()
    reachable = Memory.objects.filter(scopes.owned(actor), purged_at=None)
    memory = reachable.filter(pk=memory_id).select_for_update().first()
    if memory is None:
        if Memory.objects.visible_to(actor, now=now).filter(pk=memory_id).exists():
            raise Forbidden("Only an owner may purge a memory.")
        raise NotFound("There is no such memory.")
    blank = {"key": "", "content": PURGED, "summary": "", "tags": [], "metadata": {}, "category": "fact"}
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
    Revision.objects.filter(organization=actor.organization_id, memory=memory_id).update(**blank)
    _drop_what_hangs_on(purged)
    if memory.owns_key and memory.forgotten_at is None:
        hand_on_key(memory, now=now)
    return purged


def _drop_what_hangs_on(memory: Memory) -> None:
    within = {"organization": memory.organization_id}
    remove_files_later(Asset.everything.filter(**within, memory=memory))
    for model in (Asset, Source):
        model.everything.filter(**within, memory=memory).delete()
    Association.objects.filter(**within, origin=memory).delete()
    Association.objects.filter(**within, target=memory).delete()
    # An answer that names no memory may have its words all the same.
    Answer.objects.filter(Q(memory_ids__contains=[memory.pk]) | Q(memory_ids=[]), **within).delete()


def remove_files_later(assets: Iterable[Asset]) -> None:
    """By a job that is put in with the transaction: whoever is killed after it, the bytes go."""
    names = [str(asset.file.name) for asset in assets]
    if names:
        background.later("discard", names=names)


def discard(names: Iterable[str]) -> None:
    """The bytes of attachments that are no more."""
    storage: Storage = Asset._meta.get_field("file").storage
    for name in names:
        storage.delete(name)
