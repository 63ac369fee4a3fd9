"""The circumstances of a call: the session, project, person, workspace and channel that it names."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q

from memoryhub.errors import Invalid, NotFound
from memoryhub.ids import as_uuid
from memoryhub.prepared import prepared_cursor
from memoryhub.text import line_flaw, tidy
from teams import operations
from teams.models import HANDLE_LENGTH, Agent, Organization, Person, Project, Session, Workspace

LONGEST = {"project": 64, "user": HANDLE_LENGTH, "session": 200, "workspace": 64, "channel": 200}


@dataclass(frozen=True, kw_only=True, slots=True)
class Context:
    """What a call says of its circumstances; a session that it names adds what the call leaves out."""

    project: str = ""
    user: str = ""
    session: str = ""
    workspace: str = ""
    channel: str = ""

    def __post_init__(self) -> None:
        for name, longest in LONGEST.items():
            said = tidy(getattr(self, name))
            object.__setattr__(self, name, said)
            if found := line_flaw(said, longest=longest):
                raise Invalid({name: found})


@dataclass(frozen=True, kw_only=True, slots=True)
class Circumstances:
    """What the names of a context stand for."""

    session_id: UUID | None = None
    project_id: UUID | None = None
    person_id: UUID | None = None
    workspace_id: UUID | None = None
    channel: str = ""


def circumstances(agent: Agent, context: Context, *, register: bool, serves_id: UUID | None = None) -> Circumstances:
    """One statement where all of it is known. What is new is registered if it may be; whom a token serves stands in
    for a person where none is named, but is never bound to a session: a later call may name somebody else."""
    if not any((context.session, context.project, context.user, context.workspace)):
        return Circumstances(person_id=serves_id, channel=context.channel)
    return _known(agent, context, serves_id) or _registered(agent, context, serves_id, register=register)


# The agent's session with what it is bound to, the project that it may use, the person, and the workspace.
KNOWN = """
WITH session AS (
    SELECT id, project_id, person_id, workspace_id, channel_id FROM teams_session
    WHERE organization_id = %(organization)s::uuid AND agent_id = %(agent)s::uuid AND name = %(session)s::text
)
SELECT session.*, (
    SELECT project.id FROM teams_project AS project
    WHERE project.organization_id = %(organization)s::uuid AND project.id = ANY (ARRAY[
        %(project_id)s::uuid,
        (SELECT id FROM teams_project WHERE organization_id = %(organization)s::uuid AND slug = %(project)s::text),
        CASE %(project)s::text WHEN '' THEN session.project_id END
    ])
    AND (project.team_id = %(team)s::uuid OR EXISTS (
        SELECT FROM teams_admission AS admission
        WHERE admission.project_id = project.id AND admission.agent_id = %(agent)s::uuid
    ))
    ORDER BY project.id LIMIT 1
), (
    SELECT id FROM teams_person WHERE organization_id = %(organization)s::uuid AND handle = %(user)s::text
), (
    SELECT id FROM teams_workspace WHERE organization_id = %(organization)s::uuid AND slug = %(workspace)s::text
)
FROM (SELECT) AS call LEFT JOIN session ON true
"""


def _known(agent: Agent, context: Context, serves_id: UUID | None) -> Circumstances | None:
    """None where something is new to us, or refused."""
    named = {name: getattr(context, name) for name in ("session", "project", "user", "workspace")}
    ids = {"organization": agent.organization_id, "agent": agent.pk, "team": agent.team_id}
    with prepared_cursor() as cursor:
        cursor.execute(KNOWN, named | ids | {"project_id": as_uuid(context.project)})
        session_id, *bound, project_id, person_id, workspace_id = cursor.fetchone()
    in_project, for_person, in_workspace, in_channel = bound
    if not agent.team.organization.workspaces_enabled:
        workspace_id = in_workspace = None
    told = [
        (context.session, session_id, session_id),
        (context.project, project_id, in_project),
        (context.user, person_id, for_person),
        (context.workspace, workspace_id, in_workspace),
        (context.channel, context.channel, in_channel),
    ]
    if any(name and (found is None or (session_id and found != there)) for name, found, there in told):
        return None
    if in_project and not project_id:
        return None
    return Circumstances(
        session_id=session_id,
        project_id=project_id,
        person_id=person_id or for_person or serves_id,
        workspace_id=workspace_id or in_workspace,
        channel=context.channel or in_channel or "",
    )


def _registered(agent: Agent, context: Context, serves_id: UUID | None, *, register: bool) -> Circumstances:
    """One after the other, with a sentence for what is refused."""
    organization = agent.team.organization
    session = _session(agent, context.session)
    project = _project(agent, context.project or _bound(session, "project"))
    user = context.user or _bound(session, "person")
    person = _person(organization, user, create=register)
    workspace = named_workspace(organization, context.workspace) or _bound_workspace(organization, session)
    channel = context.channel or _bound(session, "channel_id")
    if context.session and register:
        session = operations.open_session(
            agent=agent,
            name=context.session,
            project_id=project.pk if project else None,
            person_id=person.pk if person else None,
            workspace_id=workspace.pk if workspace else None,
            channel_id=channel,
        )
    if session:
        bindings = {"project": project, "person": person, "workspace": workspace, "channel_id": channel}
        _refuse_other_bindings(session, bindings)
    return Circumstances(
        session_id=session.pk if session else None,
        project_id=project.pk if project else None,
        person_id=person.pk if person else None if user else serves_id,
        workspace_id=workspace.pk if workspace else None,
        channel=channel,
    )


def _project(agent: Agent, name: str) -> Project | None:
    """By slug or id; only one that the agent may use: its own team's, or one that admitted it by name."""
    if not name:
        return None
    usable = Project.objects.filter(organization=agent.organization_id).filter(
        Q(team=agent.team_id) | Q(admissions__agent=agent)
    )
    found = usable.filter(Q(slug=name) | Q(pk=as_uuid(name))).first()
    if not found:
        raise NotFound(f"There is no project {name!r} that {agent.slug} may use.")
    return found


