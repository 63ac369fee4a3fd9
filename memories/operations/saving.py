"""Saving: one statement writes a memory and its revision, and Postgres decides whether a key is new or known."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

import orjson
from django.db import connection, transaction
from django.utils import timezone

from memories import scopes
from memories.fields import DEFAULT_IMPORTANCE, UNSAID, Said, clean
from memories.models import Change, Described, Memory, Scope
from memories.operations import changing
from memories.operations.recording import DESCRIBED, in_our_words, require
from memoryhub.errors import Forbidden, Invalid, KeyTaken, NotFound
from memoryhub.ids import uuid7
from teams.actor import Actor
from teams.models import Verb

BATCH_LIMIT = 500


class Dedupe(StrEnum):
    """What saving a key that lives already does."""

    UPDATE = "update"
    CREATE = "create"  # another row with the same label; the first keeps the key
    REFUSE = "refuse"


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """A memory to be saved. What is left unsaid takes its default, or stays as it is where the key lives already."""

    content: str
    key: str | Said = UNSAID
    summary: str | Said = UNSAID
    type: str | Said = UNSAID
    category: str | Said = UNSAID
    tags: Sequence[str] | Said = UNSAID
    importance: float | Said = UNSAID
    pinned: bool | Said = UNSAID
    expires_at: datetime | Said | None = UNSAID
    source: str | Said = UNSAID
    metadata: dict[str, Any] | Said = UNSAID
    review_by: datetime | Said | None = UNSAID
    scope: str = Scope.TEAM
    audience: UUID | None = None  # where the scope alone does not tell: a person's choice of project or agent
    dedupe: str = Dedupe.UPDATE


def save(*, actor: Actor, draft: Draft, version: int | None = None, now: datetime | None = None) -> Memory:
    """The saved memory. With a version, the key must still be at it."""
    if version is None:
        return save_many(actor=actor, drafts=[draft], now=now)[0]
    return _save_over(actor=actor, draft=draft, version=version, now=now or timezone.now())


@transaction.atomic
def save_many(*, actor: Actor, drafts: Sequence[Draft], now: datetime | None = None) -> list[Memory]:
    """All or nothing, in the given order; a key that comes twice gets a version each time."""
    now = now or timezone.now()
    require(actor, Verb.WRITE)
    if len(drafts) > BATCH_LIMIT:
        raise Invalid({"memories": f"At most {BATCH_LIMIT} at once; these are {len(drafts)}."})
    rows = [_row(actor=actor, draft=draft, now=now) for draft in drafts]
    _sweep_expired_owners(actor=actor, rows=rows, now=now)
    saved: dict[int, Memory] = {}
    for wave in _waves(rows):
        for position, memory in _insert(actor=actor, rows=[rows[i] for i in wave], now=now):
            saved[wave[position]] = memory
    return [saved[position] for position in range(len(rows))]


@dataclass(frozen=True, slots=True)
class Row:
    """A draft with everything decided but what the key's present owner decides."""

    values: dict[str, Any]
    said: tuple[str, ...]
    dedupe: Dedupe
    audience: UUID

    @property
    def slot(self) -> tuple[UUID, UUID | None, str] | None:
        """What at most one living memory holds."""
        key = self.values["key"]
        return (self.audience, self.values["workspace_id"], key) if self.values["owns_key"] else None


SAYABLE = tuple(field.name for field in fields(Draft) if field.name not in ("scope", "audience", "dedupe"))
DEFAULTS: dict[str, Any] = {
    field.name: field.get_default() for field in Described._meta.local_fields if field.name != "content"
}


