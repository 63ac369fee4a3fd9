"""Saving: one statement writes a memory and its revision, and Postgres decides whether a key is new or known."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any, TypedDict
from uuid import UUID

import orjson
from django.core.exceptions import EmptyResultSet
from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone

from memories.models import (
    Change,
    Memory,
    MemoryFields,
    Proposal,
    ProposalCause,
    ProposedOperation,
    Scope,
    Status,
)
from memories.operations.embed import embed_memories
from memories.operations.keys import sweep_expired
from memories.operations.propose import (
    HeldCall,
    NeedsApproval,
    build_proposal_values,
    enforce_policy,
    make_or_hold,
    propose_calls,
    propose_change,
    refuse_too_many_proposals,
)
from memories.operations.record import MEMORY_COLUMNS, reveal_if_readable, translate_integrity_errors
from memories.operations.revise import refuse_earlier_expiry, revise
from memories.operations.same_text import IS_NEW_TEXT, TextSlot, find_same_texts, hash_text
from memories.operations.screen import EVERY_FINDING, Hold, screen_values
from memories.operations.similarity import link_similar, link_similar_later
from memories.rules import access
from memories.rules.access import require_verb
from memories.rules.fields import DEFAULT_IMPORTANCE, MEMORY_FIELDS, UNSET, Unset, clean_fields
from memories.rules.policies import Outcome, decide_new, select_unguarded
from memories.rules.preconditions import VersionCheck
from memories.rules.trust import provenance_of_caller, resolve_provenance
from memories.screening.findings import FindingGroup
from memories.text.language import choose_language
from memoryhub import locks
from memoryhub.errors import Forbidden, Invalid, KeyTaken, NotFound, TooLarge, Trouble
from memoryhub.ids import uuid7
from memoryhub.prepared_statements import prepared_cursor
from teams.actor import Actor
from teams.models import Verb

BATCH_LIMIT = 500
BATCH_BYTES = 1024 * 1024  # content of one batch: indexing more would keep a thread busy for seconds


class Dedupe(StrEnum):
    """The choices of what to do if an active memory has the key already."""

    UPDATE = "update"
    CREATE = "create"  # another row with the same label; the first keeps the key
    REFUSE = "refuse"


class MemoryChanges(TypedDict, total=False):
    """Fields of a saved memory to overwrite; those that are left out stay as they are."""

    content: str
    key: str | Unset | None
    summary: str | Unset | None
    type: str | Unset
    category: str | Unset | None
    tags: Sequence[str] | Unset | None
    importance: float | Unset
    pinned: bool | Unset
    expires_at: datetime | Unset | None
    source: str | Unset | None
    metadata: dict[str, Any] | Unset | None
    review_by: datetime | Unset | None
    valid_from: datetime | Unset | None
    valid_until: datetime | Unset | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """A memory to save. Unset fields take their defaults, or stay as they are if a memory has the key already."""

    content: str
    key: str | Unset = UNSET
    summary: str | Unset = ""  # never that of the text before
    type: str | Unset = UNSET
    category: str | Unset = UNSET
    tags: Sequence[str] | Unset = UNSET
    importance: float | Unset = UNSET
    pinned: bool | Unset = UNSET
    expires_at: datetime | Unset | None = UNSET
    source: str | Unset = UNSET
    metadata: dict[str, Any] | Unset = UNSET
    review_by: datetime | Unset | None = UNSET
    valid_from: datetime | Unset | None = UNSET
    valid_until: datetime | Unset | None = UNSET
    scope: str = Scope.TEAM
    audience: UUID | None = None  # where the scope alone does not tell: a person's choice of project or agent
    dedupe: str = Dedupe.UPDATE
    provenance: str | None = None  # if the text is less trusted than its caller
    is_screened: bool = False  # already screened as part of something larger
    hold: Hold | None = None  # makes it a proposal, whatever the policy says


def save_memory(*, actor: Actor, draft: Draft, version: VersionCheck = None, now: datetime | None = None) -> Memory:
    """Save a memory. With a version, the key must still be at it; with `ExpectedVersion()`, it must exist."""
    if version is not None and draft.dedupe != Dedupe.UPDATE:
        raise Invalid({"version": "Send a version only to update an existing memory."})
    if version is None:
        with transaction.atomic():
            (memory,) = _save_all(actor=actor, drafts=[draft], now=now)
        if (
            memory.proposal_id is None
            and not memory.duplicate
            and (likeness := link_similar([memory.pk], links=memory.version == 1).get(memory.pk))
        ):
            likeness.report_on(memory)
        return memory
    return _save_at_version(actor=actor, draft=draft, version=version, now=now or timezone.now())


@transaction.atomic
def save_memories(*, actor: Actor, drafts: Sequence[Draft], now: datetime | None = None) -> list[Memory]:
    """Save all or none, in the given order; a key that comes twice gets a version each time."""
    _refuse_large_batch(drafts)
    memories = _save_all(actor=actor, drafts=drafts, now=now)
    link_similar_later(memories)
    return memories


@transaction.atomic
def save_each(*, actor: Actor, drafts: Sequence[Draft], now: datetime | None = None) -> list[Memory | Trouble]:
    """Save each by itself, in the given order, and return an error in place of each that is refused.

    Tries all at once first, which is quicker and works if none is refused.
    """
    now = now or timezone.now()
    require_verb(actor, Verb.WRITE)
    _refuse_large_batch(drafts)
    with suppress(Trouble), transaction.atomic():
        return list(save_memories(actor=actor, drafts=drafts, now=now))
    rows = [_build_row_or_refusal(actor=actor, draft=draft, now=now) for draft in drafts]
    _lock_keys_in_order([row for row in rows if isinstance(row, DraftRow)])
    saved = [
        refusal if isinstance(refusal, Trouble) else _save_or_refusal(actor=actor, draft=draft, now=now)
        for draft, refusal in zip(drafts, rows, strict=True)
    ]
    link_similar_later([memory for memory in saved if isinstance(memory, Memory)])
    return saved


def _refuse_large_batch(drafts: Sequence[Draft]) -> None:
    if len(drafts) > BATCH_LIMIT:
        raise Invalid({"memories": f"At most {BATCH_LIMIT} at once; these are {len(drafts)}."})
    texts = [draft.content for draft in drafts if isinstance(draft.content, str)]  # others are refused by name
    size = sum(len(text.encode(errors="surrogatepass")) for text in texts)
    if size > BATCH_BYTES:
        sentence = f"At most {BATCH_BYTES:,} bytes of content at once; these are {size:,}. Send them in parts."
        raise TooLarge({"memories": sentence})


def _build_row_or_refusal(*, actor: Actor, draft: Draft, now: datetime) -> "DraftRow | Trouble":
    try:
        return _build_row(actor=actor, draft=draft, now=now)
    except Trouble as refusal:
        return refusal


def _save_or_refusal(*, actor: Actor, draft: Draft, now: datetime) -> Memory | Trouble:
    try:
        with transaction.atomic():
            (memory,) = _save_all(actor=actor, drafts=[draft], now=now)
    except Trouble as refusal:
        return refusal
    return memory


def _save_all(*, actor: Actor, drafts: Sequence[Draft], now: datetime | None = None) -> list[Memory]:
    now = now or timezone.now()
    require_verb(actor, Verb.WRITE)
    rows = _build_rows(actor=actor, drafts=drafts, now=now)
    _chain_rows(rows)
    _lock_keys_in_order(rows)
    saved: dict[int, Memory] = {}
    for wave in _group_by_statement(rows):
        for position, memory in _insert_rows(actor=actor, rows=[rows[i] for i in wave], now=now):
            saved[wave[position]] = memory
    memories = [saved[position] for position in range(len(rows))]
    for row, memory in zip(rows, memories, strict=True):
        memory.screening = row.screening
    made = [(row, memory) for row, memory in zip(rows, memories, strict=True) if not memory.duplicate]
    _record_proposals(actor=actor, made=made, now=now)
    written = [memory for _, memory in made]
    refuse_earlier_expiry(actor=actor, memories=written)
    embed_memories([memory for memory in written if not _is_unchanged(memory)], saved=True)
    return memories


def _is_unchanged(memory: Memory) -> bool:
    """Return whether the memory stays as it is until somebody approves what was to be saved."""
    return memory.proposal_id is not None and memory.status == Status.ACTIVE


@dataclass(frozen=True, slots=True)
class DraftRow:
    """A draft's checked column values, ready to insert; whether it overwrites the key's owner is left to Postgres."""

    values: dict[str, Any]
    set_fields: tuple[str, ...]
    dedupe: Dedupe
    audience: UUID
    hold: Hold | None = None
    text_slot: TextSlot | None = None  # the text that is not to be saved twice, if it is there already
    screening: Sequence[Mapping[str, Any]] = ()

    @property
    def slot(self) -> tuple[UUID, UUID | None, str] | None:
        """The audience, workspace and key that at most one active memory owns; None without a key."""
        key = self.values["key"]
        return (self.audience, self.values["workspace_id"], key) if self.values["owns_key"] else None

    def list_changes(self, actor: Actor) -> dict[str, Any]:
        """Return what the save changes of the memory that owns the key, as an update takes it."""
        stated = self.values["provenance"] != provenance_of_caller(actor)
        trust = {"provenance": str(self.values["provenance"])} if stated else {}
        return {name: self.values[name] for name in self.set_fields} | trust

    def to_json(self) -> dict[str, Any]:
        """Return the row as the statement reads it."""
        return self.values | {"audience": self.audience, "text_hash": self.text_slot[2] if self.text_slot else None}


def _build_rows(*, actor: Actor, drafts: Sequence[Draft], now: datetime) -> list[DraftRow]:
    """Return the drafts' rows. An error carries the position of the draft it is about."""
    rows = []
    for position, draft in enumerate(drafts):
        try:
            rows.append(_build_row(actor=actor, draft=draft, now=now))
        except Invalid as error:
            error.position = position
            raise
    return rows


