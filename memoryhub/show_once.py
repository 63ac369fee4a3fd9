"""Secrets that are shown once. A cookie carries the secret from the response that created it to the page that shows it,
which deletes the cookie: the secret is never stored, and neither reloading nor going back shows it again."""

from django.core.signing import BadSignature
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.cache import add_never_cache_headers

SHOW_ONCE_COOKIE = "shown-once"
SHOW_ONCE_SECONDS = 60  # for the browser to fetch the page


def redirect_to_secret(request: HttpRequest, *, secret: str, at: str) -> HttpResponse:
    """Redirect to the page that shows the secret."""
    response = HttpResponseRedirect(at)
    response.set_signed_cookie(
        SHOW_ONCE_COOKIE,
        secret,
        max_age=SHOW_ONCE_SECONDS,
        path=at,
        httponly=True,
        samesite="Strict",
        secure=request.is_secure(),
    )
    return response


def read_secret(request: HttpRequest) -> str:
    """Return the secret, or nothing if it was shown before."""
    try:
        return request.get_signed_cookie(SHOW_ONCE_COOKIE, default="", max_age=SHOW_ONCE_SECONDS) or ""
    except BadSignature:
        return ""


def forget_secret(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Keep the page that shows the secret out of every cache, and delete the cookie."""
    response.delete_cookie(SHOW_ONCE_COOKIE, path=request.path, samesite="Strict")
    add_never_cache_headers(response)
    return response
