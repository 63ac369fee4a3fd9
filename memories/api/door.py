"""The REST door's frame: who is calling, how JSON comes in and goes out, and how a refusal looks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any, cast
from urllib.parse import unquote

import orjson
from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.http import Http404
from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import shapes
from memories.models import Memory, TeamFile
from memoryhub import json, logs, refusals
from memoryhub.errors import Conflict, Invalid, NotFound, TooLarge, TooMany, Trouble, Unauthenticated
from teams import auth, tokens
from teams.actor import Actor
from teams.circumstances import Context
from teams.models import Token

CONTEXT_HEADERS = ("project", "user", "session", "workspace", "channel")


@dataclass(frozen=True, slots=True)
class Caller:
    """What DRF wants to see as the user: the token, and what the headers tell. The Actor is in `request.auth`."""

    token: Token
    context: Mapping[str, str]
    is_authenticated: bool = True


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer mh_…`, and the context by `X-Memory-Project`, `-User`, `-Session`, … headers.

    Headers carry plain ASCII only: other letters come percent-encoded, as in URLs.
    """

    def authenticate(self, request: Request) -> tuple[Caller, Actor] | None:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if not token:
            return None
        if scheme.lower() != "bearer":
            raise Unauthenticated("Send the token as 'Authorization: Bearer mh_…'.")
        said = {name: unquote(request.headers.get(f"X-Memory-{name.title()}", "")) for name in CONTEXT_HEADERS}
        caller = Caller(auth.bearer(token=token.strip()), said)
        actor = auth.actor_of_token(token=caller.token, context=Context(**said))
        logs.about(actor=actor.caller, token=token[: tokens.PREFIX_LENGTH])
        return caller, actor

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="memoryhub"'


def actor_of(request: Request) -> Actor:
    return cast(Actor, request.auth)


def actor_within(request: Request, said: Mapping[str, str]) -> Actor:
    """The same caller where the call itself says more of its circumstances than the headers do, or something else."""
    if not said:
        return actor_of(request)
    caller = cast(Caller, request.user)
    return auth.actor_of_token(token=caller.token, context=Context(**{**caller.context, **said}))


class JSONParser(BaseParser):
    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        body = stream.read(most + 1)
        if len(body) > most:
            raise TooLarge({"body": f"At most {most:,} bytes."})
        try:
            return json.loads(body)
        except json.NotJSON as error:
            raise exceptions.ParseError(str(error)) from error


class JSONRenderer(BaseRenderer):
    """What is bytes already is an answer that is given again."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        if data is None:
            return b""
        return data if isinstance(data, bytes) else orjson.dumps(data)


class Anything(BaseContentNegotiation):
    """For answers that are not JSON: whatever the caller accepts, it is sent as what it is."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        media = (request.content_type or "").partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == media), None)

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


def problem(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """Every refusal as a problem document (RFC 9457) with a stable code and a sentence."""
    if isinstance(error, Trouble):
        return _answered(document(error), error)
    if isinstance(error, exceptions.NotAuthenticated):
        return _answered(document(Unauthenticated("A token is needed: 'Authorization: Bearer mh_…'.")), error)
    if isinstance(error, exceptions.APIException):
        return _answered(refusals.document(error.status_code, str(error.get_codes()), str(error.detail)), error)
    if isinstance(error, RequestDataTooBig):
        return _answered(document(TooLarge({"body": "The form's fields are too long."})), error)
    if isinstance(error, SuspiciousOperation):
        return _answered(document(Invalid({"body": "This form cannot be read."})), error)
    if isinstance(error, Http404):
        return _answered(document(NotFound("There is nothing here.")), error)
    return None


def document(error: Trouble) -> dict[str, Any]:
    return refusals.document(error.status, error.code, error.message, **_details(error))


def _details(error: Trouble) -> dict[str, Any]:
    if isinstance(error, Invalid):
        return {"fields": error.fields}
    if isinstance(error, Conflict) and isinstance(error.current, Memory):
        return {"current": shapes.memory(error.current)}
    if isinstance(error, Conflict) and isinstance(error.current, TeamFile):
        return {"current": shapes.file(error.current)}
    return {}


def _answered(body: dict[str, Any], error: Exception) -> Response:
    response = Response(body, status=body["status"], content_type=refusals.PROBLEM_TYPE)
    if body["status"] == Unauthenticated.status:
        response["WWW-Authenticate"] = 'Bearer realm="memoryhub"'
    if isinstance(error, TooMany):
        response["Retry-After"] = str(error.retry_after)
    return response
