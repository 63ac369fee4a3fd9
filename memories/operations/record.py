"""Shared by every write: recording revisions, explaining refusals, and turning database errors into ours."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import NoReturn, TypeVar
from uuid import UUID

from django.db import IntegrityError, connection

from memories.models import NO_SUCH_MEMORY, Change, Memory, MemoryFields, Status
from memories.rules import access
from memories.rules.preconditions import ExpectedVersion, VersionCheck
from memoryhub.errors import Conflict, Forbidden, Invalid, KeyTaken, NotFound
from memoryhub.ids import uuid7
from teams.actor import Actor
from teams.models import Verb

RefusedRow = TypeVar("RefusedRow")
MEMORY_COLUMNS = tuple(field.name for field in MemoryFields._meta.local_fields)

# Copies the rows as they stand now into the history. The caller holds their locks.
INSERT_REVISIONS = f"""
INSERT INTO memories_revision
    (id, organization_id, memory_id, agent_id, user_id, token_id, created_at, change, audience,
     {", ".join(MEMORY_COLUMNS)})
SELECT revision.id, memory.organization_id, memory.id, %(agent)s, %(user)s, %(token)s, memory.updated_at,
    %(change)s, memory.audience,
    {", ".join(f"memory.{column}" for column in MEMORY_COLUMNS)}
FROM unnest(%(revisions)s::uuid[], %(memories)s::uuid[]) AS revision (id, memory_id)
JOIN memories_memory AS memory ON memory.organization_id = %(organization)s AND memory.id = revision.memory_id
"""  # noqa: S608 (columns of our own model)


def record_revisions(
    *, organization_id: UUID, signer: Actor | None, memory_ids: Sequence[UUID], change: Change
) -> None:
    """Copy the memories' present versions into the history. Without a signer, the system made the change."""
    with connection.cursor() as cursor:
        cursor.execute(
            INSERT_REVISIONS,
            {
                "agent": signer.agent_id if signer else None,
                "user": signer.user_id if signer else None,
                "token": signer.token_id if signer else None,
                "change": change,
                "revisions": [uuid7() for _ in memory_ids],
                "memories": list(memory_ids),
                "organization": organization_id,
            },
        )


def refuse_change(*, actor: Actor, memory_id: UUID, version: VersionCheck, now: datetime) -> NoReturn:
    """Raise the reason why a change found no row: not visible, read-only, forgotten already, or changed meanwhile."""
    visible = Memory.objects.visible_to(actor, now=now).filter(pk=memory_id).first()
    if visible and visible.status == Status.PROPOSED:
        raise Conflict("This memory is a proposal. It can be changed once somebody has approved it.")
    present = visible or Memory.objects.writable_by(actor, now=now).filter(pk=memory_id).first()
    if present is None:
        if gone := Memory.objects.restorable_by(actor).filter(pk=memory_id).first():
            raise Conflict("This memory is forgotten. Restore it first.", current=reveal_if_readable(actor, gone))
        raise NotFound(NO_SUCH_MEMORY)
    # Asked about the row at hand: looked up again, it may be gone.
    if not access.may_write(actor, present.audience):
        raise Forbidden("You may read this memory, but not change it.")
    raise Conflict(ExpectedVersion.of(version).explain_conflict(present), current=visible)


def reveal_if_readable(actor: Actor, row: RefusedRow) -> RefusedRow | None:
    """Return the row for an error to show, or None to a token that may not read."""
    return row if actor.may(Verb.READ) else None


@contextmanager
def translate_integrity_errors() -> Iterator[None]:
    """Turn an IntegrityError into ours. Constraints are named in words, so each name says what is wrong."""
    try:
        yield
    except IntegrityError as error:
        name = getattr(getattr(error.__cause__, "diag", None), "constraint_name", None) or "database"
        if name in ("key_has_one_living_owner", "path_has_one_living_file"):
            raise KeyTaken("Another one already has this name.") from error
        raise Invalid({"memory": f"This breaks a rule of the database: {name.replace('_', ' ')}."}) from error
