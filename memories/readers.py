"""Who can see a memory, by name: the same rule as in `scopes` and `teams.auth`, told from the memory's side."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from memories.models import Memory, Scope
from teams import auth
from teams.models import Agent, Level, Membership, Person, Role

SHOWN = 50  # names at most; of the others, how many they are


@dataclass(frozen=True, slots=True)
class Reader:
    name: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Readers:
    """Some who can see it, and under which condition."""

    title: str
    named: list[Reader]
    more: int = 0

    @property
    def count(self) -> int:
        return len(self.named) + self.more


def readers(memory: Memory) -> list[Readers]:
    """Those that nobody belongs to are left out. Team, agent, project and person should be loaded."""
    groups: dict[str, Callable[[Memory], list[Readers]]] = {
        Scope.TEAM: _of_team,
        Scope.PROJECT: _of_project,
        Scope.AGENT: _of_agent,
        Scope.GLOBAL: _of_person,
    }
    return [group for group in groups[memory.scope](memory) if group.named]


def _of_team(memory: Memory) -> list[Readers]:
    team = memory.team
    upwards = Q(team__in=auth.teams_below(team), level__in=(Level.DIRECTOR, Level.EXECUTIVE))
    agents = Agent.objects.filter(team=team), Agent.objects.filter(upwards)
    return [
        _people(f"Members of {team.name}", Membership.objects.filter(team=team)),
        _agents(f"Agents of {team.name}", agents[0], _mate),
        _agents("Directors and executives of teams below, who read upwards", agents[1]),
    ]


def _of_project(memory: Memory) -> list[Readers]:
    project = memory.project
    assert project
    members = Membership.objects.filter(team=project.team_id)
    admitted = _with_login(Person.objects.filter(admissions__project=project)).exclude(user__in=members.values("user"))
    own, guests = Q(team=project.team_id), Q(admissions__project=project)
    return [
        _people(f"Members of {project.team.name}", members),
        _listed("Admitted to the project by name", admitted.order_by("handle"), _person),
        _agents("Agents, while they work in the project", Agent.objects.filter(own | guests).distinct()),
    ]


def _of_agent(memory: Memory) -> list[Readers]:
    agent = memory.agent
    assert agent
    owners = Membership.objects.filter(team=agent.team_id, role=Role.OWNER)
    return [
        Readers("The agent itself", [_agent(agent)]),
        _people(f"Owners of {agent.team.name}", owners),
    ]


def _of_person(memory: Memory) -> list[Readers]:
    person = memory.person
    assert person
    everybody = Agent.objects.filter(organization=memory.organization_id)
    return [
        _listed("The person, logged in", _with_login(Person.objects.filter(pk=person.pk)), _person),
        _agents(f"Agents, while they work for {person}", everybody),
    ]


def _with_login(people: QuerySet[Person]) -> QuerySet[Person]:
    """Those who can enter a team of the organization in the browser."""
    rooms = Membership.objects.filter(user__is_active=True).values("user", "organization")
    within = rooms.filter(organization__in=people.values("organization")).values("user")
    return people.filter(user__in=within).select_related("user")


def _people(title: str, memberships: QuerySet[Membership]) -> Readers:
    active = memberships.filter(user__is_active=True).select_related("user").order_by("user__username")
    return _listed(title, active, lambda found: Reader(found.user.get_username(), found.role))


def _agents(title: str, agents: QuerySet[Agent], named: Callable[[Agent], Reader] | None = None) -> Readers:
    return _listed(title, agents.select_related("team").order_by("slug", "team__name"), named or _agent)


def _agent(agent: Agent) -> Reader:
    return Reader(agent.slug, agent.team.name if agent.level == Level.MEMBER else f"{agent.level}, {agent.team.name}")


def _mate(agent: Agent) -> Reader:
    """Where the team has been said."""
    return Reader(agent.slug, "" if agent.level == Level.MEMBER else agent.level)


def _person(person: Person) -> Reader:
    return Reader(person.user.get_username() if person.user else person.handle, person.name)


def _listed(title: str, rows: "QuerySet[Any]", named: Callable[[Any], Reader]) -> Readers:
    found = list(rows[: SHOWN + 1])
    more = rows.count() - SHOWN if len(found) > SHOWN else 0
    return Readers(title, [named(row) for row in found[:SHOWN]], more)
