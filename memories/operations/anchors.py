"""Anchors: record what a check found, and decide that what has changed is right as it is now."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from memories.models import PLACE_FIELDS, AnchorState, Memory, Source
from memories.operations.attach import RESTORE_WINDOW
from memories.rules.access import require_verb
from memories.rules.anchors import PlaceHashes, find_problems, judge_place
from memoryhub.errors import Conflict, Forbidden, Invalid, NotFound
from teams.actor import Actor
from teams.models import Verb

NO_SUCH_ANCHOR = "There is no such anchor."
NO_PLACE = PlaceHashes(sha256="")
REPORT_COLUMNS = ["state", "checked_at", "failed_at", "first_line", "last_line"]
REPORT_COLUMNS += [f"found_{name}" for name in PLACE_FIELDS]


class RecordedAnchors(NamedTuple):
    recorded: Sequence[Source]
    skipped: Sequence[UUID]  # of memories that the actor may not change, or no longer there


@transaction.atomic
def record_anchor_checks(
    *, actor: Actor, places: Mapping[UUID, PlaceHashes | None], now: datetime | None = None
) -> RecordedAnchors:
    """Record what is now where each anchor points: the hub compares the hashes itself. None says that the file or the
    lines are gone."""
    now = now or timezone.now()
    require_verb(actor, Verb.READ, Verb.WRITE)
    _check_places(places)
    rows = _lock_anchors(actor, places, now=now)
    for row in rows:
        _record_place(row, places[row.pk], now=now)
    Source.objects.bulk_update(rows, REPORT_COLUMNS)
    known = {row.pk for row in rows}
    return RecordedAnchors(rows, [pk for pk in places if pk not in known])


def _check_places(places: Mapping[UUID, PlaceHashes | None]) -> None:
    for pk, place in places.items():
        if wrong := find_problems(place) if place else {}:
            raise Invalid({f"anchors.{pk}.{name}": sentence for name, sentence in wrong.items()})


def _lock_anchors(actor: Actor, ids: Mapping[UUID, object], *, now: datetime) -> list[Source]:
    """Return the anchors with these ids whose memories the actor may annotate. The memories are locked in the order of
    their ids, so that two reports wait for each other instead of blocking each other."""
    named = Source.anchors.there().in_organization(actor.organization_id).filter(pk__in=ids)
    memories = Memory.objects.visible_to(actor, now=now).filter(pk__in=named.values("memory"))
    memories = memories.filter(pk__in=Memory.objects.annotatable_by(actor, now=now).values("pk"))
    locked = memories.order_by("pk").select_for_update(no_key=True).values_list("pk", flat=True)
    return list(named.filter(memory__in=list(locked)).order_by("pk"))


def _record_place(row: Source, place: PlaceHashes | None, *, now: datetime) -> None:
    """Set the state and what was found. Lines that only moved are where they are now; the rest of an anchor stays."""
    row.state, row.checked_at = judge_place(row, place), now
    row.failed_at = (row.failed_at or now) if row.failed else None
    if place and row.state == AnchorState.HOLDS and place.first_line and row.first_line:
        row.first_line, row.last_line = place.first_line, place.last_line
    found = place if place and row.state == AnchorState.CHANGED else NO_PLACE
    for field in fields(PlaceHashes):
        setattr(row, f"found_{field.name}", getattr(found, field.name))


# Decisions of people


@transaction.atomic
def accept_anchor(*, actor: Actor, source_id: UUID, sha256: str, now: datetime | None = None) -> Source:
    """Decide that the memory is still true although its anchor has failed: the anchor is then what a check found, with
    this hash. One that is gone is removed, with an empty hash; it can be restored for a while."""
    now = now or timezone.now()
    row = _lock_decidable_anchor(actor, source_id, now=now)
    if not row.failed or row.found_sha256 != sha256:
        raise Conflict("A check has found something else meanwhile. Look at it again.")
    if row.state == AnchorState.GONE:
        row.removed_at = now
        row.save(update_fields=["removed_at"])
        return row
    row.state, row.failed_at = AnchorState.HOLDS, None
    return _swap_places(row)


@transaction.atomic
def reopen_anchor(*, actor: Actor, source_id: UUID, now: datetime | None = None) -> Source:
    """Take such a decision back, unless a check has found something since."""
    now = now or timezone.now()
    row = _lock_decidable_anchor(actor, source_id, now=now)
    if row.removed_at:
        row.removed_at = None
        row.save(update_fields=["removed_at"])
        return row
    if row.failed or not row.found_sha256:
        raise Conflict("This can no longer be taken back.")
    row.state, row.failed_at = AnchorState.CHANGED, now
    return _swap_places(row)


def _lock_decidable_anchor(actor: Actor, source_id: UUID, *, now: datetime) -> Source:
    """Return the anchor, of a memory that is locked and that the actor may change; also one removed a moment ago."""
    if actor.agent_id:
        raise Forbidden("Only people decide about anchors.")
    rows = Source.anchors.in_organization(actor.organization_id).exclude(sha256="").filter(pk=source_id)
    rows = rows.exclude(removed_at__lte=now - RESTORE_WINDOW)
    seen = Memory.objects.visible_to(actor, now=now).filter(pk__in=rows.values("memory"))
    memory = seen.defer("search").select_for_update(no_key=True).first()
    row = rows.first()
    if memory is None or row is None:
        raise NotFound(NO_SUCH_ANCHOR)
    if not Memory.objects.writable_by(actor, now=now).filter(pk=memory.pk).exists():
        raise Forbidden("You may read this memory, but not change it.")
    return row


def _swap_places(row: Source) -> Source:
    """Exchange the anchor's place and the found one, which is how a decision is taken back, too."""
    for name in PLACE_FIELDS:
        former, found = getattr(row, name), getattr(row, f"found_{name}")
        setattr(row, name, found)
        setattr(row, f"found_{name}", former)
    row.save(update_fields=[*REPORT_COLUMNS, *PLACE_FIELDS])
    return row
