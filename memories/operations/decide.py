"""Decisions about proposals: approve, reject, merge into another memory, withdraw, reopen and expire them.

Only people decide, and nobody decides about a proposal of their own. Whoever decides locks the proposal first, so that
of two decisions one is made and the other is told of it.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from memories.models import (
    MOMENT_ARGUMENTS,
    Change,
    Memory,
    Proposal,
    ProposalState,
    ProposedOperation,
    Provenance,
    Revision,
    Status,
)
from memories.operations.belongings import carry_belongings, merge_memories, return_belongings
from memories.operations.change import (
    append_text,
    pin_memory,
    revert_memory,
    set_expiry,
    tag_memory,
)
from memories.operations.embed import drop_vectors
from memories.operations.forget import forget_memory, restore_memory
from memories.operations.keys import hand_on_key
from memories.operations.record import record_revisions
from memories.operations.revise import change_key_or_audience, lock_memory, revise
from memories.operations.screen import screen_values
from memories.operations.similarity import link_similar
from memories.operations.supersede import reinstate_memory, supersede_memory
from memories.rules.access import require_verb
from memories.rules.fields import MEMORY_FIELDS, clean_fields
from memories.rules.policies import bypass_policy
from memories.rules.preconditions import VersionCheck
from memories.rules.trust import lower_provenance
from memories.text.merge import merge_text
from memoryhub.errors import Conflict, Forbidden, KeyTaken, NotFound
from teams.actor import Actor
from teams.models import Verb

EXPIRY_BATCH = 500
NO_SUCH_PROPOSAL = "There is no such proposal."


class MergeNeeded(Conflict):
    """Reports that the proposed text and the present one changed the same place, so that a person has to join them."""

    code = "merge_needed"

    def __init__(self, memory: Memory, *, base: str, proposed: str) -> None:
        super().__init__("The memory has changed in the same place since. Edit the text, then approve.", current=memory)
        self.base, self.proposed = base, proposed


@transaction.atomic
def approve_proposal(
    *,
    actor: Actor,
    proposal_id: UUID,
    edits: Mapping[str, Any] | None = None,
    replaces: UUID | None = None,
    version: VersionCheck = None,
    note: str = "",
    now: datetime | None = None,
) -> Memory:
    """Make the proposed write. With `edits`, the proposed fields are changed before; with `replaces`, a new memory
    closes that one. With a `version`, a change is only made on top of it."""
    now = now or timezone.now()
    proposal = _lock_for_decision(actor, proposal_id, now=now)
    deciding = bypass_policy(actor)
    edits = screen_values(deciding, edits or {}).values
    if proposal.is_new_memory:
        memory = _accept_new_memory(deciding, proposal, edits, now=now)
    elif replaces:
        raise Conflict("Only a new memory can replace another one.")
    else:
        memory = _apply_change(deciding, proposal, edits, version=version, now=now)
    if replaces:
        supersede_memory(actor=deciding, memory_id=replaces, by=memory.pk, now=now)
        memory.refresh_from_db()
    _settle(proposal, ProposalState.APPROVED, actor, note=note, now=now, applied_version=memory.version)
    return memory


@transaction.atomic
def reject_proposal(*, actor: Actor, proposal_id: UUID, note: str = "", now: datetime | None = None) -> Proposal:
    """Refuse the proposed write. A rejected new memory is gone from every read, for its proposer, too."""
    now = now or timezone.now()
    proposal = _lock_for_decision(actor, proposal_id, now=now)
    if proposal.is_new_memory:
        _reject_new_memory(actor, proposal, note=note, now=now)
    return _settle(proposal, ProposalState.REJECTED, actor, note=note, now=now)


@transaction.atomic
def merge_proposal(
    *,
    actor: Actor,
    proposal_id: UUID,
    target_id: UUID,
    content: str,
    version: int | None = None,
    note: str = "",
    now: datetime | None = None,
) -> Memory:
    """Give another memory the joined text and what belongs to the proposed one, and reject that as a part of it."""
    now = now or timezone.now()
    proposal = _lock_for_decision(actor, proposal_id, now=now)
    if not proposal.is_new_memory or target_id == proposal.memory_id:
        raise Conflict("Only a new memory can be merged into another one.")
    deciding = bypass_policy(actor)
    target = lock_memory(actor=deciding, memory_id=target_id, version=version, now=now)
    source = Memory.objects.in_organization(actor.organization_id).defer("search").get(pk=proposal.memory_id)
    merged, proposal.undo = merge_memories(actor=deciding, source=source, target=target, content=content, now=now)
    _reject_new_memory(actor, proposal, note=note or "Merged into another memory", now=now, superseded_by=target_id)
    _settle(proposal, ProposalState.APPROVED, actor, note=note, now=now, applied_version=merged.version)
    return merged


@transaction.atomic
def withdraw_proposal(*, actor: Actor, proposal_id: UUID, now: datetime | None = None) -> Proposal:
    """Take back a proposal of one's own that waits for a decision."""
    require_verb(actor, Verb.WRITE)
    now = now or timezone.now()
    rows = Proposal.objects.withdrawable_by(actor).with_authors().filter(pk=proposal_id)
    proposal = rows.select_for_update(of=("self",)).first()
    if proposal is None:
        raise NotFound(NO_SUCH_PROPOSAL)
    _require_open(proposal, now=now)
    if proposal.is_new_memory:
        _reject_new_memory(actor, proposal, note="Withdrawn", now=now)
    return _settle(proposal, ProposalState.WITHDRAWN, actor, note="", now=now)


