"""From a token or a login to an Actor: who it is, and which audiences it reaches."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.contrib.auth.models import AbstractBaseUser
from django.db import connection
from django.db.models import Q
from django.utils import timezone

from memoryhub.errors import Forbidden, Invalid, NotFound, Unauthenticated
from memoryhub.prepared import prepared_cursor
from memoryhub.text import line_flaw
from teams import ancestry, limits, tokens
from teams.actor import Actor
from teams.circumstances import LONGEST, Context, circumstances, named_workspace
from teams.models import (
    Agent,
    Level,
    Membership,
    Organization,
    Person,
    Project,
    Role,
    Team,
    Token,
    Verb,
)

USE_NOTED_EVERY = timedelta(minutes=5)  # so that reading does not write on every call


def agent_actor(*, token: str, context: Context | None = None, now: datetime | None = None) -> Actor:
    return actor_of_token(token=bearer(token=token, now=now), context=context)


def bearer(*, token: str, now: datetime | None = None) -> Token:
    """The token that a call came with, if it lives, with its agent, team and organization. The call counts."""
    now = now or timezone.now()
    found = _living_token(token, now=now)
    limits.admit(token=found, now=now)
    _note_use(found, now=now)
    return found


def actor_of_token(*, token: Token, context: Context | None = None) -> Actor:
    verbs = frozenset(map(Verb, token.verbs))
    return actor_of_agent(agent=token.agent, verbs=verbs, context=context, token_id=token.pk, serves_id=token.person_id)


def actor_of_agent(
    *,
    agent: Agent,
    verbs: frozenset[Verb] = frozenset(Verb),
    context: Context | None = None,
    token_id: UUID | None = None,
    serves_id: UUID | None = None,
) -> Actor:
    """The agent as it acts with these verbs in that context; where that names nobody, for the person whom it serves.
    Its team and organization should be loaded."""
    found = circumstances(agent, context or Context(), register=Verb.WRITE in verbs, serves_id=serves_id)
    team_ids = readable_teams(agent)
    own = {agent.team_id, agent.pk} | {pk for pk in (found.project_id, found.person_id) if pk}
    return Actor(
        organization_id=agent.organization_id,
        team_id=agent.team_id,
        name=agent.slug,
        verbs=verbs,
        reads=frozenset(own | set(team_ids)),
        writes=frozenset(own),
        readable_team_ids=team_ids,
        agent_id=agent.pk,
        token_id=token_id,
        person_id=found.person_id,
        project_id=found.project_id,
        session_id=found.session_id,
        workspace_id=found.workspace_id,
        workspaces_enabled=agent.team.organization.workspaces_enabled,
        channel_id=found.channel,
    )


def login_actor(*, user: AbstractBaseUser, team_id: UUID | None = None, workspace: str = "") -> Actor:
    """A person at work in one of their teams, the first unless one is named."""
    memberships = memberships_of(user)
    chosen = next((m for m in memberships if team_id in (None, m.team_id)), None)
    if chosen is None:
        raise Forbidden("You are not a member of any team yet.") if team_id is None else NotFound("No such team.")
    return actor_of_member(user=user, memberships=memberships, chosen=chosen, workspace=workspace)


def memberships_of(user: AbstractBaseUser) -> list[Membership]:
    """The first given first, with their teams and organizations."""
    mine = Membership.objects.filter(user_id=user.pk).select_related("team__organization")
    return list(mine.order_by("created_at", "id"))


def actor_of_member(
    *, user: AbstractBaseUser, memberships: Sequence[Membership], chosen: Membership, workspace: str = ""
) -> Actor:
    """A person at work in the chosen team. They read the other teams of that organization that they are in, too."""
    if found := line_flaw(workspace, longest=LONGEST["workspace"]):
        raise Invalid({"workspace": found})
    organization = chosen.team.organization
    roles = {m.team_id: Role(m.role) for m in memberships if m.organization_id == organization.pk}
    people = set(Person.objects.filter(organization=organization, user_id=user.pk).values_list("pk", flat=True))
    edited = {team for team, role in roles.items() if role in (Role.EDITOR, Role.OWNER)}
    owned = {team for team, role in roles.items() if role == Role.OWNER}
    projects = dict(
        Project.objects.filter(organization=organization)
        .filter(Q(team__in=roles) | Q(admissions__person__in=people))
        .values_list("pk", "team_id")
    )
    agents = set(Agent.objects.filter(team__in=owned).values_list("pk", flat=True))
    admitted = {project for project, team in projects.items() if team not in roles}
    active = named_workspace(organization, workspace)
    owns = owned | people | agents | {project for project, team in projects.items() if team in owned}
    return Actor(
        organization_id=organization.pk,
        team_id=chosen.team_id,
        name=user.get_username(),
        verbs=frozenset(Verb),
        reads=frozenset(set(roles) | set(projects) | people | agents),
        writes=frozenset(owns | edited | admitted | {project for project, team in projects.items() if team in edited}),
        owns=frozenset(owns),
        readable_team_ids=(chosen.team_id, *(team for team in roles if team != chosen.team_id)),
        user_id=user.pk,
        person_id=next(iter(people), None),
        workspace_id=active.pk if active else None,
        workspaces_enabled=organization.workspaces_enabled,
    )


def operator_actor(
    *, user: AbstractBaseUser, team: Team, audiences: Iterable[UUID], workspace_id: UUID | None = None
) -> Actor:
    """Whoever runs the hub, at work on what is of these audiences as their owner would be. The team's organization
    should be loaded."""
    reached = frozenset(audiences)
    return Actor(
        organization_id=team.organization_id,
        team_id=team.pk,
        name=user.get_username(),
        verbs=frozenset(Verb),
        reads=reached,
        writes=reached,
        owns=reached,
        readable_team_ids=(team.pk,),
        user_id=user.pk,
        workspace_id=workspace_id,
        workspaces_enabled=team.organization.workspaces_enabled,
        operates=True,
    )


def readable_teams(agent: Agent) -> tuple[UUID, ...]:
    """Its own team; for directors and executives every ancestor too, nearest first."""
    if agent.level == Level.MEMBER or agent.team.parent_id is None:
        return (agent.team_id,)
    return ancestry.upward(agent.team_id)


def teams_below(team: Team) -> tuple[UUID, ...]:
    """All of the tree under it, however deep: whose directors and executives read it."""
    with connection.cursor() as cursor:
        cursor.execute(DESCENDANTS, [team.pk])
        return tuple(dict.fromkeys(row[0] for row in cursor if row[0] != team.pk))


DESCENDANTS = """
WITH RECURSIVE downward (id, depth) AS (
    SELECT id, 0 FROM teams_team WHERE id = %s
    UNION
    SELECT team.id, depth + 1 FROM teams_team team JOIN downward ON team.parent_id = downward.id WHERE depth < 64
)
SELECT id FROM downward
"""


def _living_token(text: str, *, now: datetime) -> Token:
    secret = tokens.parse(text)
    found = secret and _token(secret.prefix)
    if not secret or not found or not secret.matches(bytes(found.digest)):
        raise Unauthenticated("This token is not known here.")
    if found.revoked_at:
        raise Unauthenticated("This token was revoked.")
    if found.expires_at and found.expires_at <= now:
        raise Unauthenticated("This token has expired.")
    return found


# Of each row just what an actor is made of: every request asks for it.
BEARER: dict[type[Any], tuple[str, ...]] = {
    Token: ("id", "organization_id", "person_id", "digest", "verbs", "expires_at", "revoked_at", "last_used_at"),
    Agent: ("id", "organization_id", "team_id", "slug", "level"),
    Team: ("id", "parent_id"),
    Organization: ("id", "workspaces_enabled"),
}
# Whose token it is. Hopes for the index token_prefix_is_unique.
WHOSE = f"""
SELECT {", ".join(f"{model._meta.db_table}.{column}" for model, columns in BEARER.items() for column in columns)}
FROM teams_token
JOIN teams_agent ON teams_agent.id = teams_token.agent_id
JOIN teams_team ON teams_team.id = teams_agent.team_id
JOIN teams_organization ON teams_organization.id = teams_team.organization_id
WHERE teams_token.prefix = %(prefix)s::text
"""  # noqa: S608 (columns of our own models)


def _token(prefix: str) -> Token | None:
    """With its agent, team and organization."""
    with prepared_cursor() as cursor:
        cursor.execute(WHOSE, {"prefix": prefix})
        row = cursor.fetchone()
    if row is None:
        return None
    values = iter(row)
    token: Token
    token, agent, team, organization = (
        model.from_db(connection.alias, columns, [next(values) for _ in columns]) for model, columns in BEARER.items()
    )
    token.agent, agent.team, team.organization = agent, team, organization
    return token


def _note_use(token: Token, *, now: datetime) -> None:
    if token.last_used_at is None or token.last_used_at < now - USE_NOTED_EVERY:
        stale = Q(last_used_at=None) | Q(last_used_at__lt=now - USE_NOTED_EVERY)
        Token.objects.filter(stale, pk=token.pk).update(last_used_at=now)
