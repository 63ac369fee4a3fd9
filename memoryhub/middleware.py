"""What stands around every request: refusals in words, and the policy that pages are shown under."""

import logging
import re
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.contrib.auth.signals import user_logged_in
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse

from memoryhub import figures, logs
from memoryhub.errors import Trouble
from memoryhub.ids import uuid7
from memoryhub.refusals import problem, refused

DISK_FULL = "53100"
DEADLOCK = "40P01"
RETRY_AFTER = "3"  # seconds
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
ID = re.compile(r"[\w.-]{1,64}", re.ASCII)
log = logging.getLogger("memoryhub.requests")


class Watched:
    """Each request has an id, its caller's own or one of ours; log lines and the answer name it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        start = time.perf_counter()
        said = request.headers.get("X-Request-Id", "")
        logs.anew(request=said if ID.fullmatch(said) else str(uuid7()))
        response = self.get_response(request)
        self.tell(request, response, took=time.perf_counter() - start)
        response.headers["X-Request-Id"] = logs.told()["request"]
        return response

    def tell(self, request: HttpRequest, response: HttpResponse, *, took: float) -> None:
        """The view's name, not the address: addresses hold keys and ids, and are without number."""
        match, method = request.resolver_match, request.method if request.method in METHODS else "other"
        view = match.view_name or match._func_path if match else "none"
        figures.answered(view=view, method=method or "other", status=response.status_code, took=took)
        said = {"method": method, "path": request.path, "status": response.status_code, "ms": round(took * 1_000, 1)}
        log.info("A request was answered.", extra={"said": said})


class Named:
    """Whoever is logged in is named by the log lines of the request."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *arguments: object) -> None:
        """Asks the database for nothing that the page would not ask. If it does not answer, the page says so."""
        if settings.SESSION_COOKIE_NAME in request.COOKIES:
            with suppress(OperationalError):
                if request.user.is_authenticated:
                    name(user=request.user)


def name(*, user: Any, **options: Any) -> None:
    logs.about(actor=f"user:{user.pk}")


user_logged_in.connect(name, dispatch_uid="named")  # who comes in by this very request


class DatabaseTrouble:
    """When the database cannot serve a request, the caller is told so at once, and whether to come back."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        return answer(error) if isinstance(error, OperationalError) else None


def answer(error: OperationalError) -> HttpResponse:
    """507 when the disk is full; otherwise 503: no connection, or none free in time. Whether a write that was under
    way when the connection broke has been saved is not known: an idempotency key makes trying again safe."""
    state = getattr(error.__cause__, "sqlstate", None)
    if state == DISK_FULL:
        return problem(507, "storage_full", "The database's disk is full. Nothing was saved.")
    if state == DEADLOCK:
        response = problem(503, "busy", "Two writers were in each other's way. Nothing was saved; try again.")
    else:
        response = problem(503, "database_unavailable", "The database does not answer just now. Try again.")
    response.headers["Retry-After"] = RETRY_AFTER
    return response


class Refusals:
    """What the rules refuse, as a page."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        return refused(request, error) if isinstance(error, Trouble) else None


class Private:
    """An answer is for whoever asked: nothing keeps it for others, neither on the way nor in a browser that somebody
    else sits down at. What says otherwise for itself, as static files do, keeps its word."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "private, no-store")
        return response


class ContentPolicy:
    """An answer that has a policy of its own, as downloads do, keeps it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", policy_of(request.path))
        return response


def policy_of(path: str) -> str:
    if path.startswith("/admin/"):
        return settings.CONTENT_POLICY_OF_ADMIN
    return settings.CONTENT_POLICY_OF_DOCS if path.startswith("/api/docs/") else settings.CONTENT_POLICY