SETTABLE_FIELDS = tuple(field.name for field in fields(Draft) if field.name in MEMORY_FIELDS)
DEFAULTS: dict[str, Any] = {
    field.name: field.get_default() for field in MemoryFields._meta.local_fields if field.name != "content"
}


def _build_row(*, actor: Actor, draft: Draft, now: datetime) -> DraftRow:
    provenance = resolve_provenance(actor, draft.provenance)
    fields = {name: getattr(draft, name) for name in SETTABLE_FIELDS}
    groups = frozenset[FindingGroup]() if draft.is_screened else EVERY_FINDING
    screened = screen_values(actor, fields, provenance=provenance, groups=groups)
    cleaned = clean_fields({**screened.values, "scope": draft.scope}, now=now)
    if draft.dedupe not in list(Dedupe):
        raise Invalid({"dedupe": f"This must be one of {', '.join(Dedupe)}."})
    audience = resolve_audience(actor=actor, scope=Scope(cleaned["scope"]), chosen=draft.audience)
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
        "language": choose_language(values["content"], fallback=actor.team_language),
        "provenance": provenance,
        "created_at": now,
        "updated_at": now,
        access.AUDIENCE_COLUMN[cleaned["scope"]]: audience,
    }
    kept = tuple(name for name in cleaned if name not in ("key", "scope"))
    hold = draft.hold or _find_hold(actor, values)
    hold = screened.hold or hold
    if hold:
        values |= {"status": Status.PROPOSED, "owns_key": False}
    return DraftRow(
        values, kept, Dedupe(draft.dedupe), audience, hold, _find_text_slot(draft, values, audience), screened.report
    )


