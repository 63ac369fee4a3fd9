"""The prompt context by REST."""

from hashlib import sha256
from typing import Any

from django.utils.http import parse_etags
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api.framework import actor_of
from memories.api.openapi import IF_NONE_MATCH, endpoint
from memories.contract import inputs, output_schemas
from memories.contract.use_cases.context import build_context


class Context(APIView):
    @endpoint(
        operation="buildContext",
        summary="Build the prompt context",
        response=output_schemas.CONTEXT,
        query=inputs.CONTEXT,
        parameters=[IF_NONE_MATCH],
        response_headers={"Cache-Control": "Tells callers to keep the text and revalidate it."},
        answer={
            "text": "--- TEAM CORE MEMORY ---\nWe write plainly.\n------------------------",
            "tokens": 17,
            "sections": [
                {
                    "name": "core",
                    "text": "--- TEAM CORE MEMORY ---\nWe write plainly.\n------------------------",
                    "tokens": 17,
                    "memory_ids": ["0198c0de-0000-7000-8000-000000000001"],
                    "omitted": [],
                    "cut": False,
                }
            ],
        },
    )
    def get(self, request: Request, params: dict[str, Any]) -> Response:
        """Returns what an agent should read before it starts working, within a budget of tokens: the team's core
        memory, the pinned and recent memories and, with a query, the relevant ones. The text stays the same, byte for
        byte, until something changes; with `If-None-Match` you then get an empty 304."""
        context = build_context(actor_of(request), params)
        etag = f'W/"{sha256(context["text"].encode()).hexdigest()[:32]}"'
        headers = {"ETag": etag, "Cache-Control": "private, no-cache"}
        if _has(request, etag):
            return Response(status=304, headers=headers)
        return Response(context, headers=headers)


def _has(request: Request, etag: str) -> bool:
    return etag in parse_etags(request.headers.get("If-None-Match", ""))
