"""REST: the review queue, for tools of people, with a browser's session. No token sees or decides anything here."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api.framework import PersonAuthentication, actor_of
from memories.api.openapi import endpoint
from memories.contract import inputs, output_schemas
from memories.contract.use_cases import anchors, feedback, pairs
from memories.contract.use_cases import review as use_cases
from memories.queries.review import REVIEW_KINDS

QUEUE_ITEM = {
    "kind": "proposals",
    "id": output_schemas.PROPOSAL_EXAMPLE["id"],
    "since": output_schemas.PROPOSAL_EXAMPLE["created_at"],
    "memory": output_schemas.MEMORY_EXAMPLE,
    "proposal": output_schemas.PROPOSAL_EXAMPLE,
    "changes": [{"field": "content", "old": "We ship on Fridays.", "new": "We ship on Tuesdays."}],
    "conflict": False,
}


class PeopleView(APIView):
    authentication_classes = (PersonAuthentication,)


class Review(PeopleView):
    @endpoint(
        operation="listReview",
        summary="List what waits for your decision",
        query=inputs.REVIEW,
        response=output_schemas.REVIEW,
        answer={"items": [QUEUE_ITEM], "counts": dict.fromkeys(REVIEW_KINDS, 0) | {"proposals": 1}, "next": None},
        of_people=True,
    )
    def get(self, request: Request, params: Mapping[str, Any], **team: str) -> Response:
        """Returns the proposals, contradictions and duplicates that you may decide about, and memories whose anchor has
        failed, that were reported, or that are due for review."""
        return Response(use_cases.list_review(actor_of(request), params))


class Approve(PeopleView):
    @endpoint(
        operation="approveProposal",
        summary="Approve a proposal",
        body=inputs.APPROVE,
        response=output_schemas.MEMORY,
        example={"note": "Checked on site."},
        answer=output_schemas.MEMORY_EXAMPLE,
        writes=True,
        of_people=True,
    )
    def post(self, request: Request, proposal_id: UUID, body: dict[str, Any], **team: str) -> Response:
        """Makes the proposed write, with your `edits` if there are any. What has changed in the memory since is joined
        with it; if both changed the same place, you get a 409 with the code `merge_needed`."""
        return Response(use_cases.approve_proposal(actor_of(request), body | {"proposal_id": proposal_id}))


class Reject(PeopleView):
    @endpoint(
        operation="rejectProposal",
        summary="Reject a proposal",
        body=inputs.REJECT,
        response=output_schemas.PROPOSAL,
        example={"reason": "It runs by day."},
        answer=output_schemas.PROPOSAL_EXAMPLE | {"state": "rejected"},
        writes=True,
        of_people=True,
    )
    def post(self, request: Request, proposal_id: UUID, body: dict[str, Any], **team: str) -> Response:
        """Refuses the proposed write. Its proposer reads the reason."""
        return Response(use_cases.reject_proposal(actor_of(request), body | {"proposal_id": proposal_id}))


class Merge(PeopleView):
    @endpoint(
        operation="mergeProposal",
        summary="Merge a proposed memory into another one",
        body=inputs.MERGE,
        response=output_schemas.MEMORY,
        example={"target_id": output_schemas.OTHER_ID, "content": "The pump is loud and runs at night.", "version": 1},
        answer=output_schemas.MEMORY_EXAMPLE,
        writes=True,
        of_people=True,
    )
    def post(self, request: Request, proposal_id: UUID, body: dict[str, Any], **team: str) -> Response:
        """Gives the other memory the joined text. What was proposed does not become a memory of its own."""
        return Response(use_cases.merge_proposal(actor_of(request), body | {"proposal_id": proposal_id}))


class Reopen(PeopleView):
    @endpoint(
        operation="reopenProposal",
        summary="Undo a decision about a proposal",
        body=inputs.REOPEN,
        response=output_schemas.PROPOSAL,
        example={},
        answer=output_schemas.PROPOSAL_EXAMPLE,
        writes=True,
        of_people=True,
    )
    def post(self, request: Request, proposal_id: UUID, body: dict[str, Any], **team: str) -> Response:
        """Takes back what an approval or a rejection did, unless somebody has changed the memory since."""
        return Response(use_cases.reopen_proposal(actor_of(request), {"proposal_id": proposal_id}))


class SettleReviewedPair(PeopleView):
    @endpoint(
        operation="settleReviewedPair",
        summary="Settle a contradiction or a duplicate",
        body=inputs.SETTLE_PAIR,
        response=output_schemas.PAIR,
        example={"decision": "both-hold", "reason": "One is for staging."},
        answer=output_schemas.PAIR_EXAMPLE,
        writes=True,
        of_people=True,
    )
    def post(self, request: Request, pair_id: UUID, body: dict[str, Any], **team: str) -> Response:
        """Keeps one memory and forgets the other, lets one replace the other, merges them, or lets both stand."""
        return Response(pairs.settle_pair(actor_of(request), body | {"pair_id": pair_id}))


class ReopenReviewedPair(PeopleView):
    @endpoint(
        operation="reopenReviewedPair",
        summary="Undo a decision about a contradiction or a duplicate",
        body=inputs.REOPEN,
        response=output_schemas.PAIR,
        example={},
        answer=output_schemas.PAIR_EXAMPLE,
        writes=True,
        of_people=True,
    )
    def post(self, request: Request, pair_id: UUID, body: dict[str, Any], **team: str) -> Response:
        """Both memories are again as they were, unless somebody has changed them since."""
        return Response(pairs.reopen_pair(actor_of(request), {"pair_id": pair_id}))


class AcceptAnchor(PeopleView):
    @endpoint(
        operation="acceptAnchor",
        summary="Decide that a memory with a failed anchor is still true",
        body=inputs.ACCEPT_ANCHOR,
        response=output_schemas.SOURCE,
        example={"sha256": output_schemas.PRESENT_EXAMPLE["sha256"]},
        answer=output_schemas.ANCHORED_EXAMPLE,
        writes=True,
        of_people=True,
    )
    def post(self, request: Request, source_id: UUID, body: dict[str, Any], **team: str) -> Response:
        """The anchor is then what the check found; one that is gone is removed. If a check has found something else
        than this hash meanwhile, you get 409."""
        return Response(anchors.accept_anchor(actor_of(request), body | {"source_id": source_id}))


class ReopenAnchor(PeopleView):
    @endpoint(
        operation="reopenAnchor",
        summary="Undo a decision about an anchor",
        body=inputs.REOPEN,
        response=output_schemas.SOURCE,
        example={},
        answer=output_schemas.ANCHORED_EXAMPLE,
        writes=True,
        of_people=True,
    )
    def post(self, request: Request, source_id: UUID, body: dict[str, Any], **team: str) -> Response:
        """The anchor is again what it was, and waits for a decision, unless it has been checked since (409)."""
        return Response(anchors.reopen_anchor(actor_of(request), {"source_id": source_id}))


class DismissReports(PeopleView):
    @endpoint(
        operation="dismissReports",
        summary="Decide that a reported memory is right",
        body=inputs.REOPEN,
        response=output_schemas.MEMORY,
        example={},
        answer=output_schemas.MEMORY_EXAMPLE,
        writes=True,
        of_people=True,
    )
    def post(self, request: Request, memory_id: UUID, body: dict[str, Any], **team: str) -> Response:
        """The reports count no more, as long as the text of the memory stays."""
        return Response(feedback.dismiss_reports(actor_of(request), {"memory_id": memory_id}))


class ReopenReports(PeopleView):
    @endpoint(
        operation="reopenReports",
        summary="Undo a decision about reports",
        body=inputs.REOPEN,
        response=output_schemas.MEMORY,
        example={},
        answer=output_schemas.MEMORY_EXAMPLE,
        writes=True,
        of_people=True,
    )
    def post(self, request: Request, memory_id: UUID, body: dict[str, Any], **team: str) -> Response:
        """The reports that were dismissed last wait for a decision again."""
        return Response(feedback.reopen_reports(actor_of(request), {"memory_id": memory_id}))