def _find_text_slot(draft: Draft, values: Mapping[str, Any], audience: UUID) -> TextSlot | None:
    """Return the text by which the memory is the same as another one. A key or a period of its own tells it apart."""
    if values["key"] or values["valid_from"] or values["valid_until"] or draft.dedupe == Dedupe.CREATE:
        return None
    return audience, values["workspace_id"], hash_text(values["content"])


def _find_hold(actor: Actor, values: Mapping[str, Any]) -> Hold | None:
    """Return why the team's policy makes a new memory a proposal, if it does; raise its refusal."""
    decision = decide_new(actor, values)
    if decision.outcome is Outcome.REFUSE:
        raise Forbidden(decision.reason)
    return Hold(ProposalCause.POLICY, decision.reason) if decision.outcome is Outcome.PROPOSE else None


def _record_proposals(*, actor: Actor, made: Sequence[tuple[DraftRow, Memory]], now: datetime) -> None:
    """Record a proposal for each new memory that was held."""
    held = [(row.hold, memory) for row, memory in made if row.hold]
    if not held:
        return
    refuse_too_many_proposals(actor, len(held), now=now)
    proposals = [
        Proposal(
            **build_proposal_values(
                actor,
                memory,
                operation=ProposedOperation.SAVE,
                provenance=memory.provenance,
                cause=hold.cause,
                reason=hold.reason,
                now=now,
            ),
            findings=list(hold.findings),
        )
        for hold, memory in held
    ]
    for proposal, (_, memory) in zip(Proposal.objects.bulk_create(proposals), held, strict=True):
        memory.proposal_id = proposal.pk


