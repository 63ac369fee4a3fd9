"""What one can do to a memory with one press of a button."""

from uuid import UUID

from django.http import HttpRequest
from django.utils import timezone

from memories import operations, scopes
from memories.models import Memory
from memories.views.memory import seen
from teams.place import Done, Place, action


def _said(request: HttpRequest, name: str) -> str:
    """Buttons say it in their form; undoing, in the address."""
    return request.POST.get(name, request.GET.get(name, ""))


@action
def pin(request: HttpRequest, place: Place, memory_id: UUID) -> Done:
    """`pinned` is 1 or 0; left out, it becomes what it is not."""
    said = _said(request, "pinned")
    pinned = said == "1" if said else not seen(place.actor, memory_id).pinned
    operations.pin(actor=place.actor, memory_id=memory_id, pinned=pinned)
    undo = f"{place.to('memory-pin', memory_id)}?pinned={int(not pinned)}"
    return Done("Pinned." if pinned else "Unpinned.", undo)


@action
def forget(request: HttpRequest, place: Place, memory_id: UUID) -> Done:
    operations.forget(actor=place.actor, memory_id=memory_id, reason=_said(request, "reason"))
    return Done("Forgotten.", place.to("memory-restore", memory_id))


@action
def restore(request: HttpRequest, place: Place, memory_id: UUID) -> Done:
    """What has expired counts as forgotten, whether or not it was swept."""
    mine = Memory.objects.filter(scopes.writable(place.actor), pk=memory_id)
    operations.sweep(rows=mine, now=timezone.now(), wait=True)
    operations.restore(actor=place.actor, memory_id=memory_id)
    return Done("Restored.", place.to("memory-forget", memory_id))