@transaction.atomic
def reopen_proposal(*, actor: Actor, proposal_id: UUID, now: datetime | None = None) -> Proposal:
    """Undo a decision: the proposal waits again. What an approval changed is taken back, unless somebody has changed
    the memory since."""
    now = now or timezone.now()
    proposal = _lock(actor, proposal_id)
    if proposal.state not in (ProposalState.APPROVED, ProposalState.REJECTED):
        raise Conflict("Nobody has decided about this proposal.")
    if proposal.state == ProposalState.APPROVED and not proposal.is_new_memory:
        _take_back_change(bypass_policy(actor), proposal, now=now)
    elif proposal.is_new_memory:
        _propose_memory_again(bypass_policy(actor), proposal, now=now)
    proposal.state, proposal.decided_at, proposal.decided_by, proposal.decision_note = (
        ProposalState.OPEN,
        None,
        None,
        "",
    )
    proposal.applied_version, proposal.undo = None, {}
    proposal.expires_at = max(proposal.expires_at, now + (proposal.expires_at - proposal.created_at))
    proposal.save()
    return proposal


def expire_proposals(*, now: datetime) -> int:
    """Close the proposals that nobody decided about in time. Returns how many."""
    total = 0
    while closed := _expire_batch(now=now):
        total += closed
    return total


@transaction.atomic(savepoint=False)
def _expire_batch(*, now: datetime) -> int:
    outdated = (
        Proposal.objects.outdated(now=now).order_by("expires_at").select_for_update(of=("self",), skip_locked=True)
    )
    proposals = list(outdated[:EXPIRY_BATCH])
    for proposal in proposals:
        if proposal.is_new_memory:
            _reject_row(proposal, now=now, note="No one decided about this proposal in time.", by="system", signer=None)
        _settle(proposal, ProposalState.EXPIRED, None, note="", now=now)
    return len(proposals)


# Who may decide


def _lock(actor: Actor, proposal_id: UUID) -> Proposal:
    require_verb(actor, Verb.WRITE)
    rows = Proposal.objects.visible_to(actor).filter(pk=proposal_id)
    if not rows.exists():
        raise NotFound(NO_SUCH_PROPOSAL)
    if actor.agent_id or actor.user_id is None:
        raise Forbidden("Only people decide about proposals.")
    proposal = Proposal.objects.reviewable_by(actor).filter(pk=proposal_id).select_for_update(of=("self",)).first()
    if proposal is None:
        raise Forbidden("You may see this proposal, but not decide about it.")
    if proposal.agent_id is None and proposal.user_id == actor.user_id:
        raise Forbidden("Nobody decides about a proposal of their own.")
    return proposal


def _lock_for_decision(actor: Actor, proposal_id: UUID, *, now: datetime) -> Proposal:
    proposal = _lock(actor, proposal_id)
    _require_open(proposal, now=now)
    return proposal


def _require_open(proposal: Proposal, *, now: datetime) -> None:
    if proposal.state != ProposalState.OPEN:
        who = proposal.decided_by.get_username() if proposal.decided_by else "Somebody"
        raise Conflict(f"{who} has {proposal.state} this proposal already.", current=proposal)
    if proposal.expires_at <= now:
        raise Conflict("This proposal has expired.", current=proposal)


def _settle(
    proposal: Proposal,
    state: ProposalState,
    actor: Actor | None,
    *,
    note: str,
    now: datetime,
    applied_version: int | None = None,
) -> Proposal:
    proposal.state, proposal.decided_at = state, now
    proposal.decided_by_id = actor.user_id if actor else None
    proposal.decision_note = clean_fields({"reason": note}, now=now)["reason"]
    proposal.applied_version = applied_version
    proposal.save()
    return proposal


