"""Settling: decide what becomes of two memories that say the same or contradict each other, and take that back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from memories.models import Association, Change, Memory, Pair, PairDecision, PairKind, PairState, Relation
from memories.operations.belongings import merge_memories, return_belongings
from memories.operations.change import revert_memory
from memories.operations.forget import forget_memory, restore_memory
from memories.operations.legal_holds import refuse_if_held
from memories.operations.propose import enforce_policy
from memories.operations.record import refuse_change
from memories.operations.revise import lock_memory
from memories.operations.supersede import lock_replacements, reinstate_memory, supersede_memory
from memories.queries.pairs import NO_SUCH_PAIR
from memories.rules import access
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
    content: str | None = None  # text of the merged memory; by default the kept one's


@transaction.atomic
def settle_pair(*, actor: Actor, pair_id: UUID, settlement: Settlement, now: datetime | None = None) -> Pair:
    """Carry out the decision and remember it. The pair is not found again as long as both texts stay as they are."""
    now = now or timezone.now()
    pair = _lock_pair(actor, pair_id)
    if pair.state != PairState.OPEN:
        raise Conflict(f"{pair.byline} has settled this pair already.", current=pair)
    reason = _check_settlement(actor, pair, settlement, now=now)
    kept_id, other_id = _choose_kept(pair, settlement.keep)
    carry_out = SETTLEMENT_STEPS.get(settlement.decision)
    pair.undo = carry_out(actor, kept_id, other_id, settlement, now) if carry_out else {}
    pair.kept = kept_id if carry_out else None
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
    if take_back := UNDO_STEPS.get(pair.decision):
        kept_id, other_id = _choose_kept(pair, pair.kept)
        undoing = actor if actor.agent_id else bypass_policy(actor)  # an agent's policy may be another by now
        take_back(undoing, kept_id, other_id, pair.undo, now)
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
    if not access.may_write(actor, pair.audience):
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
        raise Invalid({"decision": "These memories contradict each other. Use both-hold and give a reason."})
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


def _forget_other(actor: Actor, kept_id: UUID, other_id: UUID, settlement: Settlement, now: datetime) -> dict[str, Any]:
    owned = _require_allowed(actor, other_id, Change.FORGOTTEN, now=now).owns_key
    reason = settlement.reason or "Another memory says it"
    forgotten = forget_memory(actor=actor, memory_id=other_id, reason=reason, now=now)
    return {"gone_version": forgotten.version, "gone_owned_key": owned}


def _supersede_other(
    actor: Actor, kept_id: UUID, other_id: UUID, settlement: Settlement, now: datetime
) -> dict[str, Any]:
    _require_allowed(actor, other_id, Change.SUPERSEDED, now=now)
    return _replace_other(actor, kept_id, other_id, before=_read_version(kept_id), now=now)


def _merge_other(actor: Actor, kept_id: UUID, other_id: UUID, settlement: Settlement, now: datetime) -> dict[str, Any]:
    """Give the kept memory the joined text, the tags, links, sources and attachments of both, and let it replace the
    other, whose history stays with it."""
    _require_allowed(actor, kept_id, Change.UPDATED, now=now)
    audience = _require_allowed(actor, other_id, Change.SUPERSEDED, now=now).audience
    lock_replacements(audience)
    target = lock_memory(actor=actor, memory_id=kept_id, version=None, now=now)
    source = lock_memory(actor=actor, memory_id=other_id, version=None, now=now)
    _, moved = merge_memories(actor=actor, source=source, target=target, content=settlement.content, now=now)
    return {**_replace_other(actor, kept_id, other_id, before=target.version, now=now), "moved": moved}


def _replace_other(actor: Actor, kept_id: UUID, other_id: UUID, *, before: int, now: datetime) -> dict[str, Any]:
    """Let the kept memory replace the other one. Returns what taking that back needs."""
    link = _find_replacing_link(actor, kept_id, other_id).first()
    owned = Memory.objects.filter(pk=other_id, owns_key=True).exists()
    closed = supersede_memory(actor=actor, memory_id=other_id, by=kept_id, now=now)
    return {
        "gone_version": closed.version,
        "kept_before": before,
        "kept_version": _read_version(kept_id),
        "link_weight": link.weight if link else None,
        "gone_owned_key": owned and not closed.owns_key,
    }


def _find_replacing_link(actor: Actor, kept_id: UUID, other_id: UUID) -> QuerySet[Association]:
    links = Association.objects.in_organization(actor.organization_id)
    return links.filter(origin=kept_id, target=other_id, relation=Relation.UPDATES)


def _require_allowed(actor: Actor, memory_id: UUID, change: Change, *, now: datetime) -> Memory:
    """Return the memory, or refuse what the team's policy does not let the actor do at once."""
    memory = Memory.objects.writable_by(actor, now=now).filter(pk=memory_id).defer("search").first()
    if memory is None:
        refuse_change(actor=actor, memory_id=memory_id, version=None, now=now)
    enforce_policy(actor, memory, change)
    return memory


