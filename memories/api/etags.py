"""Versions that callers have seen: named by `If-Match` or in the body, answered as the ETag."""

import re
from collections.abc import Mapping
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from memories.operations import ExpectedVersion
from memories.rules.preconditions import ID_TAIL_DIGITS, tail_of_id
from memoryhub.errors import Invalid

NAMED = rf'^(\*|"[1-9][0-9]{{0,8}}(-[0-9a-f]{{{ID_TAIL_DIGITS}}})?")$'
SHAPE = 'This must be one ETag as it came, a version in quotation marks, like "3", or *.'


def make_etag(body: Mapping[str, Any]) -> str:
    """Return the ETag of a memory or file as it is answered: the version and the end of the id, so that a later row of
    the same name never has the same tag."""
    return f'"{body["version"]}-{tail_of_id(body["id"])}"'


def read_expected_version(request: Request, *, in_body: int | None = None) -> ExpectedVersion | None:
    """Return the version that must still be current; None if the caller does not care."""
    header = request.headers.get("If-Match")
    if header is None:
        return None if in_body is None else ExpectedVersion(in_body)
    if not re.match(NAMED, header.strip()):
        raise Invalid({"If-Match": SHAPE})
    if header.strip() == "*":
        return ExpectedVersion(in_body)
    version, _, end = header.strip().strip('"').partition("-")
    if in_body not in (None, int(version)):
        raise Invalid({"version": "If-Match names another version."})
    return ExpectedVersion(int(version), end)


def only_new(request: Request) -> bool:
    """Return True if the caller wants to write only where there is nothing yet."""
    header = request.headers.get("If-None-Match")
    if header is None:
        return False
    if header.strip() != "*":
        raise Invalid({"If-None-Match": "Here this must be *."})
    if "If-Match" in request.headers:
        raise Invalid({"If-None-Match": "If-Match requires that it already exists."})
    return True


def answer_conditionally(request: Request, body: Any, *, etag: str = "") -> Response:
    """Return the answer to a read, which is empty if the caller has this version already."""
    etag = etag or make_etag(body)
    known = {found.strip().removeprefix("W/") for found in request.headers.get("If-None-Match", "").split(",")}
    headers = {"ETag": etag}
    return Response(status=304, headers=headers) if known & {etag, "*"} else Response(body, headers=headers)
