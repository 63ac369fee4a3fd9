"""What is shown once. It goes from the answer that made it to the page that shows it in a cookie, which that page
takes away: it is stored nowhere here, and neither a reload nor the way back shows it again."""

from django.core.signing import BadSignature
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.cache import add_never_cache_headers

COOKIE = "shown-once"
WAITS = 60  # seconds for the browser to come for it


def reveal(request: HttpRequest, *, secret: str, at: str) -> HttpResponse:
    """Leads to the page that shows it."""
    response = HttpResponseRedirect(at)
    response.set_signed_cookie(
        COOKIE, secret, max_age=WAITS, path=at, httponly=True, samesite="Strict", secure=request.is_secure()
    )
    return response


def revealed(request: HttpRequest) -> str:
    """The secret, or nothing if it was shown before."""
    try:
        return request.get_signed_cookie(COOKIE, default="", max_age=WAITS) or ""
    except BadSignature:
        return ""


def conceal(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Puts the page that shows it out of reach of every cache, and takes the cookie away."""
    response.delete_cookie(COOKIE, path=request.path, samesite="Strict")
    add_never_cache_headers(response)
    return response
