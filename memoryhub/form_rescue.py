"""Gives people back what they typed when a form cannot be accepted: its page is outdated, or they were logged out."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

TEAM_PAGES = "/t/"  # forms elsewhere may contain passwords, which are never shown
CSRF_FIELD = "csrfmiddlewaretoken"
ONE_WORD = 64  # characters, room for an id; longer values, and those with spaces, are text that somebody typed


@dataclass(frozen=True, slots=True)
class PostedField:
    name: str
    value: str

    @property
    def label(self) -> str:
        return self.name.replace("_", " ").replace("-", " ").capitalize()

    @property
    def is_text(self) -> bool:
        return len(self.value) > ONE_WORD or len(self.value.split()) > 1


def refuse_outdated_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form whose CSRF token is not, or no longer, valid; Django calls this instead of the view."""
    return _give_back(request, cause="token" if is_same_origin(request) else "elsewhere")


def ask_to_log_in(request: HttpRequest) -> HttpResponseBase:
    """Redirect to the login page, unless that would lose a form that the person filled in."""
    if request.method == "POST" and is_same_origin(request):
        return _give_back(request, cause="session")
    return redirect_to_login(request.get_full_path())


def is_same_origin(request: HttpRequest) -> bool:
    """Return whether a page of ours sent this. Browsers set these headers themselves; no page can forge them."""
    if site := request.headers.get("Sec-Fetch-Site"):
        return site == "same-origin"
    return request.headers.get("Origin") == f"{request.scheme}://{request.get_host()}"


def _give_back(request: HttpRequest, *, cause: str) -> HttpResponse:
    """Show what was sent, so that it can be sent again; show nothing that another site sent."""
    context: dict[str, Any] = {"cause": cause}
    if cause != "elsewhere" and request.path.startswith(TEAM_PAGES):
        context |= {"action": request.get_full_path(), "fields": _posted_fields(request), "files": bool(request.FILES)}
        context["enctype"] = request.content_type
    return render(request, "rescue.html", context, status=403)


def _posted_fields(request: HttpRequest) -> list[PostedField]:
    """Return what was typed. Scripts still have what they sent. Django has already limited size and number."""
    if "HX-Request" in request.headers:
        return []
    sent = ((name, value) for name, values in request.POST.lists() for value in values)
    return [PostedField(name, str(value)) for name, value in sent if name != CSRF_FIELD]
