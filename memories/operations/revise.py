"""The write path of every change to a saved memory: check the expected version, write the next, record it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Case, F, Value, When
from django.db.models.functions import Greatest
from django.utils import timezone

from memories.models import Change, Memory, MemoryQuerySet, Revision
from memories.operations.embed import drop_vectors, embed_memories
from memories.operations.keys import free_key, hand_on_key
from memories.operations.propose import enforce_policy, raise_decision
from memories.operations.record import record_revisions, refuse_change, translate_integrity_errors
from memories.operations.similarity import compare_changed
from memories.rules.access import require_verb
from memories.rules.policies import POLICY_FIELDS, decide_new, may_save_anything, select_unguarded
from memories.rules.preconditions import ExpectedVersion, VersionCheck
from memories.rules.trust import provenance_of_caller
from memories.text.language import language_of_change
from memoryhub.errors import Forbidden
from teams.actor import Actor
from teams.models import Verb

# Fields whose change needs a new vector: its text, its audience, and whether there is one.
EMBEDDED_FIELDS = frozenset({"content", "summary", "key", "scope", "forgotten_at"})


def lock_memory(
    *, actor: Actor, memory_id: UUID, version: VersionCheck, now: datetime, verb: Verb = Verb.WRITE
) -> Memory:
    """Return the memory, locked until the transaction ends: for changes that depend on its present values."""
    require_verb(actor, verb)
    rows = Memory.objects.writable_by(actor, now=now).filter(pk=memory_id).select_for_update()
    present = rows.defer("search").first()
    if present is None or not ExpectedVersion.of(version).matches(present):
        refuse_change(actor=actor, memory_id=memory_id, version=version, now=now)
    return present


def revise(
    *,
    actor: Actor,
    memory_id: UUID,
    change: Change,
    version: VersionCheck,
    values: Mapping[str, Any],
    now: datetime | None = None,
    rows: MemoryQuerySet | None = None,
    verb: Verb = Verb.WRITE,
) -> Memory:
    """Write one more version in one statement. A caller that expects an outdated version is refused."""
    require_verb(actor, verb)
    now = now or timezone.now()
    candidates = Memory.objects.writable_by(actor, now=now).filter(pk=memory_id) if rows is None else rows
    unchanged = ExpectedVersion.of(version).filter_rows(candidates, row_id=memory_id)
    unguarded = None if change in UNGUARDED_CHANGES else select_unguarded(actor, change)
    if change not in UNGUARDED_CHANGES and not POLICY_FIELDS.isdisjoint(values):
        _enforce_policy_on_result(actor, unchanged, values)
    with translate_integrity_errors():
        found = (unchanged if unguarded is None else unchanged.filter(unguarded)).update(
            **values,
            **language_of_change(values),
            **_clear_verification(values),
            **_state_provenance(actor, values),
            version=F("version") + 1,
            updated_at=Greatest(F("updated_at"), now),
        )
    if not found:
        if unguarded is not None and (guarded := unchanged.defer("search").first()):
            enforce_policy(actor, guarded, change)
        refuse_change(actor=actor, memory_id=memory_id, version=version, now=now)
    record_revisions(organization_id=actor.organization_id, signer=actor, memory_ids=[memory_id], change=change)
    memory = Memory.objects.in_organization(actor.organization_id).defer("search").get(pk=memory_id)
    refuse_earlier_expiry(actor=actor, memories=[memory])
    if memory.forgotten_at:
        drop_vectors([memory])
    elif not EMBEDDED_FIELDS.isdisjoint(values):
        embed_memories([memory])
        compare_changed([memory.pk])
    return memory


def _enforce_policy_on_result(actor: Actor, rows: MemoryQuerySet, values: Mapping[str, Any]) -> None:
    """Hold a change that makes a memory of a kind that the actor could not have saved at once, so that nobody saves
    something harmless first."""
    if may_save_anything(actor) or (present := rows.defer("search").first()) is None:
        return
    kind = {name: values.get(name, getattr(present, name)) for name in POLICY_FIELDS}
    raise_decision(decide_new(actor, kind), present)


# Changes that no policy holds: they say nothing new, or a person has decided on them.
UNGUARDED_CHANGES = frozenset(
    {Change.VERIFIED, Change.APPROVED, Change.REJECTED, Change.REOPENED, Change.PURGED, Change.PROPOSED}
)


def _state_provenance(actor: Actor, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return where a new text comes from: its caller, unless the change says so."""
    unstated = "content" in values and "provenance" not in values
    return {"provenance": provenance_of_caller(actor)} if unstated else {}


TEXT_FIELDS = ("content", "summary")


def _clear_verification(values: Mapping[str, Any]) -> dict[str, Case]:
    """Return the values that clear the verification if the text changes: nobody has checked the new one."""
    text = {name: values[name] for name in TEXT_FIELDS if name in values}
    if not text or "verified_at" in values:
        return {}
    return {
        "verified_at": Case(When(**text, then=F("verified_at"))),
        "verified_by": Case(When(**text, then=F("verified_by")), default=Value("")),
    }


def refuse_earlier_expiry(*, actor: Actor, memories: Sequence[Memory]) -> None:
    """Refuse a token that may not forget what makes a memory vanish earlier than it would have.

    The caller's transaction has written these versions and goes with the refusal. The version before each tells what
    was changed, even if others changed it, too.
    """
    expiring = {memory.pk: memory for memory in memories if memory.expires_at and memory.version > 1}
    if actor.may(Verb.FORGET) or not expiring:
        return
    history = Revision.objects.of_every_audience(actor.organization_id, expiring)
    earlier = history.filter(version__in={memory.version - 1 for memory in expiring.values()})
    for memory_id, version, expired_at in earlier.values_list("memory", "version", "expires_at"):
        after = expiring[memory_id]
        if version == after.version - 1 and after.expires_at and (expired_at is None or after.expires_at < expired_at):
            raise Forbidden("This token may not make a memory expire earlier: that needs the verb forget.")


def change_key_or_audience(
    *, actor: Actor, memory_id: UUID, change: Change, version: VersionCheck, now: datetime, values: Mapping[str, Any]
) -> Memory:
    """Change the key or the audience: the key must be free there, and is passed on to a namesake here."""
    before = lock_memory(actor=actor, memory_id=memory_id, version=version, now=now)
    key, audience = values.get("key", before.key), values.get("audience", before.audience)
    moved = (key, audience) != (before.key, before.audience)
    owning = {"owns_key": bool(key)} if moved else {}
    if moved and key:
        free_key(beside=before, audience=audience, key=key, now=now)
    written = {name: value for name, value in values.items() if name != "audience"}
    after = revise(
        actor=actor, memory_id=memory_id, change=change, version=before.version, now=now, values=written | owning
    )
    if moved and before.owns_key:
        hand_on_key(before, now=now)
    return after
