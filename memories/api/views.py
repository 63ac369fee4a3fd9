"""The REST endpoints: parse, call an operation, answer."""

from collections.abc import Sequence
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
from memories.recall import Filters, Mode, recall, why_not
from memoryhub.errors import Invalid, NotFound
from memoryhub.ids import as_uuid
from memoryhub.text import flaw
from teams.models import Verb

DRAFT_FIELDS = {field.name for field in fields(operations.Draft)} - {"audience"}
FILTER_FIELDS = [field.name for field in fields(Filters)]
ASKED = ("query", "mode", "limit")
SWITCHES = ("explain", "snippets")
TEXTS = ("type", "category", "scope", "source", "channel_id")
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
        seen = shapes.saved if actor_of(request).may(Verb.READ) else shapes.receipt
        shape = orjson.loads(orjson.dumps(seen(memory)))
        return operations.Result(shape, memory_ids=(memory.pk,))


class Recall(APIView):
    def post(self, request: Request) -> Response:
        """The memories that answer a query best, within what the token may see."""
        body = _object(request.data, known={*ASKED, "sort_by", *SWITCHES, *FILTER_FIELDS})
        switches: dict[str, Any] = {name: _switch(name, body.get(name)) for name in SWITCHES}
        said = _texts_among(body, (*ASKED, "sort_by"))
        result = recall(actor=actor_of(request), filters=_filters(body), **said, **switches)
        mode = said.get("mode", Mode.HYBRID)
        return Response(shapes.recalled(result, mode=mode, explain=switches["explain"]))


class WhyNot(APIView):
    def post(self, request: Request) -> Response:
        """Which rule keeps one memory from an answer, or where it stands in it."""
        body = _object(request.data, known={*ASKED, "memory_id", *FILTER_FIELDS})
        memory_id = as_uuid(body["memory_id"]) if isinstance(body.get("memory_id"), str) else None
        if memory_id is None:
            raise Invalid({"memory_id": "This must be an id."})
        said = {"query": "", **_texts_among(body, ASKED)}
        found = why_not(actor=actor_of(request), memory_id=memory_id, filters=_filters(body), **said)
        return Response(shapes.verdict(found))


class MemoryDetail(APIView):
    def get(self, request: Request, memory_id: UUID) -> Response:
        memory = Memory.objects.visible_to(actor_of(request)).with_usage().defer("search").filter(pk=memory_id).first()
        if memory is None:
            raise NotFound("There is no such memory.")
        return Response(shapes.memory(memory), headers={"ETag": f'"{memory.version}"'})


def _saved(shape: dict[str, Any]) -> Response:
    status = 201 if shape["version"] == 1 else 200
    return Response(shape, status=status, headers={"ETag": f'"{shape["version"]}"'})


def _object(body: object, *, known: set[str]) -> dict[str, Any]:
    if not isinstance(body, dict):
        raise Invalid({"body": "Send a JSON object."})
    unknown = set(body) - known
    if unknown:
        raise Invalid(dict.fromkeys(sorted(unknown), "There is no such field."))
    return dict(body)


def _texts_among(body: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    said = {name: body[name] for name in names if body.get(name) is not None}
    for name, value in said.items():
        if name != "limit" and not isinstance(value, str):
            raise Invalid({name: "This must be text."})
    return said


def _switch(name: str, value: object) -> bool:
    if not isinstance(value, bool | None):
        raise Invalid({name: "This must be true or false."})
    return bool(value)


def _filters(body: dict[str, Any]) -> Filters:
    said: dict[str, Any] = {name: body[name] for name in FILTER_FIELDS if body.get(name) is not None}
    for name, value in said.items():
        if name.endswith(("_after", "_before")):
            said[name] = _moment(name, value)
        elif name.endswith("_id") and name != "channel_id":
            said[name] = as_uuid(value) if isinstance(value, str) else None
            if said[name] is None:
                raise Invalid({name: "This must be an id."})
        elif name in TEXTS and (not isinstance(value, str) or flaw(value, longest=1_000)):
            raise Invalid({name: "This must be text."})
    if not isinstance(said.get("pinned", True), bool):
        raise Invalid({"pinned": "This must be true or false."})
    return Filters(**said)


def _draft(body: object) -> tuple[operations.Draft, int | None]:
    body = _object(body, known={*DRAFT_FIELDS, "version"})
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
