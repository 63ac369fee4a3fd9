"""Use cases of proposals and of replaced memories."""

from collections.abc import Mapping
from typing import Any

from memories import operations
from memories.contract import outputs
from memories.contract.use_cases.memories import memory_or_receipt
from memories.models import Proposal
from memories.queries.lookup import find_proposal, list_key_timeline, no_such_key
from memories.queries.paging import PAGE_TEXT_LENGTH, fetch_page
from memories.rules.access import require_verb
from teams.actor import Actor
from teams.models import Verb


def list_proposals(actor: Actor, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return a page of the caller's own proposals, the newest first."""
    require_verb(actor, Verb.READ)
    rows = Proposal.objects.visible_to(actor).with_authors().select_related("decided_by")
    if "state" in params:
        rows = rows.filter(state=params["state"])
    page = fetch_page(
        rows, order="-created_at", limit=params["limit"], cursor=params.get("cursor"), length=PAGE_TEXT_LENGTH
    )
    return page.to_dict("proposals", outputs.render_proposal)


def get_proposal(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return a proposal of the caller."""
    return outputs.render_proposal(find_proposal(actor=actor, proposal_id=arguments["proposal_id"]))


def withdraw_proposal(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Take back a proposal of the caller, and return it; to a token that may not read, without the held text."""
    proposal = outputs.render_proposal(operations.withdraw_proposal(actor=actor, proposal_id=arguments["proposal_id"]))
    return proposal if actor.may(Verb.READ) else proposal | {"arguments": {}}


def supersede_memory(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Record that another memory holds instead, and return the closed one."""
    return memory_or_receipt(actor, operations.supersede_memory(actor=actor, **arguments))


def reinstate_memory(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Let a replaced memory hold again."""
    return memory_or_receipt(actor, operations.reinstate_memory(actor=actor, **arguments))


def list_timeline(actor: Actor, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the memories that have had a key in a scope, with their periods, the newest first."""
    rows = list_key_timeline(actor=actor, key=params["key"], scope=params["scope"], known_at=params.get("known_at"))
    if not rows:
        raise no_such_key(params["key"], params["scope"])
    return {"memories": [outputs.render_memory(row) for row in rows]}
