"""Repeating safely: a request that comes again with its idempotency key gets the first answer, byte for byte."""

import hashlib
import re
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import orjson
from django.core.files.uploadedfile import UploadedFile
from rest_framework.request import Request
from rest_framework.response import Response

from memories import operations
from memories.api.door import actor_of
from memoryhub.errors import Invalid
from memoryhub.ids import as_uuid

HEADER = "Idempotency-Key"
KEY = r"^[!-~]{1,255}$"  # what every server and proxy hands on as it was sent
KEPT = ("ETag", "Location")  # of an answer's headers


def once(request: Request, act: Callable[[], Response]) -> Response:
    """What `act` answers, or answered the first time. Only what was done is remembered; a refusal is not."""
    key = key_of(request.headers.get(HEADER))
    if key is None:
        return act()
    return _again(
        operations.once(actor=actor_of(request), key=key, request=_spelled(request), act=lambda: _result(act()))
    )


def before(request: Request) -> Response | None:
    """What was answered the first time, if there was one: for what takes long and must not be within `once`, which is a
    transaction."""
    key = key_of(request.headers.get(HEADER))
    first = key and operations.answered(actor=actor_of(request), key=key, request=_spelled(request))
    return _again(first) if first else None


def _again(first: dict[str, Any]) -> Response:
    return Response(first["body"].encode(), status=first["status"], headers=first["headers"])


def key_of(said: object) -> str | None:
    if said is None:
        return None
    if not isinstance(said, str) or not re.fullmatch(KEY, said):
        raise Invalid({"idempotency_key": "Up to 255 ASCII characters that can be seen, without spaces."})
    return said


def _result(response: Response) -> operations.Result:
    """The answer's text as it is sent: a JSON column would order it anew."""
    body = "" if response.data is None else orjson.dumps(response.data).decode()
    headers = {name: response[name] for name in KEPT if name in response}
    kept = {"status": response.status_code, "headers": headers, "body": body}
    return operations.Result(kept, memory_ids=named(response.data))


def named(shape: object) -> tuple[UUID, ...]:
    """The ids of what an answer shows: a purge must find whose words are in it."""
    return tuple(dict.fromkeys(_named(shape)))


def _named(shape: object) -> Iterator[UUID]:
    if isinstance(shape, dict):
        for name, value in shape.items():
            found = _id(value) if name in ("id", "memory_id") else None
            if found:
                yield found
            else:
                yield from _named(value)
    elif isinstance(shape, list | tuple):
        for part in shape:
            yield from _named(part)


def _id(value: object) -> UUID | None:
    if isinstance(value, UUID):
        return value
    return as_uuid(value) if isinstance(value, str) else None


def _spelled(request: Request) -> bytes:
    """All that tells this request from another."""
    head = f"{request.method} {request.get_full_path()} {request.headers.get('If-Match')}"
    said: Any = request.data
    if request.FILES:
        said = {name: _digest(said[name]) if name in request.FILES else said.getlist(name) for name in sorted(said)}
    return head.encode() + b"\n" + orjson.dumps(said, option=orjson.OPT_SORT_KEYS)


def _digest(file: "UploadedFile[bytes]") -> list[Any]:
    digest = hashlib.sha256()
    for chunk in file.chunks():
        digest.update(chunk)
    file.seek(0)
    return [file.name, file.content_type, digest.hexdigest()]
