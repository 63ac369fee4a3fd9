"""Endpoints that read, save and forget a memory by its key."""

from collections.abc import Mapping
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api import etags
from memories.api.framework import actor_of
from memories.api.openapi import IF_MATCH, IF_NONE_MATCH, ONLY_NEW, endpoint
from memories.api.responses import memory_response
from memories.contract import inputs, output_schemas
from memories.contract.use_cases import memories as use_cases
from memories.models import Scope
from teams.models import Verb

SCOPE = {"scope": inputs.SCOPE | {"default": Scope.TEAM.value}}


class Key(APIView):
    @endpoint(
        operation="getMemoryByKey",
        summary="Read a memory by its key",
        query=SCOPE,
        response=output_schemas.MEMORY,
        parameters=[IF_NONE_MATCH],
        answer=output_schemas.MEMORY_EXAMPLE,
    )
    def get(self, request: Request, key: str, params: Mapping[str, Any]) -> Response:
        """Returns the memory that owns the key in this scope. Directors also find keys of the teams above; their own
        team comes first."""
        memory = use_cases.get_memory(actor_of(request), {**params, "key": key})
        return etags.answer_conditionally(request, memory)

    @endpoint(
        operation="saveMemoryByKey",
        summary="Save a memory by its key",
        query=SCOPE,
        body=inputs.SAVE_UNDER_KEY,
        response=output_schemas.WRITTEN,
        status=(201, 200),
        parameters=[IF_MATCH, ONLY_NEW],
        example={"content": output_schemas.MEMORY_EXAMPLE["content"], "type": "event", "tags": ["berths"]},
        answer=output_schemas.MEMORY_EXAMPLE | {"similar": []},
        writes=True,
    )
    def put(self, request: Request, key: str, params: Mapping[str, Any], body: dict[str, Any]) -> Response:
        """Creates the memory, or a new version that keeps the fields you leave out."""
        arguments = {**params, **body, "key": key}
        saved = use_cases.save_memory_by_key(actor_of(request), arguments, only_new=etags.only_new(request))
        return memory_response(saved, created=saved["version"] == 1)

    @endpoint(
        operation="forgetMemoryByKey",
        summary="Forget a memory by its key",
        query=SCOPE | {"reason": inputs.REASON},
        response=output_schemas.RECEIPT,
        parameters=[IF_MATCH],
        answer={"id": output_schemas.MEMORY_EXAMPLE["id"], "key": "berth-7", "version": 2, "status": "active"},
        writes=True,
        verbs=(Verb.FORGET,),
    )
    def delete(self, request: Request, key: str, params: Mapping[str, Any], body: dict[str, Any]) -> Response:
        """The memory disappears from every read. It is kept for audit and can be restored by its id."""
        return memory_response(use_cases.forget_memory(actor_of(request), {**params, **body, "key": key}))
