"""Keys: the memory that owns a label, read, saved and forgotten by it."""

from collections.abc import Mapping
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories import finding, operations
from memories.api import answers, bodies, shapes, versions
from memories.api.answering import made_or_changed, written
from memories.api.describing import IF_MATCH, IF_NONE_MATCH, ONLY_NEW, endpoint
from memories.api.door import actor_of
from memories.models import Scope

SCOPE = {"scope": bodies.SCOPE | {"default": Scope.TEAM.value}}


class Key(APIView):
    @endpoint(
        summary="Read the memory of a key",
        asks=SCOPE,
        gives=answers.MEMORY,
        parameters=[IF_NONE_MATCH],
        answer=answers.MEMORY_EXAMPLE,
    )
    def get(self, request: Request, key: str, asked: Mapping[str, Any]) -> Response:
        """The one that owns it in this scope. Directors see the keys of the teams above, their own team's first."""
        memory = finding.keyed(actor=actor_of(request), key=finding.key_of(key), scope=asked["scope"])
        return versions.answered(request, shapes.memory(memory), etag=versions.tag(memory))

    @endpoint(
        summary="Save the memory of a key",
        asks=SCOPE,
        takes=bodies.KEYED,
        gives=answers.SAVED_OR_RECEIPT,
        status=(201, 200),
        parameters=[IF_MATCH, ONLY_NEW],
        example={"content": answers.MEMORY_EXAMPLE["content"], "type": "event", "tags": ["berths"]},
        answer=answers.MEMORY_EXAMPLE | {"similar": []},
        writes=True,
    )
    def put(self, request: Request, key: str, asked: Mapping[str, Any], said: dict[str, Any]) -> Response:
        """Makes it, or a new version of it, in which what is left unsaid stays as it is."""
        version = versions.expected(request, said=said.pop("version", None))
        dedupe = operations.Dedupe.REFUSE if versions.only_new(request) else operations.Dedupe.UPDATE
        draft = operations.Draft(key=finding.key_of(key), dedupe=dedupe, **asked, **said)
        memory = operations.save(actor=actor_of(request), draft=draft, version=version)
        return written(request, memory, shape=shapes.saved, status=made_or_changed(memory.version))

    @endpoint(
        summary="Forget the memory of a key",
        asks=SCOPE | {"reason": bodies.REASON},
        gives=answers.RECEIPT,
        parameters=[IF_MATCH],
        answer={"id": answers.MEMORY_EXAMPLE["id"], "key": "berth-7", "version": 2},
        writes=True,
    )
    def delete(self, request: Request, key: str, asked: Mapping[str, Any]) -> Response:
        """Gone from every read, kept for audit; it can be restored by its id."""
        actor, version = actor_of(request), versions.expected(request)
        owned = finding.owned(actor=actor, key=finding.key_of(key), scope=asked["scope"])
        gone = operations.forget(actor=actor, memory_id=owned.pk, version=version, reason=asked.get("reason", ""))
        return Response(shapes.receipt(gone), headers={"ETag": versions.tag(gone)})
