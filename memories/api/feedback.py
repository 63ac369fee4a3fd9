"""Feedback on a memory: helpful, not helpful, wrong or outdated."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api.framework import actor_of
from memories.api.openapi import endpoint
from memories.contract import inputs, output_schemas
from memories.contract.use_cases import feedback as use_cases
from teams.models import Verb


class MemoryFeedback(APIView):
    @endpoint(
        operation="getFeedback",
        summary="Read how a memory was rated",
        response=output_schemas.RATINGS,
        answer=output_schemas.RATINGS_EXAMPLE,
    )
    def get(self, request: Request, memory_id: UUID) -> Response:
        """Returns how many say what about the text as it is, and what you said yourself."""
        return Response(use_cases.read_ratings(actor_of(request), {"memory_id": memory_id}))

    @endpoint(
        operation="rateMemory",
        summary="Rate a memory",
        body=inputs.RATE,
        response=output_schemas.RATINGS,
        example={"rating": "outdated", "reason": "Berth 7 is open again."},
        answer=output_schemas.RATINGS_EXAMPLE,
        writes=True,
        verbs=(Verb.READ, Verb.WRITE),
    )
    def post(self, request: Request, memory_id: UUID, body: Mapping[str, Any]) -> Response:
        """Says whether a memory that you read is helpful, not helpful, wrong or outdated. Your later word replaces the
        former. It moves the memory a little among hits of about the same relevance; wrong and outdated also ask those
        who may change it to look at it."""
        return Response(use_cases.rate_memory(actor_of(request), {**body, "memory_id": memory_id}))

    @endpoint(
        operation="withdrawRating",
        summary="Take a rating back",
        response=output_schemas.RATINGS,
        answer=output_schemas.RATINGS_EXAMPLE | {"own": None},
        writes=True,
        verbs=(Verb.READ, Verb.WRITE),
    )
    def delete(self, request: Request, memory_id: UUID) -> Response:
        """Takes back what you said about a memory, if you said anything."""
        return Response(use_cases.withdraw_rating(actor_of(request), {"memory_id": memory_id}))
