"""What a caller is told when we cannot read a request, or fail: programs a problem document, people a page."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views import defaults

PROGRAMS = ("/api/", "/mcp")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if request.path.startswith(PROGRAMS):
        return problem(400, "invalid", "This request cannot be read.")
    return defaults.bad_request(request, exception)


def server_error(request: HttpRequest, *args: Any) -> HttpResponse:
    if request.path.startswith(PROGRAMS):
        return problem(500, "internal", "Something is broken here; it was noted. Trying again may not help.")
    return defaults.server_error(request)


def problem(status: int, code: str, sentence: str) -> HttpResponse:
    body = {"type": "about:blank", "title": sentence, "status": status, "code": code}
    return JsonResponse(body, status=status, content_type="application/problem+json")
