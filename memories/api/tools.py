"""The tools of every dialect over HTTP: their definitions, and running one."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api.describing import endpoint
from memories.api.door import actor_of
from memories.dialects import DIALECTS, Format, tool, tools
from memories.schemas import anything, checked, listed, one_of, record, text

ASKED = record({"dialect": text(), "format": one_of(Format, default=Format.OPENAI)})
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
        parameters=[
            OpenApiParameter("dialect", enum=list(DIALECTS), description="All of them, each by its name, if left out."),
            OpenApiParameter("format", enum=list(Format), default=Format.OPENAI, description="The kind of client."),
        ],
    )
    def get(self, request: Request) -> Response:
        """What to hand to a model, so that it calls the tools of a dialect."""
        asked = checked(ASKED, request.query_params.dict())
        format = Format(asked["format"])
        if "dialect" in asked:
            defined = _definitions(asked["dialect"], format)
            return Response({"format": format, "dialect": asked["dialect"], "tools": defined})
        return Response({"format": format, "dialects": {name: _definitions(name, format) for name in DIALECTS}})


class ToolCall(APIView):
    @endpoint(summary="Run a tool", takes=anything(), gives=anything(), writes=True)
    def post(self, request: Request, dialect: str, name: str, said: dict[str, Any]) -> Response:
        """The body is the tool's own arguments; the answer is its own result."""
        return Response(tool(dialect, name).run(actor=actor_of(request), arguments=said))


def _definitions(dialect: str, format: Format) -> list[dict[str, Any]]:
    return [found.definition(format) for found in tools(dialect)]
