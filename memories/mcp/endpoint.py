"""The view at /mcp: who is calling, what comes in and what goes out."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson
from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.http import is_same_domain
from django.views.decorators.csrf import csrf_exempt

from memories.contract.call_headers import CHALLENGE, SIGN_IN_SENTENCE, authenticate_bearer, read_context_headers
from memories.contract.idempotency import IDEMPOTENCY_HEADER
from memories.mcp import jsonrpc, methods, protocol_versions
from memories.mcp.jsonrpc import INVALID_REQUEST, Answer, Refused
from memories.mcp.methods import Call
from memories.mcp.servers import SERVERS, Server
from memories.tools import DIALECTS
from memoryhub.errors import TooMany, Unauthenticated
from teams import rate_limits
from teams.models import Token

BATCH = 10  # messages at most
BATCH_ANSWER_BYTES = 4 * 1024 * 1024  # once a batch's answers are that long, its other messages are not answered
TOO_LONG = "The answers of this batch are too long already. Send this message by itself."


@dataclass(frozen=True, slots=True)
class Reply:
    body: Answer | orjson.Fragment | list[orjson.Fragment] | None = None
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


@csrf_exempt  # by token, never by cookie
def endpoint(request: HttpRequest, dialect: str = "") -> HttpResponse:
    reply = _reply(request, dialect)
    body = b"" if reply.body is None else orjson.dumps(reply.body)
    return HttpResponse(body, status=reply.status, headers=dict(reply.headers), content_type="application/json")


def _reply(request: HttpRequest, dialect: str) -> Reply:
    """Answer the request. A GET or DELETE gets 405: we offer neither streams nor sessions that could be ended."""
    if dialect not in SERVERS:
        return _refuse(404, f"There is no dialect {dialect!r}; there are {', '.join(DIALECTS)}.")
    if not _is_welcome(request):
        return _refuse(403, "Pages of other sites may not call this.")
    if request.method != "POST":
        return _refuse(405, "Send messages by POST.", ("Allow", "POST"))
    if request.content_type != "application/json":
        return _refuse(415, "The body must be application/json.")
    if not request.accepts("application/json"):
        return _refuse(406, "Answers are application/json.")
    return _answer_request(request, SERVERS[dialect])


def _is_welcome(request: HttpRequest) -> bool:
    """Return whether the origin of the request may call us. Programs send no origin. A page must be of this site or of
    a trusted one: another site may have pointed its name at this server."""
    origin = request.headers.get("Origin")
    if origin is None:
        return True
    scheme, _, host = origin.partition("://")
    trusted = [site.partition("://") for site in settings.CSRF_TRUSTED_ORIGINS]
    return host == request.get_host() or any(
        scheme == of and is_same_domain(host, pattern.lstrip("*")) for of, _, pattern in trusted
    )


def _answer_request(request: HttpRequest, server: Server) -> Reply:
    try:
        token = authenticate_bearer(request.headers)
        if token is None:
            raise Unauthenticated(SIGN_IN_SENTENCE)
        return Caller(request, server, token).answer(jsonrpc.load_message(request.body))
    except RequestDataTooBig:
        return _refuse(413, f"At most {settings.DATA_UPLOAD_MAX_MEMORY_SIZE:,} bytes.")
    except Unauthenticated as error:
        return _refuse(401, error.message, ("WWW-Authenticate", CHALLENGE))
    except TooMany as error:
        return _refuse_rate(None, error)
    except Refused as refusal:
        return Reply(jsonrpc.build_error(None, refusal), 400)


def _refuse(status: int, sentence: str, *headers: tuple[str, str]) -> Reply:
    return Reply(jsonrpc.build_error(None, Refused(INVALID_REQUEST, sentence)), status, headers)


def _refuse_rate(identity: jsonrpc.Id, error: TooMany) -> Reply:
    refusal = jsonrpc.build_error(identity, jsonrpc.refuse_too_many(error))
    return Reply(refusal, TooMany.status, (("Retry-After", str(error.retry_after)),))


@dataclass(frozen=True, slots=True)
class Caller:
    """An agent that calls one of the servers."""

    request: HttpRequest
    server: Server
    token: Token

    def answer(self, body: Any) -> Reply:
        if not isinstance(body, list):
            return self._answer_message(body)
        if not protocol_versions.batches(self.request.headers):
            raise Refused(INVALID_REQUEST, f"Only revision {protocol_versions.BATCHING} has batches.")
        if not 0 < len(body) <= BATCH:
            raise Refused(INVALID_REQUEST, f"A batch must have 1 to {BATCH} messages.")
        answers = [orjson.Fragment(answer) for answer in self._answer_batch(body)]
        return Reply(answers) if answers else Reply(None, 202)

    def _answer_batch(self, batch: list[Any]) -> Iterator[bytes]:
        """Yield the answers as they are sent, of as many messages as fit into one response."""
        size = 0
        for place, message in enumerate(batch):
            reply = self._answer_message(message, batched=True, counted=place == 0, room=size < BATCH_ANSWER_BYTES)
            if reply.body is not None:
                answer = orjson.dumps(reply.body)
                size += len(answer)
                yield answer

    def _answer_message(self, message: Any, *, batched: bool = False, counted: bool = True, room: bool = True) -> Reply:
        """Answer a message. Each counts as a request: the first one did when the request came."""
        headers = self.request.headers
        modern = protocol_versions.is_modern(message, headers)
        try:
            request = jsonrpc.parse_request(message)
            if request is None:
                return self._accept_notification(message, modern)
            if not counted:
                rate_limits.count_request(token=self.token, now=timezone.now())
            if not room:
                raise Refused(INVALID_REQUEST, TOO_LONG)
            revision = (
                protocol_versions.read_revision(request, headers)
                if modern
                else protocol_versions.negotiate_version(headers)
            )
            call = Call(
                self.server,
                request,
                revision,
                self.token,
                read_context_headers(headers),
                headers.get(IDEMPOTENCY_HEADER),
                batched,
            )
            return Reply(jsonrpc.build_result(request.id, methods.answer(call)))
        except TooMany as error:
            return _refuse_rate(jsonrpc.get_message_id(message), error)
        except Refused as refusal:
            status = protocol_versions.choose_status(refusal, modern=modern)
            return Reply(jsonrpc.build_error(jsonrpc.get_message_id(message), refusal), status)

    def _accept_notification(self, message: dict[str, Any], modern: bool) -> Reply:
        """Accept a message that expects no answer. Modern clients must not send responses, as we send them no
        requests."""
        if modern:
            protocol_versions.refuse_unknown(self.request.headers.get("MCP-Protocol-Version", ""))
            if "method" not in message:
                raise Refused(INVALID_REQUEST, "Send requests and notifications.")
        return Reply(None, 202)
