"""Proposing: a write that the team's policy holds becomes a proposal, which waits for a person's decision."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import wraps
from typing import Any, ParamSpec, cast
from uuid import UUID

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.utils import timezone

from memories.models import Change, Memory, Proposal, ProposalCause, ProposalState, ProposedOperation
from memories.operations.screen import Hold, screen_values
from memories.rules.fields import Unset
from memories.rules.policies import POLICY_FIELDS, Decision, Outcome, decide_change
from memories.rules.trust import resolve_provenance
from memoryhub.errors import Forbidden, TooMany
from memoryhub.prepared_statements import prepared_cursor
from teams.actor import Actor

MOST_OPEN = 500  # proposals of one author that wait at a time
FULL_FOR = 3600  # seconds after which it makes sense to try again
Arguments = ParamSpec("Arguments")


class NeedsApproval(Forbidden):
    """Stops a change that must become a proposal. Whoever does not turn it into one has refused it."""

    def __init__(
        self,
        memory: Memory,
        reason: str,
        *,
        cause: ProposalCause = ProposalCause.POLICY,
        findings: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        super().__init__(reason)
        self.memory, self.reason, self.cause, self.findings = memory, reason, cause, findings


def enforce_policy(actor: Actor, memory: Memory, change: Change) -> None:
    """Raise what the policy of the actor's team makes of this change, if it does not simply let it pass."""
    raise_decision(decide_change(actor, {name: getattr(memory, name) for name in POLICY_FIELDS}, change), memory)


def raise_decision(decision: Decision, memory: Memory) -> None:
    """Raise what a decision about this memory demands, if it does not save."""
    if decision.outcome is Outcome.REFUSE:
        raise Forbidden(decision.reason)
    if decision.outcome is Outcome.PROPOSE:
        raise NeedsApproval(memory, decision.reason)


def proposable(operation: ProposedOperation) -> Callable[[Callable[Arguments, Memory]], Callable[Arguments, Memory]]:
    """Let a held change become a proposal, which the caller gets as the unchanged memory with a `proposal_id`."""

    def decorate(change: Callable[Arguments, Memory]) -> Callable[Arguments, Memory]:
        @wraps(change)
        def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Memory:
            actor = cast(Actor, kwargs["actor"])
            origin = resolve_provenance(actor, cast(str | None, kwargs.get("provenance")))
            screened = screen_values(actor, kwargs, provenance=origin)
            kwargs.update(screened.values)
            try:
                memory = make_or_hold(
                    actor, cast(UUID, kwargs["memory_id"]), lambda: change(*args, **kwargs), screened.hold
                )
            except NeedsApproval as held:
                left_out = ("actor", "memory_id", "version", "now")
                arguments = {name: value for name, value in kwargs.items() if name not in left_out}
                memory = propose_change(operation, held, actor, arguments, now=cast(datetime | None, kwargs.get("now")))
            memory.screening = memory.screening or screened.report
            return memory

        return run

    return decorate


def make_or_hold(actor: Actor, memory_id: UUID, change: Callable[[], Memory], hold: Hold | None) -> Memory:
    """Make the change. If it is held, make it only to find out whether it can be made, and take it back."""
    try:
        with transaction.atomic():
            memory = change()
            if hold:
                raise NeedsApproval(memory, hold.reason, cause=hold.cause, findings=hold.findings)
            return memory
    except NeedsApproval as held:
        if held.cause == ProposalCause.SCREENING:  # it carries the memory with the change that was taken back
            held.memory = Memory.objects.in_organization(actor.organization_id).defer("search").get(pk=memory_id)
        raise


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldCall:
    """A call that is held, with the arguments with which an approval repeats it."""

    memory: Memory
    operation: ProposedOperation
    arguments: Mapping[str, Any]
    cause: ProposalCause
    reason: str
    findings: Sequence[Mapping[str, Any]] = ()

    @classmethod
    def of(cls, held: NeedsApproval, operation: ProposedOperation, arguments: Mapping[str, Any]) -> "HeldCall":
        given = {name: value for name, value in arguments.items() if not isinstance(value, Unset)}
        return cls(
            memory=held.memory,
            operation=operation,
            arguments=_as_json(given),
            cause=held.cause,
            reason=held.reason,
            findings=held.findings,
        )


def propose_change(
    operation: ProposedOperation,
    held: NeedsApproval,
    actor: Actor,
    arguments: Mapping[str, Any],
    *,
    now: datetime | None = None,
) -> Memory:
    """Record a held change. Returns the memory, unchanged, with the id of the proposal."""
    (memory,) = propose_calls(actor, [HeldCall.of(held, operation, arguments)], now=now or timezone.now())
    return memory


