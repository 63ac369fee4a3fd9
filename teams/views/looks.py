"""Light or dark: what a person chose, or else what their system says."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

COOKIE = "theme"
THEMES = ("light", "dark")
YEAR = 365 * 24 * 3600


@require_POST
def choose(request: HttpRequest) -> HttpResponse:
    wanted = request.POST.get("next", "")
    ours = url_has_allowed_host_and_scheme(wanted, allowed_hosts=None)
    response = HttpResponseRedirect(wanted if wanted and ours else "/")
    theme = request.POST.get("theme")
    if theme in THEMES:
        response.set_cookie(COOKIE, theme, max_age=YEAR, samesite="Lax", httponly=True, secure=request.is_secure())
    else:
        response.delete_cookie(COOKIE, samesite="Lax")
    return response


def in_templates(request: HttpRequest) -> dict[str, Any]:
    chosen = request.COOKIES.get(COOKIE)
    return {"theme": chosen if chosen in THEMES else ""}
