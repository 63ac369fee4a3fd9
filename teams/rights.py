"""Rights of agents, members and operators: builds the Actor of a call, with the audiences that it may read, write and
own."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from django.contrib.auth.models import AbstractBaseUser
from django.db import connection
from django.db.models import Q

from memoryhub.errors import Forbidden, Invalid, NotFound
from memoryhub.text import line_problem
from teams import ancestry
from teams.actor import Actor
from teams.call_context import CONTEXT_LENGTHS, NO_TOKEN, Bearer, CallContext, find_workspace, resolve_context
from teams.models import Agent, Level, Membership, Person, Project, Role, Team, Token, Verb


def actor_of_token(*, token: Token, context: CallContext | None = None, register: bool = False) -> Actor:
    """Return the token's agent as an actor. With `register`, people and sessions that the call names are registered;
    reads leave no trace of them."""
    return actor_of_agent(
        agent=token.agent,
        verbs=frozenset(map(Verb, token.verbs)),
        context=context,
        bearer=Bearer(token_id=token.pk, serves_id=token.person_id, persons=token.nameable),
        register=register,
    )


def actor_of_agent(
    *,
    agent: Agent,
    verbs: frozenset[Verb] = frozenset(Verb),
    context: CallContext | None = None,
    bearer: Bearer = NO_TOKEN,
    register: bool = True,
) -> Actor:
    """Return the agent as an actor with these verbs in that context; if the context names no user, for the person whom
    the token serves. The agent's team and organization should be loaded."""
    writes = Verb.WRITE in verbs
    resolved = resolve_context(agent, context or CallContext(), register=register and writes, bearer=bearer)
    team_ids = readable_teams(agent)
    own = {agent.team_id, agent.pk} | {pk for pk in (resolved.project_id, resolved.person_id) if pk}
    return Actor(
        organization_id=agent.organization_id,
        team_id=agent.team_id,
        name=agent.slug,
        team_language=agent.team.language,
        level=agent.level,
        policy=agent.team.policy,
        verbs=verbs,
        reads=frozenset(own | set(team_ids)),
        writes=frozenset(own),
        readable_team_ids=team_ids,
        agent_id=agent.pk,
        token_id=bearer.token_id,
        person_id=resolved.person_id,
        project_id=resolved.project_id,
        session_id=resolved.session_id,
        workspace_id=resolved.workspace_id,
        workspaces_enabled=agent.team.organization.workspaces_enabled,
        channel_id=resolved.channel,
        unknown_person=resolved.unknown_person,
        unregistered=resolved.unregistered and writes,
        persons=bearer.persons,
    )


def login_actor(*, user: AbstractBaseUser, team_id: UUID | None = None, workspace: str = "") -> Actor:
    """Return a login as an actor in one of its teams, by default the first."""
    memberships = memberships_of(user)
    chosen = next((m for m in memberships if team_id in (None, m.team_id)), None)
    if chosen is None:
        raise Forbidden("You are not a member of any team yet.") if team_id is None else NotFound("No such team.")
    return actor_of_member(user=user, memberships=memberships, chosen=chosen, workspace=workspace)


def memberships_of(user: AbstractBaseUser) -> list[Membership]:
    """Return the user's memberships, oldest first, with teams and organizations."""
    memberships = Membership.objects.filter(user_id=user.pk).select_related("team__organization")
    return list(memberships.order_by("created_at", "id"))


def actor_of_member(
    *, user: AbstractBaseUser, memberships: Sequence[Membership], chosen: Membership, workspace: str = ""
) -> Actor:
    """Return a login as an actor in the chosen team, who also reads their other teams of that organization."""
    if problem := line_problem(workspace, longest=CONTEXT_LENGTHS["workspace"]):
        raise Invalid({"workspace": problem})
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
    active = find_workspace(organization, workspace)
    owns = owned | people | agents | {project for project, team in projects.items() if team in owned}
    return Actor(
        organization_id=organization.pk,
        team_id=chosen.team_id,
        name=user.get_username(),
        team_language=chosen.team.language,
        policy=chosen.team.policy,
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
    """Return an operator of the hub as an actor with an owner's rights to these audiences. The team's organization
    should be loaded."""
    reached = frozenset(audiences)
    return Actor(
        organization_id=team.organization_id,
        team_id=team.pk,
        name=user.get_username(),
        team_language=team.language,
        policy=team.policy,
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


def context_reader(*, team: Team, audience: UUID, workspace_id: UUID | None = None) -> Actor:
    """Return an actor that reads what every agent of the team reads in the context of this audience, and writes
    nothing. The team's organization should be loaded."""
    return Actor(
        organization_id=team.organization_id,
        team_id=team.pk,
        name=str(team),
        team_language=team.language,
        policy=team.policy,
        verbs=frozenset({Verb.READ}),
        reads=frozenset({team.pk, audience}),
        writes=frozenset(),
        readable_team_ids=(team.pk,),
        workspace_id=workspace_id,
        workspaces_enabled=team.organization.workspaces_enabled,
    )


def readable_teams(agent: Agent) -> tuple[UUID, ...]:
    """Return the ids of the teams that the agent reads: its own; for directors and executives every ancestor too."""
    if agent.level == Level.MEMBER or agent.team.parent_id is None:
        return (agent.team_id,)
    return ancestry.with_teams_above(agent.team_id)


def teams_below(team: Team) -> tuple[UUID, ...]:
    """Return the ids of all descendants of the team: those whose directors and executives read it."""
    with connection.cursor() as cursor:
        cursor.execute(ALL_DESCENDANTS, [team.pk])
        return tuple(dict.fromkeys(row[0] for row in cursor if row[0] != team.pk))


ALL_DESCENDANTS = """
WITH RECURSIVE downward (id, depth) AS (
    SELECT id, 0 FROM teams_team WHERE id = %s
    UNION
    SELECT team.id, depth + 1 FROM teams_team team JOIN downward ON team.parent_id = downward.id WHERE depth < 64
)
SELECT id FROM downward
"""
