"""The theme and keyboard shortcuts that a person chose, stored in cookies. By default the system's theme, and
shortcuts on."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

# Single-key shortcuts can be switched off, for people who use speech input or hit keys by accident.
APPEARANCE_CHOICES = {"theme": ("light", "dark"), "keys": ("off",)}
YEAR = 365 * 24 * 3600


@require_POST
def choose_appearance(request: HttpRequest, name: str) -> HttpResponse:
    wanted = request.POST.get("next", "")
    ours = url_has_allowed_host_and_scheme(wanted, allowed_hosts=None)
    response = HttpResponseRedirect(wanted if wanted and ours else "/")
    value = request.POST.get(name, "")
    if value in APPEARANCE_CHOICES[name]:
        response.set_cookie(name, value, max_age=YEAR, samesite="Lax", httponly=True, secure=request.is_secure())
    else:
        response.delete_cookie(name, samesite="Lax")
    return response


def appearance_context(request: HttpRequest) -> dict[str, Any]:
    return {name: read_appearance_choice(request, name) for name in APPEARANCE_CHOICES}


def read_appearance_choice(request: HttpRequest, name: str) -> str:
    value = request.COOKIES.get(name, "")
    return value if value in APPEARANCE_CHOICES[name] else ""
