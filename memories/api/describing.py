"""What an endpoint takes and gives: said once, checked when it is called and published in the OpenAPI document."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request

from memories.api import answers, repeating, versions
from memories.schemas import Schema, checked, record, spelled, text, whole
from memoryhub.errors import Invalid
from memoryhub.refusals import PROBLEM_TYPE

Method = Callable[..., HttpResponseBase]

PROBLEM = record(
    {
        "type": {"type": "string"},
        "title": {"type": "string", "description": "What the status means."},
        "status": whole(least=400, most=599),
        "detail": {"type": "string", "description": "What is wrong, in a sentence."},
        "code": {"type": "string", "description": "The same in every release, for programs."},
        "fields": {"type": "object", "additionalProperties": {"type": "string"}},
        "current": {"type": "object", "description": "What stands there now, if somebody was faster."},
    },
    required=["type", "title", "status", "detail", "code"],
    title="Problem",
)
REFUSALS = {
    400: "Something that was sent is not right; `fields` names it.",
    401: "The token is missing, unknown, expired or revoked.",
    403: "The token has not got that verb.",
    404: "There is no such thing, or it is not yours to see.",
    406: "This endpoint cannot answer in what `Accept` asks for.",
    429: "Too many requests; `Retry-After` says when to come again.",
}
BODY_REFUSALS = {413: "That is too much.", 415: "The body is not of the type that this endpoint takes."}
WRITE_REFUSALS = {409: "Somebody was faster; `current` is what stands there now."}
REPEATED_REFUSALS = {422: "The idempotency key came with another request before."}


def header(name: str, description: str, **schema: Any) -> OpenApiParameter:
    return OpenApiParameter(name, text() | schema, location=OpenApiParameter.HEADER, description=description)


IDEMPOTENCY_KEY = header(
    repeating.HEADER,
    "Makes a retry safe: done once within 24 hours, and answered the same.",
    pattern=repeating.KEY,
)
IF_MATCH = header(
    "If-Match",
    "The ETag of what you saw: if something else is there by now, nothing changes and you get a 409. A version alone, "
    '`"3"`, is met by whatever is at that version; `*` by whatever is there.',
    pattern=versions.NAMED,
)
IF_NONE_MATCH = header(
    "If-None-Match",
    "The ETag of what you have: if it still stands, the answer is an empty 304. A version alone is never enough.",
)
ONLY_NEW = header(
    "If-None-Match",
    "`*`: only if there is none yet; otherwise nothing changes and you get a 409.",
    pattern=r"^\*$",
)
CONTEXT = [
    header("X-Memory-Project", "The project at work: its slug or id."),
    header("X-Memory-User", "The person whom the call serves, by a handle of yours; known from its first use on."),
    header("X-Memory-Session", "Your own id of the conversation; later calls inherit what the first ones said."),
    header("X-Memory-Workspace", "The workspace, if the organization has switched workspaces on."),
    header("X-Memory-Channel", "The channel in which the conversation takes place."),
]


def endpoint(
    *,
    summary: str,
    gives: Schema | None,
    takes: Schema | None = None,
    status: Sequence[int] = (200,),
    parameters: Sequence[OpenApiParameter] = (),
    example: Mapping[str, Any] | None = None,
    answer: Any = None,
    writes: bool = False,
    asks: Mapping[str, Schema] | None = None,
    form: Schema | None = None,
    media: str = "application/json",
    checks: bool = True,
    once: bool = True,
) -> Callable[[Method], Method]:
    """Checks the body against `takes` and hands it on as `said`, the query against `asks` and hands it on as `asked`.
    `example` is a body, `answer` what comes back. A POST that writes may be repeated with its idempotency key. Without
    `checks` the body is handed on as it came; without `once` the method sees to its repeating itself."""
    declared = {parameter.name for parameter in parameters if parameter.location == OpenApiParameter.QUERY}
    questions = record(asks or {})

    def decorate(method: Method) -> Method:
        repeatable = writes and method.__name__ == "post"  # what only reads always tells what stands there now

        @wraps(method)
        def act(self: Any, request: Request, **places: Any) -> HttpResponseBase:
            asked = _asked(request, questions, declared)
            if asks is not None:
                places["asked"] = asked
            if takes is not None:
                places["said"] = checked(takes, request.data) if checks else request.data
            if repeatable and once:
                return repeating.once(request, lambda: method(self, request, **places))  # type: ignore[arg-type, return-value]
            return method(self, request, **places)

        body = {"application/json": takes} if takes else {"multipart/form-data": form} if form else None
        refusals = REFUSALS | (BODY_REFUSALS if body else {}) | (WRITE_REFUSALS if writes else {})
        refusals |= REPEATED_REFUSALS if repeatable else {}
        questionnaire = [_parameter(name, schema) for name, schema in (asks or {}).items()]
        described: Method = extend_schema(
            operation_id=_operation(method),
            summary=summary,
            description=method.__doc__,
            request=body,
            responses={**_answers(gives, status, media, parameters), **_problems(refusals)},
            parameters=[*questionnaire, *parameters, *([IDEMPOTENCY_KEY] if repeatable else []), *CONTEXT],
            examples=_examples(example, answer, status, media),
        )(act)
        described.published = Published(takes or form, asks or {}, gives, (*status, *refusals), example, answer)  # type: ignore[attr-defined]
        return described

    return decorate


@dataclass(frozen=True, slots=True)
class Published:
    """What an endpoint says of itself, for the tests that it is true."""

    takes: Schema | None
    asks: Mapping[str, Schema]
    gives: Schema | None
    status: tuple[int, ...]
    example: object
    answer: object


def _operation(method: Method) -> str:
    """By module, class and method: memories_onememory_get."""
    module = method.__module__.rpartition(".")[2]
    return f"{module}_{method.__qualname__.replace('.', '_')}".lower()


def _asked(request: Request, questions: Schema, declared: set[str]) -> Any:
    properties = questions["properties"]
    unknown = set(request.query_params) - set(properties) - declared
    if unknown:
        raise Invalid(dict.fromkeys(sorted(unknown), "There is no such parameter."))
    said = {
        name: spelled(properties[name], request.query_params.getlist(name))
        for name in properties
        if name in request.query_params
    }
    return checked(questions, said, name="query")


def _parameter(name: str, schema: Schema) -> OpenApiParameter:
    plain = {key: value for key, value in schema.items() if key != "description"}
    return OpenApiParameter(name, plain, description=schema.get("description", ""))


def _answers(
    gives: Schema | None, status: Sequence[int], media: str, parameters: Sequence[OpenApiParameter]
) -> dict[Any, Any]:
    conditional = {304: OpenApiResponse(description="It is still the version you have.")}
    answers = (
        {(number, media): gives for number in status} if gives else {number: OpenApiResponse() for number in status}
    )
    return {**answers, **(conditional if IF_NONE_MATCH in parameters else {})}


def _problems(refusals: Mapping[int, str]) -> dict[Any, Any]:
    return {
        (number, PROBLEM_TYPE): OpenApiResponse(response=PROBLEM, description=sentence)
        for number, sentence in refusals.items()
    }


def _examples(body: object, answer: object, status: Sequence[int], media: str) -> list[OpenApiExample]:
    found = [OpenApiExample("A call", value=body, request_only=True)] if body is not None else []
    if answer is not None:
        codes = [str(number) for number in status]
        found.append(
            OpenApiExample("An answer", value=answer, response_only=True, status_codes=codes, media_type=media)
        )
    return found


class BearerToken(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "memories.api.door.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "A token of an agent: `mh_…`."}


def by_name(result: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
    """The document with each schema that has a title named among its components, and referred to by that name; and with
    an example of every place in an address."""
    schemas = result.setdefault("components", {}).setdefault("schemas", {})

    def referred(part: Any) -> Any:
        if isinstance(part, list):
            return [referred(one) for one in part]
        if not isinstance(part, dict):
            return part
        inner = {key: referred(value) for key, value in part.items()}
        if part.get("type") != "object" or not isinstance(part.get("title"), str):
            return inner
        if schemas.setdefault(part["title"], inner) != inner:
            raise AssertionError(f"Two schemas have the title {part['title']!r}.")
        return {"$ref": f"#/components/schemas/{part['title']}"}

    result["paths"] = referred(result["paths"])
    for operations in result["paths"].values():
        for operation in operations.values():
            for parameter in operation["parameters"]:
                if parameter["in"] == "path":
                    parameter["example"] = answers.PLACE_EXAMPLES[parameter["name"]]
            if body := operation.get("requestBody"):
                (content,) = body["content"].values()
                said = content["schema"].get("$ref", "").rpartition("/")[2]
                body["required"] = "required" in schemas.get(said, content["schema"])
    return result
