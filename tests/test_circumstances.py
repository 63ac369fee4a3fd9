"""What the names of a call stand for: the quick way and the thorough one agree, and the quick one is one statement."""

from itertools import chain, combinations, product
from uuid import uuid4

import pytest
from pytest_django import DjangoAssertNumQueries

from memoryhub.errors import Trouble
from teams.circumstances import Circumstances, Context, _known, _registered, circumstances
from teams.models import Admission, Agent, Organization, Person, Project
from tests.cast import Cast

SERVED = uuid4()
SAID = {"project": "apollo", "user": "mira", "workspace": "blue", "channel": "#ops"}
OTHER = {"project": "gemini", "user": "tomas", "workspace": "green", "channel": "#sales"}
SUBSETS = [
    {name: said[name] for name in names}
    for said in (SAID, OTHER)
    for names in chain.from_iterable(combinations(SAID, size) for size in range(len(SAID) + 1))
]


@pytest.fixture
def agents(cast: Cast) -> list[Agent]:
    """Of the team, admitted to the project, and neither."""
    Project.objects.create(organization=cast.ops.organization, team=cast.ops, slug="gemini", name="Gemini")
    Person.objects.create(organization=cast.ops.organization, handle="tomas")
    names = ("writer", "guest", "stranger")
    return [agent for name in names if (agent := cast[name].agent)]


def thorough(agent: Agent, context: Context, *, register: bool) -> Circumstances | str:
    """Or why it is refused."""
    try:
        return _registered(agent, context, SERVED, register=register)
    except Trouble as refusal:
        return refusal.message


@pytest.mark.parametrize("enabled", [True, False], ids=["workspaces", "no workspaces"])
def test_the_quick_way_agrees_with_the_thorough_one(agents: list[Agent], *, enabled: bool) -> None:
    Organization.objects.filter(slug="acme").update(workspaces_enabled=True)
    sessions = {"loose": {}, "of a person": {"user": "mira"}, "bound": SAID, "bound elsewhere": OTHER}
    for agent, (name, bound) in product(agents, sessions.items()):
        thorough(agent, Context(session=name, **bound), register=True)
    Organization.objects.filter(slug="acme").update(workspaces_enabled=enabled)
    quick = refused = 0
    for agent, said, session in product(agents, SUBSETS, ["", *sessions]):
        agent.team.organization.refresh_from_db()
        context = Context(session=session, **said)
        for register in (False, True):  # which binds loose sessions
            expected = thorough(agent, context, register=register)
            found = _known(agent, context, SERVED)
            assert found in (None, expected), (agent, context)
            assert found or isinstance(expected, str) or (session and not register), (agent, context)
            refused += isinstance(expected, str)
            quick += found is not None
    assert min(quick, refused) > 50


def test_what_is_known_takes_one_statement(cast: Cast, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    agent = cast["writer"].agent
    assert agent
    whole = Context(session="s1", **SAID)
    first = circumstances(agent, whole, register=True)
    with django_assert_num_queries(1):
        assert circumstances(agent, whole, register=True) == first
    with django_assert_num_queries(1):
        assert circumstances(agent, Context(session="s1"), register=False) == first
    with django_assert_num_queries(0):
        assert circumstances(agent, Context(), register=True) == Circumstances()


def test_a_project_that_takes_its_admission_back_is_closed_to_sessions(cast: Cast) -> None:
    guest = cast["guest"].agent
    assert guest
    context = Context(session="s1", project="apollo")
    assert circumstances(guest, context, register=True).project_id == cast.project.pk
    Admission.objects.all().delete()
    for again in (context, Context(session="s1")):
        with pytest.raises(Trouble, match="no project 'apollo' that guest may use"):
            circumstances(guest, again, register=True)
