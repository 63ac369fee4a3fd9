"""The way in: to the team where one was last, into another one, into a workspace."""

from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from memoryhub.errors import NotFound
from teams import auth
from teams.forms import ThrottledLogIn
from teams.place import Done, Place, action, workspace_key

LAST = "last-team"


class LogIn(LoginView):
    form_class = ThrottledLogIn
    redirect_authenticated_user = True


@login_required
def start(request: HttpRequest) -> HttpResponse:
    """The team where one was last, or the first; without any, what to do about it."""
    assert request.user.is_authenticated
    memberships = auth.memberships_of(request.user)
    last = request.session.get(LAST)
    chosen = next((m for m in memberships if str(m.team_id) == last), memberships[0] if memberships else None)
    if chosen is None:
        return render(request, "teams/nowhere.html")
    return redirect("team-home", chosen.team.organization.slug, chosen.team.slug)


def remember(request: HttpRequest, place: Place) -> None:
    if request.session.get(LAST) != str(place.team.pk):
        request.session[LAST] = str(place.team.pk)


@action
def choose_workspace(request: HttpRequest, place: Place) -> Done:
    """An empty choice is what belongs to no workspace."""
    wanted = request.POST.get("workspace", "")
    known = {workspace.slug: workspace for workspace in place.workspaces}
    if wanted and wanted not in known:
        raise NotFound("There is no such workspace.")
    request.session[workspace_key(place.team)] = wanted
    name = known[wanted].name if wanted else "no workspace"
    return Done(f"You are in {name} now.", to=place.to("team-home"))