def _chain_rows(rows: Sequence[DraftRow]) -> None:
    """Let each row of a batch follow the one before it for the same audience. The first is left to the statement."""
    before: dict[UUID, UUID] = {}
    for row in rows:
        row.values["follows"] = before.get(row.audience)
        before[row.audience] = row.values["id"]


MISSING_AUDIENCE = {
    Scope.PROJECT: ("project", "A memory of a project needs the project's name."),
    Scope.AGENT: ("agent", "A memory of an agent needs the agent's name."),
    Scope.GLOBAL: ("user", "A memory of a person needs the person's handle."),
}


def resolve_audience(*, actor: Actor, scope: Scope, chosen: UUID | None = None) -> UUID:
    """Return the audience of a memory with this scope; refuse an actor that may not write for it."""
    audience = chosen or getattr(actor, access.AUDIENCE_COLUMN[scope])
    if audience is None:
        field, sentence = MISSING_AUDIENCE[scope]
        raise Invalid({field: sentence})
    missing = f"There is no such {scope}."
    return access.require_writable(actor, audience, read_only="You may read here, but not write.", missing=missing)


def _lock_keys_in_order(rows: Sequence[DraftRow]) -> None:
    """Lock the keys of a batch in a fixed order, so that two batches with the same keys cannot deadlock; and texts
    without a key, so that of two saves of the same text the second one finds the first."""
    slots = {row.slot for row in rows if row.slot}
    texts = {row.text_slot for row in rows if row.text_slot}
    if len(slots) > 1 or texts:
        locks.lock_names(*map(repr, slots), *(f"text {slot!r}" for slot in texts))


def _group_by_statement(rows: Sequence[DraftRow]) -> list[list[int]]:
    """Group the rows' positions into runs for one statement each: the same fields set, and no key twice."""
    waves: list[list[int]] = []
    slots: set[object] = set()
    kind_before: object = None
    for position, row in enumerate(rows):
        kind = (row.set_fields, row.dedupe)
        mine = {slot for slot in (row.slot, row.text_slot) if slot}
        if kind != kind_before or mine & slots:
            waves.append([])
            slots.clear()
        waves[-1].append(position)
        kind_before = kind
        slots |= mine
    return waves


def _insert_rows(*, actor: Actor, rows: Sequence[DraftRow], now: datetime) -> list[tuple[int, Memory]]:
    """Insert or overwrite the rows in one statement. Returns each memory with its position."""
    by_id = {row.values["id"]: position for position, row in enumerate(rows)}
    by_slot = {row.slot: position for position, row in enumerate(rows) if row.slot}
    with translate_integrity_errors():
        written = _execute_save(actor=actor, rows=rows, now=now)
    found = {}
    for memory in written:
        slot = (memory.audience, memory.workspace_id, memory.key)
        found[by_id[memory.pk] if memory.pk in by_id else by_slot[slot]] = memory
    missing = [position for position in range(len(rows)) if position not in found]
    texts = {text: i for i in missing if (text := rows[i].text_slot)}
    if texts:
        same = find_same_texts(actor, texts, now=now)
        found |= {texts[text]: memory for text, memory in same.items() if text in texts}
        missing = [position for position in missing if position not in found]
    if missing and select_unguarded(actor, Change.UPDATED) is not None:
        found |= {missing[i]: memory for i, memory in _propose_updates(actor, [rows[i] for i in missing], now=now)}
        missing = [position for position in missing if position not in found]
    if missing:
        again = _retry_taken_keys(actor=actor, rows=[rows[position] for position in missing], now=now)
        found |= {missing[i]: memory for i, memory in _insert_rows(actor=actor, rows=again, now=now)}
    return list(found.items())


