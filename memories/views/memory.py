"""One memory."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from memories.models import Memory
from memoryhub.errors import NotFound
from teams.place import Place, in_team


@in_team
def page(request: HttpRequest, place: Place, memory_id: UUID) -> HttpResponse:
    memory = Memory.objects.visible_to(place.actor).filter(pk=memory_id).first()
    if memory is None:
        raise NotFound("There is no such memory.")
    return render(request, "memories/memory.html", {"section": "memories", "memory": memory})
