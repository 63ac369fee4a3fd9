"""Middleware: request log, error responses, caching and content security policy."""

import logging
import re
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.exceptions import SessionInterrupted
from django.contrib.sessions.middleware import SessionMiddleware
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.urls import resolve

from memoryhub import logs, metrics
from memoryhub.error_pages import answer_outage, refuse_unread, render_refusal
from memoryhub.errors import Trouble
from memoryhub.ids import uuid7
from memoryhub.outages import find_outage

PROBES = ("/healthz", "/readyz", "/metrics")
BODY_REFUSAL = "memoryhub.refusal"  # in a request's META: why its body was not read
HTTP_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
REQUEST_ID = re.compile(r"[\w.-]{1,64}", re.ASCII)
log = logging.getLogger("memoryhub.requests")


class RequestLog:
    """Gives each request an id, the caller's own or a new one, and logs the request. The response names the id."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        start = time.perf_counter()
        request_id = request.headers.get("X-Request-Id", "")
        logs.start_log_context(request=request_id if REQUEST_ID.fullmatch(request_id) else str(uuid7()))
        response = self.get_response(request)
        self.log_request(request, response, took=time.perf_counter() - start)
        response.headers["X-Request-Id"] = logs.get_log_context()["request"]
        return response

    def log_request(self, request: HttpRequest, response: HttpResponse, *, took: float) -> None:
        """Log and count the request, by the view's name: addresses contain keys and ids, and are unbounded."""
        match, method = request.resolver_match, request.method if request.method in HTTP_METHODS else "other"
        view = match.view_name or match._func_path if match else "none"
        metrics.count_answer(view=view, method=method or "other", status=response.status_code, took=took)
        fields = {
            "method": method,
            "path": logs.mask_path(request),
            "status": response.status_code,
            "ms": round(took * 1_000, 1),
        }
        log.info("A request was answered.", extra={"fields": fields})


class LogUser:
    """Adds the logged-in user to the log lines of the request."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *arguments: object) -> None:
        """Look up the user only if there is a session, which the page would load anyway. Outages are left to the
        page."""
        if settings.SESSION_COOKIE_NAME in request.COOKIES:
            with suppress(OperationalError):
                if request.user.is_authenticated:
                    log_user(user=request.user)


def log_user(*, user: Any, **options: Any) -> None:
    logs.add_log_context(actor=f"user:{user.pk}")


user_logged_in.connect(log_user, dispatch_uid="log user")  # for the request that logs somebody in


class DatabaseTrouble:
    """Answers requests that the database cannot serve. Django passes errors outside of views to `server_error`, which
    answers the same."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        outage = find_outage(error)
        return answer_outage(outage) if outage else None


class LenientSessions(SessionMiddleware):
    """Shows a page that was only read even if its session cannot be written at the moment."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        try:
            return super().process_response(request, response)
        except (OperationalError, SessionInterrupted) as error:
            outage = find_outage(error)
            if outage is None:  # the session was ended elsewhere
                raise
            refusal = answer_outage(outage)
            return response if request.method in ("GET", "HEAD") else refusal


class ErrorPages:
    """Shows refusals as pages."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        return render_refusal(request, error) if isinstance(error, Trouble) else None


class UnreadBodies:
    """Refuses a request whose body was not read: it arrived too slowly, or was too large for its sender."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if error := request.META.get(BODY_REFUSAL):
            return refuse_unread(request, error)
        return self.get_response(request)


class Probes:
    """Answers health checks for any host name and without TLS: orchestrators and Prometheus use a container's address.
    Every other path is checked against ALLOWED_HOSTS."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info not in PROBES:
            return self.get_response(request)
        match = request.resolver_match = resolve(request.path_info)
        response: HttpResponse = match.func(request)
        return response


class NoStore:
    """Forbids caches to store a response, on the way or in a shared browser, unless it sets a policy of its own, as
    static files do."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "private, no-store")
        return response


class ContentPolicy:
    """Sets the content security policy, unless the response has one of its own, as downloads do."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", content_policy_for(request.path))
        return response


def content_policy_for(path: str) -> str:
    if path.startswith("/admin/"):
        return settings.CONTENT_POLICY_OF_ADMIN
    return settings.CONTENT_POLICY_OF_DOCS if path.startswith("/api/docs/") else settings.CONTENT_POLICY
