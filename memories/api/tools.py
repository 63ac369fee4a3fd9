"""Endpoints that list the tools of the hub and of every dialect, and run one of them."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api import idempotency
from memories.api.framework import actor_of, actor_within, register
from memories.api.openapi import endpoint
from memories.rules.access import require_verb
from memories.tools import DIALECTS, Format, Tool, tool, tools
from memories.tools.hub import TOOLS
from memories.tools.hub.descriptions import CONTEXT, publish_definition
from memoryhub.errors import NotFound
from memoryhub.json_schema import anything, list_of, one_of, record, text, with_nulls
from memoryhub.validation import validate_input
from teams.actor import Actor

HUB = "hub"  # where a dialect is named: the tools that MCP offers at /mcp
OWN = {tool.name: tool for tool in TOOLS}
PARAMS = {
    "dialect": text(
        description=f"One of {', '.join(DIALECTS)}, or {HUB} for the hub's own tools. Without it, all dialects are "
        "listed."
    ),
    "format": one_of(Format, default=Format.OPENAI.value, description="The kind of model API to format them for."),
}
DEFINITIONS = list_of(anything(), description="In the requested format.")
DEFINED = record(
    {
        "format": one_of(Format),
        "dialect": text(description="The requested dialect."),
        "tools": DEFINITIONS,
        "dialects": anything(description="If no dialect was requested: the definitions of each, by its name."),
    },
    required=["format"],
)


class Tools(APIView):
    @endpoint(
        operation="listTools",
        summary="List tool definitions",
        response=DEFINED,
        query=PARAMS,
        answer={"format": "anthropic", "dialect": "kv", "tools": [tool("kv", "memory").definition(Format.ANTHROPIC)]},
        verbs=(),
    )
    def get(self, request: Request, params: dict[str, Any]) -> Response:
        """Returns the definitions to pass to a model, so that it can call the tools of a dialect."""
        format = Format(params["format"])
        if "dialect" in params:
            defined = _definitions(params["dialect"], format)
            return Response({"format": format, "dialect": params["dialect"], "tools": defined})
        return Response({"format": format, "dialects": {name: _definitions(name, format) for name in DIALECTS}})


def call_of(dialect: str, tool: Tool) -> type[APIView]:
    """Return the endpoint of one tool: each has its own address, so that the document says what each takes and
    gives."""

    @extend_schema(description=tool.description, tags=[f"tools: {dialect}"])
    @endpoint(
        operation=f"call{dialect.title()}{tool.name.title().replace('_', '')}",
        summary=tool.title,
        body=with_nulls(tool.parameters),
        response=tool.gives,
        writes=not tool.reads,
        example=tool.example,
        answer=tool.answer,
        validate=False,  # the tool does
        verbs=tool.verbs if callable(tool.needs) else tool.verbs({}),
    )
    def post(self: APIView, request: Request, body: object) -> Response:
        actor = actor_within(request, tool.read_context(body), register=tool.writes(body))
        return Response(tool.run(actor=actor, arguments=body))

    return type("ToolCall", (APIView,), {"post": post})


class HubTool(APIView):
    """One endpoint for all of the hub's own tools: what they do has endpoints of its own, which the document describes
    in full."""

    @endpoint(
        operation="callHubTool",
        summary="Run one of the hub's own tools",
        body=anything(),
        response=anything(),
        writes=True,
        example={"query": "Which berths are closed?", "context": {"session": "chat-42"}},
        answer={"memories": [], "mode": "hybrid", "total_found": 0, "total_is_bound": False},
        validate=False,  # the tool does
        idempotent=False,
        verbs=(),  # the tool's own, below
    )
    def post(self, request: Request, name: str, body: object) -> Response:
        """Runs a tool of `/mcp`, for clients that pass the definitions to a model themselves. The body is the arguments
        of the tool, and the response is its result."""
        if name not in OWN:
            raise NotFound(f"The hub has no tool {name!r}; it has {', '.join(OWN)}.")
        require_verb(actor_of(request), *OWN[name].verbs(body))
        context = body.get("context") if isinstance(body, dict) else None
        within = validate_input(CONTEXT, {} if context is None else context, name="context")
        if OWN[name].reads:
            return Response(OWN[name].run(actor=actor_within(request, within, register=False), arguments=body))
        register(request)
        return _run_write_tool(OWN[name], actor_within(request, within, register=True), body, request)


def _run_write_tool(tool: Tool, actor: Actor, body: object, request: Request) -> Response:
    """Run a tool that writes. Slow work is done before the transaction that makes sure that it runs only once."""
    if tool.prepare and (first := idempotency.find_first_response(request)):
        return first
    act = tool.ready(actor=actor, arguments=body)
    return idempotency.respond_once(request, lambda: Response(act()))


class NoTool(APIView):
    """Refuses an unknown tool, and tells callers with a token which ones there are."""

    schema = None

    def initial(self, request: Request, *args: Any, **places: str) -> None:
        super().initial(request, *args, **places)
        tool(places["dialect"], places["name"])


def _definitions(dialect: str, format: Format) -> list[dict[str, Any]]:
    if dialect == HUB:
        return [publish_definition(found.definition(format)) for found in TOOLS]
    return [found.definition(format) for found in tools(dialect)]
