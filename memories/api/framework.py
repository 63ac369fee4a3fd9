"""The framework of the REST API: who is calling, how JSON is read and written, and how errors are answered."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any, cast

import orjson
from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.http import Http404
from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from memories.contract.call_headers import CHALLENGE, SIGN_IN_SENTENCE, authenticate_bearer, read_context_headers
from memories.contract.problems import problem_document
from memoryhub import error_pages, strict_json
from memoryhub.errors import Invalid, NotFound, TooLarge, TooMany, Trouble, Unauthenticated
from teams import rights
from teams.actor import Actor
from teams.call_context import CallContext
from teams.models import Token
from teams.team_page import open_team_page


@dataclass(frozen=True, slots=True)
class Caller:
    """The user object that DRF expects: the token, and the context in the headers. The Actor is in `request.auth`."""

    token: Token
    context: Mapping[str, str]
    is_authenticated: bool = True


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer mh_…`, and the context by `X-Memory-Project`, `-User`, `-Session`, … headers.

    Headers carry plain ASCII only: other letters come percent-encoded, as in URLs.
    """

    def authenticate(self, request: Request) -> tuple[Caller, Actor] | None:
        token = authenticate_bearer(request.headers)
        if token is None:
            return None
        caller = Caller(token, read_context_headers(request.headers))
        return caller, rights.actor_of_token(token=token, context=CallContext(**caller.context))

    def authenticate_header(self, request: Request) -> str:
        return CHALLENGE


class PersonAuthentication(SessionAuthentication):
    """Authenticates a person by the browser's session, for the team in the address. What changes something needs the
    CSRF token, as forms do. Tokens of agents count for nothing here."""

    def authenticate(self, request: Request) -> tuple[Any, Actor]:
        person = super().authenticate(request)
        if person is None:
            raise Unauthenticated("This needs a person's session. Log in in the browser.")
        names = request.parser_context["kwargs"]
        place = open_team_page(request._request, organization=names["organization"], team=names["team"])
        return person[0], place.deciding_actor

    def authenticate_header(self, request: Request) -> str:
        return CHALLENGE


def actor_of(request: Request) -> Actor:
    return cast(Actor, request.auth)


def register(request: Request) -> None:
    """Register the people and sessions that the headers name, if they are new: for calls that write."""
    if actor_of(request).unregistered:
        caller = cast(Caller, request.user)
        request.auth = rights.actor_of_token(token=caller.token, context=CallContext(**caller.context), register=True)


def actor_within(request: Request, context: Mapping[str, str], *, register: bool) -> Actor:
    """Return the actor of the same caller, with the context that the call itself adds to the headers or overrides."""
    if not context:
        return actor_of(request)
    caller = cast(Caller, request.user)
    merged = CallContext(**{**caller.context, **context})
    return rights.actor_of_token(token=caller.token, context=merged, register=register)


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
            return strict_json.load_json(body)
        except strict_json.NotJSON as error:
            raise exceptions.ParseError(str(error)) from error


class JSONRenderer(BaseRenderer):
    """Renders JSON. Data that is bytes already is a stored answer, and sent again as it is."""

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
    """Content negotiation for answers that are not JSON: they are sent as they are, whatever the caller accepts."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        media = (request.content_type or "").partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == media), None)

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


def problem(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """Return an error as a problem document (RFC 9457) with a stable code and a sentence."""
    if isinstance(error, Trouble):
        return _problem_response(problem_document(error), error)
    if isinstance(error, exceptions.NotAuthenticated):
        return _problem_response(problem_document(Unauthenticated(SIGN_IN_SENTENCE)), error)
    if isinstance(error, exceptions.APIException):
        return _problem_response(
            error_pages.problem_document(error.status_code, str(error.get_codes()), str(error.detail)), error
        )
    if isinstance(error, RequestDataTooBig):
        return _problem_response(problem_document(TooLarge({"body": "The fields of the form are too long."})), error)
    if isinstance(error, SuspiciousOperation):
        return _problem_response(problem_document(Invalid({"body": "This form cannot be read."})), error)
    if isinstance(error, Http404):
        return _problem_response(problem_document(NotFound("There is nothing here.")), error)
    return None


def _problem_response(body: dict[str, Any], error: Exception) -> Response:
    response = Response(body, status=body["status"], content_type=error_pages.PROBLEM_TYPE)
    if body["status"] == Unauthenticated.status:
        response["WWW-Authenticate"] = CHALLENGE
    if isinstance(error, TooMany):
        response["Retry-After"] = str(error.retry_after)
    return response
