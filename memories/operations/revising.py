"""What every change of a saved memory goes through: one more version, made by whoever saw the last one."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F
from django.db.models.functions import Greatest
from django.utils import timezone

from memories.models import Change, Memory, MemoryQuerySet
from memories.operations.embedding import drop, embed
from memories.operations.keys import free_key, hand_on_key
from memories.operations.recording import in_our_words, record, refuse, require
from memories.operations.seeing import Seen, Version
from teams.actor import Actor
from teams.models import Verb

# What a vector is made of, whose it is, and whether there is one.
MEANING = frozenset({"content", "summary", "key", "scope", "forgotten_at"})


def locked(*, actor: Actor, memory_id: UUID, version: Version, now: datetime) -> Memory:
    """The memory, held until the transaction ends: for changes that depend on what it says."""
    require(actor, Verb.WRITE)
    rows = Memory.objects.writable_by(actor, now=now).filter(pk=memory_id).select_for_update()
    present = rows.defer("search").first()
    if present is None or not Seen.of(version).still(present):
        refuse(actor=actor, memory_id=memory_id, version=version, now=now)
    return present


def revise(
    *,
    actor: Actor,
    memory_id: UUID,
    change: Change,
    version: Version,
    values: Mapping[str, Any],
    now: datetime | None = None,
    rows: MemoryQuerySet | None = None,
    verb: Verb = Verb.WRITE,
) -> Memory:
    """One more version, decided by one statement: whoever names a version that has passed finds no row."""
    require(actor, verb)
    now = now or timezone.now()
    candidates = Memory.objects.writable_by(actor, now=now).filter(pk=memory_id) if rows is None else rows
    unchanged = Seen.of(version).among(candidates, row_id=memory_id)
    with in_our_words():
        found = unchanged.update(**values, version=F("version") + 1, updated_at=Greatest(F("updated_at"), now))
    if not found:
        refuse(actor=actor, memory_id=memory_id, version=version, now=now)
    record(organization_id=actor.organization_id, signer=actor, memory_ids=[memory_id], change=change)
    memory = Memory.objects.defer("search").get(organization=actor.organization_id, pk=memory_id)
    if memory.forgotten_at:
        drop([memory])
    elif not MEANING.isdisjoint(values):
        embed([memory])
    return memory


def move(
    *, actor: Actor, memory_id: UUID, change: Change, version: Version, now: datetime, values: Mapping[str, Any]
) -> Memory:
    """A change of the key or of the audience: it must be free there, and is left to a namesake here."""
    before = locked(actor=actor, memory_id=memory_id, version=version, now=now)
    key, audience = values.get("key", before.key), values.get("audience", before.audience)
    moved = (key, audience) != (before.key, before.audience)
    owning = {"owns_key": bool(key)} if moved else {}
    if moved and key:
        free_key(beside=before, audience=audience, key=key, now=now)
    written = {name: value for name, value in values.items() if name != "audience"}
    after = revise(
        actor=actor, memory_id=memory_id, change=change, version=before.version, now=now, values=written | owning
    )
    if moved and before.owns_key:
        hand_on_key(before, now=now)
    return after