def _read_version(memory_id: UUID) -> int:
    return Memory.objects.values_list("version", flat=True).get(pk=memory_id)


SettlementStep = Callable[[Actor, UUID, UUID, Settlement, datetime], dict[str, Any]]
SETTLEMENT_STEPS: Mapping[str, SettlementStep] = {
    PairDecision.KEEP: _forget_other,
    PairDecision.SUPERSEDE: _supersede_other,
    PairDecision.MERGE: _merge_other,
}


# And how it is taken back


def _restore_other(actor: Actor, kept_id: UUID, other_id: UUID, undo: Mapping[str, Any], now: datetime) -> None:
    restore_memory(actor=actor, memory_id=other_id, version=undo["gone_version"], now=now)
    if undo.get("gone_owned_key"):
        _return_key(kept_id, other_id)


def _reinstate_other(actor: Actor, kept_id: UUID, other_id: UUID, undo: Mapping[str, Any], now: datetime) -> None:
    if (_read_version(kept_id), _read_version(other_id)) != (undo["kept_version"], undo["gone_version"]):
        raise Conflict(TAKEN_BACK)
    reinstate_memory(actor=actor, memory_id=other_id, now=now)
    if undo["kept_before"] != undo["kept_version"]:
        reverted = revert_memory(actor=actor, memory_id=kept_id, to_version=undo["kept_before"], now=now)
        if reverted.proposal_id:  # which goes with this refusal
            raise Forbidden("Taking this back needs a person's approval.")
    _restore_link(actor, kept_id, other_id, undo)
    if undo.get("gone_owned_key"):
        _return_key(kept_id, other_id)


def _restore_link(actor: Actor, kept_id: UUID, other_id: UUID, undo: Mapping[str, Any]) -> None:
    """Take back the link that the replacement has drawn, or give it the weight that it had."""
    link = _find_replacing_link(actor, kept_id, other_id)
    if "link_weight" in undo and undo["link_weight"] is None:
        refuse_if_held(actor.organization_id, kept_id, other_id)
        link.delete()
    elif "link_weight" in undo:
        link.update(weight=undo["link_weight"])


def _return_key(kept_id: UUID, other_id: UUID) -> None:
    """Let the reinstated memory own its key again, unless a third one does by now."""
    key = Memory.objects.values_list("key", flat=True).get(pk=other_id)
    if Memory.objects.filter(pk=kept_id, key=key, owns_key=True).update(owns_key=False):
        Memory.objects.filter(pk=other_id).update(owns_key=True)


def _split_again(actor: Actor, kept_id: UUID, other_id: UUID, undo: Mapping[str, Any], now: datetime) -> None:
    _reinstate_other(actor, kept_id, other_id, undo, now)
    return_belongings(organization_id=actor.organization_id, moved=undo["moved"], source_id=other_id, target_id=kept_id)


TakeBack = Callable[[Actor, UUID, UUID, Mapping[str, Any], datetime], None]
UNDO_STEPS: Mapping[str, TakeBack] = {
    PairDecision.KEEP: _restore_other,
    PairDecision.SUPERSEDE: _reinstate_other,
    PairDecision.MERGE: _split_again,
}
