"""Superseding: a memory that no longer holds is closed at the moment from which its successor holds."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from memories.models import Change, Memory, ProposedOperation, Relation, Revision
from memories.operations.attach import associate
from memories.operations.propose import NeedsApproval, proposable
from memories.operations.record import refuse_change, reveal_if_readable
from memories.operations.revise import lock_memory, revise
from memories.rules.fields import clean_fields
from memories.rules.preconditions import VersionCheck
from memoryhub import locks
from memoryhub.errors import Conflict, Invalid
from memoryhub.prepared_statements import prepared_cursor
from teams.actor import Actor

LONGEST_CHAIN = 1_000  # successors that are followed to find a circle
# Whether the older memory is among those that have replaced the successor, one after another, and how many these are.
FOLLOW_SUCCESSORS = """
WITH RECURSIVE chain (id, number) AS (
    SELECT %(first)s::uuid, 0
    UNION ALL
    SELECT memory.superseded_by, chain.number + 1
    FROM chain JOIN memories_memory AS memory ON memory.organization_id = %(organization)s AND memory.id = chain.id
    WHERE chain.id <> %(old)s AND chain.number <= %(longest)s
)
SELECT coalesce(bool_or(id = %(old)s), false), max(number) FROM chain
"""


@proposable(ProposedOperation.SUPERSEDE)
@transaction.atomic
def supersede_memory(
    *,
    actor: Actor,
    memory_id: UUID,
    by: UUID,
    at: datetime | None = None,
    version: VersionCheck = None,
    now: datetime | None = None,
) -> Memory:
    """Close the memory at the moment from which `by` holds, by default since it was saved, and link the two. One that
    ended earlier keeps its end. The successor gets the key, if it has none of its own."""
    now = now or timezone.now()
    if by == memory_id:
        raise Invalid({"by": "A memory cannot replace itself."})
    successor = Memory.objects.writable_by(actor, now=now).filter(pk=by).defer("search").first()
    if successor is None:
        refuse_change(actor=actor, memory_id=by, version=None, now=now)
    lock_replacements(successor.audience)
    old = lock_memory(actor=actor, memory_id=memory_id, version=version, now=now)
    successor = lock_memory(actor=actor, memory_id=by, version=None, now=now)
    if (old.audience, old.workspace_id) != (successor.audience, successor.workspace_id):
        raise Invalid({"by": "Both memories must have the same audience."})
    if old.superseded_by:
        raise Conflict("Another memory has replaced this one already.", current=reveal_if_readable(actor, old))
    _refuse_circle(successor, old)
    start = clean_fields({"valid_from": at}, now=now)["valid_from"] or successor.valid_from or successor.created_at
    start = min(start, successor.valid_until or start)  # it may have been replaced itself
    end = max(start, old.valid_from or start)
    moves_key = old.owns_key and successor.key in ("", old.key)
    closed = revise(
        actor=actor,
        memory_id=old.pk,
        change=Change.SUPERSEDED,
        version=old.version,
        now=now,
        values={
            "valid_until": min(end, old.valid_until or end),  # it may have ended before
            "superseded_by": successor.pk,
            "owns_key": old.owns_key and not moves_key,
        },
    )
    changes = {"key": old.key, "owns_key": True} if moves_key else {}
    if successor.valid_from != start:
        changes["valid_from"] = start
    if changes:
        _revise_successor(actor, successor, changes, old=old, now=now)
    associate(actor=actor, origin_id=by, target_id=old.pk, relation=Relation.UPDATES, weight=1.0, now=now)
    return closed


def lock_replacements(audience: UUID) -> None:
    """Let one replacement of an audience be made at a time, so that two together cannot make a circle. Take this lock
    before those of the memories."""
    locks.lock_names(f"supersede {audience}")


def _revise_successor(
    actor: Actor, successor: Memory, values: Mapping[str, Any], *, old: Memory, now: datetime
) -> None:
    """Give the successor the key and the start. If that is held, the whole replacement is."""
    try:
        revise(
            actor=actor,
            memory_id=successor.pk,
            change=Change.UPDATED,
            version=successor.version,
            now=now,
            values=values,
        )
    except NeedsApproval as held:
        raise NeedsApproval(old, held.reason, cause=held.cause, findings=held.findings) from held


def supersede_by_link(
    *,
    actor: Actor,
    origin_id: UUID,
    target_id: UUID,
    relation: str = Relation.UPDATES,
    weight: float = 1.0,
    now: datetime | None = None,
) -> Memory:
    """Close the target of an update. The weight does not matter: what replaces a memory updates it wholly."""
    if relation != Relation.UPDATES:
        raise Invalid({"supersede": "Only a memory that updates another one can replace it."})
    return supersede_memory(actor=actor, memory_id=target_id, by=origin_id, now=now)


@transaction.atomic
def reinstate_memory(
    *, actor: Actor, memory_id: UUID, version: VersionCheck = None, now: datetime | None = None
) -> Memory:
    """Let a superseded memory hold again, as long as it did before. Its successor keeps the key."""
    now = now or timezone.now()
    present = lock_memory(actor=actor, memory_id=memory_id, version=version, now=now)
    if present.superseded_by is None:
        raise Conflict("No memory has replaced this one.", current=reveal_if_readable(actor, present))
    return revise(
        actor=actor,
        memory_id=memory_id,
        change=Change.UPDATED,
        version=present.version,
        now=now,
        values={"valid_until": _find_earlier_end(present), "superseded_by": None},
    )


def _find_earlier_end(memory: Memory) -> datetime | None:
    """Return the end that the memory had before another one replaced it."""
    versions = Revision.objects.of_every_audience(memory.organization_id, [memory.pk]).filter(superseded_by=None)
    return versions.latest_first().values_list("valid_until", flat=True).first()


def _refuse_circle(successor: Memory, old: Memory) -> None:
    parameters = {
        "organization": old.organization_id,
        "first": successor.superseded_by,
        "old": old.pk,
        "longest": LONGEST_CHAIN,
    }
    with prepared_cursor() as cursor:
        cursor.execute(FOLLOW_SUCCESSORS, parameters)
        circular, followed = cursor.fetchone()
    if circular:
        raise Conflict("That would be a circle: this memory has replaced the other one, directly or not.")
    if followed > LONGEST_CHAIN:
        raise Conflict("The chain of replacements is too long.")
