"""Responses to writes: 201 with the address of what was created, or 200."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from django.urls import get_script_prefix
from rest_framework.response import Response

from memories.api.etags import make_etag


def memory_response(body: Mapping[str, Any], *, created: bool = False) -> Response:
    """Return the answer to a write of a memory, with its ETag."""
    address = locate("memories", body["id"]) if created else None
    return write_response(body, created_at=address, etag=make_etag(body))


def file_response(body: Mapping[str, Any], *, created: bool = False) -> Response:
    """Return the answer to a write of a file, with its ETag."""
    address = locate("files", body["path"]) if created else None
    return write_response(body, created_at=address, etag=make_etag(body))


def write_response(body: Any, *, created_at: str | None, etag: str | None = None) -> Response:
    headers = {"ETag": etag, "Location": created_at}
    sent = {name: value for name, value in headers.items() if value is not None}
    return Response(body, status=200 if created_at is None else 201, headers=sent)


def locate(*parts: object) -> str:
    """Return the address of a resource of the API."""
    return f"{get_script_prefix()}api/v1/{'/'.join(quote(str(part)) for part in parts)}"
