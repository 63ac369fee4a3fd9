"""The context of a call: the session, project, person, workspace and channel that it names."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from memoryhub.errors import Forbidden, Invalid, NotFound
from memoryhub.ids import parse_uuid
from memoryhub.prepared_statements import prepared_cursor
from memoryhub.text import line_problem, normalize_text
from teams import operations
from teams.models import HANDLE_LENGTH, Agent, Organization, Person, Project, Session, Workspace

NameableHandles = tuple[str, ...] | None  # whom a token may name, by handle; None: anybody
CONTEXT_LENGTHS = {"project": 64, "user": HANDLE_LENGTH, "session": 200, "workspace": 64, "channel": 200}


@dataclass(frozen=True, kw_only=True, slots=True)
class CallContext:
    """Holds the names that a call gives; its session supplies those that it leaves out."""

    project: str = ""
    user: str = ""
    session: str = ""
    workspace: str = ""
    channel: str = ""

    def __post_init__(self) -> None:
        for name, longest in CONTEXT_LENGTHS.items():
            value = normalize_text(getattr(self, name))
            object.__setattr__(self, name, value)
            if problem := line_problem(value, longest=longest):
                raise Invalid({name: problem})


@dataclass(frozen=True, kw_only=True, slots=True)
class ResolvedContext:
    """Holds the ids behind the names of a context."""

    session_id: UUID | None = None
    project_id: UUID | None = None
    person_id: UUID | None = None
    workspace_id: UUID | None = None
    channel: str = ""
    unregistered: bool = False  # it names an unregistered person or session, or would bind the session to more
    unknown_person: bool = False  # the person whom it names is not registered yet


@dataclass(frozen=True, kw_only=True, slots=True)
class Bearer:
    """Holds what a token says about people. A call without a token may name anybody, and its registrations are not
    counted."""

    token_id: UUID | None = None
    serves_id: UUID | None = None
    persons: NameableHandles = None


NO_TOKEN = Bearer()


def resolve_context(
    agent: Agent, context: CallContext, *, register: bool, bearer: Bearer = NO_TOKEN
) -> ResolvedContext:
    """Resolve the names of a context, in one statement if all of them are registered. Calls that write register new
    ones; for calls that read, new ones are empty. If no person is named, the person whom the token serves stands in,
    but is never bound to the session: a later call may name somebody else."""
    persons = bearer.persons
    if context.user and not may_name(context.user, persons):  # before the lookup, which would reveal who is registered
        raise Forbidden(f"This token may not name {context.user!r}. GET /api/v1/me lists the people that it may name.")
    if not any((context.session, context.project, context.user, context.workspace)):
        return ResolvedContext(person_id=bearer.serves_id, channel=context.channel)
    resolved = _look_up_all(agent, context, bearer, register=register)
    return resolved or _resolve_one_by_one(agent, context, bearer, register=register)


def may_name(handle: str, persons: NameableHandles) -> bool:
    return persons is None or handle in persons


def refuse_session_of_others(handle: str, persons: NameableHandles) -> None:
    """Refuse a session that another token has bound to a person whom this token may not name."""
    if handle and not may_name(handle, persons):
        raise Forbidden("This token may not use this session: it belongs to a person whom the token may not name.")


# The agent's session with what it is bound to, the project that it may use, the person, and the workspace.
LOOK_UP_CONTEXT = """
WITH session AS (
    SELECT id, project_id, person_id, workspace_id, channel_id, last_used_at FROM teams_session
    WHERE organization_id = %(organization)s::uuid AND agent_id = %(agent)s::uuid AND name = %(session)s::text
)
SELECT session.*, (
    SELECT handle FROM teams_person WHERE organization_id = %(organization)s::uuid AND id = session.person_id
), (
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
), person.id, person.last_used_at, (
    SELECT id FROM teams_workspace WHERE organization_id = %(organization)s::uuid AND slug = %(workspace)s::text
)
FROM (SELECT) AS call LEFT JOIN session ON true
LEFT JOIN teams_person AS person
    ON person.organization_id = %(organization)s::uuid AND person.handle = %(user)s::text