def _person(organization: Organization, handle: str, *, create: bool) -> Person | None:
    if not handle:
        return None
    if create:
        return operations.ensure_person(organization_id=organization.pk, handle=handle)
    return Person.objects.filter(organization=organization, handle=handle).first()


def named_workspace(organization: Organization, slug: str) -> Workspace | None:
    if not slug:
        return None
    if not organization.workspaces_enabled:
        raise Invalid({"workspace": "Workspaces are not switched on in this organization."})
    found = Workspace.objects.filter(organization=organization, slug=slug).first()
    if not found:
        raise NotFound(f"There is no workspace {slug!r}.")
    return found


def _session(agent: Agent, name: str) -> Session | None:
    """The session by the agent's own id for it, if it is known already."""
    if not name:
        return None
    known = Session.objects.select_related("project", "person", "workspace")
    return known.filter(organization=agent.organization_id, agent=agent, name=name).first()


def _bound_workspace(organization: Organization, session: Session | None) -> Workspace | None:
    """None while the organization has switched workspaces off."""
    return session.workspace if session and organization.workspaces_enabled else None


def _bound(session: Session | None, field: str) -> str:
    """What the session is bound to, by the name that a call would use."""
    value = getattr(session, field, None)
    return getattr(value, "handle", None) or getattr(value, "slug", None) or value or ""


def _refuse_other_bindings(session: Session, bindings: Mapping[str, object]) -> None:
    for field, value in bindings.items():
        bound = getattr(session, field)
        if value and bound and value != bound:
            name = {"person": "user", "channel_id": "channel"}.get(field, field)
            sentence = f"Session {session.name!r} belongs to {name} {_bound(session, field)!r}; name that one or none."
            raise Invalid({name: sentence})
