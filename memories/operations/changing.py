"""Changing what is saved: every change is a new version, made by whoever saw the last one."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.core.files.storage import Storage
from django.db import transaction
from django.db.models import F, Value
from django.db.models.functions import Concat
from django.utils import timezone

from memories import scopes
from memories.fields import UNSAID, Said, clean
from memories.models import (
    CONTENT_BYTES,
    Answer,
    Asset,
    Association,
    Change,
    Embedding,
    Memory,
    MemoryQuerySet,
    Revision,
    Scope,
    Source,
)
from memories.operations.recording import in_our_words, record, refuse, require
from memoryhub.errors import Conflict, Forbidden, Invalid, KeyTaken, NotFound, TooLarge
from teams.actor import Actor
from teams.models import Verb

PURGED = "[purged]"


@transaction.atomic
def update(
    *,
    actor: Actor,
    memory_id: UUID,
    version: int | None = None,
    key: str | Said = UNSAID,
    content: str | Said = UNSAID,
    summary: str | Said = UNSAID,
    type: str | Said = UNSAID,
    category: str | Said = UNSAID,
    tags: Sequence[str] | Said = UNSAID,
    importance: float | Said = UNSAID,
    pinned: bool | Said = UNSAID,
    expires_at: datetime | Said | None = UNSAID,
    source: str | Said = UNSAID,
    metadata: dict[str, Any] | Said = UNSAID,
    review_by: datetime | Said | None = UNSAID,
    now: datetime | None = None,
) -> Memory:
    """Overwrites the fields that are said."""
    now = now or timezone.now()
    said = {
        "key": key,
        "content": content,
        "summary": summary,
        "type": type,
        "category": category,
        "tags": tags,
        "importance": importance,
        "pinned": pinned,
        "expires_at": expires_at,
        "source": source,
        "metadata": metadata,
        "review_by": review_by,
    }
    values = clean(said, now=now)
    if not values:
        raise Invalid({"memory": "Say what to change."})
    if "key" in values:
        return _rename(actor=actor, memory_id=memory_id, change=Change.UPDATED, version=version, now=now, values=values)
    return revise(actor=actor, memory_id=memory_id, change=Change.UPDATED, version=version, now=now, values=values)


@transaction.atomic
def append(
    *, actor: Actor, memory_id: UUID, text: str, version: int | None = None, now: datetime | None = None
) -> Memory:
    """Adds to the content on a line of its own, whatever others add meanwhile."""
    now = now or timezone.now()
    addition = clean({"content": text}, now=now)["content"]
    longer = Concat(F("content"), Value("\n" + addition))
    try:
        with transaction.atomic():
            return revise(
                actor=actor,
                memory_id=memory_id,
                change=Change.APPENDED,
                version=version,
                now=now,
                values={"content": longer},
            )
    except Invalid as error:
        present = Memory.objects.writable_by(actor, now=now).get(pk=memory_id).content
        size = len(f"{present}\n{addition}".encode())
        sentence = f"At most {CONTENT_BYTES:,} bytes of UTF-8; with this addition it would be {size:,}."
        raise TooLarge({"content": sentence}) from error


@transaction.atomic
def pin(
    *, actor: Actor, memory_id: UUID, pinned: bool = True, version: int | None = None, now: datetime | None = None
) -> Memory:
    kind = Change.PINNED if pinned else Change.UNPINNED
    values = clean({"pinned": pinned}, now=now or timezone.now())
    return revise(actor=actor, memory_id=memory_id, change=kind, version=version, now=now, values=values)


@transaction.atomic
def tag(
    *,
    actor: Actor,
    memory_id: UUID,
    add: Sequence[str] = (),
    remove: Sequence[str] = (),
    version: int | None = None,
    now: datetime | None = None,
) -> Memory:
    now = now or timezone.now()
    dropped = set(clean({"tags": remove}, now=now)["tags"])
    present = locked(actor=actor, memory_id=memory_id, version=version, now=now)
    kept = [tag for tag in present.tags if tag not in dropped]
    values = clean({"tags": [*kept, *add]}, now=now)
    return revise(
        actor=actor, memory_id=memory_id, change=Change.TAGGED, version=present.version, now=now, values=values
    )


@transaction.atomic
def expire(
    *,
    actor: Actor,
    memory_id: UUID,
    expires_at: datetime | None,
    version: int | None = None,
    now: datetime | None = None,
) -> Memory:
    """Lets it vanish at that moment; None lets it stay."""
    values = clean({"expires_at": expires_at}, now=now or timezone.now())
    return revise(actor=actor, memory_id=memory_id, change=Change.EXPIRY, version=version, now=now, values=values)


@transaction.atomic
def verify(
    *,
    actor: Actor,
    memory_id: UUID,
    review_by: datetime | None = None,
    version: int | None = None,
    now: datetime | None = None,
) -> Memory:
    """Notes that it is still true, and when to look again."""
    now = now or timezone.now()
    values = clean({"review_by": review_by}, now=now) | {"verified_at": now, "verified_by": actor.name}
    return revise(actor=actor, memory_id=memory_id, change=Change.VERIFIED, version=version, now=now, values=values)


@transaction.atomic
def rescope(
    *,
    actor: Actor,
    memory_id: UUID,
    scope: str,
    audience: UUID,
    version: int | None = None,
    now: datetime | None = None,
) -> Memory:
    """Gives it another audience, for which the actor may write as well."""
    now = now or timezone.now()
    wanted = Scope(clean({"scope": scope}, now=now)["scope"])
    if audience not in actor.writes:
        raise NotFound(f"There is no such {wanted}.")
    values = {"scope": wanted, scopes.AUDIENCE_COLUMN[wanted]: audience}
    return _rename(actor=actor, memory_id=memory_id, change=Change.UPDATED, version=version, now=now, values=values)


@transaction.atomic
def forget(
    *, actor: Actor, memory_id: UUID, reason: str = "", version: int | None = None, now: datetime | None = None
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
        _hand_on_key(gone, now=now)
    return gone


@transaction.atomic
def restore(*, actor: Actor, memory_id: UUID, now: datetime | None = None) -> Memory:
    """Brings a forgotten memory back; if its key has a new owner, without the key's ownership."""
    now = now or timezone.now()
    values: dict[str, Any] = {"forgotten_at": None, "forgotten_by": "", "forget_reason": ""}
    gone = Memory.objects.restorable_by(actor).filter(pk=memory_id)
    present = gone.select_for_update().first()
    if present is None:
        if Memory.objects.visible_to(actor, now=now).filter(pk=memory_id).exists():
            raise Conflict("This memory is not forgotten.")
        raise NotFound("There is no such forgotten memory.")
    if present.expires_at and present.expires_at <= now:
        values["expires_at"] = None
    again = partial(revise, actor=actor, memory_id=memory_id, change=Change.RESTORED, version=None, now=now, rows=gone)
    try:
        with transaction.atomic():
            return again(values=values | {"owns_key": bool(present.key)})
    except KeyTaken:
        return again(values=values | {"owns_key": False})


