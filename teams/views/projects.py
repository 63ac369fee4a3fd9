"""A team's projects, and who of other teams is admitted to them."""

from functools import partial
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from memoryhub.forms import carried_out
from memoryhub.notices import notify
from teams import operations
from teams.forms import Guest, NewProject, ProjectName
from teams.models import Admission, Project
from teams.place import CHOICES, Done, Place, action, in_team

GUESTS = Prefetch("admissions", Admission.objects.select_related("agent__team", "person").order_by("created_at"))


@in_team
def page(request: HttpRequest, place: Place) -> HttpResponse:
    projects = Project.objects.filter(team=place.team.pk).prefetch_related(GUESTS).order_by("name")
    return render(request, "teams/projects.html", {"section": "agents", "projects": projects[:CHOICES]})


@in_team
def new(request: HttpRequest, place: Place) -> HttpResponse:
    operations.refuse_others(place.actor)
    form = NewProject(request.POST or None)
    project = carried_out(form, partial(operations.projects.create, actor=place.actor))
    if project:
        notify(request, f"{project.name} was added.")
        return redirect(place.to("projects"))
    return render(request, "teams/project_new.html", {"section": "agents", "form": form})


@in_team
def one(request: HttpRequest, place: Place, project_id: UUID) -> HttpResponse:
    """For owners: its name, and who else may use it."""
    operations.refuse_others(place.actor)
    project = operations.projects.one(actor=place.actor, project_id=project_id)
    form = ProjectName(request.POST or None, initial={"name": project.name})
    act = partial(operations.projects.rename, actor=place.actor, project_id=project.pk)
    if carried_out(form, act):
        notify(request, "The project was renamed.")
        return redirect(place.to("project", project.pk))
    return _shown(request, project, form=form, guest=Guest())


@in_team
def admit(request: HttpRequest, place: Place, project_id: UUID) -> HttpResponse:
    operations.refuse_others(place.actor)
    project = operations.projects.one(actor=place.actor, project_id=project_id)
    who = request.POST.get("who", request.GET.get("who"))  # by the form, or by what takes a dismissal back
    guest = Guest({"who": who} if request.method == "POST" else None)
    act = partial(operations.projects.admit, actor=place.actor, project_id=project.pk)
    admission = carried_out(guest, act)
    if admission:
        undo = place.to("admission-dismiss", admission.pk)
        notify(request, f"{admission.agent or admission.person} may use {project.name} now.", undo=undo)
        return redirect(place.to("project", project.pk))
    return _shown(request, project, form=ProjectName(initial={"name": project.name}), guest=guest)


@action
def dismiss(request: HttpRequest, place: Place, admission_id: UUID) -> Done:
    gone = operations.projects.dismiss(actor=place.actor, admission_id=admission_id)
    who = f"{gone.agent.team.slug}/{gone.agent.slug}" if gone.agent else gone.person.handle
    return Done(
        f"{gone.agent or gone.person} may not use {gone.project.name} any more.",
        f"{place.to('project-admit', gone.project_id)}?{urlencode({'who': who})}",
        to=place.to("project", gone.project_id),
    )


def _shown(request: HttpRequest, project: Project, *, form: ProjectName, guest: Guest) -> HttpResponse:
    admissions = Admission.objects.filter(project=project.pk).select_related("agent__team", "person")[:CHOICES]
    shown = {"section": "agents", "project": project, "form": form, "guest": guest, "admissions": admissions}
    return render(request, "teams/project.html", shown)
