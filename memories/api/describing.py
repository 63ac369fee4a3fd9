"""What an endpoint takes and gives: said once, checked when it is called and published in the OpenAPI document."""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memories.schemas import Schema, checked, record, text, whole

Method = Callable[..., Response]

PROBLEM = record(
    {
        "type": text(),
        "title": text(description="What is wrong, in a sentence."),
        "status": whole(least=400, most=599),
        "code": text(description="The same in every release, for programs."),
        "fields": {"type": "object", "additionalProperties": {"type": "string"}},
        "current": {"type": "object", "description": "What stands there now, if somebody was faster."},
    },
    required=["type", "title", "status", "code"],
    title="Problem",
)
REFUSALS = {
    400: "Something that was sent is not right; `fields` names it.",
    401: "The token is missing, unknown, expired or revoked.",
    403: "The token has not got that verb.",
    404: "There is no such thing, or it is not yours to see.",
    429: "Too many requests; `Retry-After` says when to come again.",
}
WRITE_REFUSALS = {
    409: "Somebody was faster; `current` is what stands there now.",
    413: "That is too much.",
    422: "The idempotency key came with another request before.",
}
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key", location=OpenApiParameter.HEADER, description="Makes a retry safe: written once within 24 hours."
)


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
) -> Callable[[Method], Method]:
    """Checks the body against `takes` and hands it on as `said`. `example` is a body, `answer` what comes back."""

    def decorate(method: Method) -> Method:
        @wraps(method)
        def act(self: Any, request: Request, **places: Any) -> Response:
            if takes is not None:
                places["said"] = checked(takes, request.data)
            return method(self, request, **places)

        refusals = REFUSALS | (WRITE_REFUSALS if writes else {})
        problems = {number: _problem(sentence) for number, sentence in refusals.items()}
        answers = dict.fromkeys(status, gives) if gives else {number: OpenApiResponse() for number in status}
        described: Method = extend_schema(
            summary=summary,
            description=method.__doc__,
            request={"application/json": takes} if takes else None,
            responses={**answers, **problems},
            parameters=list(parameters),
            examples=list(_examples(example, answer, status)),
        )(act)
        return described

    return decorate


def _problem(sentence: str) -> OpenApiResponse:
    return OpenApiResponse(response=PROBLEM, description=sentence)


def _examples(body: object, answer: object, status: Sequence[int]) -> list[OpenApiExample]:
    found = [OpenApiExample("A call", value=body, request_only=True)] if body is not None else []
    if answer is not None:
        codes = [str(number) for number in status]
        found.append(OpenApiExample("An answer", value=answer, response_only=True, status_codes=codes))
    return found
