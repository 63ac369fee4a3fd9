"""The pages of a team's projects and their guests from other teams."""

from functools import partial
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from memoryhub.flash import notify
from memoryhub.forms import submit_form
from teams import operations
from teams.forms import Guest, NewProject, ProjectName
from teams.models import Admission, Project
from teams.team_page import MAX_CHOICES, ActionResult, TeamPage, in_team, team_action

GUESTS = Prefetch("admissions", Admission.objects.with_guests().order_by("created_at"))


@in_team
def list_projects(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    projects = Project.objects.of_team(team_page.team.pk).prefetch_related(GUESTS).order_by("name")
    return render(request, "teams/projects.html", {"section": "agents", "projects": projects[:MAX_CHOICES]})


@in_team
def add_project(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    operations.require_owner(team_page.actor)
    form = NewProject(request.POST or None)
    project = submit_form(form, partial(operations.projects.create_project, actor=team_page.actor))
    if project:
        notify(request, f"{project.name} was added.")
        return redirect(team_page.url("projects"))
    return render(request, "teams/project_new.html", {"section": "agents", "form": form})


@in_team
def show_project(request: HttpRequest, team_page: TeamPage, project_id: UUID) -> HttpResponse:
    """Show a project's name and guests to owners."""
    operations.require_owner(team_page.actor)
    project = operations.projects.get_project(actor=team_page.actor, project_id=project_id)
    form = ProjectName(request.POST or None, initial={"name": project.name})
    act = partial(operations.projects.rename_project, actor=team_page.actor, project_id=project.pk)
    if submit_form(form, act):
        notify(request, "The project was renamed.")
        return redirect(team_page.url("project", project.pk))
    return _render_project(request, project, form=form, guest=Guest())


@in_team
def admit_to_project(request: HttpRequest, team_page: TeamPage, project_id: UUID) -> HttpResponse:
    operations.require_owner(team_page.actor)
    project = operations.projects.get_project(actor=team_page.actor, project_id=project_id)
    who = request.POST.get("who", request.GET.get("who"))  # from the form, or from the undo of a dismissal
    guest = Guest({"who": who} if request.method == "POST" else None)
    act = partial(operations.projects.admit_guest, actor=team_page.actor, project_id=project.pk)
    admission = submit_form(guest, act)
    if admission:
        undo = team_page.url("admission-dismiss", admission.pk)
        notify(request, f"{admission.agent or admission.person} may now use {project.name}.", undo=undo)
        return redirect(team_page.url("project", project.pk))
    return _render_project(request, project, form=ProjectName(initial={"name": project.name}), guest=guest)


@team_action
def dismiss_guest_action(request: HttpRequest, team_page: TeamPage, admission_id: UUID) -> ActionResult:
    admission = operations.projects.dismiss_guest(actor=team_page.actor, admission_id=admission_id)
    who = f"{admission.agent.team.slug}/{admission.agent.slug}" if admission.agent else admission.person.handle
    return ActionResult(
        f"{admission.agent or admission.person} may no longer use {admission.project.name}.",
        f"{team_page.url('project-admit', admission.project_id)}?{urlencode({'who': who})}",
        to=team_page.url("project", admission.project_id),
    )


def _render_project(request: HttpRequest, project: Project, *, form: ProjectName, guest: Guest) -> HttpResponse:
    admissions = Admission.objects.filter(project=project.pk).with_guests()[:MAX_CHOICES]
    context = {"section": "agents", "project": project, "form": form, "guest": guest, "admissions": admissions}
    return render(request, "teams/project.html", context)