def _propose_updates(actor: Actor, rows: Sequence[DraftRow], *, now: datetime) -> list[tuple[int, Memory]]:
    """Propose the changes to owners of keys that the policy guards. Returns these owners, unchanged, each with the
    position of its row."""
    owners = Memory.objects.in_organization(actor.organization_id).alive(now=now).filter(owns_key=True)
    audiences, keys = {row.audience for row in rows}, {row.values["key"] for row in rows}
    guarded = owners.filter(audience__in=audiences, key__in=keys, workspace=actor.workspace_id).defer("search")
    by_slot = {(memory.audience, memory.workspace_id, memory.key): memory for memory in guarded}
    held: dict[int, HeldCall] = {}
    for position, row in enumerate(rows):
        owner = by_slot.get(row.slot) if row.slot and row.dedupe is Dedupe.UPDATE else None
        if owner is None:
            continue
        try:
            enforce_policy(actor, owner, Change.UPDATED)
        except NeedsApproval as refusal:
            held[position] = HeldCall.of(refusal, ProposedOperation.UPDATE, row.list_changes(actor))
    if not held:
        return []
    return list(zip(held, propose_calls(actor, list(held.values()), now=now), strict=True))


def _retry_taken_keys(*, actor: Actor, rows: Sequence[DraftRow], now: datetime) -> list[DraftRow]:
    """Return the rows whose key was taken, ready for another try: an expired owner is swept first; otherwise they do
    without owning the key, or are refused."""
    keys, audiences = {row.values["key"] for row in rows}, {row.audience for row in rows}
    owners = Memory.objects.in_organization(actor.organization_id).filter(owns_key=True)
    swept = sweep_expired(rows=owners.filter(key__in=keys, audience__in=audiences), now=now, wait=True)
    if swept or rows[0].dedupe is Dedupe.UPDATE:
        return list(rows)
    if rows[0].dedupe is Dedupe.REFUSE:
        audience, workspace, key = rows[0].audience, rows[0].values["workspace_id"], rows[0].values["key"]
        owner = owners.alive(now=now).filter(audience=audience, workspace=workspace, key=key).first()
        raise KeyTaken(f"The key {key!r} exists already.", current=reveal_if_readable(actor, owner))
    return [replace(row, values=row.values | {"owns_key": False}) for row in rows]


INSERTED_COLUMNS = (
    *("id", "organization_id", "team_id", "agent_id", "user_id", "person_id", "project_id", "session_id"),
    *("workspace_id", "channel_id", "owns_key", "language", "created_at", "updated_at"),
    *MEMORY_COLUMNS,
)
CONVERSATION_PAUSE = "10 minutes"  # after which a memory no longer goes on from the one before
KEY_OWNER = "(organization_id, audience, workspace_id, key) WHERE owns_key AND forgotten_at IS NULL"


# A changed text loses its verification: nobody has checked the new one.
SAME_TEXT = "memories_memory.content = excluded.content AND memories_memory.summary = excluded.summary"


def _build_conflict_clause(set_fields: Iterable[str], unguarded: str) -> str:
    assignments = [f"{name} = excluded.{name}" for name in set_fields]
    assignments += [
        "language = excluded.language",
        "provenance = excluded.provenance",
        f"verified_at = CASE WHEN {SAME_TEXT} THEN memories_memory.verified_at END",
        f"verified_by = CASE WHEN {SAME_TEXT} THEN memories_memory.verified_by ELSE '' END",
        "version = memories_memory.version + 1",
        "updated_at = greatest(memories_memory.updated_at, excluded.updated_at)",
    ]
    alive = "memories_memory.expires_at IS NULL OR memories_memory.expires_at > %(now)s::timestamptz"
    return f"ON CONFLICT {KEY_OWNER} DO UPDATE SET {', '.join(assignments)} WHERE ({alive}) AND {unguarded}"


# The memory that its author saved just before a row. A person has no agent.
# Index: memory_authored.
PREVIOUS = """
        SELECT earlier.id FROM memories_memory AS earlier
        WHERE earlier.organization_id = row.organization_id AND earlier.audience = row.audience
            AND {same_author} AND earlier.forgotten_at IS NULL
            AND earlier.created_at BETWEEN row.created_at - interval '{pause}' AND row.created_at
            AND earlier.session_id IS NOT DISTINCT FROM row.session_id
            AND earlier.workspace_id IS NOT DISTINCT FROM row.workspace_id
        ORDER BY earlier.created_at DESC, earlier.id DESC LIMIT 1
"""
SAME_AGENT = "earlier.agent_id = row.agent_id"
SAME_PERSON = "row.agent_id IS NULL AND earlier.agent_id IS NULL AND earlier.user_id = row.user_id"

