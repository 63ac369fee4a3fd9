"""Pairs: memories that say the same, or that cannot both hold."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api.framework import actor_of
from memories.api.openapi import endpoint
from memories.contract import inputs, output_schemas
from memories.contract.use_cases import pairs as use_cases
from teams.models import Verb

SETTLED = output_schemas.PAIR_EXAMPLE | {
    "state": "settled",
    "decision": "supersede",
    "kept": output_schemas.PAIR_EXAMPLE["newer"]["id"],
    "reason": "The port has changed.",
    "settled_by": "harbour-bot",
    "settled_at": "2026-11-02T10:00:00Z",
}


class Pairs(APIView):
    @endpoint(
        operation="listPairs",
        summary="List duplicates and contradictions",
        query=inputs.PAIRS,
        response=output_schemas.page("pairs", output_schemas.PAIR),
        answer={"pairs": [output_schemas.PAIR_EXAMPLE], "next": None},
    )
    def get(self, request: Request, params: Mapping[str, Any]) -> Response:
        """Returns pairs of memories that say the same or cannot both hold, as far as you see both of them."""
        return Response(use_cases.list_pair_page(actor_of(request), params))


class OnePair(APIView):
    @endpoint(
        operation="getPair",
        summary="Read a pair",
        response=output_schemas.PAIR,
        answer=output_schemas.PAIR_EXAMPLE,
    )
    def get(self, request: Request, pair_id: UUID) -> Response:
        """Returns both memories, and the words in which they contradict each other."""
        return Response(use_cases.get_pair(actor_of(request), {"pair_id": pair_id}))


class SettlePair(APIView):
    @endpoint(
        operation="settlePair",
        summary="Settle a pair",
        body=inputs.SETTLE_PAIR,
        response=output_schemas.PAIR,
        example={"decision": "supersede", "reason": "The port has changed."},
        answer=SETTLED,
        writes=True,
        verbs=(Verb.READ, Verb.WRITE),
    )
    def post(self, request: Request, pair_id: UUID, body: dict[str, Any]) -> Response:
        """Keeps one memory and forgets the other, lets one replace the other, merges them, or lets both stand. Only
        people decide that both of two contradicting memories hold (403)."""
        return Response(use_cases.settle_pair(actor_of(request), body | {"pair_id": pair_id}))


class ReopenPair(APIView):
    @endpoint(
        operation="reopenPair",
        summary="Take back a decision about a pair",
        response=output_schemas.PAIR,
        answer=output_schemas.PAIR_EXAMPLE,
        writes=True,
        verbs=(Verb.READ, Verb.WRITE),
    )
    def post(self, request: Request, pair_id: UUID) -> Response:
        """Both memories are again as they were before, unless somebody has changed them since (409)."""
        return Response(use_cases.reopen_pair(actor_of(request), {"pair_id": pair_id}))
