"""Files."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from teams.place import Place, in_team


@in_team
def page(request: HttpRequest, place: Place) -> HttpResponse:
    return render(request, "memories/files.html", {"section": "files"})
