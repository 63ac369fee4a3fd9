"""Readers of a memory, by name: the same rule as in `memories.rules.access` and `teams.rights`, seen from the memory's
side."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone

from memories.models import Memory, Scope
from teams import rights
from teams.models import Agent, Level, Membership, Person, Role, Token, Verb
from teams.querysets import TokenQuerySet

MAX_READER_NAMES = 50  # names at most; of the others, how many they are


@dataclass(frozen=True, slots=True)
class Reader:
    name: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class ReaderGroup:
    """A group of readers who can see the memory under the same condition."""

    title: str
    named: list[Reader]
    more: int = 0

    @property
    def count(self) -> int:
        return len(self.named) + self.more


def list_readers(memory: Memory) -> list[ReaderGroup]:
    """Return the groups of readers of a memory, without empty ones. The memory's team, agent, project and person should
    be loaded."""
    groups: dict[str, Callable[[Memory], list[ReaderGroup]]] = {
        Scope.TEAM: _team_readers,
        Scope.PROJECT: _project_readers,
        Scope.AGENT: _agent_memory_readers,
        Scope.GLOBAL: _personal_memory_readers,
    }
    return [group for group in groups[memory.scope](memory) if group.named]


def _team_readers(memory: Memory) -> list[ReaderGroup]:
    team = memory.team
    upwards = Q(team__in=rights.teams_below(team), level__in=(Level.DIRECTOR, Level.EXECUTIVE))
    agents = Agent.objects.of_team(team.pk), Agent.objects.filter(upwards)
    return [
        _group_members(f"Members of {team.name}", Membership.objects.of_team(team.pk)),
        _group_agents(f"Agents of {team.name}", agents[0], _describe_teammate),
        _group_agents("Directors and executives of teams below, who read upwards", agents[1]),
    ]


def _project_readers(memory: Memory) -> list[ReaderGroup]:
    project = memory.project
    assert project
    members = Membership.objects.of_team(project.team_id)
    admitted = _with_login(Person.objects.filter(admissions__project=project)).exclude(user__in=members.values("user"))
    own, guests = Q(team=project.team_id), Q(admissions__project=project)
    return [
        _group_members(f"Members of {project.team.name}", members),
        _build_reader_group("Admitted to the project by name", admitted.order_by("handle"), _describe_person),
        _group_agents("Agents, while they work in the project", Agent.objects.filter(own | guests).distinct()),
    ]


def _agent_memory_readers(memory: Memory) -> list[ReaderGroup]:
    agent = memory.agent
    assert agent
    owners = Membership.objects.of_team(agent.team_id).filter(role=Role.OWNER)
    return [
        ReaderGroup("The agent itself", [_describe_agent(agent)]),
        _group_members(f"Owners of {agent.team.name}", owners),
    ]


def _personal_memory_readers(memory: Memory) -> list[ReaderGroup]:
    person = memory.person
    assert person
    reading = Token.objects.working(now=timezone.now()).filter(verbs__contains=[Verb.READ])
    named = _agents_with(reading.naming(person))
    anybody = _agents_with(reading.naming_anybody().filter(organization=person.organization_id))
    return [
        _build_reader_group(
            "The person, logged in", _with_login(Person.objects.filter(pk=person.pk)), _describe_person
        ),
        _group_agents(f"Agents with a token that names {person}, while they work for them", named),
        _group_agents(
            f"Agents with a token for any person, while they work for {person}",
            anybody.exclude(pk__in=named.values("pk")),
        ),
    ]


def _agents_with(tokens: TokenQuerySet) -> QuerySet[Agent]:
    return Agent.objects.filter(pk__in=tokens.values("agent"))


def _with_login(people: QuerySet[Person]) -> QuerySet[Person]:
    """Return the people who can enter a team of the organization in the browser."""
    rooms = Membership.objects.filter(user__is_active=True).values("user", "organization")
    within = rooms.filter(organization__in=people.values("organization")).values("user")
    return people.filter(user__in=within).select_related("user")


def _group_members(title: str, memberships: QuerySet[Membership]) -> ReaderGroup:
    active = memberships.filter(user__is_active=True).select_related("user").order_by("user__username")
    return _build_reader_group(title, active, lambda found: Reader(found.user.get_username(), found.role))


def _group_agents(
    title: str, agents: QuerySet[Agent], describe: Callable[[Agent], Reader] | None = None
) -> ReaderGroup:
    return _build_reader_group(
        title, agents.select_related("team").order_by("slug", "team__name"), describe or _describe_agent
    )


def _describe_agent(agent: Agent) -> Reader:
    return Reader(agent.slug, agent.team.name if agent.level == Level.MEMBER else f"{agent.level}, {agent.team.name}")


def _describe_teammate(agent: Agent) -> Reader:
    """Describe an agent where its team has been named already."""
    return Reader(agent.slug, "" if agent.level == Level.MEMBER else agent.level)


def _describe_person(person: Person) -> Reader:
    return Reader(person.user.get_username() if person.user else person.handle, person.name)


def _build_reader_group(title: str, rows: "QuerySet[Any]", describe: Callable[[Any], Reader]) -> ReaderGroup:
    found = list(rows[: MAX_READER_NAMES + 1])
    more = rows.count() - MAX_READER_NAMES if len(found) > MAX_READER_NAMES else 0
    return ReaderGroup(title, [describe(row) for row in found[:MAX_READER_NAMES]], more)
