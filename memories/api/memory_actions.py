"""Single changes of a memory, each with a name of its own in the history."""

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
        summary="Pin a memory, or take the pin away",
        takes=inputs.PIN,
        gives=output_schemas.WRITTEN,
        parameters=[IF_MATCH],
        example={"pinned": True},
        answer=CHANGED | {"pinned": True},
        writes=True,
    )
    def post(self, request: Request, memory_id: UUID, body: dict[str, Any]) -> Response:
        """What is pinned never fades and stands in every context."""
        return memory_response(use_cases.pin_memory(actor_of(request), body | {"memory_id": memory_id}))


class Tags(APIView):
    @endpoint(
        operation="tagMemory",
        summary="Add and remove tags",
        takes=inputs.TAG,
        gives=output_schemas.WRITTEN,
        parameters=[IF_MATCH],
        example={"add": ["cranes"], "remove": ["berths"]},
        answer=CHANGED | {"tags": ["cranes"]},
        writes=True,
    )
    def post(self, request: Request, memory_id: UUID, body: dict[str, Any]) -> Response:
        """The others stay, whatever is added meanwhile."""
        return memory_response(use_cases.tag_memory(actor_of(request), body | {"memory_id": memory_id}))


class Expire(APIView):
    @endpoint(
        operation="expireMemory",
        summary="Say when a memory vanishes",
        takes=inputs.EXPIRE,
        gives=output_schemas.WRITTEN,
        parameters=[IF_MATCH],
        example={"expires_at": "2099-01-31T12:00:00Z"},
        answer=CHANGED | {"expires_at": "2099-01-31T12:00:00Z"},
        writes=True,
    )
    def post(self, request: Request, memory_id: UUID, body: dict[str, Any]) -> Response:
        """From then on it is gone from every read; null lets it stay. To let it vanish earlier than it would have takes
        the verb forget, too."""
        return memory_response(use_cases.expire_memory(actor_of(request), body | {"memory_id": memory_id}))


class Move(APIView):
    @endpoint(
        operation="moveMemory",
        summary="Give a memory to another audience",
        takes=inputs.MOVE,
        gives=output_schemas.WRITTEN,
        parameters=[IF_MATCH],
        example={"scope": "agent"},
        answer=CHANGED | {"scope": "agent"},
        writes=True,
        verbs=(Verb.WRITE, Verb.FORGET),
    )
    def post(self, request: Request, memory_id: UUID, body: dict[str, Any]) -> Response:
        """The team's, the person's or the project's of this call, or the agent's own if it wrote it. The old audience
        loses it, so that this takes the verb forget, too."""
        return memory_response(use_cases.move_memory(actor_of(request), body | {"memory_id": memory_id}))


class Purge(APIView):
    @endpoint(
        operation="purgeMemory",
        summary="Remove a memory for good",
        gives=output_schemas.RECEIPT,
        answer={"id": output_schemas.MEMORY_EXAMPLE["id"], "key": None, "version": 2, "status": "active"},
        writes=True,
        verbs=(Verb.FORGET,),
    )
    def post(self, request: Request, memory_id: UUID) -> Response:
        """Its words leave every version. Only owners may: an agent that sees the memory is told so (403)."""
        return Response(use_cases.purge_memory(actor_of(request), {"memory_id": memory_id}))
