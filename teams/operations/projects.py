"""Changes that owners make to a team's projects, and to the guests from other teams who may use them."""

from uuid import UUID

from memoryhub.errors import Invalid, NotFound
from memoryhub.text import line_problem, normalize_text
from teams.actor import Actor
from teams.models import Admission, Agent, Person, Project
from teams.operations.ownership import require_owner
from teams.operations.register import note_use, refuse_odd_slug


def create_project(*, actor: Actor, slug: str, name: str) -> Project:
    require_owner(actor)
    refuse_odd_slug("slug", slug)
    project, created = Project.objects.get_or_create(
        organization_id=actor.organization_id,
        slug=slug,
        defaults={"team_id": actor.team_id, "name": _clean_project_name(name)},
    )
    if not created:
        raise Invalid({"slug": "Another project of the organization already has this name."})
    return project


def rename_project(*, actor: Actor, project_id: UUID, name: str) -> Project:
    """Change the name that people see. The slug stays, since agents use it."""
    require_owner(actor)
    project = get_project(actor=actor, project_id=project_id)
    Project.objects.filter(pk=project.pk).update(name=_clean_project_name(name))
    project.refresh_from_db()
    return project


def admit_guest(*, actor: Actor, project_id: UUID, who: str) -> Admission:
    """Admit an agent of another team, written team/agent, or a person, by handle."""
    require_owner(actor)
    project = get_project(actor=actor, project_id=project_id)
    agent, person = _find_guest_agent(actor, normalize_text(who)), _find_guest_person(actor, normalize_text(who))
    if not agent and not person:
        raise Invalid({"who": "The organization has no such agent (write team/agent) and no such person."})
    return create_admission(actor=actor, project=project, agent=agent, person=None if agent else person)


def create_admission(
    *, actor: Actor, project: Project, agent: Agent | None = None, person: Person | None = None
) -> Admission:
    """Admit a registered agent or person."""
    require_owner(actor)
    if agent and agent.team_id == project.team_id:
        raise Invalid({"who": f"{agent.slug} is in this team, so it may already use all of its projects."})
    admission, _ = Admission.objects.get_or_create(
        organization_id=actor.organization_id, project=project, agent=agent, person=person
    )
    return admission


def dismiss_guest(*, actor: Actor, admission_id: UUID) -> Admission:
    """Withdraw an admission."""
    require_owner(actor)
    admissions = Admission.objects.select_related("project", "agent__team", "person")
    admission = admissions.filter(pk=admission_id, project__team=actor.team_id).first()
    if admission is None:
        raise NotFound("There is no such admission to a project of this team.")
    Admission.objects.filter(pk=admission.pk).delete()
    return admission


def get_project(*, actor: Actor, project_id: UUID) -> Project:
    """Return one of the team's projects."""
    project = Project.objects.filter(pk=project_id, team=actor.team_id).first()
    if project is None:
        raise NotFound("There is no such project in this team.")
    return project


def _find_guest_agent(actor: Actor, who: str) -> Agent | None:
    team, _, slug = who.partition("/")
    agents = Agent.objects.filter(organization=actor.organization_id, team__slug=team, slug=slug)
    return agents.select_related("team").first()


def _find_guest_person(actor: Actor, who: str) -> Person | None:
    return note_use(Person.objects.filter(organization=actor.organization_id, handle=who).first())


def _clean_project_name(name: str) -> str:
    name = normalize_text(name)
    if problem := line_problem(name, longest=200) or ("" if name else "A project needs a name."):
        raise Invalid({"name": problem})
    return name
