"""The methods that a client can call."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple

import orjson

from memories.contract.idempotency import IdempotentCall, canonicalize_request, check_idempotency_key
from memories.mcp import completions, prompts, resources
from memories.mcp.jsonrpc import INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, RESOURCE_NOT_FOUND, Refused, Request
from memories.mcp.protocol_versions import ALL, HANDSHAKE, MODERN, NEWEST_FIRST, SERVER
from memories.mcp.servers import INFO, Server
from memories.models import Memory, TeamFile
from memories.rules.access import require_verbs
from memories.tools import Tool
from memories.tools.hub.descriptions import CONTEXT
from memoryhub.errors import Conflict, NotFound, TooMany, Trouble
from memoryhub.validation import validate_input
from teams import rights
from teams.actor import Actor
from teams.call_context import CallContext
from teams.models import Token, Verb

META_CONTEXT = "memoryhub/context"
META_KEY = "memoryhub/idempotency-key"
MINUTES = 60 * 1_000  # milliseconds

Content = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    server: Server
    request: Request
    revision: str
    token: Token
    context: Mapping[str, str]  # by headers
    key: str | None = None  # to repeat it safely, by a header
    batched: bool = False

    @property
    def is_modern(self) -> bool:
        return self.revision in MODERN

    @property
    def cursor(self) -> str | None:
        found: str | None = self.get_param("cursor", str, optional=True)
        return found

    def get_param(self, name: str, kind: type, *, optional: bool = False) -> Any:
        found = self.request.params.get(name)
        if found is None and optional:
            return None
        if not isinstance(found, kind):
            raise Refused(INVALID_PARAMS, f"params.{name} must be {KINDS[kind]}.")
        return found

    @property
    def idempotency_key(self) -> str | None:
        """The idempotency key from `_meta` or the header. One header for a whole batch counts for each message by
        itself."""
        if (key_in_meta := self.request.meta.get(META_KEY)) is not None:
            return check_idempotency_key(key_in_meta)
        key = check_idempotency_key(self.key)
        return sha256(f"{key} {self.request.id!r}".encode()).hexdigest() if key and self.batched else key

    def actor(self, named_context: object = None, *, register: bool = False) -> Actor:
        """Return the caller as an actor, in the context given by the headers, the `_meta` of the message and its
        arguments, the later ones taking precedence. With `register`, also register the people and sessions that the
        context names."""
        meta = validate_input(CONTEXT, self.request.meta.get(META_CONTEXT, {}), name=META_CONTEXT)
        context = {
            **self.context,
            **meta,
            **validate_input(CONTEXT, {} if named_context is None else named_context, name="context"),
        }
        return rights.actor_of_token(token=self.token, context=CallContext(**context), register=register)


KINDS: dict[type, str] = {str: "text", dict: "an object"}


def answer(call: Call) -> Content:
    method = METHODS.get(call.request.method)
    if method is None or call.revision not in method.revisions or not method.part_of(call.server):
        raise Refused(METHOD_NOT_FOUND, f"Method not found: {call.request.method}")
    try:
        require_verbs(call.token.verbs, method.verbs)
        content = method.act(call)
    except TooMany:
        raise
    except Trouble as trouble:
        missing = isinstance(trouble, NotFound) and method.part == "resources"
        code = RESOURCE_NOT_FOUND if missing and not call.is_modern else INVALID_PARAMS
        data = {"uri": call.request.params["uri"]} if missing and "uri" in call.request.params else None
        raise Refused(code, trouble.message, data=data) from trouble
    if not call.is_modern:
        return content
    return {**content, "resultType": "complete", "_meta": {SERVER: INFO}, **method.kept}


def initialize(call: Call) -> Content:
    if call.batched:
        raise Refused(INVALID_REQUEST, "initialize cannot be part of a batch.")
    version = call.get_param("protocolVersion", str)
    return {
        "protocolVersion": version if version in HANDSHAKE else HANDSHAKE[-1],
        "capabilities": call.server.capabilities,
        "serverInfo": INFO,
        "instructions": call.server.instructions,
    }


def discover(call: Call) -> Content:
    return {
        "supportedVersions": NEWEST_FIRST,
        "capabilities": call.server.capabilities,
        "instructions": call.server.instructions,
    }


def ping(call: Call) -> Content:
    return {}


def list_tools(call: Call) -> Content:
    return {"tools": _return_all(call, call.server.definitions)}


def call_tool(call: Call) -> Content:
    """Call a tool. A refusal is a result, too: the model reads it, and may do better."""
    name, arguments = call.get_param("name", str), call.get_param("arguments", dict, optional=True) or {}
    tool = call.server.tools.get(name)
    if tool is None:
        raise Refused(INVALID_PARAMS, f"Unknown tool: {name}. There are {', '.join(call.server.tools)}.")
    try:
        require_verbs(call.token.verbs, tool.verbs(arguments))
        context = arguments.get("context") if call.server.is_hub else tool.read_context(arguments)
        result, written = _run_tool_once(call, tool, call.actor(context, register=tool.writes(arguments)), arguments)
    except TooMany:  # nothing that a model can do better
        raise
    except Trouble as trouble:
        return {"content": [_text_content(_sentence(trouble))], "isError": True}
    return {
        "content": [_text_content(_plain(result) or written.decode())],
        "structuredContent": orjson.Fragment(written),
    }


def _run_tool_once(call: Call, tool: Tool, actor: Actor, arguments: Content) -> tuple[Content, bytes]:
    """Return the tool's answer, and the same as it is sent. A call that writes and has an idempotency key is run once,
    and its repetition gets the first answer; a refusal is not stored."""
    key = None if tool.reads else call.idempotency_key
    if key is None:
        result = tool.run(actor=actor, arguments=arguments)
        return result, orjson.dumps(result)
    request = canonicalize_request(f"MCP {call.server.name} {tool.name}", arguments)
    repeatable = IdempotentCall(actor, key, request)
    if tool.prepare and (first := repeatable.find_answer()) is not None:
        return orjson.loads(first), first.encode()
    return repeatable.execute_as_json(tool.ready(actor=actor, arguments=arguments))


def list_resources(call: Call) -> Content:
    return resources.list_file_resources(actor=call.actor(), cursor=call.cursor)


def list_templates(call: Call) -> Content:
    return {"resourceTemplates": _return_all(call, resources.TEMPLATES)}


def read_resource(call: Call) -> Content:
    return {"contents": [resources.read(actor=call.actor(), uri=call.get_param("uri", str))]}


def list_prompts(call: Call) -> Content:
    return {"prompts": _return_all(call, prompts.PROMPTS)}


def get_prompt(call: Call) -> Content:
    name, arguments = call.get_param("name", str), call.get_param("arguments", dict, optional=True) or {}
    return prompts.build_prompt(actor=call.actor(), name=name, arguments=arguments)


def complete(call: Call) -> Content:
    argument, context = call.get_param("argument", dict), call.get_param("context", dict, optional=True) or {}
    ref, actor = call.get_param("ref", dict), call.actor()
    found = completions.find_completions(actor=actor, ref=ref, argument=argument, known=context.get("arguments"))
    return {"completion": found}


def _return_all(call: Call, every: list[Content]) -> list[Content]:
    """Return the whole list: it fits on one page, so no cursor can have come from us."""
    if call.cursor is not None:
        raise Refused(INVALID_PARAMS, "This is not a cursor of this list.")
    return every


def _text_content(text: str) -> Content:
    return {"type": "text", "text": text}


def _plain(result: Content) -> str:
    """Return the text of a result that consists of one text alone, which reads best as it is; otherwise nothing."""
    (only, *more) = result.values()
    return only if isinstance(only, str) and not more else ""


def _sentence(trouble: Trouble) -> str:
    """Return the error message; after a conflict, with the present text."""
    current = trouble.current if isinstance(trouble, Conflict) else None
    if not isinstance(current, Memory | TeamFile):
        return trouble.message
    return f"{trouble.message} Version {current.version} says:\n{current.content}"


class Method(NamedTuple):
    act: Callable[[Call], Content]
    part: str = ""  # the capability that it is of
    verbs: tuple[Verb, ...] = ()  # that the token needs, before anything is looked up; a tool has its own
    revisions: tuple[str, ...] = ALL
    kept: Mapping[str, Any] = {}  # how long modern clients may keep the answer, and for whom

    def part_of(self, server: Server) -> bool:
        return not self.part or self.part in server.capabilities


FOR_ALL = {"ttlMs": 5 * MINUTES, "cacheScope": "public"}
READING = (Verb.READ,)
FOR_ITSELF = {"ttlMs": 0, "cacheScope": "private"}
METHODS = {
    "initialize": Method(initialize, revisions=HANDSHAKE),
    "ping": Method(ping, revisions=HANDSHAKE),
    "server/discover": Method(discover, revisions=MODERN, kept=FOR_ALL),
    "tools/list": Method(list_tools, "tools", kept=FOR_ALL),
    "tools/call": Method(call_tool, "tools"),
    "resources/list": Method(list_resources, "resources", READING, kept=FOR_ITSELF),
    "resources/templates/list": Method(list_templates, "resources", kept=FOR_ALL),
    "resources/read": Method(read_resource, "resources", READING, kept=FOR_ITSELF),
    "prompts/list": Method(list_prompts, "prompts", kept=FOR_ALL),
    "prompts/get": Method(get_prompt, "prompts", READING),
    "completion/complete": Method(complete, "completions", READING),
}
