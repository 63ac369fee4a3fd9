"""Known callers: requests with a valid token or login, before the application sees them."""

from http.cookies import CookieError, SimpleCookie
from importlib import import_module

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.db import close_old_connections

from memoryhub.bearer import parse_bearer
from memoryhub.request_bodies import Environ
from teams import auth


def is_known(environ: Environ) -> bool:
    """Return whether the request has a valid token or session."""
    token = parse_bearer(environ.get("HTTP_AUTHORIZATION", ""))
    try:
        return bool(token and auth.is_valid_token(token=token)) or _is_logged_in(environ)
    finally:
        close_old_connections()


def _is_logged_in(environ: Environ) -> bool:
    try:
        cookie = SimpleCookie(environ.get("HTTP_COOKIE", "")).get(settings.SESSION_COOKIE_NAME)
    except CookieError:
        return False
    store = import_module(settings.SESSION_ENGINE).SessionStore
    return cookie is not None and SESSION_KEY in store(cookie.value)
