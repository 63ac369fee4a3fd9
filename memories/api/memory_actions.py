"""Endpoints for single changes of a memory, each with its own name in the history."""

from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api.framework import actor_of
from memories.api.openapi import IF_MATCH, endpoint
from memories.api.responses import memory_response
from memories.contract import inputs, output_schemas
from memories.contract.use_cases import memories as use_cases
from teams.models import Verb

CHANGED = output_schemas.MEMORY_EXAMPLE | {"version": 2}


class Pin(APIView):
    @endpoint(
        operation="pinMemory",
        summary="Pin or unpin a memory",
        body=inputs.PIN,
        response=output_schemas.WRITTEN,
        parameters=[IF_MATCH],
        example={"pinned": True},
        answer=CHANGED | {"pinned": True},
        writes=True,
    )
    def post(self, request: Request, memory_id: UUID, body: dict[str, Any]) -> Response:
        """A pinned memory never fades, and is part of every prompt context."""
        return memory_response(use_cases.pin_memory(actor_of(request), body | {"memory_id": memory_id}))


class Tags(APIView):
    @endpoint(
        operation="tagMemory",
        summary="Add and remove tags",
        body=inputs.TAG,
        response=output_schemas.WRITTEN,
        parameters=[IF_MATCH],
        example={"add": ["cranes"], "remove": ["berths"]},
        answer=CHANGED | {"tags": ["cranes"]},
        writes=True,
    )
    def post(self, request: Request, memory_id: UUID, body: dict[str, Any]) -> Response:
        """Other tags stay, including those that others add at the same time."""
        return memory_response(use_cases.tag_memory(actor_of(request), body | {"memory_id": memory_id}))


class Expire(APIView):
    @endpoint(
        operation="expireMemory",
        summary="Set when a memory expires",
        body=inputs.EXPIRE,
        response=output_schemas.WRITTEN,
        parameters=[IF_MATCH],
        example={"expires_at": "2099-01-31T12:00:00Z"},
        answer=CHANGED | {"expires_at": "2099-01-31T12:00:00Z"},
        writes=True,
    )
    def post(self, request: Request, memory_id: UUID, body: dict[str, Any]) -> Response:
        """From then on, the memory is in no read; null removes the expiry. An earlier expiry than before also needs the
        verb forget."""
        return memory_response(use_cases.expire_memory(actor_of(request), body | {"memory_id": memory_id}))


class Move(APIView):
    @endpoint(
        operation="moveMemory",
        summary="Move a memory to another scope",
        body=inputs.MOVE,
        response=output_schemas.WRITTEN,
        parameters=[IF_MATCH],
        example={"scope": "agent"},
        answer=CHANGED | {"scope": "agent"},
        writes=True,
        verbs=(Verb.WRITE, Verb.FORGET),
    )
    def post(self, request: Request, memory_id: UUID, body: dict[str, Any]) -> Response:
        """The new audience is the team, person or project of this call, or the agent itself if it wrote the memory. The
        old audience loses the memory, so this also needs the verb forget."""
        return memory_response(use_cases.move_memory(actor_of(request), body | {"memory_id": memory_id}))


class Purge(APIView):
    @endpoint(
        operation="purgeMemory",
        summary="Purge a memory",
        response=output_schemas.RECEIPT,
        answer={"id": output_schemas.MEMORY_EXAMPLE["id"], "key": None, "version": 2, "status": "active"},
        writes=True,
        verbs=(Verb.FORGET,),
    )
    def post(self, request: Request, memory_id: UUID) -> Response:
        """Removes the content of every version for good. Only owners may do this, so an agent that can see the memory
        gets 403."""
        return Response(use_cases.purge_memory(actor_of(request), {"memory_id": memory_id}))
