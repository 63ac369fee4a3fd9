"""Who can see a memory, told by name: held against the rule itself."""

import pytest
from pytest_django import DjangoAssertNumQueries

from memories import readers as telling
from memories.models import Memory, Scope
from memories.readers import readers
from memoryhub.errors import NotFound
from teams import auth
from teams.models import Admission, Level, Organization, Person, Role
from tests import factories
from tests.cast import AT_WORK, Cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def crowd(cast: Cast) -> Cast:
    """The cast, and some more of whom the rule says something."""
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
    return cast


def who_can(memory: Memory) -> set[str]:
    """Everybody of the organization who reaches it in the best of circumstances."""
    people = auth.Membership.objects.filter(organization=memory.organization_id, user__is_active=True)
    found = {
        member.user.get_username()
        for member in people
        if _sees(auth.login_actor(user=member.user, team_id=member.team_id, workspace="blue"), memory)
    }
    return found | {agent.slug for agent in auth.Agent.objects.all() if _reaches(agent, memory)}


def _reaches(agent: auth.Agent, memory: Memory) -> bool:
    if agent.organization_id != memory.organization_id:
        return False
    for context in (AT_WORK, {"user": "mira", "workspace": "blue"}):
        try:
            if _sees(factories.actor(agent, **context), memory):
                return True
        except NotFound:  # a project that it may not use
            continue
    return False


def _sees(actor: auth.Actor, memory: Memory) -> bool:
    return Memory.objects.visible_to(actor).filter(pk=memory.pk).exists()


@pytest.mark.parametrize("scope", Scope)
def test_everybody_who_can_see_it_is_named_and_nobody_else(crowd: Cast, scope: Scope) -> None:
    memory = crowd.memory(scope)
    named = {reader.name for group in readers(memory) for reader in group.named}
    assert named == who_can(memory)
    assert named


def test_many_are_named_in_part_and_counted(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(4):
        factories.member(cast.ops, Role.VIEWER, f"viewer-{number}")
    monkeypatch.setattr(telling, "SHOWN", 3)
    memory = Memory.objects.select_related("team").get(pk=cast.memory().pk)
    with django_assert_max_num_queries(8):
        members = readers(memory)[0]
    assert ([reader.name for reader in members.named], members.more) == (["editor", "owner", "viewer"], 4)
