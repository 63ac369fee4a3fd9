"""The tools of every dialect over HTTP: their definitions, and running one."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api.describing import endpoint
from memories.api.door import actor_within
from memories.dialects import DIALECTS, Format, tool, tools
from memories.schemas import anything, listed, one_of, record, text

ASKED = {
    "dialect": text(description=f"One of {', '.join(DIALECTS)}; all of them, each by its name, if left out."),
    "format": one_of(Format, default=Format.OPENAI.value, description="The kind of client."),
}
DEFINITIONS = listed(anything(), description="As the chosen kind of client wants them.")
DEFINED = record(
    {
        "format": one_of(Format),
        "dialect": text(description="The dialect that was asked for."),
        "tools": DEFINITIONS,
        "dialects": anything(description="Without a dialect: the definitions of each, under its name."),
    },
    required=["format"],
)


class Tools(APIView):
    @endpoint(
        summary="Definitions of tools",
        gives=DEFINED,
        asks=ASKED,
        answer={"format": "anthropic", "dialect": "kv", "tools": [tool("kv", "memory").definition(Format.ANTHROPIC)]},
    )
    def get(self, request: Request, asked: dict[str, Any]) -> Response:
        """What to hand to a model, so that it calls the tools of a dialect."""
        format = Format(asked["format"])
        if "dialect" in asked:
            defined = _definitions(asked["dialect"], format)
            return Response({"format": format, "dialect": asked["dialect"], "tools": defined})
        return Response({"format": format, "dialects": {name: _definitions(name, format) for name in DIALECTS}})


class ToolCall(APIView):
    @endpoint(
        summary="Run a tool",
        takes=anything(),
        gives=anything(),
        writes=True,
        example={"command": "view", "key": "core"},
        answer={"key": "core", "content": "We are a B2B SaaS company targeting CTOs."},
    )
    def post(self, request: Request, dialect: str, name: str, said: dict[str, Any]) -> Response:
        """The body is the tool's own arguments; the answer is its own result."""
        found = tool(dialect, name)
        actor = actor_within(request, found.circumstances(said))
        return Response(found.run(actor=actor, arguments=said))


def _definitions(dialect: str, format: Format) -> list[dict[str, Any]]:
    return [found.definition(format) for found in tools(dialect)]