def _row(*, actor: Actor, draft: Draft, now: datetime) -> Row:
    said = {name: getattr(draft, name) for name in SAYABLE}
    cleaned = clean({**said, "scope": draft.scope}, now=now)
    if draft.dedupe not in list(Dedupe):
        raise Invalid({"dedupe": f"This must be one of {', '.join(Dedupe)}."})
    audience = audience_of(actor=actor, scope=Scope(cleaned["scope"]), chosen=draft.audience)
    values = DEFAULTS | cleaned
    if "importance" not in cleaned:
        values["importance"] = DEFAULT_IMPORTANCE[values["type"]]
    values |= {
        "id": uuid7(),
        "organization_id": actor.organization_id,
        "team_id": actor.team_id,
        "agent_id": actor.agent_id,
        "user_id": actor.user_id,
        "person_id": actor.person_id,
        "project_id": actor.project_id,
        "session_id": actor.session_id,
        "workspace_id": actor.workspace_id,
        "channel_id": actor.channel_id,
        "owns_key": bool(values["key"]),
        "created_at": now,
        "updated_at": now,
        scopes.AUDIENCE_COLUMN[cleaned["scope"]]: audience,
    }
    kept = tuple(name for name in cleaned if name not in ("key", "scope"))
    return Row(values, kept, Dedupe(draft.dedupe), audience)


HOW_TO_NAME = {
    Scope.PROJECT: ("project", "A memory of a project needs the project's name."),
    Scope.AGENT: ("agent", "A memory of an agent needs the agent's name."),
    Scope.GLOBAL: ("user", "A memory of a person needs the person's handle."),
}


def audience_of(*, actor: Actor, scope: Scope, chosen: UUID | None = None) -> UUID:
    """Whose memory it will be; refused where the actor may not write for them."""
    audience = chosen or getattr(actor, scopes.AUDIENCE_COLUMN[scope])
    if audience is None:
        field, sentence = HOW_TO_NAME[scope]
        raise Invalid({field: sentence})
    if audience in actor.writes:
        return UUID(str(audience))
    if audience in actor.reads:
        raise Forbidden("You may read here, but not write.")
    raise NotFound(f"There is no such {scope}.")


def _sweep_expired_owners(*, actor: Actor, rows: Iterable[Row], now: datetime) -> None:
    """An expired memory still holds its key until it is swept; a save must not run into it."""
    keys = {row.values["key"] for row in rows if row.slot}
    if keys:
        expired = Memory.objects.expired(now=now).filter(organization=actor.organization_id, owns_key=True)
        in_the_way = expired.filter(key__in=keys, audience__in={row.audience for row in rows})
        changing.sweep(rows=in_the_way, now=now)


def _waves(rows: Sequence[Row]) -> list[list[int]]:
    """Runs of positions that one statement can take together: alike in what they say, and no key twice."""
    waves: list[list[int]] = []
    slots: set[object] = set()
    kind_before: object = None
    for position, row in enumerate(rows):
        kind = (row.said, row.dedupe)
        if kind != kind_before or row.slot in slots:
            waves.append([])
            slots.clear()
        waves[-1].append(position)
        kind_before = kind
        if row.slot:
            slots.add(row.slot)
    return waves


def _insert(*, actor: Actor, rows: Sequence[Row], now: datetime) -> list[tuple[int, Memory]]:
    """One statement for all of them. Returns each with its position."""
    by_id = {row.values["id"]: position for position, row in enumerate(rows)}
    by_slot = {row.slot: position for position, row in enumerate(rows) if row.slot}
    dedupe, said = rows[0].dedupe, rows[0].said
    with in_our_words():
        written = _execute(actor=actor, rows=rows, now=now, conflict=_conflict(dedupe, said))
    found = []
    for memory in written:
        slot = (memory.audience, memory.workspace_id, memory.key)
        found.append((by_id[memory.pk] if memory.pk in by_id else by_slot[slot], memory))
    missing = [position for position in range(len(rows)) if position not in {position for position, _ in found}]
    if missing and dedupe is Dedupe.REFUSE:
        _refuse_key(actor=actor, row=rows[missing[0]])
    if missing:
        labelled = [Row(rows[i].values | {"owns_key": False}, said, dedupe, rows[i].audience) for i in missing]
        found += [(missing[i], memory) for i, memory in _insert(actor=actor, rows=labelled, now=now)]
    return found