# New memories


def _accept_new_memory(actor: Actor, proposal: Proposal, edits: Mapping[str, Any], *, now: datetime) -> Memory:
    rows = Memory.objects.in_organization(actor.organization_id).filter(
        pk=proposal.memory_id, status=Status.PROPOSED, forgotten_at=None
    )
    memory = rows.defer("search").select_for_update(of=("self",)).first()
    if memory is None:
        raise Conflict("The proposed memory is gone.")
    values = clean_fields(edits, now=now) if edits else {}
    if "content" in values:
        values.setdefault("summary", "")
    if memory.expires_at and memory.expires_at <= now and "expires_at" not in values:
        values["expires_at"] = None
    key = values.get("key", memory.key)

    def accept(**more: Any) -> Memory:
        return revise(
            actor=actor,
            memory_id=memory.pk,
            change=Change.APPROVED,
            version=None,
            now=now,
            values={**values, "provenance": memory.provenance, "status": Status.ACTIVE, **more},
            rows=rows,
        )

    try:
        with transaction.atomic():
            accepted = accept(owns_key=bool(key))
    except KeyTaken:
        return _update_owner(actor, proposal, memory, values, key=key, now=now)
    link_similar([accepted.pk])
    return accepted


def _update_owner(
    actor: Actor, proposal: Proposal, memory: Memory, values: Mapping[str, Any], *, key: str, now: datetime
) -> Memory:
    """Save the proposed text to the memory that owns the key by now, as saving a key does."""
    beside = Memory.objects.alive(now=now).in_slot(memory.organization_id, memory.audience, memory.workspace_id)
    owner = beside.filter(owns_key=True, key=key).defer("search").first()
    if owner is None:
        raise Conflict("The key of this proposal has just been taken. Try again.")
    taken = [name for name in MEMORY_FIELDS if name != "key" and name not in MOMENT_ARGUMENTS]
    changes = {name: values.get(name, getattr(memory, name)) for name in taken}
    updated = revise(
        actor=actor,
        memory_id=owner.pk,
        change=Change.APPROVED,
        version=None,
        now=now,
        values={**changes, "provenance": memory.provenance},
    )
    proposal.undo = carry_belongings(memory, updated)
    _reject_row(
        proposal,
        now=now,
        note="Saved as a new version of the memory that owns its key",
        by=actor.name,
        signer=actor,
        superseded_by=owner.pk,
    )
    return updated


def _reject_new_memory(
    actor: Actor, proposal: Proposal, *, note: str, now: datetime, superseded_by: UUID | None = None
) -> None:
    _reject_row(proposal, now=now, note=note, by=actor.name, signer=actor, superseded_by=superseded_by)


def _reject_row(
    proposal: Proposal,
    *,
    now: datetime,
    note: str,
    by: str,
    signer: Actor | None,
    superseded_by: UUID | None = None,
) -> None:
    reason = clean_fields({"reason": note}, now=now)["reason"]
    rows = Memory.objects.in_organization(proposal.organization_id).filter(
        pk=proposal.memory_id, status=Status.PROPOSED
    )
    changed = rows.update(
        status=Status.REJECTED,
        superseded_by=superseded_by,
        forgotten_at=now,
        forgotten_by=by,
        forget_reason=reason,
        version=F("version") + 1,
        updated_at=now,
    )
    if changed:
        record_revisions(
            organization_id=proposal.organization_id,
            signer=signer,
            memory_ids=[proposal.memory_id],
            change=Change.REJECTED,
        )
        drop_vectors([proposal.memory])


def _propose_memory_again(actor: Actor, proposal: Proposal, *, now: datetime) -> None:
    rows = Memory.objects.in_organization(actor.organization_id).filter(pk=proposal.memory_id, purged_at=None)
    memory = rows.defer("search").select_for_update(of=("self",)).first()
    if memory is None:
        raise Conflict("The proposed memory is gone.")
    if memory.status == Status.ACTIVE and (memory.forgotten_at or memory.version != proposal.applied_version):
        raise Conflict("Somebody has changed this memory since it was approved.")
    if memory.status == Status.REJECTED and memory.superseded_by:
        _take_back_version(actor, memory.superseded_by, proposal.applied_version or 0, now=now)
        return_belongings(
            organization_id=actor.organization_id,
            moved=proposal.undo,
            source_id=memory.pk,
            target_id=memory.superseded_by,
        )
    back = {"forgotten_at": None, "forgotten_by": "", "forget_reason": "", "superseded_by": None}
    values = {**back, "status": Status.PROPOSED, "owns_key": False, "provenance": memory.provenance}
    revise(actor=actor, memory_id=memory.pk, change=Change.REOPENED, version=None, now=now, values=values, rows=rows)
    if memory.owns_key:
        hand_on_key(memory, now=now)
    for replaced in Memory.objects.writable_by(actor, now=now).filter(superseded_by=memory.pk).values_list("pk"):
        reinstate_memory(actor=actor, memory_id=replaced[0], now=now)


