"""What a caller is told when we cannot read a request, or fail: programs a problem document, people a page."""

from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views import defaults

from memoryhub.errors import NotFound, Trouble

PROBLEM_TYPE = "application/problem+json"
PROGRAMS = ("/api/", "/mcp")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if request.path.startswith(PROGRAMS):
        return problem(400, "invalid", "This request cannot be read.")
    return defaults.bad_request(request, exception)


def server_error(request: HttpRequest, *args: Any) -> HttpResponse:
    if request.path.startswith(PROGRAMS):
        return problem(500, "internal", "Something is broken here; it was noted. Trying again may not help.")
    return defaults.server_error(request)


def refused(request: HttpRequest, refusal: Trouble) -> HttpResponse:
    return render(request, "refused.html", {"refusal": refusal}, status=refusal.status)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if request.path.startswith(PROGRAMS):
        return problem(404, "not_found", "There is nothing here.")
    return refused(request, NotFound("There is no such page, or it is not for you."))


def problem(status: int, code: str, sentence: str) -> HttpResponse:
    return JsonResponse(document(status, code, sentence), status=status, content_type=PROBLEM_TYPE)


def document(status: int, code: str, sentence: str, **details: Any) -> dict[str, Any]:
    """As RFC 9457 has it: `about:blank` says no more than the status, whose phrase is the title."""
    told = {"title": HTTPStatus(status).phrase, "status": status, "detail": sentence, "code": code}
    return {"type": "about:blank", **told, **details}
