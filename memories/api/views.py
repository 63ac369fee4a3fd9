"""The REST endpoints: parse, call an operation, answer."""

from dataclasses import fields
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson
from django.utils.dateparse import parse_datetime
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories import operations
from memories.api import shapes
from memories.api.door import actor_of
from memories.models import Memory
from memoryhub.errors import Invalid, NotFound
from teams.models import Verb

DRAFT_FIELDS = {field.name for field in fields(operations.Draft)} - {"audience"}
MOMENTS = ("expires_at", "review_by")


class Me(APIView):
    """Who the token says you are."""

    def get(self, request: Request) -> Response:
        return Response(shapes.me(actor_of(request)))


class Memories(APIView):
    def post(self, request: Request) -> Response:
        """Saves a memory. A key that lives already gets a new version. `Idempotency-Key` makes retries safe."""
        key = request.headers.get("Idempotency-Key", "")
        if not key:
            return _saved(self._save(request).answer)
        body = orjson.dumps(request.data, option=orjson.OPT_SORT_KEYS)
        repeatable = f"{request.method} {request.path}\n".encode() + body
        answer = operations.once(actor=actor_of(request), key=key, request=repeatable, act=lambda: self._save(request))
        return _saved(answer)

    def _save(self, request: Request) -> operations.Result:
        said, version = _draft(request.data)
        memory = operations.save(actor=actor_of(request), draft=said, version=version)
        seen = shapes.memory if actor_of(request).may(Verb.READ) else shapes.receipt
        shape = orjson.loads(orjson.dumps(seen(memory)))
        return operations.Result(shape, memory_ids=(memory.pk,))


class MemoryDetail(APIView):
    def get(self, request: Request, memory_id: UUID) -> Response:
        memory = Memory.objects.visible_to(actor_of(request)).defer("search").filter(pk=memory_id).first()
        if memory is None:
            raise NotFound("There is no such memory.")
        return Response(shapes.memory(memory), headers={"ETag": f'"{memory.version}"'})


def _saved(shape: dict[str, Any]) -> Response:
    status = 201 if shape["version"] == 1 else 200
    return Response(shape, status=status, headers={"ETag": f'"{shape["version"]}"'})


def _draft(body: object) -> tuple[operations.Draft, int | None]:
    if not isinstance(body, dict):
        raise Invalid({"body": "Send a JSON object with the memory's fields."})
    unknown = set(body) - DRAFT_FIELDS - {"version"}
    if unknown:
        raise Invalid(dict.fromkeys(sorted(unknown), "There is no such field."))
    if "content" not in body:
        raise Invalid({"content": "This is needed."})
    version = body.pop("version", None)
    if version is not None and (isinstance(version, bool) or not isinstance(version, int) or version < 1):
        raise Invalid({"version": "This must be a whole number from 1."})
    said: dict[str, Any] = {name: _moment(name, value) if name in MOMENTS else value for name, value in body.items()}
    return operations.Draft(**said), version


def _moment(name: str, value: object) -> datetime | None:
    if value is None:
        return None
    try:
        found = parse_datetime(value) if isinstance(value, str) else None
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise Invalid({name: "This must be a date and time with its time zone, like 2030-01-31T12:00:00Z."})
    return found