# Changes


def _apply_change(
    actor: Actor, proposal: Proposal, edits: Mapping[str, Any], *, version: VersionCheck, now: datetime
) -> Memory:
    present = lock_memory(actor=actor, memory_id=proposal.memory_id, version=version, now=now)
    arguments = {**proposal.read_arguments(), **edits}
    arguments.pop("provenance", None)  # the proposal has it
    match proposal.operation:
        case ProposedOperation.UPDATE:
            return _apply_update(actor, proposal, present, arguments, merge="content" not in edits, now=now)
        case ProposedOperation.APPEND if edits:
            return _revise_as_proposed(actor, proposal, clean_fields(edits, now=now), joined=True, now=now)
        case ProposedOperation.APPEND:
            values = {"content": append_text(arguments["text"], now=now), "summary": ""}
            return _revise_as_proposed(actor, proposal, values, joined=True, now=now)
    act = REPEATED_OPERATIONS[ProposedOperation(proposal.operation)]
    return act(actor=actor, memory_id=present.pk, now=now, **arguments)


REPEATED_OPERATIONS: Mapping[ProposedOperation, Callable[..., Memory]] = {
    ProposedOperation.PIN: pin_memory,
    ProposedOperation.TAG: tag_memory,
    ProposedOperation.EXPIRE: set_expiry,
    ProposedOperation.REVERT: revert_memory,
    ProposedOperation.SUPERSEDE: supersede_memory,
    ProposedOperation.FORGET: forget_memory,
}


def _apply_update(
    actor: Actor, proposal: Proposal, present: Memory, changes: Mapping[str, Any], *, merge: bool, now: datetime
) -> Memory:
    values = clean_fields(changes, now=now)
    joined = merge and present.version != proposal.base_version
    if "content" in values:
        values.setdefault("summary", "")
        if joined:
            values["content"] = _merge_content(proposal, present, values["content"])
    return _revise_as_proposed(actor, proposal, values, joined=joined, now=now)


def _merge_content(proposal: Proposal, present: Memory, proposed: str) -> str:
    """Return the proposed text with what others have changed since."""
    history = Revision.objects.of_every_audience(present.organization_id, [present.pk])
    base = history.filter(version=proposal.base_version).values_list("content", flat=True).first() or ""
    merged = merge_text(base=base, theirs=present.content, yours=proposed)
    if merged.conflict:
        raise MergeNeeded(present, base=base, proposed=proposed)
    return merged.together


def _revise_as_proposed(
    actor: Actor, proposal: Proposal, values: Mapping[str, Any], *, joined: bool, now: datetime
) -> Memory:
    """Write the proposed values. A text that is joined with the present one is as little trusted as either."""
    origin = Provenance(proposal.provenance)
    if "content" in values and not joined:
        values = {**values, "provenance": origin}
    elif "content" in values or "provenance" in proposal.arguments:
        values = {**values, "provenance": lower_provenance(origin)}
    write = change_key_or_audience if "key" in values else revise
    return write(
        actor=actor, memory_id=proposal.memory_id, change=Change.APPROVED, version=None, now=now, values=values
    )


def _take_back_change(actor: Actor, proposal: Proposal, *, now: datetime) -> None:
    applied, memory_id = proposal.applied_version or 0, proposal.memory_id
    match proposal.operation:
        case ProposedOperation.FORGET:
            restore_memory(actor=actor, memory_id=memory_id, version=applied, now=now)
        case ProposedOperation.SUPERSEDE:
            reinstate_memory(actor=actor, memory_id=memory_id, version=applied, now=now)
        case _:
            _take_back_version(actor, memory_id, applied, now=now)


def _take_back_version(actor: Actor, memory_id: UUID, version: int, *, now: datetime) -> None:
    rows = Memory.objects.writable_by(actor, now=now).filter(pk=memory_id, version=version)
    if version < 2 or not rows.exists():
        raise Conflict("Somebody has changed this memory since the change was approved.")
    revert_memory(actor=actor, memory_id=memory_id, to_version=version - 1, version=version, now=now)