REVERTED = ("key", "content", "summary", "type", "category", "tags", "importance", "pinned", "source", "metadata")


@transaction.atomic
def revert(
    *, actor: Actor, memory_id: UUID, to_version: int, version: int | None = None, now: datetime | None = None
) -> Memory:
    """Makes a new version that says what an old one said. An expiry that has passed meanwhile does not come back."""
    now = now or timezone.now()
    present = locked(actor=actor, memory_id=memory_id, version=version, now=now)
    history = Revision.objects.filter(organization=actor.organization_id, memory=memory_id)
    old = history.filter(version=to_version).first()
    if old is None:
        raise NotFound(f"There is no version {to_version} of this memory.")
    values = {name: getattr(old, name) for name in REVERTED}
    if old.expires_at is None or old.expires_at > now:
        values["expires_at"] = old.expires_at
    return _rename(
        actor=actor, memory_id=memory_id, change=Change.REVERTED, version=present.version, now=now, values=values
    )


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
    return purged


def _drop_what_hangs_on(memory: Memory) -> None:
    within = {"organization": memory.organization_id}
    for asset in Asset.objects.filter(**within, memory=memory):
        remove_file_after_commit(asset)
    for model in (Asset, Source, Embedding):
        model.objects.filter(**within, memory=memory).delete()
    Association.objects.filter(**within, origin=memory).delete()
    Association.objects.filter(**within, target=memory).delete()
    Answer.objects.filter(**within, memory_ids__contains=[memory.pk]).delete()


