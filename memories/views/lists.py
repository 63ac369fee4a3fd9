"""Memories."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from memories.models import Memory
from teams.place import Place, in_team


@in_team
def page(request: HttpRequest, place: Place) -> HttpResponse:
    return render(
        request,
        "memories/memories.html",
        {"section": "memories", "memories": Memory.objects.visible_to(place.here).newest()[:20]},
    )
