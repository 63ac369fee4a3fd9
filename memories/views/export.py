"""A team to carry away, for its owners."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from memories import downloads, moving
from memoryhub.errors import Forbidden
from teams.place import Place, in_team


@in_team
def page(request: HttpRequest, place: Place) -> HttpResponseBase:
    return render(request, "memories/export.html", {"section": "export"})


@in_team
def archive(request: HttpRequest, place: Place) -> HttpResponseBase:
    """What the owner sees of the team: other people's own memories are not in it."""
    if not place.owns:
        raise Forbidden("Only owners export a team.")
    return downloads.archive(moving.Selection.of(place.here, team=place.team, reach=moving.Reach.OWNER))
