"""One memory."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from memories import scopes
from memories.models import Memory
from memoryhub.errors import NotFound
from teams.actor import Actor
from teams.place import Place, in_team


@in_team
def page(request: HttpRequest, place: Place, memory_id: UUID) -> HttpResponse:
    memory = seen(place.actor, memory_id)
    shown = {"section": "memories", "memory": memory, "gone": gone(memory)}
    return render(request, "memories/memory.html", shown | {"editable": place.may_change(memory.audience)})


def seen(actor: Actor, memory_id: UUID) -> Memory:
    """The memory, if the actor sees it; what is forgotten or expired is there for those who may restore it."""
    reachable = Memory.objects.filter(scopes.readable(actor), purged_at=None).with_authors().with_usage()
    memory = reachable.defer("search").filter(pk=memory_id).first()
    if memory is None or (gone(memory) and memory.audience not in actor.writes):
        raise NotFound("There is no such memory.")
    return memory


def gone(memory: Memory) -> str:
    """Why it is not to be found any more, in a word; nothing while it lives."""
    if memory.forgotten_at:
        return "forgotten"
    return "expired" if memory.expires_at and memory.expires_at <= timezone.now() else ""
