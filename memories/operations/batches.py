"""One change to many memories at once: foreseen, then done to all of them or none, and taken back together."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NoReturn
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from memories.fields import clean
from memories.models import TAG_COUNT, Batch, Change, Deed, Memory, Revision
from memories.operations.embedding import drop, embed
from memories.operations.keys import free_key, hand_on_key
from memories.operations.recording import in_our_words, record, require
from memoryhub.errors import Conflict, Forbidden, Invalid, NotFound
from teams.actor import Actor
from teams.models import Verb

MOST = 500
Values = dict[str, Any]

CHANGES = {
    Deed.PIN: Change.PINNED,
    Deed.UNPIN: Change.UNPINNED,
    Deed.TAG: Change.TAGGED,
    Deed.UNTAG: Change.TAGGED,
    Deed.EXPIRE: Change.EXPIRY,
    Deed.FORGET: Change.FORGOTTEN,
    Deed.RESTORE: Change.RESTORED,
}
UNDOING = {Deed.PIN: Deed.UNPIN, Deed.UNPIN: Deed.PIN, Deed.FORGET: Deed.RESTORE, Deed.RESTORE: Deed.FORGET}
TOUCHED: dict[str, tuple[str, ...]] = {
    Deed.PIN: ("pinned",),
    Deed.UNPIN: ("pinned",),
    Deed.TAG: ("tags",),
    Deed.UNTAG: ("tags",),
    Deed.EXPIRE: ("expires_at",),
    Deed.RESTORE: ("forgotten_at", "forgotten_by", "forget_reason", "expires_at"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Wish:
    """What is to be done to each of them."""

    deed: Deed
    tags: Sequence[str] = ()
    expires_at: datetime | None = None
    reason: str = ""


def wish(
    *,
    deed: str,
    tags: Sequence[str] = (),
    expires_at: datetime | None = None,
    reason: str = "",
    now: datetime | None = None,
) -> Wish:
    """Checked and brought into form."""
    if deed not in Deed.values:
        raise Invalid({"deed": f"This must be one of {', '.join(Deed.values)}."})
    values = clean({"tags": list(tags), "expires_at": expires_at, "reason": reason}, now=now or timezone.now())
    if deed in (Deed.TAG, Deed.UNTAG) and not values["tags"]:
        raise Invalid({"tags": "Say which tags."})
    return Wish(deed=Deed(deed), **values)


@dataclass(frozen=True, slots=True)
class Foreseen:
    changing: list[Memory]
    staying: list[tuple[Memory, str]]  # and why
    missing: int  # of the ids: gone, or never theirs to see

    @property
    def seen(self) -> dict[UUID, int]:
        """The versions on which the foresight rests."""
        return {memory.pk: memory.version for memory in self.changing}


def foresee(*, actor: Actor, memory_ids: Sequence[UUID], wish: Wish, now: datetime | None = None) -> Foreseen:
    """What would happen. Nothing does."""
    now, ids = now or timezone.now(), list(dict.fromkeys(memory_ids))
    _few(ids)
    found = known(actor=actor, memory_ids=ids, now=now)
    effects = [(found[pk], _effect(actor, found[pk], wish, now)) for pk in ids if pk in found]
    return Foreseen(
        changing=[memory for memory, effect in effects if not isinstance(effect, str)],
        staying=[(memory, effect) for memory, effect in effects if isinstance(effect, str)],
        missing=len(ids) - len(found),
    )


@transaction.atomic
def apply(*, actor: Actor, seen: Mapping[UUID, int], wish: Wish, now: datetime | None = None) -> Batch:
    """Does it to all of them, as they were seen; if one is another by now, to none."""
    require(actor, Verb.FORGET if wish.deed is Deed.FORGET else Verb.WRITE)
    now = now or timezone.now()
    _few(seen)
    rows = _held(actor, list(seen), forgotten=wish.deed is Deed.RESTORE, now=now)
    effects = {row.pk: _effect(actor, row, wish, now) for row in rows if row.version == seen[row.pk]}
    values = {pk: effect for pk, effect in effects.items() if not isinstance(effect, str)}
    if len(values) != len(seen):
        _refuse(actor, [pk for pk in seen if pk not in values], now)
    _write(actor, rows, values, deed=wish.deed, now=now)
    return Batch.objects.create(
        organization_id=actor.organization_id,
        team_id=actor.team_id,
        agent_id=actor.agent_id,
        user_id=actor.user_id,
        created_at=now,
        deed=wish.deed,
        tags=list(wish.tags),
        expires_at=wish.expires_at,
        memory_ids=[row.pk for row in rows],
        versions_before=[seen[row.pk] for row in rows],
        versions_after=[row.version for row in rows],
    )


@transaction.atomic
def undo(*, actor: Actor, batch_id: UUID, now: datetime | None = None) -> Batch:
    """Gives each memory back what it had, unless somebody has changed it since."""
    now = now or timezone.now()
    batch = Batch.objects.visible_to(actor).filter(pk=batch_id).select_for_update(of=("self",)).first()
    if batch is None:
        raise NotFound("There is no such batch.")
    if batch.undone_at:
        raise Conflict("This was undone already.")
    deed = Deed(batch.deed)
    require(actor, Verb.FORGET if deed is Deed.RESTORE else Verb.WRITE)
    held = _held(actor, batch.memory_ids, forgotten=deed is Deed.FORGET, now=now)
    if not held:  # in another workspace, perhaps: it can be undone from there
        raise Conflict("None of these memories is here as the batch left it. Nothing was undone.")
    values = _former(batch, [row for row in held if row.version == batch.after[row.pk]], now)
    _write(actor, [row for row in held if row.pk in values], values, deed=UNDOING.get(deed, deed), now=now)
    batch.undone_at, batch.undone_by = now, actor.name
    batch.left_ids = [pk for pk in batch.memory_ids if pk not in values]
    batch.save(update_fields=["undone_at", "undone_by", "left_ids"])
    return batch


# Which memories


def _few(ids: Collection[UUID]) -> None:
    if not ids:
        raise Invalid({"memories": "Select some memories first."})
    if len(ids) > MOST:
        raise Invalid({"memories": f"At most {MOST} memories at once; these are {len(ids)}."})


def known(*, actor: Actor, memory_ids: Sequence[UUID], now: datetime | None = None) -> dict[UUID, Memory]:
    """Those that the actor sees or might restore; all others might as well not exist."""
    sources = (Memory.objects.visible_to(actor, now=now), Memory.objects.restorable_by(actor))
    found = [rows.filter(pk__in=memory_ids).with_authors().defer("search") for rows in sources]
    return {memory.pk: memory for rows in found for memory in rows}


def _held(actor: Actor, ids: Sequence[UUID], *, forgotten: bool, now: datetime) -> list[Memory]:
    """Those that the actor may change, locked until the transaction ends: always in the same order, so that no two
    batches wait for each other."""
    rows = Memory.objects.restorable_by(actor) if forgotten else Memory.objects.writable_by(actor, now=now)
    return list(rows.filter(pk__in=ids).order_by("pk").select_for_update().defer("search"))


def _refuse(actor: Actor, ids: Sequence[UUID], now: datetime) -> NoReturn:
    audiences = Memory.objects.visible_to(actor, now=now).filter(pk__in=ids).values_list("audience", flat=True)
    if any(audience not in actor.writes for audience in audiences):
        raise Forbidden("You may read these memories, but not change them.")
    raise Conflict("Some of these memories have changed meanwhile, so nothing was done. Look at them again.")


# What becomes of each


def _effect(actor: Actor, memory: Memory, wish: Wish, now: datetime) -> Values | str:
    """What it gets, or why it stays as it is."""
    if memory.audience not in actor.writes:
        return "You may read it, but not change it."
    if memory.forgotten_at and wish.deed is not Deed.RESTORE:
        return "It is forgotten. Restore it first."
    match wish.deed:
        case Deed.PIN:
            return "It is pinned already." if memory.pinned else {"pinned": True}
        case Deed.UNPIN:
            return {"pinned": False} if memory.pinned else "It is not pinned."
        case Deed.TAG:
            return _tagged(memory, wish.tags)
        case Deed.UNTAG:
            kept = [tag for tag in memory.tags if tag not in wish.tags]
            return {"tags": kept} if kept != memory.tags else "It has none of these tags."
        case Deed.EXPIRE:
            return {"expires_at": wish.expires_at} if wish.expires_at != memory.expires_at else "It is so already."
        case Deed.FORGET:
            return {"forgotten_at": now, "forgotten_by": actor.name, "forget_reason": wish.reason}
        case Deed.RESTORE:
            return _living(memory.expires_at, now) if memory.forgotten_at else "It is not forgotten."


def _tagged(memory: Memory, tags: Sequence[str]) -> Values | str:
    more = [*memory.tags, *(tag for tag in tags if tag not in memory.tags)]
    if len(more) > TAG_COUNT:
        return f"It would have more than {TAG_COUNT} tags."
    return {"tags": more} if more != memory.tags else "It has these tags already."


def _living(expires_at: datetime | None, now: datetime) -> Values:
    """An expiry that has passed meanwhile does not come back."""
    blank: Values = {"forgotten_at": None, "forgotten_by": "", "forget_reason": ""}
    return blank | {"expires_at": expires_at if expires_at and expires_at > now else None}


def _former(batch: Batch, rows: Sequence[Memory], now: datetime) -> dict[UUID, Values]:
    """What each of the rows had before the batch, but for those that would vanish with it at once."""
    history = Revision.objects.filter(organization=batch.organization_id, memory__in=[row.pk for row in rows])
    old = history.filter(version__in=set(batch.versions_before))
    exact = [version for version in old if batch.before[version.memory_id] == version.version]
    if batch.deed == Deed.FORGET:
        return {version.memory_id: _living(version.expires_at, now) for version in exact}
    former = {version.memory_id: {name: getattr(version, name) for name in TOUCHED[batch.deed]} for version in exact}
    return {pk: values for pk, values in former.items() if not _passed(values, now)}


def _passed(values: Values, now: datetime) -> bool:
    expires_at = values.get("expires_at")
    return bool(expires_at and expires_at <= now and not values.get("forgotten_at"))


def _write(actor: Actor, rows: Sequence[Memory], values: Mapping[UUID, Values], *, deed: Deed, now: datetime) -> None:
    """One more version of each, all in one statement: their locks are held."""
    if not rows:
        return
    for row in rows:
        for name, value in values[row.pk].items():
            setattr(row, name, value)
        row.version, row.updated_at = row.version + 1, max(row.updated_at, now)
        row.owns_key = row.owns_key and deed is not Deed.RESTORE  # it is claimed again below
    fields = {name for changed in values.values() for name in changed}
    with in_our_words():
        Memory.objects.bulk_update(rows, [*fields, "version", "updated_at", "owns_key"])
    record(
        organization_id=actor.organization_id,
        signer=actor,
        memory_ids=[row.pk for row in rows],
        change=CHANGES[deed],
    )
    if deed is Deed.FORGET:
        _leave(rows, now)
    elif deed is Deed.RESTORE:
        _return(rows, now)


def _leave(rows: Sequence[Memory], now: datetime) -> None:
    drop(rows)
    for row in rows:
        if row.owns_key:
            hand_on_key(row, now=now)


def _return(rows: Sequence[Memory], now: datetime) -> None:
    embed(rows)
    for row in rows:
        if row.key:
            free_key(beside=row, audience=row.audience, key=row.key, now=now)
            hand_on_key(row, now=now)
