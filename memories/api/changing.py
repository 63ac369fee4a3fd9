"""Single changes of a memory, each with a name of its own in the history."""

from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories import operations
from memories.api import answers, bodies, shapes, versions
from memories.api.answering import written
from memories.api.describing import IF_MATCH, endpoint
from memories.api.door import actor_of

CHANGED = answers.MEMORY_EXAMPLE | {"version": 2}


class Pin(APIView):
    @endpoint(
        summary="Pin a memory, or take the pin away",
        takes=bodies.PIN,
        gives=answers.WRITTEN,
        parameters=[IF_MATCH],
        example={"pinned": True},
        answer=CHANGED | {"pinned": True},
        writes=True,
    )
    def post(self, request: Request, memory_id: UUID, said: dict[str, Any]) -> Response:
        """What is pinned never fades and stands in every context."""
        version = versions.expected(request, said=said.pop("version", None))
        return written(request, operations.pin(actor=actor_of(request), memory_id=memory_id, version=version, **said))


class Tags(APIView):
    @endpoint(
        summary="Add and remove tags",
        takes=bodies.TAG,
        gives=answers.WRITTEN,
        parameters=[IF_MATCH],
        example={"add": ["cranes"], "remove": ["berths"]},
        answer=CHANGED | {"tags": ["cranes"]},
        writes=True,
    )
    def post(self, request: Request, memory_id: UUID, said: dict[str, Any]) -> Response:
        """The others stay, whatever is added meanwhile."""
        version = versions.expected(request, said=said.pop("version", None))
        return written(request, operations.tag(actor=actor_of(request), memory_id=memory_id, version=version, **said))


class Expire(APIView):
    @endpoint(
        summary="Say when a memory vanishes",
        takes=bodies.EXPIRE,
        gives=answers.WRITTEN,
        parameters=[IF_MATCH],
        example={"expires_at": "2099-01-31T12:00:00Z"},
        answer=CHANGED | {"expires_at": "2099-01-31T12:00:00Z"},
        writes=True,
    )
    def post(self, request: Request, memory_id: UUID, said: dict[str, Any]) -> Response:
        """From then on it is gone from every read; null lets it stay."""
        version = versions.expected(request, said=said.pop("version", None))
        memory = operations.expire(actor=actor_of(request), memory_id=memory_id, version=version, **said)
        return written(request, memory)


class Move(APIView):
    @endpoint(
        summary="Give a memory to another audience",
        takes=bodies.MOVE,
        gives=answers.WRITTEN,
        parameters=[IF_MATCH],
        example={"scope": "agent"},
        answer=CHANGED | {"scope": "agent"},
        writes=True,
    )
    def post(self, request: Request, memory_id: UUID, said: dict[str, Any]) -> Response:
        """The team's, the person's or the project's of this call, or the agent's own if it wrote it. The old audience
        loses it, so that this takes the verb forget, too."""
        version = versions.expected(request, said=said.pop("version", None))
        memory = operations.rescope(actor=actor_of(request), memory_id=memory_id, version=version, **said)
        return written(request, memory)


class Purge(APIView):
    @endpoint(
        summary="Remove a memory for good",
        gives=answers.RECEIPT,
        answer={"id": answers.MEMORY_EXAMPLE["id"], "key": None, "version": 2},
        writes=True,
    )
    def post(self, request: Request, memory_id: UUID) -> Response:
        """Its words leave every version. Only owners may: an agent that sees the memory is told so (403)."""
        return Response(shapes.receipt(operations.purge(actor=actor_of(request), memory_id=memory_id)))
