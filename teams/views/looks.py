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
    chosen = request.POST.get(name, "")
    if chosen in CHOICES[name]:
        response.set_cookie(name, chosen, max_age=YEAR, samesite="Lax", httponly=True, secure=request.is_secure())
    else:
        response.delete_cookie(name, samesite="Lax")
    return response


def in_templates(request: HttpRequest) -> dict[str, Any]:
    kept = {name: request.COOKIES.get(name, "") for name in CHOICES}
    return {name: kept[name] if kept[name] in values else "" for name, values in CHOICES.items()}
