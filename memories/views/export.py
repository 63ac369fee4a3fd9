"""A team to carry away, for its owners."""

import secrets

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from memories import downloads, moving
from memories.moving.progress import CALLED, seen
from memoryhub.errors import Forbidden, NotFound
from teams.place import Place, in_team

PATIENCE = 3  # looks at an archive that is not being made, until it is taken for done


@in_team
def page(request: HttpRequest, place: Place) -> HttpResponseBase:
    return render(request, "memories/export.html", {"section": "export", "called": secrets.token_urlsafe(16)})


@in_team
def archive(request: HttpRequest, place: Place) -> HttpResponseBase:
    """What the owner sees of the team: other people's own memories are not in it."""
    selection = moving.Selection.of(_owned(place).here, team=place.team, reach=moving.Reach.OWNER)
    return downloads.archive(selection, called=_called(request) if "as" in request.GET else "")


@in_team
def progress(request: HttpRequest, place: Place) -> HttpResponseBase:
    """How far an archive is that was asked for under this name, which nobody else knows."""
    _owned(place)
    called, missed = _called(request), request.GET.get("missed", "")
    step = seen(called)
    times = 0 if step else min(int(missed) if missed.isdecimal() else 0, PATIENCE) + 1
    told = {"step": step, "called": called, "missed": times, "again": times < PATIENCE}
    return render(request, "memories/_export_progress.html", told)


def _owned(place: Place) -> Place:
    if not place.owns:
        raise Forbidden("Only owners export a team.")
    return place


def _called(request: HttpRequest) -> str:
    said = request.GET.get("as", "")
    if not CALLED.fullmatch(said):
        raise NotFound("There is no such archive.")
    return said
