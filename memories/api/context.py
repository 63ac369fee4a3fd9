"""The prompt context by REST."""

from hashlib import sha256
from typing import Any

from django.utils.http import parse_etags
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories import context
from memories.api.describing import IF_NONE_MATCH, endpoint
from memories.api.door import actor_of
from memories.recall import QUERY_LENGTH
from memories.schemas import flag, identity, listed, one_of, record, text, whole

SECTION = record(
    {
        "name": one_of(context.Name),
        "text": text(description="The block alone, just as it stands in the whole text."),
        "tokens": whole(least=0, most=context.MOST_BUDGET),
        "memory_ids": listed(identity()),
        "omitted": listed(identity(), description="Memories that did not fit."),
        "cut": flag(description="The end of the core did not fit."),
    },
    required=["name", "text", "tokens", "memory_ids", "omitted", "cut"],
)
CONTEXT = record(
    {
        "text": text(description="What an agent should read before it thinks."),
        "tokens": whole(least=0, most=context.MOST_BUDGET, description="An estimate: a token is four bytes of UTF-8."),
        "sections": listed(SECTION),
    },
    required=["text", "tokens", "sections"],
    title="Context",
)
ASKED = {
    "query": text(longest=QUERY_LENGTH, description="What is being worked on: adds the relevant memories."),
    "budget": whole(
        least=context.LEAST_BUDGET,
        most=context.MOST_BUDGET,
        default=context.BUDGET,
        description="Tokens that the text may have.",
    ),
    "sections": listed(one_of(context.ALL), description="Some of them, in any order; all unless said."),
}


class Context(APIView):
    @endpoint(
        summary="The prompt context",
        gives=CONTEXT,
        asks=ASKED,
        parameters=[IF_NONE_MATCH],
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
    def get(self, request: Request, asked: dict[str, Any]) -> Response:
        """What an agent should read before it thinks, within a budget of tokens: the team's core, what is pinned, the
        newest, and with a query what is relevant. The same bytes until something changes; with `If-None-Match` an empty
        304 then."""
        made = context.context(actor=actor_of(request), **asked)
        etag = f'W/"{sha256(made.text.encode()).hexdigest()[:32]}"'
        headers = {"ETag": etag, "Cache-Control": "private, no-cache"}
        if _has(request, etag):
            return Response(status=304, headers=headers)
        return Response(shape(made), headers=headers)


def _has(request: Request, etag: str) -> bool:
    return etag in parse_etags(request.headers.get("If-None-Match", ""))


def shape(made: context.Context) -> dict[str, Any]:
    return {
        "text": made.text,
        "tokens": context.tokens(made.text),
        "sections": [
            {
                "name": section.name,
                "text": section.text,
                "tokens": context.tokens(section.text),
                "memory_ids": section.memory_ids,
                "omitted": section.omitted,
                "cut": section.cut,
            }
            for section in made.sections
        ],
    }
