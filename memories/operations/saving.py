"""Saving: one statement writes a memory and its revision, and Postgres decides whether a key is new or known."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any
from uuid import UUID

import orjson
from django.db import connection, transaction
from django.utils import timezone

from memories import scopes
from memories.fields import DEFAULT_IMPORTANCE, UNSAID, Said, clean
from memories.models import Change, Described, Memory, Scope
from memories.operations.embedding import embed
from memories.operations.keys import sweep
from memories.operations.recording import DESCRIBED, in_our_words, require, shown
from memories.operations.revising import revise
from memories.operations.seeing import Version
from memories.operations.similarity import link_similar, link_similar_later
from memoryhub import locks
from memoryhub.errors import Forbidden, Invalid, KeyTaken, NotFound, Trouble
from memoryhub.ids import uuid7
from memoryhub.prepared import prepared_cursor
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
    summary: str | Said = ""  # never that of the text before
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


def save(*, actor: Actor, draft: Draft, version: Version = None, now: datetime | None = None) -> Memory:
    """The saved memory. With a version, the key must still be at it; with `Seen()`, at any."""
    if version is not None and draft.dedupe != Dedupe.UPDATE:
        raise Invalid({"version": "A version is named to update what is there."})
    if version is None:
        with transaction.atomic():
            (memory,) = _save_all(actor=actor, drafts=[draft], now=now)
        if memory.version == 1:
            memory.similar = link_similar([memory.pk]).get(memory.pk, ())
        return memory
    return _save_over(actor=actor, draft=draft, version=version, now=now or timezone.now())


@transaction.atomic
def save_many(*, actor: Actor, drafts: Sequence[Draft], now: datetime | None = None) -> list[Memory]:
    """All or nothing, in the given order; a key that comes twice gets a version each time."""
    memories = _save_all(actor=actor, drafts=drafts, now=now)
    link_similar_later(memories)
    return memories


@transaction.atomic
def save_each(*, actor: Actor, drafts: Sequence[Draft], now: datetime | None = None) -> list[Memory | Trouble]:
    """Each by itself, in the given order: what is refused leaves the others. All at once if nothing is refused."""
    now = now or timezone.now()
    require(actor, Verb.WRITE)
    with suppress(Trouble), transaction.atomic():
        return list(save_many(actor=actor, drafts=drafts, now=now))
    rows = [_row_or_refusal(actor=actor, draft=draft, now=now) for draft in drafts]
    _take_turns([row for row in rows if isinstance(row, Row)])
    saved = [
        refusal if isinstance(refusal, Trouble) else _saved_or_refusal(actor=actor, draft=draft, now=now)
        for draft, refusal in zip(drafts, rows, strict=True)
    ]
    link_similar_later([memory for memory in saved if isinstance(memory, Memory)])
    return saved


def _row_or_refusal(*, actor: Actor, draft: Draft, now: datetime) -> "Row | Trouble":
    try:
        return _row(actor=actor, draft=draft, now=now)
    except Trouble as refusal:
        return refusal


def _saved_or_refusal(*, actor: Actor, draft: Draft, now: datetime) -> Memory | Trouble:
    try:
        with transaction.atomic():
            (memory,) = _save_all(actor=actor, drafts=[draft], now=now)
    except Trouble as refusal:
        return refusal
    return memory


def _save_all(*, actor: Actor, drafts: Sequence[Draft], now: datetime | None = None) -> list[Memory]:
    now = now or timezone.now()
    require(actor, Verb.WRITE)
    if len(drafts) > BATCH_LIMIT:
        raise Invalid({"memories": f"At most {BATCH_LIMIT} at once; these are {len(drafts)}."})
    rows = _rows(actor=actor, drafts=drafts, now=now)
    _take_turns(rows)
    saved: dict[int, Memory] = {}
    for wave in _waves(rows):
        for position, memory in _insert(actor=actor, rows=[rows[i] for i in wave], now=now):
            saved[wave[position]] = memory
    memories = [saved[position] for position in range(len(rows))]
    embed(memories, saved=True)
    return memories


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


def _rows(*, actor: Actor, drafts: Sequence[Draft], now: datetime) -> list[Row]:
    """A refusal says which of them it is about."""
    rows = []
    for position, draft in enumerate(drafts):
        try:
            rows.append(_row(actor=actor, draft=draft, now=now))
        except Invalid as error:
            error.position = position
            raise
    return rows


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


def _take_turns(rows: Sequence[Row]) -> None:
    """Batches that share keys go one after the other: in whatever order each has them, none waits in a circle."""
    slots = {row.slot for row in rows if row.slot}
    if len(slots) > 1:
        locks.take_turns(*map(repr, slots))


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
    with in_our_words():
        written = _execute(actor=actor, rows=rows, now=now)
    found = {}
    for memory in written:
        slot = (memory.audience, memory.workspace_id, memory.key)
        found[by_id[memory.pk] if memory.pk in by_id else by_slot[slot]] = memory
    missing = [position for position in range(len(rows)) if position not in found]
    if missing:
        again = _make_room(actor=actor, rows=[rows[position] for position in missing], now=now)
        found |= {missing[i]: memory for i, memory in _insert(actor=actor, rows=again, now=now)}
    return list(found.items())


def _make_room(*, actor: Actor, rows: Sequence[Row], now: datetime) -> list[Row]:
    """Rows that found their key taken, made ready for another try: the key's owner has expired and is swept now,
    or they must do without owning the key, or be refused."""
    keys, audiences = {row.values["key"] for row in rows}, {row.audience for row in rows}
    owners = Memory.objects.filter(organization=actor.organization_id, owns_key=True)
    swept = sweep(rows=owners.filter(key__in=keys, audience__in=audiences), now=now, wait=True)
    if swept or rows[0].dedupe is Dedupe.UPDATE:
        return list(rows)
    if rows[0].dedupe is Dedupe.REFUSE:
        audience, workspace, key = rows[0].audience, rows[0].values["workspace_id"], rows[0].values["key"]
        owner = owners.alive(now=now).filter(audience=audience, workspace=workspace, key=key).first()
        raise KeyTaken(f"The key {key!r} exists already.", current=shown(actor, owner))
    return [replace(row, values=row.values | {"owns_key": False}) for row in rows]


WRITTEN = (
    *("id", "organization_id", "team_id", "agent_id", "user_id", "person_id", "project_id", "session_id"),
    *("workspace_id", "channel_id", "owns_key", "created_at", "updated_at"),
    *DESCRIBED,
)
OWNER = "(organization_id, audience, workspace_id, key) WHERE owns_key AND forgotten_at IS NULL"


def _overwrite(said: Iterable[str]) -> str:
    assignments = [f"{name} = excluded.{name}" for name in said]
    assignments += [
        "version = memories_memory.version + 1",
        "updated_at = greatest(memories_memory.updated_at, excluded.updated_at)",
    ]
    alive = "memories_memory.expires_at IS NULL OR memories_memory.expires_at > %(now)s::timestamptz"
    return f"ON CONFLICT {OWNER} DO UPDATE SET {', '.join(assignments)} WHERE {alive}"


# Inserts or overwrites all rows of one JSON array and records the version of each. The unique index
# key_has_one_living_owner decides which of the two it is; an owner that has expired is left alone and its row not
# returned.
SAVE = """
WITH saved AS (
    INSERT INTO memories_memory ({written})
    SELECT {written}
    FROM jsonb_to_recordset(%(rows)s::jsonb) AS row ({definitions})
    {conflict}
    RETURNING {returned}, {unset}
), recorded AS (
    INSERT INTO memories_revision
        (id, organization_id, memory_id, agent_id, user_id, token_id, created_at, change, audience, {described})
    SELECT revision.id, organization_id, saved.id, %(agent)s::uuid, %(user)s::integer, %(token)s::uuid, updated_at,
        CASE version WHEN 1 THEN 'created' ELSE 'updated' END, audience, {described}
    FROM (SELECT *, row_number() OVER () AS position FROM saved) AS saved
    JOIN unnest(%(revisions)s::uuid[]) WITH ORDINALITY AS revision (id, position) USING (position)
)
SELECT {returned} FROM saved
"""


@cache
def _statement(dedupe: Dedupe, said: tuple[str, ...]) -> str:
    types = {field.column: field.db_type(connection) for field in Memory._meta.local_fields}
    return SAVE.format(
        written=", ".join(WRITTEN),
        definitions=", ".join(f"{column} {types[column]}" for column in WRITTEN),
        conflict=_overwrite(said) if dedupe is Dedupe.UPDATE else f"ON CONFLICT {OWNER} DO NOTHING",
        returned=", ".join(Memory.COLUMNS),
        unset=", ".join(Memory.LIVING),
        described=", ".join(DESCRIBED),
    )


def _execute(*, actor: Actor, rows: Sequence[Row], now: datetime) -> list[Memory]:
    parameters = {
        "rows": orjson.dumps([row.values for row in rows]).decode(),
        "agent": actor.agent_id,
        "user": actor.user_id,
        "token": actor.token_id,
        "now": now,
        "revisions": [uuid7() for _ in rows],
    }
    with prepared_cursor() as cursor:
        cursor.execute(_statement(rows[0].dedupe, rows[0].said), parameters)
        return [Memory.of_row(row) for row in cursor.fetchall()]


@transaction.atomic
def _save_over(*, actor: Actor, draft: Draft, version: Version, now: datetime) -> Memory:
    row = _row(actor=actor, draft=draft, now=now)
    owners = Memory.objects.writable_by(actor, now=now).filter(audience=row.audience, owns_key=True)
    found = owners.keyed(row.values["key"]).values_list("pk", flat=True).first() if row.slot else None
    if found is None:
        raise NotFound("No living memory has this key.")
    values = {name: row.values[name] for name in row.said}
    return revise(actor=actor, memory_id=found, change=Change.UPDATED, version=version, now=now, values=values)
