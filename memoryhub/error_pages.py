"""Responses to requests that we cannot read or that fail: a problem document for programs, a page for people."""

import sys
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import render
from django.views import defaults

from memoryhub.errors import NotFound, Trouble
from memoryhub.outages import find_outage, find_sqlstate, is_disk_full, log_outage

PROBLEM_TYPE = "application/problem+json"
PROGRAM_PATHS = ("/api/", "/mcp")
DEADLOCK = "40P01"
CANCELED = "57014"
RETRY_AFTER = "3"  # seconds


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if outage := find_outage(exception):
        return answer_outage(outage)
    if request.path.startswith(PROGRAM_PATHS):
        return problem_response(400, "invalid", "This request cannot be read.")
    return defaults.bad_request(_without_form(request), exception)


def server_error(request: HttpRequest, *args: Any) -> HttpResponse:
    if outage := find_outage(sys.exception()):
        return answer_outage(outage)
    if request.path.startswith(PROGRAM_PATHS):
        return problem_response(
            500, "internal", "Something went wrong here, and was logged. Trying again may not help."
        )
    return defaults.server_error(_without_form(request))


def _without_form(request: HttpRequest) -> HttpRequest:
    """Empty the request's form: Django's error pages look for a CSRF token in it, and a form that could not be read
    once would fail again, without any response."""
    request.POST = QueryDict()
    return request


def render_refusal(request: HttpRequest, refusal: Trouble) -> HttpResponse:
    return render(request, "refused.html", {"refusal": refusal}, status=refusal.status)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if request.path.startswith(PROGRAM_PATHS):
        return problem_response(404, "not_found", "There is nothing here.")
    return render_refusal(request, NotFound("This page does not exist or is not visible to you."))


def answer_outage(error: BaseException) -> HttpResponse:
    """Answer 507 if the disk is full, 504 if a statement took too long, and otherwise 503: no connection, or none free
    in time. Whether a write was saved when the connection broke is unknown: an idempotency key makes a retry safe."""
    state = find_sqlstate(error)
    if state == CANCELED:
        return problem_response(
            504, "took_too_long", "This took too long and was cancelled. Nothing was saved; ask for less."
        )
    if state == DEADLOCK:
        response = problem_response(503, "busy", "Two writes got in each other's way. Nothing was saved; try again.")
    else:
        response = _describe_outage(error)
    if response.status_code == 503:
        response.headers["Retry-After"] = RETRY_AFTER
    return response


def _describe_outage(error: BaseException) -> HttpResponse:
    """Answer an outage that concerns every request, logged now and then instead of for each of them."""
    log_outage(error)
    if is_disk_full(error):
        response = problem_response(507, "storage_full", "The disk is full. Nothing was saved.")
    else:
        response = problem_response(503, "database_unavailable", "The database is not available. Try again.")
    response._has_been_logged = True  # type: ignore[attr-defined]  # otherwise Django logs a line for each
    return response


def refuse_unread(request: HttpRequest, error: Exception) -> HttpResponse:
    """Answer a request whose body was not read. A plain sentence does not ask the database who reads it."""
    if not isinstance(error, Trouble):
        raise error
    if request.path.startswith(PROGRAM_PATHS):
        return problem_response(error.status, error.code, error.message)
    return HttpResponse(error.message, status=error.status, content_type="text/plain; charset=utf-8")


def problem_response(status: int, code: str, sentence: str) -> HttpResponse:
    return JsonResponse(problem_document(status, code, sentence), status=status, content_type=PROBLEM_TYPE)


def problem_document(status: int, code: str, sentence: str, **details: Any) -> dict[str, Any]:
    """Return a problem document (RFC 9457). `about:blank` says no more than the status, whose phrase is the title."""
    members = {"title": HTTPStatus(status).phrase, "status": status, "detail": sentence, "code": code}
    return {"type": "about:blank", **members, **details}