def _refuse_key(*, actor: Actor, row: Row) -> None:
    owner = Memory.objects.visible_to(actor).filter(audience=row.audience, owns_key=True, key=row.values["key"]).first()
    raise KeyTaken(f"The key {row.values['key']!r} exists already.", current=owner)


WRITTEN = (
    *("id", "organization_id", "team_id", "agent_id", "user_id", "person_id", "project_id", "session_id"),
    *("workspace_id", "channel_id", "owns_key", "created_at", "updated_at"),
    *DESCRIBED,
)
RETURNED = (*WRITTEN, "audience", "purged_at", "access_count", "last_accessed_at")
OWNER = "(organization_id, audience, workspace_id, key) WHERE owns_key AND forgotten_at IS NULL"


def _overwrite(said: Iterable[str]) -> str:
    assignments = [f"{name} = excluded.{name}" for name in said]
    assignments += ["version = memories_memory.version + 1", "updated_at = excluded.updated_at"]
    return f"ON CONFLICT {OWNER} DO UPDATE SET {', '.join(assignments)}"


def _conflict(dedupe: Dedupe, said: Iterable[str]) -> str:
    return _overwrite(said) if dedupe is Dedupe.UPDATE else f"ON CONFLICT {OWNER} DO NOTHING"


# Inserts or overwrites all rows of one JSON array and records the version of each. The unique index
# key_has_one_living_owner decides which of the two it is; rows come in the order of their keys, so that two batches
# never wait for each other in a circle.
SAVE = """
WITH saved AS (
    INSERT INTO memories_memory ({written}, access_count)
    SELECT {written}, 0
    FROM jsonb_to_recordset(%(rows)s::jsonb) AS row ({definitions})
    ORDER BY team_id, project_id, agent_id, person_id, workspace_id, key
    {conflict}
    RETURNING {returned}
), recorded AS (
    INSERT INTO memories_revision
        (id, organization_id, memory_id, agent_id, user_id, created_at, change, audience, {described})
    SELECT revision.id, organization_id, saved.id, %(agent)s, %(user)s, %(now)s,
        CASE version WHEN 1 THEN %(created)s ELSE %(updated)s END, audience, {described}
    FROM (SELECT *, row_number() OVER () AS position FROM saved) AS saved
    JOIN unnest(%(revisions)s::uuid[]) WITH ORDINALITY AS revision (id, position) USING (position)
)
SELECT * FROM saved
"""


def _definitions() -> str:
    """The columns of the JSON rows with their types, as the model has them."""
    types = {field.column: field.db_type(connection) for field in Memory._meta.local_fields}
    return ", ".join(f"{column} {types[column]}" for column in WRITTEN)


def _execute(*, actor: Actor, rows: Sequence[Row], now: datetime, conflict: str) -> list[Memory]:
    statement = SAVE.format(
        written=", ".join(WRITTEN),
        definitions=_definitions(),
        conflict=conflict,
        returned=", ".join(RETURNED),
        described=", ".join(DESCRIBED),
    )
    parameters = {
        "rows": orjson.dumps([row.values for row in rows]).decode(),
        "agent": actor.agent_id,
        "user": actor.user_id,
        "now": now,
        "created": Change.CREATED,
        "updated": Change.UPDATED,
        "revisions": [uuid7() for _ in rows],
    }
    return list(Memory.objects.raw(statement, parameters))


@transaction.atomic
def _save_over(*, actor: Actor, draft: Draft, version: int, now: datetime) -> Memory:
    row = _row(actor=actor, draft=draft, now=now)
    owners = Memory.objects.writable_by(actor, now=now).filter(audience=row.audience, owns_key=True)
    found = owners.filter(key=row.values["key"]).values_list("pk", flat=True).first() if row.slot else None
    if found is None:
        raise NotFound("No living memory has this key.")
    values = {name: row.values[name] for name in row.said}
    return changing.change(actor=actor, memory_id=found, change=Change.UPDATED, version=version, now=now, values=values)
