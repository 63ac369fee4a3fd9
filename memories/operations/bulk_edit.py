"""Bulk edit: one change to many memories, previewed, then applied to all of them or none, and undone together."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NoReturn
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from memories.models import TAG_COUNT, Batch, BulkActionKind, Change, Memory, Revision
from memories.operations.embed import drop_vectors, queue_reembedding
from memories.operations.keys import free_key, hand_on_key
from memories.operations.propose import enforce_policy
from memories.operations.record import record_revisions, translate_integrity_errors
from memories.operations.revise import refuse_earlier_expiry
from memories.operations.screen import screen_values
from memories.rules import access
from memories.rules.access import require_verb
from memories.rules.fields import clean_fields
from memoryhub.errors import Conflict, Forbidden, Invalid, NotFound, TooLarge
from teams.actor import Actor
from teams.models import Verb

MAX_BULK_MEMORIES = 500
MAX_BULK_BYTES = 4 * 1024 * 1024  # of their content, which is indexed anew and copied into the history
FieldValues = dict[str, Any]

CHANGE_OF_KIND = {
    BulkActionKind.PIN: Change.PINNED,
    BulkActionKind.UNPIN: Change.UNPINNED,
    BulkActionKind.TAG: Change.TAGGED,
    BulkActionKind.UNTAG: Change.TAGGED,
    BulkActionKind.EXPIRE: Change.EXPIRY,
    BulkActionKind.FORGET: Change.FORGOTTEN,
    BulkActionKind.RESTORE: Change.RESTORED,
}
INVERSE_KIND = {
    BulkActionKind.PIN: BulkActionKind.UNPIN,
    BulkActionKind.UNPIN: BulkActionKind.PIN,
    BulkActionKind.FORGET: BulkActionKind.RESTORE,
    BulkActionKind.RESTORE: BulkActionKind.FORGET,
}
FIELDS_OF_KIND: dict[str, tuple[str, ...]] = {
    BulkActionKind.PIN: ("pinned",),
    BulkActionKind.UNPIN: ("pinned",),
    BulkActionKind.TAG: ("tags",),
    BulkActionKind.UNTAG: ("tags",),
    BulkActionKind.EXPIRE: ("expires_at",),
    BulkActionKind.RESTORE: ("forgotten_at", "forgotten_by", "forget_reason", "expires_at"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class BulkEdit:
    """One change to make to each selected memory."""

    kind: BulkActionKind
    tags: Sequence[str] = ()
    expires_at: datetime | None = None
    reason: str = ""


def build_bulk_edit(
    *,
    kind: str,
    tags: Sequence[str] = (),
    expires_at: datetime | None = None,
    reason: str = "",
    now: datetime | None = None,
) -> BulkEdit:
    """Return a checked bulk edit; raise Invalid if its values are not."""
    if kind not in BulkActionKind.values:
        raise Invalid({"kind": f"This must be one of {', '.join(BulkActionKind.values)}."})
    values = clean_fields({"tags": list(tags), "expires_at": expires_at, "reason": reason}, now=now or timezone.now())
    if kind in (BulkActionKind.TAG, BulkActionKind.UNTAG) and not values["tags"]:
        raise Invalid({"tags": "Say which tags."})
    return BulkEdit(kind=BulkActionKind(kind), **values)


@dataclass(frozen=True, slots=True)
class BulkPreview:
    changing: list[Memory]
    skipped: list[tuple[Memory, str]]  # and why
    missing: int  # ids of memories that are gone, or that the actor may not see

    @property
    def versions(self) -> dict[UUID, int]:
        """The versions that the preview was made from."""
        return {memory.pk: memory.version for memory in self.changing}


def preview_effects(
    *, actor: Actor, memory_ids: Sequence[UUID], wish: BulkEdit, now: datetime | None = None
) -> BulkPreview:
    """Return what the edit would do, without doing it."""
    now, ids = now or timezone.now(), list(dict.fromkeys(memory_ids))
    _check_count(ids)
    found = find_selectable(actor=actor, memory_ids=ids, now=now)
    _check_size(found.values())
    effects = [(found[pk], _preview_effect(actor, found[pk], wish, now)) for pk in ids if pk in found]
    return BulkPreview(
        changing=[memory for memory, effect in effects if not isinstance(effect, str)],
        skipped=[(memory, effect) for memory, effect in effects if isinstance(effect, str)],
        missing=len(ids) - len(found),
    )


@transaction.atomic
def apply_bulk_edit(*, actor: Actor, seen: Mapping[UUID, int], wish: BulkEdit, now: datetime | None = None) -> Batch:
    """Edit all of them if each is still at the version that was previewed, and none otherwise."""
    require_verb(actor, Verb.FORGET if wish.kind is BulkActionKind.FORGET else Verb.WRITE)
    now = now or timezone.now()
    _check_count(seen)
    wish = replace(wish, reason=_screen_wish(actor, wish))
    rows = _lock_in_order(actor, list(seen), forgotten=wish.kind is BulkActionKind.RESTORE, now=now)
    _check_size(rows)
    effects = {row.pk: _preview_effect(actor, row, wish, now) for row in rows if row.version == seen[row.pk]}
    values = {pk: effect for pk, effect in effects.items() if not isinstance(effect, str)}
    if len(values) != len(seen):
        _raise_refusal(actor, [pk for pk in seen if pk not in values], now)
    _write_versions(actor, rows, values, kind=wish.kind, now=now)
    return Batch.objects.create(
        organization_id=actor.organization_id,
        team_id=actor.team_id,
        workspace_id=actor.workspace_id,
        agent_id=actor.agent_id,
        user_id=actor.user_id,
        created_at=now,
        kind=wish.kind,
        tags=list(wish.tags),
        expires_at=wish.expires_at,
        memory_ids=[row.pk for row in rows],
        versions_before=[seen[row.pk] for row in rows],
        versions_after=[row.version for row in rows],
    )


def _screen_wish(actor: Actor, wish: BulkEdit) -> str:
    """Return the reason without what was redacted; refuse tags that must not be."""
    tags = wish.tags if wish.kind is BulkActionKind.TAG else ()
    return str(screen_values(actor, {"tags": tags, "reason": wish.reason}, may_hold=False).values["reason"])


@transaction.atomic
def undo_bulk_edit(*, actor: Actor, batch_id: UUID, now: datetime | None = None) -> Batch:
    """Give each memory its former values back, unless somebody has changed it since."""
    now = now or timezone.now()
    batch = Batch.objects.visible_to(actor).filter(pk=batch_id).select_for_update(of=("self",)).first()
    if batch is None:
        raise NotFound("There is no such batch.")
    if batch.undone_at:
        raise Conflict("This has already been undone.")
    kind = BulkActionKind(batch.kind)
    require_verb(actor, Verb.FORGET if kind is BulkActionKind.RESTORE else Verb.WRITE)
    held = _lock_in_order(actor, batch.memory_ids, forgotten=kind is BulkActionKind.FORGET, now=now)
    if not held:  # they may be in another workspace, where the batch can be undone
        raise Conflict("None of these memories is here as the batch left it. Nothing was undone.")
    values = _find_former_values(batch, [row for row in held if row.version == batch.after[row.pk]], now)
    _write_versions(
        actor, [row for row in held if row.pk in values], values, kind=INVERSE_KIND.get(kind, kind), now=now
    )
    batch.undone_at, batch.undone_by = now, actor.name
    batch.left_ids = [pk for pk in batch.memory_ids if pk not in values]
    batch.save(update_fields=["undone_at", "undone_by", "left_ids"])
    return batch


# Selecting and locking


def _check_count(ids: Collection[UUID]) -> None:
    if not ids:
        raise Invalid({"memories": "Select some memories first."})
    if len(ids) > MAX_BULK_MEMORIES:
        raise Invalid({"memories": f"At most {MAX_BULK_MEMORIES} memories at once; these are {len(ids)}."})


def _check_size(rows: Collection[Memory]) -> None:
    size = sum(len(row.content.encode()) for row in rows)
    if size > MAX_BULK_BYTES and len(rows) > 1:
        sentence = f"At most {MAX_BULK_BYTES:,} bytes of content at once; these are {size:,}. Do it in parts."
        raise TooLarge({"memories": sentence})


def find_selectable(*, actor: Actor, memory_ids: Sequence[UUID], now: datetime | None = None) -> dict[UUID, Memory]:
    """Return the memories that the actor may see or restore, by id; all others might as well not exist."""
    sources = (Memory.objects.visible_to(actor, now=now), Memory.objects.restorable_by(actor))
    found = [rows.filter(pk__in=memory_ids).with_authors().defer("search") for rows in sources]
    return {memory.pk: memory for rows in found for memory in rows}


def _lock_in_order(actor: Actor, ids: Sequence[UUID], *, forgotten: bool, now: datetime) -> list[Memory]:
    """Lock the memories that the actor may change until the transaction ends: always in the same order, so that no two
    batches wait for each other."""
    rows = Memory.objects.restorable_by(actor) if forgotten else Memory.objects.writable_by(actor, now=now)
    return list(rows.filter(pk__in=ids).order_by("pk").select_for_update().defer("search"))


def _raise_refusal(actor: Actor, ids: Sequence[UUID], now: datetime) -> NoReturn:
    audiences = Memory.objects.visible_to(actor, now=now).filter(pk__in=ids).values_list("audience", flat=True)
    if not all(access.may_write(actor, audience) for audience in audiences):
        raise Forbidden("You may read these memories, but not change them.")
    raise Conflict("Some of these memories have changed meanwhile, so nothing was done. Look at them again.")


# Effects


def _preview_effect(actor: Actor, memory: Memory, wish: BulkEdit, now: datetime) -> FieldValues | str:
    """Return the values that the memory would get, or the reason why it is left unchanged."""
    if not access.may_write(actor, memory.audience):
        return "You may read it, but not change it."
    if memory.forgotten_at and wish.kind is not BulkActionKind.RESTORE:
        return "It is forgotten. Restore it first."
    try:
        enforce_policy(actor, memory, CHANGE_OF_KIND[wish.kind])
    except Forbidden as refusal:  # or what would become a proposal
        return refusal.message
    match wish.kind:
        case BulkActionKind.PIN:
            return "It is pinned already." if memory.pinned else {"pinned": True}
        case BulkActionKind.UNPIN:
            return {"pinned": False} if memory.pinned else "It is not pinned."
        case BulkActionKind.TAG:
            return _add_tags(memory, wish.tags)
        case BulkActionKind.UNTAG:
            kept = [tag for tag in memory.tags if tag not in wish.tags]
            return {"tags": kept} if kept != memory.tags else "It has none of these tags."
        case BulkActionKind.EXPIRE:
            same = wish.expires_at == memory.expires_at
            return "It has this expiry already." if same else {"expires_at": wish.expires_at}
        case BulkActionKind.FORGET:
            return {"forgotten_at": now, "forgotten_by": actor.name, "forget_reason": wish.reason}
        case BulkActionKind.RESTORE:
            return _restored_values(memory.expires_at, now) if memory.forgotten_at else "It is not forgotten."


def _add_tags(memory: Memory, tags: Sequence[str]) -> FieldValues | str:
    more = [*memory.tags, *(tag for tag in tags if tag not in memory.tags)]
    if len(more) > TAG_COUNT:
        return f"It would have more than {TAG_COUNT} tags."
    return {"tags": more} if more != memory.tags else "It has these tags already."


def _restored_values(expires_at: datetime | None, now: datetime) -> FieldValues:
    """Return the values of a restored memory. An expiry that has passed is not restored."""
    blank: FieldValues = {"forgotten_at": None, "forgotten_by": "", "forget_reason": ""}
    return blank | {"expires_at": expires_at if expires_at and expires_at > now else None}


def _find_former_values(batch: Batch, rows: Sequence[Memory], now: datetime) -> dict[UUID, FieldValues]:
    """Return the values of each row before the batch, except for rows that would expire with them at once."""
    history = Revision.objects.of_every_audience(batch.organization_id, [row.pk for row in rows])
    old = history.filter(version__in=set(batch.versions_before))
    exact = [version for version in old if batch.before[version.memory_id] == version.version]
    if batch.kind == BulkActionKind.FORGET:
        return {version.memory_id: _restored_values(version.expires_at, now) for version in exact}
    former = {
        version.memory_id: {name: getattr(version, name) for name in FIELDS_OF_KIND[batch.kind]} for version in exact
    }
    return {pk: values for pk, values in former.items() if not _has_expired(values, now)}


def _has_expired(values: FieldValues, now: datetime) -> bool:
    expires_at = values.get("expires_at")
    return bool(expires_at and expires_at <= now and not values.get("forgotten_at"))


def _write_versions(
    actor: Actor, rows: Sequence[Memory], values: Mapping[UUID, FieldValues], *, kind: BulkActionKind, now: datetime
) -> None:
    """Write one more version of each row, all in one statement. The caller holds their locks."""
    if not rows:
        return
    for row in rows:
        for name, value in values[row.pk].items():
            setattr(row, name, value)
        row.version, row.updated_at = row.version + 1, max(row.updated_at, now)
        row.owns_key = row.owns_key and kind is not BulkActionKind.RESTORE  # it is claimed again below
    fields = {name for changed in values.values() for name in changed}
    with translate_integrity_errors():
        Memory.objects.bulk_update(rows, [*fields, "version", "updated_at", "owns_key"])
    record_revisions(
        organization_id=actor.organization_id,
        signer=actor,
        memory_ids=[row.pk for row in rows],
        change=CHANGE_OF_KIND[kind],
    )
    refuse_earlier_expiry(actor=actor, memories=rows)
    if kind is BulkActionKind.FORGET:
        _release_keys(rows, now)
    elif kind is BulkActionKind.RESTORE:
        _reclaim_keys(rows, now)


def _release_keys(rows: Sequence[Memory], now: datetime) -> None:
    drop_vectors(rows)
    for row in rows:
        if row.owns_key:
            hand_on_key(row, now=now)


def _reclaim_keys(rows: Sequence[Memory], now: datetime) -> None:
    queue_reembedding(rows)
    for row in rows:
        if row.key:
            free_key(beside=row, audience=row.audience, key=row.key, now=now)
            hand_on_key(row, now=now)
