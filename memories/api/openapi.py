"""The declaration of endpoints: what each takes and gives is stated once, checked when it is called and published in
the OpenAPI document."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.conf import settings
from django.http.response import HttpResponseBase
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request

from memories.api import etags, framework, idempotency
from memories.contract.idempotency import IDEMPOTENCY_HEADER, IDEMPOTENCY_KEY_PATTERN
from memories.contract.output_schemas import PROBLEM
from memories.rules.access import require_verb, writes_anything
from memoryhub.error_pages import PROBLEM_TYPE
from memoryhub.errors import Invalid
from memoryhub.json_schema import Schema, parse_strings, record, text
from memoryhub.validation import validate_input
from teams.models import Verb

Method = Callable[..., HttpResponseBase]

REFUSALS = {
    400: "The request is invalid; `fields` says what is wrong.",
    401: "The token is missing, unknown, expired or revoked.",
    403: "The token lacks a verb, or may not name that user.",
    404: "It does not exist, or you may not see it.",
    406: "The endpoint cannot respond with a type that `Accept` allows.",
    429: "Too many requests; try again after `Retry-After`.",
}
BODY_REFUSALS = {
    413: "The request is too large.",
    415: "The body does not have the content type that the endpoint expects.",
}
WRITE_REFUSALS = {409: "Somebody else was faster; `current` is the present state."}
REPEATED_REFUSALS = {422: "The idempotency key was used with another request."}


def header(name: str, description: str, **schema: Any) -> OpenApiParameter:
    return OpenApiParameter(name, text() | schema, location=OpenApiParameter.HEADER, description=description)


IDEMPOTENCY_KEY = header(
    IDEMPOTENCY_HEADER,
    "Makes retries safe: within 24 hours the request is executed once, and every retry gets the same response.",
    pattern=IDEMPOTENCY_KEY_PATTERN,
)
IF_MATCH = header(
    "If-Match",
    "The `ETag` that you last read. If it has changed since, nothing is written and you get 409. A version alone, "
    '`"3"`, matches anything at that version, and `*` matches anything that exists.',
    pattern=etags.NAMED,
)
IF_NONE_MATCH = header(
    "If-None-Match",
    "The `ETag` of the copy you have. If it is still current, you get an empty 304. A version alone is not enough.",
)
ONLY_NEW = header(
    "If-None-Match",
    "`*`: write only if it does not exist yet; otherwise you get 409.",
    pattern=r"^\*$",
)
ETAG = "Identifies this version. Send it as `If-Match` with a change, or as `If-None-Match` with the next read."
CONTEXT = [
    header("X-Memory-Project", "The project that the call is about: its slug or id."),
    header(
        "X-Memory-User",
        "The person whom the call serves, by any handle. The first write that names a person registers them. The token "
        "must be allowed to name them.",
    ),
    header(
        "X-Memory-Session", "Your own id of the conversation. Later calls inherit the context that earlier ones set."
    ),
    header("X-Memory-Workspace", "The workspace, if the organization has switched workspaces on."),
    header("X-Memory-Channel", "The channel in which the conversation takes place."),
]


def endpoint(
    *,
    operation: str,
    summary: str,
    response: Schema | None,
    body: Schema | None = None,
    status: Sequence[int] = (200,),
    parameters: Sequence[OpenApiParameter] = (),
    example: Mapping[str, Any] | None = None,
    answer: Any = None,
    writes: bool = False,
    query: Mapping[str, Schema] | None = None,
    form: Schema | None = None,
    media: str = "application/json",
    validate: bool = True,
    idempotent: bool = True,
    extra_errors: Mapping[int, str] | None = None,
    response_headers: Mapping[str, str] | None = None,
    verbs: Sequence[Verb] | Callable[[object], Sequence[Verb]] | None = None,
    of_people: bool = False,
) -> Callable[[Method], Method]:
    """Declare an endpoint; generated clients call it by the name of the `operation`.

    The request's body is checked against `body` and passed on by that name, its query against `query` and passed on as
    `params`. With `IF_MATCH`, the body's `version` is the one that must still be current, from the header or the body.
    `example` is a body, `answer` an answer. A POST that writes may be repeated with its idempotency key. Without
    `validate` the body is passed on as it came; without `idempotent` the method handles repeated requests itself. A
    token that lacks one of the `verbs` is refused before anything is looked up; by default that is write or read,
    depending on `writes`, and a function returns the verbs for a body. Calls that need more than reading register the
    people and sessions that the headers name. `extra_errors` adds statuses, with their meaning, and `response_headers`
    adds headers. Those `of_people` take no context: their addresses name the team."""
    needed = () if callable(verbs) else verbs if verbs is not None else (Verb.WRITE if writes else Verb.READ,)
    declared = {parameter.name for parameter in parameters if parameter.location == OpenApiParameter.QUERY}
    questions = record(query or {})

    def decorate(method: Method) -> Method:
        repeatable = writes and method.__name__ == "post"  # what only reads always tells what stands there now

        @wraps(method)
        def act(self: Any, request: Request, **places: Any) -> HttpResponseBase:
            asked_verbs = verbs(request.data) if callable(verbs) else needed
            require_verb(framework.actor_of(request), *asked_verbs)
            params = _read_query_string(request, questions, declared)
            if query is not None:
                places["params"] = params
            if body is not None:
                places["body"] = validate_input(body, request.data) if validate else request.data
            if IF_MATCH in parameters:
                sent = places.setdefault("body", {})
                sent["version"] = etags.read_expected_version(request, in_body=sent.get("version"))
            if writes_anything(asked_verbs):
                framework.register(request)
            if repeatable and idempotent:
                return idempotency.respond_once(request, lambda: method(self, request, **places))  # type: ignore[arg-type, return-value]
            return method(self, request, **places)

        content = {"application/json": body} if body else {"multipart/form-data": form} if form else None
        refusals = REFUSALS | (BODY_REFUSALS if content else {}) | (WRITE_REFUSALS if writes else {})
        refusals |= (REPEATED_REFUSALS if repeatable else {}) | dict(extra_errors or {})
        questionnaire = [_parameter(name, schema) for name, schema in (query or {}).items()]
        described: Method = extend_schema(
            operation_id=operation,
            summary=summary,
            description=method.__doc__,
            request=content,
            responses={**_answers(response, status, media, parameters), **_problems(refusals)},
            parameters=[
                *questionnaire,
                *parameters,
                *([IDEMPOTENCY_KEY] if repeatable else []),
                *(() if of_people else CONTEXT),
                *_list_response_headers(parameters, status, response_headers or {}),
            ],
            examples=_examples(example, answer, status, media),
            extensions={"x-token-verbs": [verb.value for verb in needed]},
        )(act)
        published = Published(body or form, query or {}, response, (*status, *refusals), example, answer, tuple(needed))
        described.published = published  # type: ignore[attr-defined]
        return described

    return decorate


@dataclass(frozen=True, slots=True)
class Published:
    """The declaration of an endpoint, for the tests that check whether it is true."""

    body: Schema | None
    query: Mapping[str, Schema]
    response: Schema | None
    status: tuple[int, ...]
    example: object
    answer: object
    verbs: tuple[Verb, ...]


def _read_query_string(request: Request, questions: Schema, declared: set[str]) -> Any:
    properties = questions["properties"]
    unknown = set(request.query_params) - set(properties) - declared
    if unknown:
        raise Invalid(dict.fromkeys(sorted(unknown), "There is no such parameter."))
    params = {
        name: parse_strings(properties[name], request.query_params.getlist(name))
        for name in properties
        if name in request.query_params
    }
    return validate_input(questions, params, name="query")


def _parameter(name: str, schema: Schema) -> OpenApiParameter:
    plain = {key: value for key, value in schema.items() if key != "description"}
    return OpenApiParameter(name, plain, description=schema.get("description", ""))


def _answers(
    response: Schema | None, status: Sequence[int], media: str, parameters: Sequence[OpenApiParameter]
) -> dict[Any, Any]:
    conditional = {304: OpenApiResponse(description="Your copy is still current.")}
    answers = (
        {(number, media): response for number in status}
        if response
        else {number: OpenApiResponse() for number in status}
    )
    return {**answers, **(conditional if IF_NONE_MATCH in parameters else {})}


def _list_response_headers(
    parameters: Sequence[OpenApiParameter], status: Sequence[int], response_headers: Mapping[str, str]
) -> list[OpenApiParameter]:
    """Return the headers of the answers. What takes a precondition answers the ETag that the next one can name."""
    tagged = [*status, *([304] if IF_NONE_MATCH in parameters else [])]
    conditional = {IF_MATCH, IF_NONE_MATCH} & set(parameters)
    return [
        *([_response_header("ETag", ETAG, tagged)] if conditional else []),
        *([_response_header("Location", "The URL of the new resource.", [201])] if 201 in status else []),
        *(_response_header(name, description, list(status)) for name, description in response_headers.items()),
        _response_header("WWW-Authenticate", "The authentication that is required.", [401]),
        _response_header("Retry-After", "The number of seconds to wait.", [429], type="integer"),
    ]


def _response_header(name: str, description: str, status: list[int], **schema: Any) -> OpenApiParameter:
    form = {"type": "string"} | schema
    return OpenApiParameter(
        name, form, location=OpenApiParameter.HEADER, description=description, response=status, required=True
    )


def _problems(refusals: Mapping[int, str]) -> dict[Any, Any]:
    return {
        (number, PROBLEM_TYPE): OpenApiResponse(response=PROBLEM, description=sentence)
        for number, sentence in refusals.items()
    }


def _examples(body: object, answer: object, status: Sequence[int], media: str) -> list[OpenApiExample]:
    found = [OpenApiExample("Request", value=body, request_only=True)] if body is not None else []
    if answer is not None:
        codes = [str(number) for number in status]
        found.append(OpenApiExample("Response", value=answer, response_only=True, status_codes=codes, media_type=media))
    return found


class BearerToken(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "memories.api.framework.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "The token of an agent: `mh_…`."}


class BrowserSession(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "memories.api.framework.PersonAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        description = "The session of a person who is logged in, with `X-CSRFToken` for what changes something."
        return {"type": "apiKey", "in": "cookie", "name": settings.SESSION_COOKIE_NAME, "description": description}
