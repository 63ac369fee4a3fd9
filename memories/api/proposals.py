"""Endpoints of an agent's proposals, of replaced memories, and of a key's timeline."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api.framework import actor_of
from memories.api.openapi import IF_MATCH, endpoint
from memories.api.responses import memory_response
from memories.contract import inputs, output_schemas
from memories.contract.use_cases import proposals as use_cases

CLOSED = output_schemas.MEMORY_EXAMPLE | {
    "version": 2,
    "valid_until": "2026-11-05T00:00:00Z",
    "superseded_by": output_schemas.OTHER_ID,
}


class Proposals(APIView):
    @endpoint(
        operation="listProposals",
        summary="List your proposals",
        query=inputs.PROPOSALS,
        response=output_schemas.page("proposals", output_schemas.PROPOSAL),
        answer={"proposals": [output_schemas.PROPOSAL_EXAMPLE], "next": None},
    )
    def get(self, request: Request, params: Mapping[str, Any]) -> Response:
        """Returns the writes of this agent that the team's policy or screening held, and what people decided. Only
        people decide, in the browser."""
        return Response(use_cases.list_proposals(actor_of(request), params))


class OneProposal(APIView):
    @endpoint(
        operation="getProposal",
        summary="Read a proposal",
        response=output_schemas.PROPOSAL,
        answer=output_schemas.PROPOSAL_EXAMPLE,
    )
    def get(self, request: Request, proposal_id: UUID) -> Response:
        """Returns a proposal of this agent and its state."""
        return Response(use_cases.get_proposal(actor_of(request), {"proposal_id": proposal_id}))

    @endpoint(
        operation="withdrawProposal",
        summary="Withdraw a proposal",
        response=output_schemas.PROPOSAL,
        answer=output_schemas.PROPOSAL_EXAMPLE | {"state": "withdrawn"},
        writes=True,
    )
    def delete(self, request: Request, proposal_id: UUID) -> Response:
        """Withdraws a proposal of this agent that nobody has decided on."""
        return Response(use_cases.withdraw_proposal(actor_of(request), {"proposal_id": proposal_id}))


class Supersede(APIView):
    @endpoint(
        operation="supersedeMemory",
        summary="Replace a memory with another",
        body=inputs.SUPERSEDE,
        response=output_schemas.WRITTEN,
        parameters=[IF_MATCH],
        example={"by": output_schemas.OTHER_ID},
        answer=CLOSED,
        writes=True,
    )
    def post(self, request: Request, memory_id: UUID, body: dict[str, Any]) -> Response:
        """Ends the validity of the memory when the validity of the other one begins. Lists and recall then return the
        other one; with `as_of` before that moment, they still return this one."""
        return memory_response(use_cases.supersede_memory(actor_of(request), body | {"memory_id": memory_id}))


class Reinstate(APIView):
    @endpoint(
        operation="reinstateMemory",
        summary="Reinstate a replaced memory",
        body=inputs.REINSTATE,
        response=output_schemas.WRITTEN,
        parameters=[IF_MATCH],
        example={},
        answer=output_schemas.MEMORY_EXAMPLE | {"version": 3},
        writes=True,
    )
    def post(self, request: Request, memory_id: UUID, body: dict[str, Any]) -> Response:
        """Undoes a replacement. The memory that replaced it keeps the key."""
        return memory_response(use_cases.reinstate_memory(actor_of(request), body | {"memory_id": memory_id}))


class Timeline(APIView):
    @endpoint(
        operation="listKeyTimeline",
        summary="List the timeline of a key",
        query=inputs.TIMELINE,
        response=output_schemas.KEY_TIMELINE,
        answer={"memories": [output_schemas.MEMORY_EXAMPLE]},
    )
    def get(self, request: Request, key: str, params: Mapping[str, Any]) -> Response:
        """Returns the memories that have had this key, including replaced ones, ordered by their validity, the newest
        first."""
        return Response(use_cases.list_timeline(actor_of(request), {**params, "key": key}))