def remove_file_after_commit(asset: Asset) -> None:
    storage: Storage = asset.file.storage
    transaction.on_commit(partial(storage.delete, str(asset.file.name)))


@transaction.atomic(savepoint=False)
def sweep(*, rows: MemoryQuerySet, now: datetime) -> int:
    """Forgets the expired among these rows in the system's name, each with its revision."""
    expired = list(rows.expired(now=now).order_by("pk").select_for_update(of=("self",)))
    for memory in expired:
        Memory.objects.filter(pk=memory.pk).update(
            forgotten_at=memory.expires_at,
            forgotten_by="system",
            forget_reason="expired",
            version=F("version") + 1,
            updated_at=now,
        )
    by_organization: dict[UUID, list[UUID]] = {}
    for memory in expired:
        by_organization.setdefault(memory.organization_id, []).append(memory.pk)
    for organization_id, memory_ids in by_organization.items():
        record(organization_id=organization_id, signer=None, memory_ids=memory_ids, change=Change.FORGOTTEN, now=now)
    return len(expired)


# What the operations above share.


def locked(*, actor: Actor, memory_id: UUID, version: int | None, now: datetime) -> Memory:
    """The memory, held until the transaction ends: for changes that depend on what it says."""
    require(actor, Verb.WRITE)
    rows = Memory.objects.writable_by(actor, now=now).filter(pk=memory_id).select_for_update()
    present = rows.defer("search").first()
    if present is None or version not in (None, present.version):
        refuse(actor=actor, memory_id=memory_id, version=version, now=now)
    return present


def revise(
    *,
    actor: Actor,
    memory_id: UUID,
    change: Change,
    version: int | None,
    values: Mapping[str, Any],
    now: datetime | None = None,
    rows: MemoryQuerySet | None = None,
    verb: Verb = Verb.WRITE,
) -> Memory:
    """One more version, decided by one statement: whoever names a version that has passed finds no row."""
    require(actor, verb)
    now = now or timezone.now()
    candidates = Memory.objects.writable_by(actor, now=now).filter(pk=memory_id) if rows is None else rows
    unchanged = candidates if version is None else candidates.filter(version=version)
    with in_our_words():
        found = unchanged.update(**values, version=F("version") + 1, updated_at=now)
    if not found:
        refuse(actor=actor, memory_id=memory_id, version=version, now=now)
    record(organization_id=actor.organization_id, signer=actor, memory_ids=[memory_id], change=change, now=now)
    return Memory.objects.defer("search").get(organization=actor.organization_id, pk=memory_id)


def _rename(
    *, actor: Actor, memory_id: UUID, change: Change, version: int | None, now: datetime, values: Mapping[str, Any]
) -> Memory:
    """A change of the key or of the audience: it must be free there, and is left to a namesake here."""
    before = locked(actor=actor, memory_id=memory_id, version=version, now=now)
    moved = values.get("key", before.key) != before.key or "scope" in values
    owning = {"owns_key": bool(values.get("key", before.key))} if moved else {}
    after = revise(
        actor=actor, memory_id=memory_id, change=change, version=before.version, now=now, values={**values, **owning}
    )
    if moved and before.owns_key:
        _hand_on_key(before, now=now)
    return after


def _hand_on_key(memory: Memory, *, now: datetime) -> None:
    """The newest living namesake takes over the key of an owner that is gone, unless somebody saved it meanwhile."""
    namesakes = Memory.objects.alive(now=now).filter(
        organization=memory.organization_id,
        audience=memory.audience,
        workspace=memory.workspace_id,
        key=memory.key,
    )
    heir = namesakes.filter(owns_key=False).order_by("-updated_at").values_list("pk", flat=True).first()
    if heir:
        try:
            with transaction.atomic(), in_our_words():
                Memory.objects.filter(pk=heir).update(owns_key=True)
        except KeyTaken:
            pass
