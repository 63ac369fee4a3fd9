"""Use cases of the review queue, for people alone."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from memories import operations
from memories.contract import outputs
from memories.models import Feedback, Proposal
from memories.queries.feedback import list_reports
from memories.queries.proposed_change import preview_proposals
from memories.queries.review import count_by_kind, list_review_items
from teams.actor import Actor


def list_review(actor: Actor, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return a page of what waits for this person, what has waited longest first."""
    now = timezone.now()
    kinds = [params["kind"]] if "kind" in params else ()
    page = list_review_items(actor=actor, now=now, kinds=kinds, limit=params["limit"], cursor=params.get("cursor"))
    previews = preview_proposals([item.row for item in page.items if isinstance(item.row, Proposal)])
    reports = list_reports([item.row for item in page.items if isinstance(item.row, Feedback)])
    items = [
        outputs.render_review_item(item, previews.get(item.row.pk), reports.get(item.row.pk, ())) for item in page.items
    ]
    return {"items": items, "counts": count_by_kind(actor=actor, now=now), "next": page.next}


def approve_proposal(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Make the proposed write, and return the memory."""
    return outputs.render_memory(operations.approve_proposal(actor=actor, **arguments))


def reject_proposal(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Refuse the proposed write, and return the proposal."""
    note = arguments.get("reason", "")
    return outputs.render_proposal(
        operations.reject_proposal(actor=actor, proposal_id=arguments["proposal_id"], note=note)
    )


def merge_proposal(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Give another memory the joined text, and return it."""
    return outputs.render_memory(operations.merge_proposal(actor=actor, **arguments))


def reopen_proposal(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Undo a decision, and return the proposal."""
    return outputs.render_proposal(operations.reopen_proposal(actor=actor, proposal_id=arguments["proposal_id"]))
