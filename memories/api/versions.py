"""Which version a caller has seen: named by `If-Match` or in the body, answered as the ETag."""

import re
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from memoryhub.errors import Invalid

LARGEST = 2**31 - 1  # that the column holds
NAMED = r'^(\*|"[1-9][0-9]{0,8}")$'
SHAPE = 'This must be one version in quotation marks, like "3", or *.'


def tag(version: int) -> str:
    return f'"{version}"'


def expected(request: Request, *, said: int | None = None) -> int | None:
    """The version that must still stand; None if the caller does not care."""
    header = request.headers.get("If-Match")
    if header is None:
        return said
    if not re.match(NAMED, header.strip()):
        raise Invalid({"If-Match": SHAPE})
    if header.strip() == "*":
        return said
    version = int(header.strip().strip('"'))
    if said not in (None, version):
        raise Invalid({"version": "If-Match names another version."})
    return version


def only_new(request: Request) -> bool:
    """Whether the caller wants to write only where there is nothing yet."""
    header = request.headers.get("If-None-Match")
    if header is None:
        return False
    if header.strip() != "*":
        raise Invalid({"If-None-Match": "This must be * here."})
    if "If-Match" in request.headers:
        raise Invalid({"If-None-Match": "If-Match says that there is one already."})
    return True


def answered(request: Request, body: Any, *, etag: str) -> Response:
    """The answer to a read, which is empty if the caller has this version already."""
    known = {found.strip().removeprefix("W/") for found in request.headers.get("If-None-Match", "").split(",")}
    headers = {"ETag": etag}
    return Response(status=304, headers=headers) if known & {etag, "*"} else Response(body, headers=headers)