def propose_calls(actor: Actor, calls: Sequence[HeldCall], *, now: datetime) -> list[Memory]:
    """Record held changes of memories, in as many statements as for one. Returns the memories, unchanged, each with the
    id of its proposal."""
    for call, proposal_id in zip(calls, _record_calls(actor, calls, now=now), strict=True):
        call.memory.proposal_id = proposal_id
    return [call.memory for call in calls]


# The caller's own open proposals of the very same calls, among the newest of each memory: the text of many long ones
# takes time to compare.
FIND_SAME_CALLS = """
SELECT call.number, same.id
FROM jsonb_to_recordset(%(calls)s::jsonb)
    AS call (number integer, memory_id uuid, operation text, base_version integer, arguments jsonb)
CROSS JOIN LATERAL (
    SELECT id, arguments FROM memories_proposal
    WHERE organization_id = %(organization)s AND memory_id = call.memory_id AND operation = call.operation
        AND base_version = call.base_version AND state = %(state)s AND expires_at > %(now)s
        AND agent_id IS NOT DISTINCT FROM %(agent)s AND user_id IS NOT DISTINCT FROM %(user)s
    ORDER BY created_at DESC LIMIT %(newest)s
) AS same
WHERE same.arguments = call.arguments
"""
NEWEST_COMPARED = 3


@transaction.atomic
def _record_calls(actor: Actor, calls: Sequence[HeldCall], *, now: datetime) -> list[UUID]:
    """Return the proposals' ids. The same call again is the same proposal."""
    known = _find_same_calls(actor, calls, now=now)
    new = {number: call for number, call in enumerate(calls) if number not in known}
    if new:
        refuse_too_many_proposals(actor, len(new), now=now)
        made = Proposal.objects.bulk_create(_build_proposal(actor, call, now=now) for call in new.values())
        known |= {number: proposal.pk for number, proposal in zip(new, made, strict=True)}
    return [known[number] for number in range(len(calls))]


def _find_same_calls(actor: Actor, calls: Sequence[HeldCall], *, now: datetime) -> dict[int, UUID]:
    rows = [
        {
            "number": number,
            "memory_id": str(call.memory.pk),
            "operation": call.operation,
            "base_version": call.memory.version,
            "arguments": call.arguments,
        }
        for number, call in enumerate(calls)
    ]
    parameters: dict[str, Any] = {
        "calls": json.dumps(rows),
        "organization": actor.organization_id,
        "state": ProposalState.OPEN,
        "now": now,
        "agent": actor.agent_id,
        "user": actor.user_id,
        "newest": NEWEST_COMPARED,
    }
    with prepared_cursor() as cursor:
        cursor.execute(FIND_SAME_CALLS, parameters)
        return dict(cursor.fetchall())


def _build_proposal(actor: Actor, call: HeldCall, *, now: datetime) -> Proposal:
    values = build_proposal_values(
        actor,
        call.memory,
        operation=call.operation,
        provenance=resolve_provenance(actor, call.arguments.get("provenance")),
        cause=call.cause,
        reason=call.reason,
        now=now,
    )
    return Proposal(**values, arguments=call.arguments, findings=list(call.findings))


def build_proposal_values(
    actor: Actor,
    memory: Memory,
    *,
    operation: ProposedOperation,
    provenance: str,
    cause: ProposalCause,
    reason: str,
    now: datetime,
) -> dict[str, Any]:
    return {
        "organization_id": actor.organization_id,
        "memory_id": memory.pk,
        "operation": operation,
        "base_version": memory.version,
        "cause": cause,
        "reason": reason[:500],
        "provenance": provenance,
        "agent_id": actor.agent_id,
        "user_id": actor.user_id,
        "token_id": actor.token_id,
        "created_at": now,
        "expires_at": now + timedelta(days=settings.PROPOSAL_DAYS),
    }


def refuse_too_many_proposals(actor: Actor, number: int, *, now: datetime) -> None:
    """Refuse a caller whose proposals fill the inbox."""
    waiting = Proposal.objects.made_by_caller(actor).open(now=now)[: MOST_OPEN + 1].count()
    if waiting + number > MOST_OPEN:
        raise TooMany(
            f"{waiting:,} of your proposals wait for a decision; there can be {MOST_OPEN:,} at a time.",
            retry_after=FULL_FOR,
        )


def _as_json(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments as JSON keeps them, so that equal ones compare equal."""
    return cast(dict[str, Any], json.loads(json.dumps(dict(arguments), cls=DjangoJSONEncoder)))
