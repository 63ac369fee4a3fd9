"""A team's projects, and who of other teams is admitted to them, as its owners change them."""

from uuid import UUID

from memoryhub.errors import Invalid, NotFound
from memoryhub.text import line_flaw, tidy
from teams.actor import Actor
from teams.models import Admission, Agent, Person, Project
from teams.operations.owning import refuse_others
from teams.operations.registering import refuse_odd_slug


def create(*, actor: Actor, slug: str, name: str) -> Project:
    refuse_others(actor)
    refuse_odd_slug("slug", slug)
    project, created = Project.objects.get_or_create(
        organization_id=actor.organization_id,
        slug=slug,
        defaults={"team_id": actor.team_id, "name": _name(name)},
    )
    if not created:
        raise Invalid({"slug": "Another project of the organization is called so already."})
    return project


def rename(*, actor: Actor, project_id: UUID, name: str) -> Project:
    """People see the name; the slug stays, for agents use it."""
    refuse_others(actor)
    project = one(actor=actor, project_id=project_id)
    Project.objects.filter(pk=project.pk).update(name=_name(name))
    project.refresh_from_db()
    return project


def admit(*, actor: Actor, project_id: UUID, who: str) -> Admission:
    """An agent of another team, written team/agent, or a person, by their handle."""
    refuse_others(actor)
    project = one(actor=actor, project_id=project_id)
    agent, person = _agent(actor, tidy(who)), _person(actor, tidy(who))
    if not agent and not person:
        raise Invalid({"who": "There is no such agent (write team/agent) and no such person in the organization."})
    return let_in(actor=actor, project=project, agent=agent, person=None if agent else person)


def let_in(*, actor: Actor, project: Project, agent: Agent | None = None, person: Person | None = None) -> Admission:
    """One of them, who is known already."""
    refuse_others(actor)
    if agent and agent.team_id == project.team_id:
        raise Invalid({"who": f"{agent.slug} is of this team, so it may use all of its projects already."})
    admission, _ = Admission.objects.get_or_create(
        organization_id=actor.organization_id, project=project, agent=agent, person=person
    )
    return admission


def dismiss(*, actor: Actor, admission_id: UUID) -> Admission:
    """Takes an admission back."""
    refuse_others(actor)
    known = Admission.objects.select_related("project", "agent__team", "person")
    admission = known.filter(pk=admission_id, project__team=actor.team_id).first()
    if admission is None:
        raise NotFound("There is no such admission to a project of this team.")
    Admission.objects.filter(pk=admission.pk).delete()
    return admission


def one(*, actor: Actor, project_id: UUID) -> Project:
    """One of the team's projects."""
    project = Project.objects.filter(pk=project_id, team=actor.team_id).first()
    if project is None:
        raise NotFound("There is no such project in this team.")
    return project


def _agent(actor: Actor, who: str) -> Agent | None:
    team, _, slug = who.partition("/")
    known = Agent.objects.filter(organization=actor.organization_id, team__slug=team, slug=slug)
    return known.select_related("team").first()


def _person(actor: Actor, who: str) -> Person | None:
    return Person.objects.filter(organization=actor.organization_id, handle=who).first()


def _name(name: str) -> str:
    name = tidy(name)
    if found := line_flaw(name, longest=200) or ("" if name else "A project needs a name."):
        raise Invalid({"name": found})
    return name
