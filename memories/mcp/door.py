"""The view at /mcp: who is calling, what comes in and what goes out."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import orjson
from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.utils.http import is_same_domain
from django.views.decorators.csrf import csrf_exempt

from memories.api.door import CONTEXT_HEADERS
from memories.api.repeating import HEADER
from memories.dialects import DIALECTS
from memories.mcp import messages, methods, revisions
from memories.mcp.messages import INVALID_REQUEST, Answer, Refused
from memories.mcp.methods import Call
from memories.mcp.servers import SERVERS, Server
from memoryhub import logs
from memoryhub.errors import TooMany, Unauthenticated
from teams import auth, tokens
from teams.models import Token

BATCH = 100  # messages at most


@dataclass(frozen=True, slots=True)
class Reply:
    body: Answer | list[Answer] | None = None
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


@csrf_exempt  # by token, never by cookie
def endpoint(request: HttpRequest, dialect: str = "") -> HttpResponse:
    reply = _reply(request, dialect)
    body = b"" if reply.body is None else orjson.dumps(reply.body)
    return HttpResponse(body, status=reply.status, headers=dict(reply.headers), content_type="application/json")


def _reply(request: HttpRequest, dialect: str) -> Reply:
    """Streams are not offered, nor sessions that could be ended: that is what 405 says to a GET or DELETE."""
    if dialect not in SERVERS:
        return _refused(404, f"There is no dialect {dialect!r}; there are {', '.join(DIALECTS)}.")
    if not _is_welcome(request):
        return _refused(403, "Pages of other sites may not call this.")
    if request.method != "POST":
        return _refused(405, "Send messages by POST.", ("Allow", "POST"))
    if request.content_type != "application/json":
        return _refused(415, "The body must be application/json.")
    if not request.accepts("application/json"):
        return _refused(406, "Answers are application/json.")
    return _answered(request, SERVERS[dialect])


def _is_welcome(request: HttpRequest) -> bool:
    """Programs name no origin. A page must be of this site or trusted: another may have had its name point here."""
    origin = request.headers.get("Origin")
    if origin is None:
        return True
    scheme, _, host = origin.partition("://")
    trusted = [site.partition("://") for site in settings.CSRF_TRUSTED_ORIGINS]
    return host == request.get_host() or any(
        scheme == of and is_same_domain(host, pattern.lstrip("*")) for of, _, pattern in trusted
    )


def _answered(request: HttpRequest, server: Server) -> Reply:
    try:
        return Caller(request, server, _bearer(request)).answer(messages.loaded(request.body))
    except RequestDataTooBig:
        return _refused(413, f"At most {settings.DATA_UPLOAD_MAX_MEMORY_SIZE:,} bytes.")
    except Unauthenticated as error:
        return _refused(401, error.message, ("WWW-Authenticate", 'Bearer realm="memoryhub"'))
    except TooMany as error:
        return _refused(429, error.message, ("Retry-After", str(error.retry_after)))
    except Refused as refusal:
        return Reply(messages.error(None, refusal), 400)


def _bearer(request: HttpRequest) -> Token:
    scheme, _, text = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not text:
        raise Unauthenticated("A token is needed: 'Authorization: Bearer mh_…'.")
    found = auth.bearer(token=text.strip())
    logs.about(actor=f"agent:{found.agent_id}", token=text.strip()[: tokens.PREFIX_LENGTH])
    return found


def _refused(status: int, sentence: str, *headers: tuple[str, str]) -> Reply:
    return Reply(messages.error(None, Refused(INVALID_REQUEST, sentence)), status, headers)


@dataclass(frozen=True, slots=True)
class Caller:
    """An agent at the door of one server."""

    request: HttpRequest
    server: Server
    token: Token

    def answer(self, said: Any) -> Reply:
        if not isinstance(said, list):
            return self._one(said)
        if not revisions.batches(self.request.headers):
            raise Refused(INVALID_REQUEST, f"Batches are of revision {revisions.BATCHING} alone.")
        if not 0 < len(said) <= BATCH:
            raise Refused(INVALID_REQUEST, f"A batch has 1 to {BATCH} messages.")
        replies = [self._one(message, batched=True).body for message in said]
        answers = [body for body in replies if isinstance(body, dict)]
        return Reply(answers) if answers else Reply(None, 202)

    def _one(self, said: Any, *, batched: bool = False) -> Reply:
        headers = self.request.headers
        modern = revisions.is_modern(said, headers)
        try:
            found = messages.request(said)
            if found is None:
                return self._noted(said, modern)
            revision = revisions.spoken(found, headers) if modern else revisions.agreed(headers)
            call = Call(self.server, found, revision, self.token, self._context(), headers.get(HEADER), batched)
            return Reply(messages.result(found.id, methods.answer(call)))
        except Refused as refusal:
            status = revisions.status(refusal, modern=modern)
            return Reply(messages.error(messages.id_of(said), refusal), status)

    def _noted(self, said: dict[str, Any], modern: bool) -> Reply:
        """What wants no answer gets none. Modern clients have nothing to respond to."""
        if modern:
            revisions.refuse_unknown(self.request.headers["MCP-Protocol-Version"])
            if "method" not in said:
                raise Refused(INVALID_REQUEST, "Send requests and notifications.")
        return Reply(None, 202)

    def _context(self) -> dict[str, str]:
        headers = self.request.headers
        return {name: unquote(headers.get(f"X-Memory-{name.title()}", "")) for name in CONTEXT_HEADERS}
