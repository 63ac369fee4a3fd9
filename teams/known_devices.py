"""Devices on which somebody has logged in before. Attempts from such a device are counted on their own, so that
strangers who try wrong passwords for a name cannot lock its owner out.

A signed cookie identifies a device. Its signature depends on the stored password hash, as that of a session does: a new
password, or logging out everywhere else, makes every other device unknown.
"""

import secrets
from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.core.signing import BadSignature, TimestampSigner
from django.http import HttpRequest, HttpResponse

DEVICE_COOKIE = "device"
DEVICE_COOKIE_AGE = 365 * 86_400  # seconds
LOGGED_IN_ATTRIBUTE = "_logged_in_here"


def recognize_device(request: HttpRequest, *, name: str) -> str:
    """Return the id of the device that the request comes from if `name` has logged in on it, or nothing."""
    sealed = request.COOKIES.get(DEVICE_COOKIE, "")
    user = User.objects.filter(username=name).first() if sealed else None
    try:
        return _signer(user).unsign(sealed, max_age=DEVICE_COOKIE_AGE) if user else ""
    except BadSignature:
        return ""


def remember_device(*, request: HttpRequest | None, user: Any, **options: Any) -> None:
    """Mark the request, so that its response makes the device known as the user's."""
    if request is not None:
        setattr(request, LOGGED_IN_ATTRIBUTE, user)


user_logged_in.connect(remember_device, dispatch_uid="known devices")


class KnownDevices:
    """Sets the cookie of a device on which somebody has just logged in. A device that has one keeps its id, and with it
    its count of attempts."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if (user := getattr(request, LOGGED_IN_ATTRIBUTE, None)) is not None:
            device = recognize_device(request, name=user.get_username()) or secrets.token_urlsafe(16)
            sealed, secure = _signer(user).sign(device), request.is_secure()
            response.set_cookie(
                DEVICE_COOKIE, sealed, max_age=DEVICE_COOKIE_AGE, httponly=True, samesite="Lax", secure=secure
            )
        return response


def _signer(user: User) -> TimestampSigner:
    return TimestampSigner(salt=f"device of {user.pk} {user.get_session_auth_hash()}")
