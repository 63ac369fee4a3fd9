"""Download of a team as an archive, for its owners."""

import secrets

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from memories import transfer
from memories.transfer import downloads
from memories.transfer.progress import EXPORT_NAME, read_step
from memoryhub.errors import Forbidden, NotFound
from teams.team_page import TeamPage, in_team

MAX_MISSED_POLLS = 3  # polls without progress, until the archive counts as done


@in_team
def show_export(request: HttpRequest, team_page: TeamPage) -> HttpResponseBase:
    return render(request, "memories/export.html", {"section": "export", "archive_name": secrets.token_urlsafe(16)})


@in_team
def download_archive(request: HttpRequest, team_page: TeamPage) -> HttpResponseBase:
    """Stream the team as its owner sees it, without other people's own memories."""
    selection = transfer.Selection.of(
        _require_owner(team_page).team_only_actor, team=team_page.team, reach=transfer.ExportReach.OWNER
    )
    name = _read_archive_name(request) if "as" in request.GET else ""
    return downloads.stream_archive_in_turn(selection, caller=f"login {request.user.pk}", called=name)


@in_team
def show_export_progress(request: HttpRequest, team_page: TeamPage) -> HttpResponseBase:
    """Show the progress of the archive with this secret name."""
    _require_owner(team_page)
    name, missed = _read_archive_name(request), request.GET.get("missed", "")
    step = read_step(name)
    missed_polls = 0 if step else min(int(missed) if missed.isdecimal() else 0, MAX_MISSED_POLLS) + 1
    context = {"step": step, "archive_name": name, "missed": missed_polls, "again": missed_polls < MAX_MISSED_POLLS}
    return render(request, "memories/_export_progress.html", context)


def _require_owner(team_page: TeamPage) -> TeamPage:
    if not team_page.owns:
        raise Forbidden("Only owners may export a team.")
    return team_page


def _read_archive_name(request: HttpRequest) -> str:
    name = request.GET.get("as", "")
    if not EXPORT_NAME.fullmatch(name):
        raise NotFound("There is no such archive.")
    return name
