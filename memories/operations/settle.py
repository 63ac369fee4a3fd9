"""Settling: decide what becomes of two memories that say the same or contradict each other, and take that back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from memories.models import (
    TAG_COUNT,
    Asset,
    Association,
    Change,
    Memory,
    Pair,
    PairDecision,
    PairKind,
    PairState,
    Source,
)
from memories.operations.change import revert_memory, update_memory
from memories.operations.forget import forget_memory, restore_memory
from memories.operations.propose import enforce_policy
from memories.operations.revise import lock_memory
from memories.operations.supersede import reinstate_memory, supersede_memory
from memories.queries.pairs import NO_SUCH_PAIR
from memories.rules.access import require_verb
from memories.rules.fields import clean_fields
from memories.rules.policies import bypass_policy
from memoryhub.errors import Conflict, Forbidden, Invalid, NotFound
from teams.actor import Actor
from teams.models import Verb

TAKEN_BACK = "Somebody has changed these memories since."


@dataclass(frozen=True, kw_only=True, slots=True)
class Settlement:
    """A decision about a pair. `keep` is the memory that stays where one gives way, by default the newer one."""

    decision: str
    keep: UUID | None = None
    reason: str = ""
    content: str | None = None  # of the merged memory, by default that of the one that is kept


@transaction.atomic
def settle_pair(*, actor: Actor, pair_id: UUID, settlement: Settlement, now: datetime | None = None) -> Pair:
    """Carry out the decision and remember it. The pair is not found again as long as both texts stay as they are."""
    now = now or timezone.now()
    pair = _lock_pair(actor, pair_id)
    if pair.state != PairState.OPEN:
        raise Conflict(f"{pair.byline} has settled this pair already.", current=pair)
    reason = _check_settlement(actor, pair, settlement, now=now)
    kept, gone = _choose_kept(pair, settlement.keep)
    carry_out = CARRIED_OUT.get(settlement.decision)
    pair.undo = carry_out(actor, kept, gone, settlement, now) if carry_out else {}
    pair.kept = kept if carry_out else None
    pair.state, pair.decision, pair.reason = PairState.SETTLED, settlement.decision, reason
    pair.agent_id, pair.user_id, pair.settled_at, pair.updated_at = actor.agent_id, actor.user_id, now, now
    pair.save()
    return pair


@transaction.atomic
def reopen_pair(*, actor: Actor, pair_id: UUID, now: datetime | None = None) -> Pair:
    """Take the decision back: both memories are as they were before, unless somebody has changed them since."""
    now = now or timezone.now()
    pair = _lock_pair(actor, pair_id)
    if pair.state != PairState.SETTLED:
        raise Conflict("Nobody has settled this pair.", current=pair)
    if actor.agent_id and pair.agent_id != actor.agent_id:
        raise Forbidden("An agent takes back its own decisions only.")
    if take_back := TAKEN_BACK_BY.get(pair.decision):
        kept, gone = _choose_kept(pair, pair.kept)
        take_back(bypass_policy(actor), kept, gone, pair.undo, now)
    pair.undo, pair.kept, pair.settled_at = {}, None, None
    pair.state, pair.decision, pair.reason, pair.updated_at = PairState.OPEN, "", "", now
    pair.agent_id = pair.user_id = None
    pair.save()
    return pair


def _lock_pair(actor: Actor, pair_id: UUID) -> Pair:
    require_verb(actor, Verb.WRITE)
    pair = Pair.objects.in_organization(actor.organization_id).filter(pk=pair_id).select_for_update().first()
    if pair is None or not Pair.objects.visible_to(actor).filter(pk=pair_id).exists():
        raise NotFound(NO_SUCH_PAIR)
    if pair.audience not in actor.writes:
        raise Forbidden("You may read these memories, but not change them.")
    return pair


def _check_settlement(actor: Actor, pair: Pair, settlement: Settlement, *, now: datetime) -> str:
    """Return the reason, cleaned, or refuse the decision."""
    if settlement.decision not in PairDecision.values:
        raise Invalid({"decision": f"This must be one of {', '.join(PairDecision.values)}."})
    decision = PairDecision(settlement.decision)
    reason = str(clean_fields({"reason": settlement.reason}, now=now)["reason"])
    if decision is PairDecision.BOTH_HOLD and not reason:
        raise Invalid({"reason": "Say why both hold."})
    contradicts = pair.kind == PairKind.CONTRADICTION
    if contradicts and decision is PairDecision.NOT_DUPLICATE:
        raise Invalid({"decision": "These contradict each other: say both-hold, and why."})
    if contradicts and decision is PairDecision.BOTH_HOLD and actor.agent_id:
        raise Forbidden("Only people decide that both of two contradicting memories hold.")
    if settlement.keep and settlement.keep not in (pair.older_id, pair.newer_id):
        raise NotFound("There is no such memory in this pair.")
    if settlement.content is not None and decision is not PairDecision.MERGE:
        raise Invalid({"content": "Only a merge makes a new text."})
    return reason


def _choose_kept(pair: Pair, keep: UUID | None) -> tuple[UUID, UUID]:
    """Return the memory that stays and the one that gives way."""
    return (pair.older_id, pair.newer_id) if keep == pair.older_id else (pair.newer_id, pair.older_id)


# What each decision does


def _forget_other(actor: Actor, kept: UUID, gone: UUID, settlement: Settlement, now: datetime) -> dict[str, Any]:
    _require_freedom(actor, gone, Change.FORGOTTEN, now=now)
    reason = settlement.reason or "Another memory says it"
    return {"gone_version": forget_memory(actor=actor, memory_id=gone, reason=reason, now=now).version}


def _supersede_other(actor: Actor, kept: UUID, gone: UUID, settlement: Settlement, now: datetime) -> dict[str, Any]:
    _require_freedom(actor, gone, Change.SUPERSEDED, now=now)
    before = _read_version(kept)
    closed = supersede_memory(actor=actor, memory_id=gone, by=kept, now=now)
    return {"gone_version": closed.version, "kept_before": before, "kept_version": _read_version(kept)}


def _merge_other(actor: Actor, kept: UUID, gone: UUID, settlement: Settlement, now: datetime) -> dict[str, Any]:
    """Give the kept memory the joined text, the tags, links, sources and attachments of both, and let it replace the
    other, whose history stays with it."""
    _require_freedom(actor, kept, Change.UPDATED, now=now)
    _require_freedom(actor, gone, Change.SUPERSEDED, now=now)
    target = lock_memory(actor=actor, memory_id=kept, version=None, now=now)
    source = lock_memory(actor=actor, memory_id=gone, version=None, now=now)
    before = target.version
    changes: dict[str, Any] = {"tags": list(dict.fromkeys([*target.tags, *source.tags]))[:TAG_COUNT]}
    if settlement.content is not None and settlement.content != target.content:
        changes["content"] = settlement.content
    updated = update_memory(actor=actor, memory_id=kept, version=before, now=now, **changes)
    if updated.proposal_id:  # which goes with this refusal
        raise Forbidden("The merged text needs a person's approval. Propose it as a change instead.")
    moved = _move_belongings(source, target)
    closed = supersede_memory(actor=actor, memory_id=gone, by=kept, now=now)
    return {"gone_version": closed.version, "kept_before": before, "kept_version": _read_version(kept), "moved": moved}


def _require_freedom(actor: Actor, memory_id: UUID, change: Change, *, now: datetime) -> None:
    """Refuse what the team's policy does not let the actor do at once."""
    memory = Memory.objects.writable_by(actor, now=now).filter(pk=memory_id).defer("search").first()
    if memory is None:
        raise NotFound("There is no such memory.")
    enforce_policy(actor, memory, change)


