"""The tools of every dialect, and the hub's own, over HTTP: their definitions, and running one."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api import repeating
from memories.api.describing import endpoint
from memories.api.door import actor_within
from memories.dialects import DIALECTS, Format, Tool, tool, tools
from memories.mcp.tools import TOOLS
from memories.mcp.tools.shaping import CONTEXT, published
from memories.schemas import anything, checked, listed, one_of, record, text, with_nulls
from memoryhub.errors import NotFound
from teams.actor import Actor

HUB = "hub"  # where a dialect is named: the tools that MCP offers at /mcp
OWN = {tool.name: tool for tool in TOOLS}
ASKED = {
    "dialect": text(
        description=f"One of {', '.join(DIALECTS)}, or {HUB} for the hub's own tools; all dialects, each by its name, "
        "if left out."
    ),
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


def call_of(dialect: str, tool: Tool) -> type[APIView]:
    """The endpoint of one tool: each has an address, so that the document says what each takes and gives."""

    @extend_schema(
        operation_id=f"tools_{dialect}_{tool.name}", description=tool.description, tags=[f"tools: {dialect}"]
    )
    @endpoint(
        summary=tool.title,
        takes=with_nulls(tool.parameters),
        gives=tool.gives,
        writes=not tool.reads,
        example=tool.example,
        answer=tool.answer,
        checks=False,  # the tool does
    )
    def post(self: APIView, request: Request, said: object) -> Response:
        actor = actor_within(request, tool.circumstances(said))
        return Response(tool.run(actor=actor, arguments=said))

    return type("ToolCall", (APIView,), {"post": post})


class HubTool(APIView):
    """One address for all of them: what they do has endpoints of its own, which the document tells in full."""

    @endpoint(
        summary="Run one of the hub's own tools",
        takes=anything(),
        gives=anything(),
        writes=True,
        example={"query": "Which berths are closed?", "context": {"session": "chat-42"}},
        answer={"memories": [], "mode": "hybrid", "total_found": 0, "total_is_bound": False},
        checks=False,  # the tool does
        once=False,
    )
    def post(self, request: Request, name: str, said: object) -> Response:
        """The tools of `/mcp`, for clients that hand definitions to a model themselves: the body is the tool's own
        arguments, the answer its own result."""
        if name not in OWN:
            raise NotFound(f"The hub has no tool {name!r}; it has {', '.join(OWN)}.")
        context = said.get("context") if isinstance(said, dict) else None
        within = checked(CONTEXT, {} if context is None else context, name="context")
        actor = actor_within(request, within)
        if OWN[name].reads:
            return Response(OWN[name].run(actor=actor, arguments=said))
        return _written(OWN[name], actor, said, request)


def _written(tool: Tool, actor: Actor, said: object, request: Request) -> Response:
    """What takes long comes before the transaction that makes it happen once."""
    if tool.think and (first := repeating.before(request)):
        return first
    act = tool.ready(actor=actor, arguments=said)
    return repeating.once(request, lambda: Response(act()))


class NoTool(APIView):
    """Tells those who have a token what there is instead."""

    schema = None

    def initial(self, request: Request, *args: Any, **places: str) -> None:
        super().initial(request, *args, **places)
        tool(places["dialect"], places["name"])


def _definitions(dialect: str, format: Format) -> list[dict[str, Any]]:
    if dialect == HUB:
        return [published(found.definition(format)) for found in TOOLS]
    return [found.definition(format) for found in tools(dialect)]
