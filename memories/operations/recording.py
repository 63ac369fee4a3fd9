"""What every write shares: the verb it needs, its place in the history, and the database's refusals in our words."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import NoReturn, TypeVar
from uuid import UUID

from django.db import IntegrityError, connection

from memories.models import Change, Described, Memory
from memories.operations.seeing import Seen, Version
from memoryhub.errors import Conflict, Forbidden, Invalid, KeyTaken, NotFound
from memoryhub.ids import uuid7
from teams.actor import Actor
from teams.models import Verb

Row = TypeVar("Row")
DESCRIBED = tuple(field.name for field in Described._meta.local_fields)

# Copies the rows as they stand now into the history. The caller holds their locks.
RECORD = f"""
INSERT INTO memories_revision
    (id, organization_id, memory_id, agent_id, user_id, token_id, created_at, change, audience, {", ".join(DESCRIBED)})
SELECT revision.id, memory.organization_id, memory.id, %(agent)s, %(user)s, %(token)s, memory.updated_at,
    %(change)s, memory.audience,
    {", ".join(f"memory.{column}" for column in DESCRIBED)}
FROM unnest(%(revisions)s::uuid[], %(memories)s::uuid[]) AS revision (id, memory_id)
JOIN memories_memory AS memory ON memory.organization_id = %(organization)s AND memory.id = revision.memory_id
"""  # noqa: S608 (columns of our own model)


def record(*, organization_id: UUID, signer: Actor | None, memory_ids: Sequence[UUID], change: Change) -> None:
    """Without a signer it was the system itself."""
    with connection.cursor() as cursor:
        cursor.execute(
            RECORD,
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


def require(actor: Actor, verb: Verb) -> None:
    if not actor.may(verb):
        raise Forbidden(f"This token may not {verb}: its verbs are {', '.join(sorted(actor.verbs))}.")


def refuse(*, actor: Actor, memory_id: UUID, version: Version, now: datetime) -> NoReturn:
    """Says why a change found no row: unseen, not theirs to change, forgotten already, or changed meanwhile."""
    visible = Memory.objects.visible_to(actor, now=now).filter(pk=memory_id).first()
    present = visible or Memory.objects.writable_by(actor, now=now).filter(pk=memory_id).first()
    if present is None:
        if gone := Memory.objects.restorable_by(actor).filter(pk=memory_id).first():
            raise Conflict("This memory is forgotten. Restore it first.", current=shown(actor, gone))
        raise NotFound("There is no such memory.")
    if present.audience not in actor.writes:  # asked of the row at hand: looked up once more, it may just be gone
        raise Forbidden("You may read this memory, but not change it.")
    raise Conflict(Seen.of(version).refusal(present), current=visible)


def shown(actor: Actor, row: Row) -> Row | None:
    """What a refusal may show of what stands in the way: nothing to a token that may not read."""
    return row if actor.may(Verb.READ) else None


@contextmanager
def in_our_words() -> Iterator[None]:
    """Constraints are named in words, so that even one that no rule caught says what is wrong."""
    try:
        yield
    except IntegrityError as error:
        name = getattr(getattr(error.__cause__, "diag", None), "constraint_name", None) or "database"
        if name in ("key_has_one_living_owner", "path_has_one_living_file"):
            raise KeyTaken("Another one has this name already.") from error
        raise Invalid({"memory": f"The database holds that {name.replace('_', ' ')}."}) from error
