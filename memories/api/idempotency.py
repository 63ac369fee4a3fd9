"""Safe retries: a request that is repeated with its idempotency key gets the first answer, byte for byte."""

import hashlib
from collections.abc import Callable
from typing import Any

import orjson
from django.core.files.uploadedfile import UploadedFile
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.framework import actor_of
from memories.contract.idempotency import (
    IDEMPOTENCY_HEADER,
    IdempotentCall,
    canonicalize_request,
    check_idempotency_key,
)

KEPT = ("ETag", "Location")  # headers that are stored with a response


def respond_once(request: Request, act: Callable[[], Response]) -> Response:
    """Return the answer of `act`, or the one stored the first time."""
    call = _read_call(request)
    return _replay(call.execute(lambda: _to_stored_answer(act()))) if call else act()


def find_first_response(request: Request) -> Response | None:
    """Return the first answer to this request, if there was one: for slow work that must not run within `once`."""
    call = _read_call(request)
    first = call and call.find_answer()
    return _replay(first) if first else None


def _read_call(request: Request) -> IdempotentCall | None:
    key = check_idempotency_key(request.headers.get(IDEMPOTENCY_HEADER))
    return IdempotentCall(actor_of(request), key, _canonical_request(request)) if key else None


def _replay(first: dict[str, Any]) -> Response:
    return Response(first["body"].encode(), status=first["status"], headers=first["headers"])


def _to_stored_answer(response: Response) -> tuple[dict[str, Any], object]:
    """Return the answer with its text as it is sent: a JSON column would reorder its fields."""
    body = "" if response.data is None else orjson.dumps(response.data).decode()
    headers = {name: response[name] for name in KEPT if name in response}
    return {"status": response.status_code, "headers": headers, "body": body}, response.data


def _canonical_request(request: Request) -> bytes:
    """Return everything that distinguishes this request from others."""
    head = f"{request.method} {request.get_full_path()} {request.headers.get('If-Match')}"
    data: Any = request.data
    if request.FILES:
        data = {name: _digest(data[name]) if name in request.FILES else data.getlist(name) for name in sorted(data)}
    return canonicalize_request(head, data)


def _digest(file: "UploadedFile[bytes]") -> list[Any]:
    digest = hashlib.sha256()
    for chunk in file.chunks():
        digest.update(chunk)
    file.seek(0)
    return [file.name, file.content_type, digest.hexdigest()]
