"""Endpoints that list, save, read, change, forget and restore memories."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api import etags, idempotency
from memories.api.framework import actor_of
from memories.api.openapi import IF_MATCH, IF_NONE_MATCH, endpoint
from memories.api.responses import memory_response
from memories.contract import cost, inputs, output_schemas
from memories.contract.use_cases import memories as use_cases
from memoryhub.validation import validate_input
from teams import rate_limits
from teams.models import Verb

EXAMPLE = {"content": output_schemas.MEMORY_EXAMPLE["content"], "key": "berth-7", "type": "event", "tags": ["berths"]}
CHANGED = output_schemas.MEMORY_EXAMPLE | {"version": 2, "pinned": True}


class Memories(APIView):
    @endpoint(
        operation="listMemories",
        summary="List memories",
        query=inputs.LIST,
        response=output_schemas.page("memories", output_schemas.MEMORY),
        answer={"memories": [output_schemas.MEMORY_EXAMPLE], "next": None},
    )
    def get(self, request: Request, params: Mapping[str, Any]) -> Response:
        """Returns the memories that the token may see, page by page. Rows added in between neither hide nor repeat
        others."""
        return Response(use_cases.list_memory_page(actor_of(request), params))

    @endpoint(
        operation="saveMemory",
        summary="Save a memory",
        body=inputs.SAVE,
        response=output_schemas.WRITTEN,
        status=(201, 200),
        parameters=[IF_MATCH],
        example=EXAMPLE,
        answer=output_schemas.MEMORY_EXAMPLE | {"similar": [], "conflicts": []},
        writes=True,
    )
    def post(self, request: Request, body: dict[str, Any]) -> Response:
        """If a memory with this key exists, it gets a new version (200), which keeps the fields you leave out.
        `similar` lists the memories that say nearly the same."""
        saved = use_cases.save_memory(actor_of(request), body)
        return memory_response(saved, created=saved["version"] == 1 and "duplicate" not in saved)


class Batch(APIView):
    @endpoint(
        operation="saveMemories",
        summary="Save many memories",
        body=inputs.BATCH,
        response=output_schemas.BATCH,
        example={"memories": [EXAMPLE]},
        answer={"memories": [output_schemas.MEMORY_EXAMPLE]},
        writes=True,
        validate=False,
        idempotent=False,
    )
    def post(self, request: Request, body: object) -> Response:
        """Saves all of them or none, and answers in the same order. With `each`, every memory has a result of its own:
        the memory or a problem."""
        batch = validate_input(inputs.UNCHECKED_BATCH, body)
        rate_limits.charge_work(actor=actor_of(request), work=cost.weigh_batch(batch))
        return idempotency.respond_once(request, lambda: Response(use_cases.save_batch(actor_of(request), batch)))


class OneMemory(APIView):
    @endpoint(
        operation="getMemory",
        summary="Read a memory",
        response=output_schemas.MEMORY,
        parameters=[IF_NONE_MATCH],
        answer=output_schemas.MEMORY_EXAMPLE,
    )
    def get(self, request: Request, memory_id: UUID) -> Response:
        """The `ETag` identifies this version."""
        memory = use_cases.get_memory(actor_of(request), {"memory_id": memory_id})
        return etags.answer_conditionally(request, memory)

    @endpoint(
        operation="updateMemory",
        summary="Change a memory",
        body=inputs.CHANGE,
        response=output_schemas.WRITTEN,
        parameters=[IF_MATCH],
        example={"pinned": True},
        answer=CHANGED,
        writes=True,
    )
    def patch(self, request: Request, memory_id: UUID, body: dict[str, Any]) -> Response:
        """Overwrites the fields in the body; null clears a field."""
        return memory_response(use_cases.update_memory(actor_of(request), body | {"memory_id": memory_id}))

    @endpoint(
        operation="forgetMemory",
        summary="Forget a memory",
        query={"reason": inputs.REASON},
        response=output_schemas.RECEIPT,
        parameters=[IF_MATCH],
        answer={"id": output_schemas.MEMORY_EXAMPLE["id"], "key": "berth-7", "version": 2, "status": "active"},
        writes=True,
        verbs=(Verb.FORGET,),
    )
    def delete(self, request: Request, memory_id: UUID, params: Mapping[str, Any], body: dict[str, Any]) -> Response:
        """The memory disappears from every read. It is kept for audit and can be restored."""
        return memory_response(use_cases.forget_memory(actor_of(request), {**params, **body, "memory_id": memory_id}))


class Append(APIView):
    @endpoint(
        operation="appendToMemory",
        summary="Add to a memory",
        body=inputs.APPEND,
        response=output_schemas.WRITTEN,
        parameters=[IF_MATCH],
        example={"text": "The crane comes on Friday."},
        answer=CHANGED,
        writes=True,
    )
    def post(self, request: Request, memory_id: UUID, body: dict[str, Any]) -> Response:
        """Appends a line to the content. What others append at the same time is kept too."""
        return memory_response(use_cases.append_to_memory(actor_of(request), body | {"memory_id": memory_id}))


class Verify(APIView):
    @endpoint(
        operation="verifyMemory",
        summary="Verify a memory",
        body=inputs.VERIFY,
        response=output_schemas.WRITTEN,
        parameters=[IF_MATCH],
        example={"review_by": "2027-05-01T00:00:00Z"},
        answer=CHANGED | {"verified_at": "2026-11-02T09:00:00Z", "verified_by": "harbour-bot"},
        writes=True,
    )
    def post(self, request: Request, memory_id: UUID, body: dict[str, Any]) -> Response:
        """Records that the memory is still true and, with `review_by`, when to check again. An agent cannot verify what
        it wrote itself (403)."""
        return memory_response(use_cases.verify_memory(actor_of(request), body | {"memory_id": memory_id}))


class Restore(APIView):
    @endpoint(
        operation="restoreMemory",
        summary="Restore a forgotten memory",
        response=output_schemas.WRITTEN,
        parameters=[IF_MATCH],
        answer=CHANGED,
        writes=True,
    )
    def post(self, request: Request, memory_id: UUID, body: dict[str, Any]) -> Response:
        """If another memory owns its key by now, it comes back without owning the key. `GET /memories?forgotten=true`
        lists what you can restore."""
        return memory_response(use_cases.restore_memory(actor_of(request), body | {"memory_id": memory_id}))


class History(APIView):
    @endpoint(
        operation="listMemoryVersions",
        summary="List the versions of a memory",
        query=inputs.PAGE,
        response=output_schemas.page("versions", output_schemas.REVISION),
        answer={"versions": [output_schemas.REVISION_EXAMPLE], "next": None},
    )
    def get(self, request: Request, memory_id: UUID, params: Mapping[str, Any]) -> Response:
        """Returns every version in full, the newest first, except those that were written for another audience."""
        return Response(use_cases.list_memory_versions(actor_of(request), {**params, "memory_id": memory_id}))


class Revert(APIView):
    @endpoint(
        operation="revertMemory",
        summary="Revert a memory",
        body=inputs.REVERT,
        response=output_schemas.WRITTEN,
        parameters=[IF_MATCH],
        example={"to_version": 1},
        answer=CHANGED | {"version": 3},
        writes=True,
    )
    def post(self, request: Request, memory_id: UUID, body: dict[str, Any]) -> Response:
        """Creates a new version with the content of an old one. An expiry that has passed since is not restored."""
        return memory_response(use_cases.revert_memory(actor_of(request), body | {"memory_id": memory_id}))
