"""Tests of resolving the names in a call's context: the quick way and the thorough one agree, and the quick one takes
one statement."""

from itertools import chain, combinations, product
from uuid import uuid4

import pytest
from pytest_django import DjangoAssertNumQueries

from memoryhub.errors import Trouble
from teams.call_context import (
    Bearer,
    CallContext,
    NameableHandles,
    ResolvedContext,
    _look_up_all,
    _resolve_one_by_one,
    resolve_context,
)
from teams.models import Admission, Agent, Organization, Person, Project
from tests.cast import Cast

SERVED = uuid4()
CALL_CONTEXT = {"project": "apollo", "user": "mira", "workspace": "blue", "channel": "#ops"}
OTHER = {"project": "gemini", "user": "tomas", "workspace": "green", "channel": "#sales"}
SUBSETS = [
    {name: said[name] for name in names}
    for said in (CALL_CONTEXT, OTHER)
    for names in chain.from_iterable(combinations(CALL_CONTEXT, size) for size in range(len(CALL_CONTEXT) + 1))
]


@pytest.fixture
def agents(cast: Cast) -> list[Agent]:
    """Return an agent of the team, one that is admitted to the project, and one that is neither."""
    Project.objects.create(organization=cast.ops.organization, team=cast.ops, slug="gemini", name="Gemini")
    Person.objects.create(organization=cast.ops.organization, handle="tomas")
    names = ("writer", "guest", "stranger")
    return [agent for name in names if (agent := cast[name].agent)]


def thorough(
    agent: Agent, context: CallContext, *, register: bool, persons: NameableHandles = None
) -> ResolvedContext | str:
    """Resolve the context name by name, and return it or the message of the refusal."""
    try:
        return _resolve_one_by_one(agent, context, Bearer(serves_id=SERVED, persons=persons), register=register)
    except Trouble as refusal:
        return refusal.message


@pytest.mark.parametrize("enabled", [True, False], ids=["workspaces", "no workspaces"])
def test_the_quick_way_agrees_with_the_thorough_one(agents: list[Agent], *, enabled: bool) -> None:
    Organization.objects.filter(slug="acme").update(workspaces_enabled=True)
    sessions = {"loose": {}, "of a person": {"user": "mira"}, "bound": CALL_CONTEXT, "bound elsewhere": OTHER}
    for agent, (name, bound) in product(agents, sessions.items()):
        thorough(agent, CallContext(session=name, **bound), register=True)
    Organization.objects.filter(slug="acme").update(workspaces_enabled=enabled)
    quick = refused = 0
    for agent, said, session, persons in product(agents, SUBSETS, ["", *sessions, "new"], [None, ("mira",)]):
        agent.team.organization.refresh_from_db()
        context = CallContext(session=session, **said)
        for register in (False, True):  # which binds loose sessions
            expected = thorough(agent, context, register=register, persons=persons)
            found = _look_up_all(agent, context, Bearer(serves_id=SERVED, persons=persons), register=register)
            assert found in (None, expected), (agent, context)
            assert found or isinstance(expected, str), (agent, context)
            refused += isinstance(expected, str)
            quick += found is not None
    assert min(quick, refused) > 50


def test_what_is_known_takes_one_statement(cast: Cast, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    agent = cast["writer"].agent
    assert agent
    whole = CallContext(session="s1", **CALL_CONTEXT)
    first = resolve_context(agent, whole, register=True)
    with django_assert_num_queries(1):
        assert resolve_context(agent, whole, register=True) == first
    with django_assert_num_queries(1):
        assert (
            resolve_context(agent, CallContext(session="s1"), register=False, bearer=Bearer(persons=("mira",))) == first
        )
    with django_assert_num_queries(1):  # nothing is registered for a read, however often it names them
        unknown = resolve_context(agent, CallContext(session="s2", user="nobody yet"), register=False)
    assert unknown == ResolvedContext(unregistered=True, unknown_person=True)
    with django_assert_num_queries(0):
        assert resolve_context(agent, CallContext(), register=True) == ResolvedContext()


def test_a_project_that_takes_its_admission_back_is_closed_to_sessions(cast: Cast) -> None:
    guest = cast["guest"].agent
    assert guest
    context = CallContext(session="s1", project="apollo")
    assert resolve_context(guest, context, register=True).project_id == cast.project.pk
    Admission.objects.all().delete()
    for again in (context, CallContext(session="s1")):
        with pytest.raises(Trouble, match="no project 'apollo' that guest may use"):
            resolve_context(guest, again, register=True)
