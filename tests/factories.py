"""Makes what tests start from, with as little said as possible."""

from dataclasses import replace
from itertools import count
from typing import Any

from django.contrib.auth.models import Group, User
from django.test import Client

from memories import operations
from memories.models import Memory
from memories.screening.findings import FindingGroup
from teams import operations as registry
from teams import rights
from teams.actor import Actor
from teams.call_context import CallContext
from teams.models import Agent, Level, Membership, Organization, Role, Team, Verb

_numbers = count(1)


def organization(slug: str = "") -> Organization:
    return registry.ensure_organization(slug=slug or f"org-{next(_numbers)}")


def team(within: Organization | None = None, slug: str = "", **options: Any) -> Team:
    return registry.ensure_team(organization=within or organization(), slug=slug or f"team-{next(_numbers)}", **options)


def agent(within: Team | None = None, slug: str = "", level: Level | None = None) -> Agent:
    made = registry.ensure_agent(team=within or team(), slug=slug or f"agent-{next(_numbers)}", level=level)
    return Agent.objects.select_related("team__organization").get(pk=made.pk)


def actor(of: Agent | None = None, *, verbs: frozenset[Verb] = frozenset(Verb), **context: str) -> Actor:
    return rights.actor_of_agent(agent=of or agent(), verbs=verbs, context=CallContext(**context))


def unscreened(of: Actor) -> Actor:
    """The same agent in a team that does not screen what is written."""
    return replace(of, policy={"screening": {group: {"agents": "allow"} for group in FindingGroup}})


def token(of: Actor) -> str:
    return registry.issue_token(agent=Agent.objects.get(pk=of.agent_id)).text


def login(username: str = "") -> User:
    """A login; `member(...)` gives it roles."""
    return User.objects.create_user(username=username or f"user-{next(_numbers)}", password="correct horse battery")


def member(of: Team, role: Role, who: str | User = "") -> User:
    user = who if isinstance(who, User) else login(who)
    Membership.objects.create(organization_id=of.organization_id, team=of, user=user, role=role)
    return user


def staff_member(name: str, *, role: str = "", superuser: bool = False) -> User:
    user = login(name)
    user.is_staff, user.is_superuser = True, superuser
    user.save()
    if role:
        user.groups.add(Group.objects.get(name=role))
    return user


def log_in_member(team: Team, role: Role, name: str) -> Client:
    """The browser of a new member."""
    return logged_in(member(team, role, name))


def logged_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def memory(by: Actor, content: str = "The queue runs on Postgres.", **said: Any) -> Memory:
    """Save a memory; without a key a new one, even if its text is there already."""
    dedupe = {} if said.get("key") else {"dedupe": operations.Dedupe.CREATE}
    return operations.save_memory(actor=by, draft=operations.Draft(content=content, **dedupe | said))


def memory_beside(other: Memory) -> Memory:
    """Another one, made by the same agent for the same audience."""
    assert other.agent
    slug = other.workspace.slug if other.workspace else ""
    return memory(actor(other.agent, workspace=slug), "Another thing.")


def owner_actor(of: Team) -> Actor:
    return rights.login_actor(user=member(of, Role.OWNER), team_id=of.pk)