# Inserts or overwrites all rows of one JSON array and records the version of each. The unique index
# key_has_one_living_owner decides which of the two it is; an owner that has expired is left alone and its row not
# returned. What the first of a batch goes on from is looked up.
SAVE_MEMORIES = """
WITH saved AS (
    INSERT INTO memories_memory ({written}, follows)
    SELECT {written}, coalesce(follows, ({previous_of_agent}), ({previous_of_person}))
    FROM jsonb_to_recordset(%(rows)s::jsonb) AS row ({definitions}, audience uuid, follows uuid, text_hash text)
    {is_new}
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


@lru_cache(maxsize=500)
def _build_save_statement(dedupe: Dedupe, set_fields: tuple[str, ...], unguarded: str, is_new: str) -> str:
    types = {field.column: field.db_type(connection) for field in Memory._meta.local_fields}
    updating = dedupe is Dedupe.UPDATE
    return SAVE_MEMORIES.format(
        written=", ".join(INSERTED_COLUMNS),
        definitions=", ".join(f"{column} {types[column]}" for column in INSERTED_COLUMNS),
        previous_of_agent=PREVIOUS.format(same_author=SAME_AGENT, pause=CONVERSATION_PAUSE),
        previous_of_person=PREVIOUS.format(same_author=SAME_PERSON, pause=CONVERSATION_PAUSE),
        conflict=_build_conflict_clause(set_fields, unguarded) if updating else f"ON CONFLICT {KEY_OWNER} DO NOTHING",
        returned=", ".join(Memory.COLUMNS),
        unset=", ".join(Memory.LIVING),
        described=", ".join(MEMORY_COLUMNS),
        is_new=is_new,
    )


def _execute_save(*, actor: Actor, rows: Sequence[DraftRow], now: datetime) -> list[Memory]:
    parameters = {
        "rows": orjson.dumps([row.to_json() for row in rows]).decode(),
        "agent": actor.agent_id,
        "user": actor.user_id,
        "token": actor.token_id,
        "now": now,
        "revisions": [uuid7() for _ in rows],
    }
    unguarded, guards = _compile_unguarded(actor)
    is_new = IS_NEW_TEXT if any(row.text_slot for row in rows) else ""
    statement = _build_save_statement(rows[0].dedupe, rows[0].set_fields, unguarded, is_new)
    with prepared_cursor() as cursor:
        cursor.execute(statement, parameters | guards)
        return [Memory.from_row(row) for row in cursor.fetchall()]


def _compile_unguarded(actor: Actor) -> tuple[str, dict[str, Any]]:
    """Return the condition of the memories that a save of their key may overwrite at once, and its parameters."""
    condition = select_unguarded(actor, Change.UPDATED)
    return ("true", {}) if condition is None else _compile_condition(condition)


@lru_cache(maxsize=200)
def _compile_condition(condition: Q) -> tuple[str, dict[str, Any]]:
    try:
        sql, values = Memory.objects.filter(condition).values("pk").query.sql_with_params()
    except EmptyResultSet:
        return "false", {}
    names = [f"guard_{number}" for number in range(len(values))]
    where = sql.partition(" WHERE ")[2] % tuple(f"%({name})s" for name in names)
    return f"({where})" if where else "true", dict(zip(names, values, strict=True))


def _save_at_version(*, actor: Actor, draft: Draft, version: VersionCheck, now: datetime) -> Memory:
    row = _build_row(actor=actor, draft=replace(draft, hold=None), now=now)
    owners = Memory.objects.writable_by(actor, now=now).filter(audience=row.audience, owns_key=True)
    found = owners.with_key(row.values["key"]).values_list("pk", flat=True).first() if row.values["key"] else None
    if found is None:
        raise NotFound("No active memory has this key.")
    values = {name: row.values[name] for name in row.set_fields}

    def write() -> Memory:
        return revise(
            actor=actor,
            memory_id=found,
            change=Change.UPDATED,
            version=version,
            now=now,
            values=values | {"provenance": row.values["provenance"]},
        )

    hold = row.hold if row.hold and row.hold.cause == ProposalCause.SCREENING else None
    try:
        memory = make_or_hold(actor, found, write, hold)
    except NeedsApproval as held:
        memory = propose_change(ProposedOperation.UPDATE, held, actor, row.list_changes(actor), now=now)
    memory.screening = row.screening
    return memory
