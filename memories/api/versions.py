"""Which version of what a caller has seen: named by `If-Match` or in the body, answered as the ETag."""

import re
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from memories.models import Memory, TeamFile
from memories.operations import Seen
from memories.operations.seeing import TAIL, tail
from memoryhub.errors import Invalid

LARGEST = 2**31 - 1  # that the column holds
NAMED = rf'^(\*|"[1-9][0-9]{{0,8}}(-[0-9a-f]{{{TAIL}}})?")$'
SHAPE = 'This must be one ETag as it came, a version in quotation marks, like "3", or *.'


def tag(row: Memory | TeamFile) -> str:
    """Its version and the end of its id: whatever has this name later will never have this tag."""
    return f'"{row.version}-{tail(row.pk)}"'


def expected(request: Request, *, said: int | None = None) -> Seen | None:
    """What must still stand; None if the caller does not care."""
    header = request.headers.get("If-Match")
    if header is None:
        return None if said is None else Seen(said)
    if not re.match(NAMED, header.strip()):
        raise Invalid({"If-Match": SHAPE})
    if header.strip() == "*":
        return Seen(said)
    version, _, end = header.strip().strip('"').partition("-")
    if said not in (None, int(version)):
        raise Invalid({"version": "If-Match names another version."})
    return Seen(int(version), end)


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
