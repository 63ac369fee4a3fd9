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
from memories.contract.use_cases import review as use_cases

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
        asks=inputs.REVIEW,
        gives=output_schemas.REVIEW,
        answer={"items": [QUEUE_ITEM], "counts": {"proposals": 1, "screened": 0, "due": 0}, "next": None},
        of_people=True,
    )
    def get(self, request: Request, params: Mapping[str, Any], **team: str) -> Response:
        """Returns the proposals that you may decide about, and memories whose review date has passed."""
        return Response(use_cases.list_review(actor_of(request), params))


class Approve(PeopleView):
    @endpoint(
        operation="approveProposal",
        summary="Approve a proposal",
        takes=inputs.APPROVE,
        gives=output_schemas.MEMORY,
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
        takes=inputs.REJECT,
        gives=output_schemas.PROPOSAL,
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
        takes=inputs.MERGE,
        gives=output_schemas.MEMORY,
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
        takes=inputs.REOPEN,
        gives=output_schemas.PROPOSAL,
        example={},
        answer=output_schemas.PROPOSAL_EXAMPLE,
        writes=True,
        of_people=True,
    )
    def post(self, request: Request, proposal_id: UUID, body: dict[str, Any], **team: str) -> Response:
        """Takes back what an approval or a rejection did, unless somebody has changed the memory since."""
        return Response(use_cases.reopen_proposal(actor_of(request), {"proposal_id": proposal_id}))
