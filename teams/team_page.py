"""The team, workspace and rights of a person in the browser. Every page of a team starts here."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from memoryhub import logs
from memoryhub.errors import NotFound, Trouble
from memoryhub.flash import notify, warn
from memoryhub.form_rescue import ask_to_log_in
from memoryhub.forms import CONFIRMED
from teams import rights
from teams.actor import Actor
from teams.models import Agent, Membership, Project, Role, Team, Workspace

ViewArguments = ParamSpec("ViewArguments")
MAX_CHOICES = 200  # agents or projects in a select box


@dataclass(frozen=True, kw_only=True)
class TeamPage:
    actor: Actor
    team: Team
    role: Role
    teams: tuple[Team, ...]  # all that the person could switch to, in every organization

    @property
    def may_write(self) -> bool:
        return self.role in (Role.EDITOR, Role.OWNER)

    @property
    def owns(self) -> bool:
        return self.role == Role.OWNER

    @cached_property
    def agents(self) -> list[Agent]:
        """Return the team's agents by name."""
        return list(Agent.objects.of_team(self.team.pk).order_by("slug")[:MAX_CHOICES])

    @cached_property
    def projects(self) -> list[Project]:
        return list(Project.objects.of_team(self.team.pk).order_by("name")[:MAX_CHOICES])

    @cached_property
    def workspaces(self) -> list[Workspace]:
        """Return the organization's workspaces; none if they are switched off."""
        if not self.actor.workspaces_enabled:
            return []
        return list(Workspace.objects.in_organization(self.team.organization_id).order_by("name")[:MAX_CHOICES])

    @property
    def workspace(self) -> Workspace | None:
        """Return the chosen workspace."""
        return next((workspace for workspace in self.workspaces if workspace.pk == self.actor.workspace_id), None)

    @cached_property
    def team_only_actor(self) -> Actor:
        """Return the actor limited to this team: its memories, its projects' and its agents'."""
        own = {self.team.pk, *(project.pk for project in self.projects), *(agent.pk for agent in self.agents)}
        return replace(
            self.actor,
            reads=self.actor.reads & own,
            writes=self.actor.writes & own,
            owns=self.actor.owns & own,
            readable_team_ids=(self.team.pk,),
        )

    @cached_property
    def deciding_actor(self) -> Actor:
        """Return the actor limited to what it decides about here: what is this team's, and what is its own."""
        here, own = self.team_only_actor, frozenset(pk for pk in self.actor.writes if pk == self.actor.person_id)
        return replace(here, reads=here.reads | own, writes=here.writes | own)

    def url(self, name: str, *arguments: object) -> str:
        """Return the address of one of the team's pages."""
        return reverse(name, args=[self.team.organization.slug, self.team.slug, *arguments])


def open_team_page(request: HttpRequest, *, organization: str, team: str) -> TeamPage:
    """Return the page of the team that an address names. For people outside the team it does not exist."""
    assert request.user.is_authenticated
    logs.add_log_context(actor=f"user:{request.user.pk}")
    memberships = rights.memberships_of(request.user)
    chosen = next((m for m in memberships if _slugs_of(m) == (organization, team)), None)
    if chosen is None:
        raise NotFound("There is no such team, or you are not in it.")
    workspace = request.session.get(workspace_key(chosen.team), "") if _uses_workspaces(chosen) else ""
    make = rights.actor_of_member
    try:
        actor = make(user=request.user, memberships=memberships, chosen=chosen, workspace=workspace)
    except NotFound:  # the workspace was removed in the meantime
        actor = make(user=request.user, memberships=memberships, chosen=chosen)
    teams = sorted((m.team for m in memberships), key=lambda team: (team.organization.name, team.name))
    actor = replace(actor, confirms=CONFIRMED in request.POST)
    return TeamPage(actor=actor, team=chosen.team, role=Role(chosen.role), teams=tuple(teams))


def _slugs_of(membership: Membership) -> tuple[str, str]:
    return membership.team.organization.slug, membership.team.slug


def _uses_workspaces(membership: Membership) -> bool:
    return bool(membership.team.organization.workspaces_enabled)


def workspace_key(team: Team) -> str:
    return f"workspace:{team.organization_id}"


TeamView = Callable[Concatenate[HttpRequest, TeamPage, ViewArguments], HttpResponseBase]


def in_team(view: TeamView[ViewArguments]) -> Callable[..., HttpResponseBase]:
    """Pass the TeamPage that the address names to the view."""

    @wraps(view)
    def wrapper(request: HttpRequest, organization: str, team: str, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return ask_to_log_in(request)
        place = open_team_page(request, organization=organization, team=team)
        request.place = place  # type: ignore[attr-defined]  # for the frame around every page
        return view(request, place, *args, **kwargs)

    return wrapper


@dataclass(frozen=True, slots=True)
class ActionResult:
    """Holds the message of a completed action, and the address to go to: by default back."""

    text: str
    undo: str = ""
    to: str = ""
    is_warning: bool = False  # it could not be done, and the page of the address says what to do instead


TeamActionView = Callable[Concatenate[HttpRequest, TeamPage, ViewArguments], ActionResult]


def team_action(view: TeamActionView[ViewArguments]) -> Callable[..., HttpResponseBase]:
    """Run the view as the action of a button: notify about its result, or warn about its refusal, and redirect."""

    @require_POST
    @in_team
    @wraps(view)
    def wrapper(request: HttpRequest, team_page: TeamPage, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            result = view(request, team_page, *args, **kwargs)
        except NotFound:
            raise
        except Trouble as refusal:
            warn(request, refusal.message)
            return redirect_back(request, team_page)
        if result.is_warning:
            warn(request, result.text)
        else:
            notify(request, result.text, undo=result.undo)
        return HttpResponseRedirect(result.to) if result.to else redirect_back(request, team_page)

    return wrapper


def redirect_back(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    """Redirect to the page that the form names as `next`, if it is one of ours."""
    wanted = request.POST.get("next", "")
    ours = url_has_allowed_host_and_scheme(wanted, allowed_hosts=None)
    return HttpResponseRedirect(wanted if wanted and ours else team_page.url("team-home"))


def team_page_context(request: HttpRequest) -> dict[str, Any]:
    """Add the TeamPage for the frame around every page; None outside of teams."""
    return {"place": getattr(request, "place", None)}