def _read_version(memory_id: UUID) -> int:
    return Memory.objects.values_list("version", flat=True).get(pk=memory_id)


SettlementStep = Callable[[Actor, UUID, UUID, Settlement, datetime], dict[str, Any]]
CARRIED_OUT: Mapping[str, SettlementStep] = {
    PairDecision.KEEP: _forget_other,
    PairDecision.SUPERSEDE: _supersede_other,
    PairDecision.MERGE: _merge_other,
}


def _move_belongings(source: Memory, target: Memory) -> dict[str, list[str]]:
    """Give the target the sources, attachments and links of the other memory. Returns the ids of what was moved."""
    moved: dict[str, list[str]] = {}
    for name, model in (("assets", Asset), ("sources", Source)):
        rows = model.objects.of_memory(source)
        moved[name] = [str(pk) for pk in rows.values_list("pk", flat=True)]
        rows.update(memory_id=target.pk)
    links = Association.objects.in_organization(source.organization_id)
    for mine, theirs in (("origin", "target"), ("target", "origin")):
        held = set(links.filter(**{mine: target.pk}).values_list(theirs, "relation"))
        others = links.filter(**{mine: source.pk}).exclude(**{theirs: target.pk})
        free = [row.pk for row in others if (getattr(row, f"{theirs}_id"), row.relation) not in held]
        links.filter(pk__in=free).update(**{f"{mine}_id": target.pk})
        moved[mine] = [str(pk) for pk in free]
    return moved


# And how it is taken back


def _restore_other(actor: Actor, kept: UUID, gone: UUID, undo: Mapping[str, Any], now: datetime) -> None:
    restore_memory(actor=actor, memory_id=gone, version=undo["gone_version"], now=now)


def _reinstate_other(actor: Actor, kept: UUID, gone: UUID, undo: Mapping[str, Any], now: datetime) -> None:
    if (_read_version(kept), _read_version(gone)) != (undo["kept_version"], undo["gone_version"]):
        raise Conflict(TAKEN_BACK)
    reinstate_memory(actor=actor, memory_id=gone, now=now)
    if undo["kept_before"] != undo["kept_version"]:
        revert_memory(actor=actor, memory_id=kept, to_version=undo["kept_before"], now=now)


def _split_again(actor: Actor, kept: UUID, gone: UUID, undo: Mapping[str, Any], now: datetime) -> None:
    _reinstate_other(actor, kept, gone, undo, now)
    moved, organization = undo["moved"], actor.organization_id
    for name, model in (("assets", Asset), ("sources", Source)):
        model.objects.in_organization(organization).filter(pk__in=moved[name], memory=kept).update(memory_id=gone)
    for mine in ("origin", "target"):
        rows = Association.objects.in_organization(organization).filter(pk__in=moved[mine], **{mine: kept})
        rows.update(**{f"{mine}_id": gone})


TakeBack = Callable[[Actor, UUID, UUID, Mapping[str, Any], datetime], None]
TAKEN_BACK_BY: Mapping[str, TakeBack] = {
    PairDecision.KEEP: _restore_other,
    PairDecision.SUPERSEDE: _reinstate_other,
    PairDecision.MERGE: _split_again,
}
