"""How a write is answered: with what was written to those who may read, with a receipt to those who may not."""

from collections.abc import Callable
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from memories.api import shapes, versions
from memories.api.door import actor_of
from memories.models import Memory, TeamFile, Usage
from teams.actor import Actor
from teams.models import Verb

Shape = Callable[[Memory], dict[str, Any]]


def written(request: Request, memory: Memory, *, shape: Shape = shapes.memory, status: int = 200) -> Response:
    body = told(actor_of(request), memory, shape=shape)
    return Response(body, status=status, headers={"ETag": versions.tag(memory)})


def told(actor: Actor, memory: Memory, *, shape: Shape = shapes.memory) -> dict[str, Any]:
    if not actor.may(Verb.READ):
        return shapes.receipt(memory)
    if memory.version > 1:
        _count_usage(memory)
    return shape(memory)


def written_file(request: Request, file: TeamFile, *, status: int = 200) -> Response:
    body = told_file(actor_of(request), file)
    return Response(body, status=status, headers={"ETag": versions.tag(file)})


def told_file(actor: Actor, file: TeamFile) -> dict[str, Any]:
    return shapes.file(file) if actor.may(Verb.READ) else shapes.file_receipt(file)


def made_or_changed(version: int) -> int:
    return 201 if version == 1 else 200


def _count_usage(memory: Memory) -> None:
    """What was there before may have been recalled."""
    used = Usage.objects.filter(organization=memory.organization_id, memory=memory)
    counted = used.values_list("access_count", "last_accessed_at").first()
    if counted:
        memory.access_count, memory.last_accessed_at = counted
