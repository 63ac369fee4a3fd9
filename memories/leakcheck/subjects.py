"""Chooses the readers that a check acts as: working tokens and members of teams, each in some contexts."""

from collections.abc import Iterable, Iterator
from importlib import import_module
from uuid import UUID

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.utils import timezone

from memories.leakcheck.expected_access import (
    Subject,
    list_agent_owners,
    list_agent_projects,
    list_agent_teams,
    list_login_owners,
)
from memories.models import Memory
from teams.models import Agent, Membership, Organization, Person, Token, Verb, Workspace
from teams.team_page import workspace_key
from teams.tokens import generate_token

AGENT_COLUMNS = ("id", "organization_id", "team_id", "level", "slug")


def iterate_subjects(*, organizations: Iterable[UUID], sample: int) -> Iterator[Subject]:
    """Yield the readers of some tokens and some members, the last used first. The tokens and logins that they come with
    are made for this: call it in a transaction that is rolled back."""
    tokens = Token.objects.working(now=timezone.now()).filter(verbs__contains=[Verb.READ])
    chosen = tokens.filter(organization__in=list(organizations)).order_by("-last_used_at", "-pk")
    for token in chosen.select_related("person", "organization", "agent__team")[:sample]:
        yield from _act_as_token(token)
    members = Membership.objects.filter(organization__in=list(organizations), user__is_active=True)
    for member in members.select_related("user", "team", "organization").order_by("-pk")[:sample]:
        yield from _act_as_member(member)


def _act_as_token(token: Token) -> Iterator[Subject]:
    """Yield the token's agent with no context, and with a person, a project and a workspace that it may name."""
    agent = Agent.objects.filter(pk=token.agent_id).values(*AGENT_COLUMNS).get()
    secret = generate_token()
    Token.objects.create(
        organization_id=token.organization_id,
        agent_id=token.agent_id,
        person_id=token.person_id,
        persons=token.persons,
        any_person=token.any_person,
        verbs=[Verb.READ],
        prefix=secret.prefix,
        digest=secret.digest,
    )
    named = _find_nameable(token)
    projects = list_agent_projects(agent)
    for workspace in _list_workspaces(token.organization):
        contexts = [(token.person, None, None), (named or token.person, named, projects[0] if projects else None)]
        for person, user, project in contexts if named or projects else contexts[:1]:
            context = {
                "X-Memory-User": user.handle if user else "",
                "X-Memory-Project": project["slug"] if project else "",
                "X-Memory-Workspace": workspace.slug if workspace else "",
            }
            words = [
                f"token {token.prefix}",
                *(f"{name[9:].lower()} {value}" for name, value in context.items() if value),
            ]
            yield Subject(
                name=", ".join(words),
                organization_id=token.organization_id,
                organization=token.organization.slug,
                team=token.agent.team.slug,
                owners=list_agent_owners(
                    agent, person_id=person.pk if person else None, project_id=project["id"] if project else None
                ),
                file_teams=list_agent_teams(agent),
                separates_workspaces=token.organization.workspaces_enabled,
                workspace_id=workspace.pk if workspace else None,
                agent_id=token.agent_id,
                headers={
                    "Authorization": f"Bearer {secret.text}",
                    **{name: value for name, value in context.items() if value},
                },
            )


def _find_nameable(token: Token) -> Person | None:
    """Return somebody whom the token's calls may name."""
    people = Person.objects.filter(organization=token.organization_id)
    handles = token.nameable
    return (people if handles is None else people.filter(handle__in=handles)).order_by("-last_used_at").first()


def _act_as_member(member: Membership) -> Iterator[Subject]:
    owners, file_teams = list_login_owners(member.user_id, member.organization_id)
    for workspace in _list_workspaces(member.organization):
        yield Subject(
            name=f"{member.user.get_username()} in {member.team.slug}"
            + (f", workspace {workspace.slug}" if workspace else ""),
            organization_id=member.organization_id,
            organization=member.organization.slug,
            team=member.team.slug,
            owners=owners,
            file_teams=file_teams,
            separates_workspaces=member.organization.workspaces_enabled,
            workspace_id=workspace.pk if workspace else None,
            user_id=member.user_id,
            headers={"Cookie": _log_in(member, workspace)},
        )


def _log_in(member: Membership, workspace: Workspace | None) -> str:
    """Return the cookie of a login session made for the member."""
    user: User = member.user
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    if workspace:
        session[workspace_key(member.team)] = workspace.slug
    session.save()
    return f"{settings.SESSION_COOKIE_NAME}={session.session_key}"


def _list_workspaces(organization: Organization) -> list[Workspace | None]:
    """Return the workspaces to look into: none, and the one that was last written in, if memories are separated."""
    if not organization.workspaces_enabled:
        return [None]
    written = Memory.objects.filter(organization=organization.pk, workspace__isnull=False).order_by("-pk")
    last = written.select_related("workspace").only("workspace").first()
    return [None, last.workspace] if last else [None]
