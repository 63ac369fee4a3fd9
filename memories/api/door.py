"""The REST door's frame: who is calling, how JSON comes in and goes out, and how a refusal looks."""

from collections.abc import Mapping
from typing import IO, Any, cast
from urllib.parse import unquote

import orjson
from django.conf import settings
from django.http import Http404
from rest_framework import exceptions, status
from rest_framework.authentication import BaseAuthentication
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import shapes
from memories.models import Memory
from memoryhub.errors import Conflict, Invalid, TooLarge, Trouble, Unauthenticated
from teams import auth
from teams.actor import Actor

CONTEXT_HEADERS = ("project", "user", "session", "workspace", "channel")


class Caller:
    """What DRF wants to see as the user; the Actor is in `request.auth`."""

    is_authenticated = True


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
        return Caller(), auth.agent_actor(token=token.strip(), context=auth.Context(**said))

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="memoryhub"'


def actor_of(request: Request) -> Actor:
    return cast(Actor, request.auth)


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
            return orjson.loads(body)  # refuses NaN, broken UTF-8 and what is nested too deep
        except orjson.JSONDecodeError as error:
            raise exceptions.ParseError(f"This is not JSON: {error}.") from error


class JSONRenderer(BaseRenderer):
    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        return b"" if data is None else orjson.dumps(data)


def problem(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """Every refusal as a problem document (RFC 9457) with a stable code and a sentence."""
    if isinstance(error, Trouble):
        return _document(error.status, error.code, error.message, **_details(error))
    if isinstance(error, exceptions.NotAuthenticated):
        return _document(401, Unauthenticated.code, "A token is needed: 'Authorization: Bearer mh_…'.")
    if isinstance(error, exceptions.APIException):
        return _document(error.status_code, str(error.get_codes()), str(error.detail))
    if isinstance(error, Http404):
        return _document(404, "not_found", "There is nothing here.")
    return None


def _details(error: Trouble) -> dict[str, Any]:
    if isinstance(error, Invalid):
        return {"fields": error.fields}
    if isinstance(error, Conflict) and isinstance(error.current, Memory):
        return {"current": shapes.memory(error.current)}
    return {}


def _document(number: int, code: str, sentence: str, **details: Any) -> Response:
    body = {"type": "about:blank", "title": sentence, "status": number, "code": code, **details}
    response = Response(body, status=number, content_type="application/problem+json")
    if number == status.HTTP_401_UNAUTHORIZED:
        response["WWW-Authenticate"] = 'Bearer realm="memoryhub"'
    return response
