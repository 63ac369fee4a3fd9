"""Team home."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from teams.place import Place, in_team
from teams.views import entering


@in_team
def page(request: HttpRequest, place: Place) -> HttpResponse:
    entering.remember(request, place)
    return render(request, "memories/home.html", {"section": "team-home"})
