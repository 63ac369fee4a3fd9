"""Tests of the list of those who can see a memory, compared with the rule itself."""

import pytest
from pytest_django import DjangoAssertNumQueries

from memories.models import Memory, Scope
from memories.queries import who_can_see as telling
from memories.queries.who_can_see import list_readers
from memoryhub.errors import NotFound
from teams import operations as registry
from teams import rights
from teams.actor import Actor
from teams.models import Admission, Agent, Level, Membership, Organization, Person, Role
from tests import factories
from tests.cast import AT_WORK, Cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def crowd(cast: Cast) -> Cast:
    """Return the cast, with some more people and agents for whom the rule has a case."""
    below = factories.team(Organization.objects.get(slug="acme"), "night-shift", parent="ops")
    deeper = factories.team(Organization.objects.get(slug="acme"), "dawn-shift", parent="night-shift")
    factories.agent(below, "night-director", Level.DIRECTOR)
    factories.agent(deeper, "dawn-executive", Level.EXECUTIVE)
    factories.agent(deeper, "dawn-member")
    admitted = Person.objects.get(handle="mira")
    Admission.objects.create(organization=admitted.organization, project=cast.project, person=admitted)
    factories.member(below, Role.OWNER, "night-owner")
    gone = factories.member(cast.ops, Role.OWNER, "former-owner")
    type(gone).objects.filter(pk=gone.pk).update(is_active=False)
    for agent in Agent.objects.all():
        registry.issue_token(agent=agent)
    return cast


def who_can(memory: Memory) -> set[str]:
    """Return everybody of the organization who can reach the memory in some context."""
    people = Membership.objects.filter(organization=memory.organization_id, user__is_active=True)
    found = {
        member.user.get_username()
        for member in people
        if _sees(rights.login_actor(user=member.user, team_id=member.team_id, workspace="blue"), memory)
    }
    return found | {agent.slug for agent in Agent.objects.all() if _reaches(agent, memory)}


def _reaches(agent: Agent, memory: Memory) -> bool:
    if agent.organization_id != memory.organization_id:
        return False
    for context in (AT_WORK, {"user": "mira", "workspace": "blue"}):
        try:
            if _sees(factories.actor(agent, **context), memory):
                return True
        except NotFound:  # a project that it may not use
            continue
    return False


def _sees(actor: Actor, memory: Memory) -> bool:
    return Memory.objects.visible_to(actor).filter(pk=memory.pk).exists()


@pytest.mark.parametrize("scope", Scope)
def test_everybody_who_can_see_it_is_named_and_nobody_else(crowd: Cast, scope: Scope) -> None:
    memory = crowd.memory(scope)
    named = {reader.name for group in list_readers(memory) for reader in group.named}
    assert named == who_can(memory)
    assert named


def test_many_are_named_in_part_and_counted(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(4):
        factories.member(cast.ops, Role.VIEWER, f"viewer-{number}")
    monkeypatch.setattr(telling, "MAX_READER_NAMES", 3)
    memory = Memory.objects.select_related("team").get(pk=cast.memory().pk)
    with django_assert_max_num_queries(8):
        members = list_readers(memory)[0]
    assert ([reader.name for reader in members.named], members.more) == (["editor", "owner", "viewer"], 4)
