"""Logging in, going to the last visited team, and choosing a workspace."""

from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from memoryhub.errors import NotFound
from teams import rights
from teams.forms import ThrottledLogIn
from teams.team_page import ActionResult, TeamPage, team_action, workspace_key

LAST_TEAM_KEY = "last-team"


class LogIn(LoginView):
    form_class = ThrottledLogIn
    redirect_authenticated_user = True


@login_required
def redirect_to_last_team(request: HttpRequest) -> HttpResponse:
    """Redirect to the last visited team, or the first; explain what to do if there is none."""
    assert request.user.is_authenticated
    memberships = rights.memberships_of(request.user)
    last = request.session.get(LAST_TEAM_KEY)
    chosen = next((m for m in memberships if str(m.team_id) == last), memberships[0] if memberships else None)
    if chosen is None:
        return render(request, "teams/nowhere.html")
    return redirect("team-home", chosen.team.organization.slug, chosen.team.slug)


def remember_team(request: HttpRequest, team_page: TeamPage) -> None:
    if request.session.get(LAST_TEAM_KEY) != str(team_page.team.pk):
        request.session[LAST_TEAM_KEY] = str(team_page.team.pk)


@team_action
def choose_workspace(request: HttpRequest, team_page: TeamPage) -> ActionResult:
    """Switch to a workspace; an empty choice shows what belongs to none."""
    slug = request.POST.get("workspace", "")
    workspaces = {workspace.slug: workspace for workspace in team_page.workspaces}
    if slug and slug not in workspaces:
        raise NotFound("There is no such workspace.")
    request.session[workspace_key(team_page.team)] = slug
    name = workspaces[slug].name if slug else "no workspace"
    return ActionResult(f"You are now in {name}.", to=team_page.url("team-home"))