"""


def _look_up_all(agent: Agent, context: CallContext, bearer: Bearer, *, register: bool) -> ResolvedContext | None:
    """Resolve everything in one statement; None if something must be registered, was long unused, or is refused."""
    names = {name: getattr(context, name) for name in ("session", "project", "user", "workspace")}
    ids = {"organization": agent.organization_id, "agent": agent.pk, "team": agent.team_id}
    with prepared_cursor() as cursor:
        cursor.execute(LOOK_UP_CONTEXT, names | ids | {"project_id": parse_uuid(context.project)})
        session_id, *bound, project_id, person_id, person_used_at, workspace_id = cursor.fetchone()
    in_project, for_person, in_workspace, in_channel, session_used_at, bound_handle = bound
    if bound_handle and not may_name(bound_handle, bearer.persons):
        return None
    stale = timezone.now() - operations.USE_INTERVAL
    if any(used_at and used_at < stale for used_at in (session_used_at, person_used_at)):
        return None
    if not agent.team.organization.workspaces_enabled:
        workspace_id = in_workspace = None
    if (context.workspace and not workspace_id) or ((context.project or in_project) and not project_id):
        return None
    bindings = [
        (context.project, project_id, in_project),
        (context.user, person_id, for_person),
        (context.workspace, workspace_id, in_workspace),
        (context.channel, context.channel, in_channel),
    ]
    if any(name and bound_to and resolved != bound_to for name, resolved, bound_to in bindings):
        return None
    unregistered = bool(context.user and not person_id) or bool(
        context.session and (not session_id or any(name and not bound_to for name, _, bound_to in bindings))
    )
    if unregistered and register:
        return None
    return ResolvedContext(
        session_id=session_id,
        project_id=project_id,
        person_id=person_id if context.user else for_person or bearer.serves_id,
        workspace_id=workspace_id or in_workspace,
        channel=context.channel or in_channel or "",
        unregistered=unregistered,
        unknown_person=bool(context.user and not person_id),
    )


def _resolve_one_by_one(agent: Agent, context: CallContext, bearer: Bearer, *, register: bool) -> ResolvedContext:
    """Resolve the names one after the other, with an error for each refusal. A refused call registers nothing."""
    organization = agent.team.organization
    session = _find_known_session(agent, context.session)
    refuse_session_of_others(_binding_name(session, "person"), bearer.persons)
    project = _find_usable_project(agent, context.project or _binding_name(session, "project"))
    user = context.user or _binding_name(session, "person")
    workspace = find_workspace(organization, context.workspace) or _bound_workspace(organization, session)
    channel = context.channel or _binding_name(session, "channel_id")
    names = {
        "project": project.slug if project else "",
        "person": user,
        "workspace": workspace.slug if workspace else "",
        "channel_id": channel,
    }
    _refuse_other_bindings(session, names)
    person = _find_or_register_person(organization, user, bearer, create=register)
    if context.session and register:
        session = operations.open_session(
            agent=agent,
            name=context.session,
            project_id=project.pk if project else None,
            person_id=person.pk if person else None,
            workspace_id=workspace.pk if workspace else None,
            channel_id=channel,
            token_id=bearer.token_id,
        )
        refuse_session_of_others(
            _binding_name(session, "person"), bearer.persons
        )  # somebody may have bound it meanwhile
        _refuse_other_bindings(session, names)
    return ResolvedContext(
        session_id=session.pk if session else None,
        project_id=project.pk if project else None,
        person_id=person.pk if person else None if user else bearer.serves_id,
        workspace_id=workspace.pk if workspace else None,
        channel=channel,
        unknown_person=bool(user and not person),
        unregistered=bool(user and not person) or bool(context.session and _binds_more(session, names)),
    )


def _find_usable_project(agent: Agent, name: str) -> Project | None:
    """Find a project by slug or id that the agent may use: its own team's, or one that admitted it."""
    if not name:
        return None
    usable = Project.objects.in_organization(agent.organization_id).filter(
        Q(team=agent.team_id) | Q(admissions__agent=agent)
    )
    project = usable.filter(Q(slug=name) | Q(pk=parse_uuid(name))).first()
    if not project:
        raise NotFound(f"There is no project {name!r} that {agent.slug} may use.")
    return project


def _find_or_register_person(organization: Organization, handle: str, bearer: Bearer, *, create: bool) -> Person | None:
    if not handle:
        return None
    if create:
        return operations.ensure_person(organization_id=organization.pk, handle=handle, token_id=bearer.token_id)
    return operations.note_use(Person.objects.in_organization(organization).with_handle(handle).first())


def find_workspace(organization: Organization, slug: str) -> Workspace | None:
    if not slug:
        return None
    if not organization.workspaces_enabled:
        raise Invalid({"workspace": "Workspaces are not switched on in this organization."})
    workspace = Workspace.objects.in_organization(organization).filter(slug=slug).first()
    if not workspace:
        raise NotFound(f"There is no workspace {slug!r}.")
    return workspace


def _find_known_session(agent: Agent, name: str) -> Session | None:
    """Find a registered session by the agent's own id for it."""
    if not name:
        return None
    sessions = Session.objects.with_context()
    return operations.note_use(sessions.filter(organization=agent.organization_id, agent=agent, name=name).first())


def _bound_workspace(organization: Organization, session: Session | None) -> Workspace | None:
    """Return the session's workspace; None while the organization has workspaces switched off."""
    return session.workspace if session and organization.workspaces_enabled else None


def _binding_name(session: Session | None, field: str) -> str:
    """Return the name that a call would use for what the session is bound to."""
    value = getattr(session, field, None)
    return getattr(value, "handle", None) or getattr(value, "slug", None) or value or ""


def _refuse_other_bindings(session: Session | None, names: Mapping[str, str]) -> None:
    for field, value in names.items():
        bound = _binding_name(session, field)
        if session and value and bound and value != bound:
            name = {"person": "user", "channel_id": "channel"}.get(field, field)
            sentence = f"Session {session.name!r} belongs to {name} {bound!r}; name that one or none."
            raise Invalid({name: sentence})


def _binds_more(session: Session | None, names: Mapping[str, str]) -> bool:
    """Return whether a call that writes would register the session, or bind it to something it is not bound to."""
    return session is None or any(value and not _binding_name(session, field) for field, value in names.items())
