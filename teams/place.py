"""Where a person is at work in the browser: in one of their teams, in a workspace of it. Every page of a team starts
here."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from memoryhub import logs
from memoryhub.errors import NotFound, Trouble
from memoryhub.notices import notify, warn
from teams import auth
from teams.actor import Actor
from teams.models import Agent, Membership, Project, Role, Team, Workspace

Arguments = ParamSpec("Arguments")
CHOICES = 200  # agents or projects at most in a select box


@dataclass(frozen=True, kw_only=True)
class Place:
    actor: Actor
    team: Team
    role: Role
    teams: tuple[Team, ...]  # all that one could switch to, in every organization

    @property
    def may_write(self) -> bool:
        return self.role in (Role.EDITOR, Role.OWNER)

    @property
    def owns(self) -> bool:
        return self.role == Role.OWNER

    @cached_property
    def agents(self) -> list[Agent]:
        """The team's, by name."""
        return list(Agent.objects.filter(team=self.team.pk).order_by("slug")[:CHOICES])

    @cached_property
    def projects(self) -> list[Project]:
        return list(Project.objects.filter(team=self.team.pk).order_by("name")[:CHOICES])

    @cached_property
    def workspaces(self) -> list[Workspace]:
        """Empty unless the organization separates them."""
        if not self.actor.workspaces_enabled:
            return []
        return list(Workspace.objects.filter(organization=self.team.organization_id).order_by("name")[:CHOICES])

    @property
    def workspace(self) -> Workspace | None:
        """The one that is chosen."""
        return next((workspace for workspace in self.workspaces if workspace.pk == self.actor.workspace_id), None)

    @cached_property
    def here(self) -> Actor:
        """The same person, who looks at this team alone: its memories, its projects' and its agents'."""
        own = {self.team.pk, *(project.pk for project in self.projects), *(agent.pk for agent in self.agents)}
        return replace(
            self.actor,
            reads=self.actor.reads & own,
            writes=self.actor.writes & own,
            owns=self.actor.owns & own,
            readable_team_ids=(self.team.pk,),
        )

    def to(self, name: str, *arguments: object) -> str:
        """The address of one of the team's pages."""
        return reverse(name, args=[self.team.organization.slug, self.team.slug, *arguments])

    def may_change(self, audience: UUID) -> bool:
        return audience in self.actor.writes


def enter(request: HttpRequest, *, organization: str, team: str) -> Place:
    """The place that an address names; for strangers it does not exist."""
    assert request.user.is_authenticated
    logs.about(actor=f"user:{request.user.pk}")
    memberships = auth.memberships_of(request.user)
    chosen = next((m for m in memberships if _named(m) == (organization, team)), None)
    if chosen is None:
        raise NotFound("There is no such team, or you are not in it.")
    workspace = request.session.get(workspace_key(chosen.team), "") if _separates(chosen) else ""
    make = auth.actor_of_member
    try:
        actor = make(user=request.user, memberships=memberships, chosen=chosen, workspace=workspace)
    except NotFound:  # the workspace was taken away meanwhile
        actor = make(user=request.user, memberships=memberships, chosen=chosen)
    teams = sorted((m.team for m in memberships), key=lambda team: (team.organization.name, team.name))
    return Place(actor=actor, team=chosen.team, role=Role(chosen.role), teams=tuple(teams))


def _named(membership: Membership) -> tuple[str, str]:
    return membership.team.organization.slug, membership.team.slug


def _separates(membership: Membership) -> bool:
    return bool(membership.team.organization.workspaces_enabled)


def workspace_key(team: Team) -> str:
    return f"workspace:{team.organization_id}"


Page = Callable[Concatenate[HttpRequest, Place, Arguments], HttpResponseBase]


def in_team(view: Page[Arguments]) -> Callable[..., HttpResponseBase]:
    """A page of a team: the view is given the place that the address names."""

    @login_required
    @wraps(view)
    def entered(request: HttpRequest, organization: str, team: str, *args: Any, **kwargs: Any) -> HttpResponseBase:
        place = enter(request, organization=organization, team=team)
        request.place = place  # type: ignore[attr-defined]  # for the frame around every page
        return view(request, place, *args, **kwargs)

    return entered


@dataclass(frozen=True, slots=True)
class Done:
    """What an action says when it has been done, and where to go from there (back, unless it is said)."""

    text: str
    undo: str = ""
    to: str = ""


Action = Callable[Concatenate[HttpRequest, Place, Arguments], Done]


def action(view: Action[Arguments]) -> Callable[..., HttpResponseBase]:
    """A button of a team's page: does its work, says so, and leads back. A refusal is said there too."""

    @require_POST
    @in_team
    @wraps(view)
    def acted(request: HttpRequest, place: Place, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            done = view(request, place, *args, **kwargs)
        except NotFound:
            raise
        except Trouble as refusal:
            warn(request, refusal.message)
            return back(request, place)
        notify(request, done.text, undo=done.undo)
        return HttpResponseRedirect(done.to) if done.to else back(request, place)

    return acted


def back(request: HttpRequest, place: Place) -> HttpResponse:
    """To the page that the form names as `next`, if it is one of ours."""
    wanted = request.POST.get("next", "")
    ours = url_has_allowed_host_and_scheme(wanted, allowed_hosts=None)
    return HttpResponseRedirect(wanted if wanted and ours else place.to("team-home"))


def in_templates(request: HttpRequest) -> dict[str, Any]:
    """The place for the frame around every page; nothing outside of teams."""
    return {"place": getattr(request, "place", None)}
