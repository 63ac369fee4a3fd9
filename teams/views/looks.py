"""How pages look and listen: what a person chose, kept in cookies. Else they look as the system says, and hear keys."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

# Single keys can be switched off for those who speak to their computer, or hit keys without meaning to.
CHOICES = {"theme": ("light", "dark"), "keys": ("off",)}
YEAR = 365 * 24 * 3600


@require_POST
def choose(request: HttpRequest, name: str) -> HttpResponse:
    wanted = request.POST.get("next", "")
    ours = url_has_allowed_host_and_scheme(wanted, allowed_hosts=None)
    response = HttpResponseRedirect(wanted if wanted and ours else "/")
    value = request.POST.get(name, "")
    if value in CHOICES[name]:
        response.set_cookie(name, value, max_age=YEAR, samesite="Lax", httponly=True, secure=request.is_secure())
    else:
        response.delete_cookie(name, samesite="Lax")
    return response


def in_templates(request: HttpRequest) -> dict[str, Any]:
    return {name: chosen(request, name) for name in CHOICES}


def chosen(request: HttpRequest, name: str) -> str:
    kept = request.COOKIES.get(name, "")
    return kept if kept in CHOICES[name] else ""
