"""Tokens, contexts and what an Actor reaches."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from memoryhub.errors import Forbidden, Invalid, NotFound, Unauthenticated
from teams import auth, rights, tokens
from teams import operations as registry
from teams.call_context import CallContext
from teams.models import Agent, Level, Membership, Person, Project, Role, Session, Team, Token, Verb, Workspace
from tests import factories


def test_a_token_is_stored_as_a_digest_and_found_in_one_look(
    agent: Agent, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    secret = registry.issue_token(agent=agent, label="ci")
    row = Token.objects.get()
    assert secret.text.startswith("mh_")
    assert secret.text not in str(Token.objects.values())
    assert (row.prefix, bytes(row.digest)) == (secret.prefix, secret.digest)
    auth.authenticate_agent(token=secret.text)
    with django_assert_num_queries(1):
        actor = auth.authenticate_agent(token=secret.text)
    assert (actor.agent_id, actor.team_id, actor.verbs) == (agent.pk, agent.team_id, frozenset(Verb))


def test_use_is_noted_but_not_on_every_call(agent: Agent, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    secret = registry.issue_token(agent=agent)
    now = timezone.now()
    auth.authenticate_agent(token=secret.text, now=now)
    auth.authenticate_agent(token=secret.text, now=now + timedelta(minutes=4))
    assert Token.objects.get().last_used_at == now
    auth.authenticate_agent(token=secret.text, now=now + timedelta(minutes=6))
    assert Token.objects.get().last_used_at == now + timedelta(minutes=6)


def test_revoked_and_expired_tokens_are_refused(agent: Agent) -> None:
    soon = timezone.now() + timedelta(hours=1)
    secret = registry.issue_token(agent=agent, expires_at=soon)
    auth.authenticate_agent(token=secret.text)
    with pytest.raises(Unauthenticated, match="expired"):
        auth.authenticate_agent(token=secret.text, now=soon)
    registry.revoke_token(token=Token.objects.get())
    with pytest.raises(Unauthenticated, match="revoked"):
        auth.authenticate_agent(token=secret.text)


def test_a_token_with_a_known_prefix_and_another_secret_is_refused(agent: Agent) -> None:
    secret = registry.issue_token(agent=agent)
    body = secret.text[3 : tokens.PREFIX_LENGTH] + "A" * (tokens.RANDOM_LENGTH - tokens.PREFIX_LENGTH + 3)
    forged = tokens._add_checksum(body)
    assert forged.prefix == secret.prefix
    with pytest.raises(Unauthenticated):
        auth.authenticate_agent(token=forged.text)


@given(st.text())
def test_what_has_not_the_form_of_a_token_is_none(text: str) -> None:
    assert tokens.parse_token(text) is None
    assert tokens.parse_token("mh_" + text) is None


def test_a_typing_error_is_noticed_by_the_checksum() -> None:
    text = tokens.generate_token().text
    for position in range(3, len(text)):
        other = "x" if text[position] != "x" else "y"
        assert tokens.parse_token(text[:position] + other + text[position + 1 :]) is None
    assert tokens.parse_token(text) == tokens.Secret(text)
    assert tokens.generate_token() != tokens.generate_token()


def test_a_token_needs_verbs_and_a_future(agent: Agent) -> None:
    with pytest.raises(Invalid, match="verbs"):
        registry.issue_token(agent=agent, verbs=[])
    with pytest.raises(Invalid, match="past"):
        registry.issue_token(agent=agent, expires_at=timezone.now())
    with pytest.raises(Invalid, match="user"):
        registry.issue_token(agent=agent, user="a\nb")
    assert not Token.objects.exists()


@pytest.mark.django_db
def test_directors_read_every_ancestor_and_members_none() -> None:
    organization = factories.organization()
    root = Team.objects.get(organization=organization, parent=None)
    middle = factories.team(organization, "middle")
    leaf = factories.team(organization, "leaf", parent="middle")
    beside = factories.team(organization, "beside", parent="middle")
    for level in (Level.DIRECTOR, Level.EXECUTIVE):
        actor = factories.actor(factories.agent(leaf, level=level))
        assert actor.readable_team_ids == (leaf.pk, middle.pk, root.pk)
        assert beside.pk not in actor.reads
        assert actor.writes & {root.pk, middle.pk, leaf.pk} == {leaf.pk}
    assert factories.actor(factories.agent(leaf)).readable_team_ids == (leaf.pk,)


def test_a_person_is_made_on_first_use_but_not_by_readers(agent: Agent) -> None:
    reader = factories.actor(agent, verbs=frozenset({Verb.READ}), user="jo@example.org")
    assert reader.person_id is None
    first = factories.actor(agent, user="jo@example.org")
    again = factories.actor(agent, verbs=frozenset({Verb.READ}), user="jo@example.org")
    assert first.person_id == again.person_id == Person.objects.get().pk


def test_a_token_serves_its_person_where_a_call_names_nobody(
    agent: Agent, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    token = registry.issue_token(agent=agent, user=" mira ", any_person=True).text
    reader = registry.issue_token(agent=agent, user="mira", any_person=True, verbs=[Verb.READ]).text
    mira = Person.objects.get()
    auth.authenticate_agent(token=token)
    with django_assert_num_queries(1):
        actor = auth.authenticate_agent(token=token)
    assert actor.person_id == mira.pk
    assert mira.pk in actor.reads & actor.writes
    zoe = auth.authenticate_agent(token=token, context=CallContext(user="zoe"), register=True)
    assert zoe.person_id == Person.objects.get(handle="zoe").pk
    assert mira.pk not in zoe.reads | zoe.writes
    nobody = auth.authenticate_agent(token=reader, context=CallContext(user="nobody yet"))
    assert (nobody.person_id, mira.pk in nobody.reads) == (None, False)


def test_a_session_comes_before_whom_a_token_serves(agent: Agent) -> None:
    token = registry.issue_token(agent=agent, user="mira", persons=["zoe"]).text
    free = auth.authenticate_agent(token=token, context=CallContext(session="s"), register=True)
    assert (free.person_id, Session.objects.get().person) == (Person.objects.get().pk, None)
    bound = auth.authenticate_agent(token=token, context=CallContext(session="s", user="zoe"), register=True)
    assert auth.authenticate_agent(token=token, context=CallContext(session="s")).person_id == bound.person_id


def test_a_token_serves_nobody_of_another_organization(agent: Agent) -> None:
    elsewhere = registry.ensure_person(organization_id=factories.organization().pk, handle="mira")
    registry.issue_token(agent=agent, user="mira")
    served = Token.objects.get().person
    assert served
    assert (served.pk != elsewhere.pk, served.organization_id) == (True, agent.organization_id)
    with pytest.raises(IntegrityError, match="token_person_is_of_its_organization"), transaction.atomic():
        Token.objects.update(person=elsewhere)


@pytest.mark.parametrize("handle", ["h" * 129, "a\0b", "a\nb", "\ud800"])
def test_odd_handles_are_refused(agent: Agent, handle: str) -> None:
    with pytest.raises(Invalid, match="user"):
        factories.actor(agent, user=handle)


def test_a_session_is_bound_by_its_first_call(agent: Agent) -> None:
    for slug in ("one", "two"):
        Project.objects.create(organization=agent.team.organization, team=agent.team, slug=slug, name=slug)
    first = factories.actor(agent, session="s", project="one", user="jo", channel="c")
    later = factories.actor(agent, session="s")
    assert (later.session_id, later.project_id) == (first.session_id, first.project_id)
    assert (later.person_id, later.channel_id) == (first.person_id, "c")
    with pytest.raises(Invalid, match="belongs to project 'one'"):
        factories.actor(agent, session="s", project="two")
    mate = factories.actor(factories.agent(agent.team), session="s")
    assert mate.session_id != first.session_id
    assert Session.objects.count() == 2


@pytest.mark.parametrize("name", ["s" * 201, "a\0b"])
def test_odd_sessions_are_refused(agent: Agent, name: str) -> None:
    with pytest.raises(Invalid, match="session"):
        factories.actor(agent, session=name)


def test_unknown_projects_and_workspaces_are_refused(agent: Agent) -> None:
    with pytest.raises(NotFound, match="nowhere"):
        factories.actor(agent, project="nowhere")
    with pytest.raises(Invalid, match="not switched on"):
        factories.actor(agent, workspace="blue")


@pytest.mark.django_db
def test_a_login_reaches_its_teams_of_one_organization() -> None:
    here, there = factories.team(), factories.team()
    user = factories.member(here, Role.EDITOR)
    Membership.objects.create(organization=there.organization, team=there, user=user, role=Role.OWNER)
    actor = rights.login_actor(user=user, team_id=here.pk)
    assert (actor.organization_id, actor.readable_team_ids) == (here.organization_id, (here.pk,))
    assert rights.login_actor(user=user, team_id=there.pk).owns == {there.pk}
    with pytest.raises(NotFound):
        rights.login_actor(user=user, team_id=factories.team().pk)
    with pytest.raises(Forbidden, match="any team"):
        rights.login_actor(user=factories.login())


def test_a_session_takes_what_is_first_said_of_it_later(agent: Agent) -> None:
    Project.objects.create(organization=agent.team.organization, team=agent.team, slug="one", name="One")
    assert factories.actor(agent, session="s").project_id is None
    bound = factories.actor(agent, session="s", project="one", user="jo")
    assert factories.actor(agent, session="s").project_id == bound.project_id
    assert factories.actor(agent, session="s").person_id == bound.person_id


def test_a_session_outlives_workspaces_being_switched_off(agent: Agent) -> None:
    organization = agent.team.organization
    Workspace.objects.create(organization=organization, slug="blue", name="Blue")
    organization.workspaces_enabled = True
    assert factories.actor(agent, session="s", workspace="blue").workspace_id
    organization.workspaces_enabled = False
    assert factories.actor(agent, session="s").workspace_id is None


@pytest.mark.django_db
def test_a_circle_of_teams_is_refused_where_people_draw_it() -> None:
    organization = factories.organization()
    one = factories.team(organization, "one")
    two = factories.team(organization, "two", parent="one")
    one.parent = two
    with pytest.raises(ValidationError, match="its own ancestor"):
        one.full_clean()


def test_handles_are_tidied(agent: Agent) -> None:
    assert factories.actor(agent, user=" mira ").person_id == factories.actor(agent, user="mira").person_id
