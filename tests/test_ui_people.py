"""The pages of who there is: agents and their tokens, projects, members, the tree, one's own account."""

import re
from datetime import timedelta
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from memoryhub.errors import Forbidden, Invalid, NotFound
from teams import auth, operations, rights
from teams.call_context import CallContext
from teams.models import Admission, Agent, Level, Membership, Person, Project, Role, Token, Verb
from tests import factories
from tests.caller import Caller
from tests.cast import Cast
from tests.markup import undo_of

pytestmark = pytest.mark.django_db
OPS = "/t/acme/ops/"
RIGHT = "correct horse battery"


@pytest.fixture
def owner(client: Client, cast: Cast) -> Client:
    return as_(client, cast, "owner")


def as_(client: Client, cast: Cast, name: str) -> Client:
    client.force_login(cast[name].user)  # type: ignore[arg-type]
    return client


# Agents and tokens


def test_an_owner_adds_an_agent_and_is_shown_its_token_once(owner: Client) -> None:
    made = owner.post(f"{OPS}agents/new/", {"slug": "helper", "name": "Helper", "level": "member"})
    agent = Agent.objects.get(slug="helper")
    assert made["Location"] == f"{OPS}agents/{agent.pk}/"
    asked = owner.post(f"{made['Location']}tokens/new/", {"label": "laptop", "verbs": ["read"], "user": "mira"})
    shown = owner.get(asked["Location"])
    assert "no-store" in shown["Cache-Control"]
    token = re.search(r"mh_\w{46}", shown.text)[0]  # type: ignore[index]
    actor = auth.authenticate_agent(token=token)
    assert (actor.verbs, actor.person_id) == ({Verb.READ}, Person.objects.get(handle="mira").pk)
    again = owner.get(asked["Location"])
    assert token not in again.text
    assert "already been shown" in again.text
    page = owner.get(made["Location"]).text
    assert token not in page
    assert "Default user mira" in page


def test_the_curl_that_is_shown_carries_the_token(owner: Client, cast: Cast) -> None:
    asked = owner.post(f"{OPS}agents/{cast['writer'].agent.pk}/tokens/new/", {"verbs": list(Verb)})  # type: ignore[union-attr]
    text = owner.get(asked["Location"]).text
    assert "curl http://testserver/api/v1/me -H &quot;Authorization: Bearer mh_" in text
    assert "http://testserver/mcp" in text


def test_a_secret_is_never_stored_and_cannot_be_planted(owner: Client, cast: Cast) -> None:
    agent = cast["writer"].agent
    assert agent
    asked = owner.post(f"{OPS}agents/{agent.pk}/tokens/new/", {"verbs": list(Verb)})
    cookie = asked.cookies["shown-once"]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Strict", asked["Location"])
    assert not [value for value in owner.session.values() if "mh_" in str(value)]
    owner.cookies["shown-once"] = "mh_forged"
    assert "mh_forged" not in owner.get(asked["Location"]).text


def test_bad_input_is_said_beside_the_field_and_kept(owner: Client) -> None:
    before = Agent.objects.count()
    for slug, sentence in (("Bad Name", "lower-case letters"), ("writer", "already"), ("", "required")):
        answer = owner.post(f"{OPS}agents/new/", {"slug": slug, "name": "Kept <b>", "level": "member"})
        assert sentence in answer.text
        assert 'value="Kept &lt;b&gt;"' in answer.text
    assert Agent.objects.count() == before


def test_a_revoked_token_stops_at_once_and_is_folded_away(owner: Client, cast: Cast) -> None:
    text = cast["writer"].token()
    token = Token.objects.get()
    assert "cannot be undone" in owner.get(f"{OPS}agents/{token.agent_id}/").text
    owner.post(f"{OPS}tokens/{token.pk}/revoke/")
    assert Caller(token=text)("GET", "me").status_code == 401
    page = owner.get(f"{OPS}agents/{token.agent_id}/").text
    assert "Expired and revoked (1)" in page
    assert "No active tokens" in page


def test_others_see_the_agents_but_no_tokens(client: Client, cast: Cast) -> None:
    cast["writer"].token()
    prefix = Token.objects.get().prefix
    for name in ("viewer", "editor"):
        as_(client, cast, name)
        text = client.get(f"{OPS}agents/").text + client.get(f"{OPS}agents/{cast['writer'].agent.pk}/").text  # type: ignore[union-attr]
        assert "writer" in text
        assert prefix not in text
        assert "New token" not in text
        assert client.get(f"{OPS}agents/new/").status_code == 403
        assert client.get(f"{OPS}members/invite/").status_code == 403


def test_the_operations_refuse_members_and_do_not_exist_for_strangers(cast: Cast) -> None:
    agent = cast["writer"].agent
    assert agent
    for name in ("viewer", "editor", "writer"):
        with pytest.raises(Forbidden):
            operations.agents.issue_agent_token(actor=cast[name].actor(), agent_id=agent.pk)
    with pytest.raises(NotFound):
        operations.agents.issue_agent_token(actor=factories.owner_actor(cast.sales), agent_id=agent.pk)
    gone = cast["owner"].actor()
    Membership.objects.filter(user=gone.user_id).delete()
    with pytest.raises(NotFound):
        operations.agents.create_agent(actor=gone, slug="late")


def test_nobody_appoints_an_agent_that_reads_more_than_they_do(owner: Client, cast: Cast) -> None:
    said = {"slug": "boss", "name": "", "level": "director"}
    assert "It would read Executive" in owner.post(f"{OPS}agents/new/", said).text
    assert not Agent.objects.filter(slug="boss").exists()
    factories.member(cast.executive, Role.VIEWER, cast["owner"].user)  # type: ignore[arg-type]
    owner.post(f"{OPS}agents/new/", said)
    assert Agent.objects.get(slug="boss").level == Level.DIRECTOR


def test_nobody_holds_a_token_of_an_agent_that_reads_more_than_they_do(owner: Client, cast: Cast) -> None:
    director = cast["director"].agent
    assert director
    path = f"{OPS}agents/{director.pk}/tokens/new/"
    assert "It would read Executive" in owner.post(path, {"verbs": list(Verb)}).text
    assert not Token.objects.exists()
    factories.member(cast.executive, Role.VIEWER, cast["owner"].user)  # type: ignore[arg-type]
    owner.post(path, {"verbs": list(Verb)})
    assert Token.objects.get().agent_id == director.pk


def test_levels_are_explained_by_what_they_read(owner: Client) -> None:
    assert "and the teams above: Executive." in owner.get(f"{OPS}agents/new/").text


def test_the_list_of_agents_costs_the_same_however_many(
    owner: Client, cast: Cast, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(30):
        operations.issue_token(agent=factories.agent(cast.ops))
    with django_assert_max_num_queries(16):
        assert owner.get(f"{OPS}agents/").status_code == 200


# Projects


def test_a_project_is_added_renamed_and_lends_itself_to_others(owner: Client, cast: Cast) -> None:
    owner.post(f"{OPS}projects/new/", {"slug": "gemini", "name": "Gemini"})
    project = Project.objects.get(slug="gemini")
    owner.post(f"{OPS}projects/{project.pk}/", {"name": "Gemini Two"})
    for who in ("sales/stranger", "mira"):
        owner.post(f"{OPS}projects/{project.pk}/admit/", {"who": who})
    page = owner.get(f"{OPS}projects/").text
    assert "Gemini Two" in page
    assert "sales/stranger" in page
    assert rights.actor_of_agent(agent=cast["stranger"].agent, context=CallContext(project="gemini")).project_id  # type: ignore[arg-type]
    admission = Admission.objects.get(project=project, agent=cast["stranger"].agent)
    owner.post(f"{OPS}admissions/{admission.pk}/dismiss/")
    with pytest.raises(NotFound):
        rights.actor_of_agent(agent=cast["stranger"].agent, context=CallContext(project="gemini"))  # type: ignore[arg-type]


def test_admitting_and_dismissing_can_be_undone(owner: Client, cast: Cast) -> None:
    for who in ("sales/stranger", "mira"):
        Admission.objects.all().delete()
        page = owner.post(f"{OPS}projects/{cast.project.pk}/admit/", {"who": who}, follow=True)
        for count in (0, 1, 0):
            page = owner.post(undo_of(page), follow=True)
            assert Admission.objects.count() == count
    assert "may no longer use" in page.text


@pytest.mark.parametrize(
    ("who", "sentence"), [("sales/nobody", "no such agent"), ("ops/writer", "is in this team"), ("globex/x", "no such")]
)
def test_who_cannot_be_admitted_is_said_beside_the_field(owner: Client, cast: Cast, who: str, sentence: str) -> None:
    answer = owner.post(f"{OPS}projects/{cast.project.pk}/admit/", {"who": who})
    assert sentence in answer.text
    assert f'value="{who}"' in answer.text


def test_nobody_of_another_organization_is_admitted(cast: Cast) -> None:
    outsider = cast["outsider"].agent
    assert outsider
    with pytest.raises(Invalid):
        operations.projects.admit_guest(
            actor=cast["owner"].actor(), project_id=cast.project.pk, who=f"{outsider.team.slug}/outsider"
        )


# Members


def test_an_owner_changes_a_role_and_takes_it_back(owner: Client, cast: Cast) -> None:
    membership = Membership.objects.get(user=cast["viewer"].user)
    page = owner.post(f"{OPS}members/{membership.pk}/role/editor/", follow=True).text
    assert Membership.objects.get(pk=membership.pk).role == Role.EDITOR
    undo = re.search(r'<form method="post" action="([^"]*/role/viewer/)"', page)[1]  # type: ignore[index]
    owner.post(undo)
    assert Membership.objects.get(pk=membership.pk).role == Role.VIEWER


def test_an_owner_removes_somebody_and_takes_it_back(owner: Client, cast: Cast) -> None:
    before = Membership.objects.get(user=cast["viewer"].user)
    page = owner.post(f"{OPS}members/{before.pk}/remove/", follow=True).text
    assert not Membership.objects.filter(user=cast["viewer"].user).exists()
    undo = unescape(re.search(r'action="([^"]*/members/return/[^"]*)"', page)[1])  # type: ignore[index]
    for made_up in (undo.replace("/return/", "/return/x"), undo.replace("/return/", "/return/Wzk5OSwib3duZXIiXQ:")):
        assert "can no longer be put back" in owner.post(made_up, {"next": f"{OPS}members/"}, follow=True).text
    as_(owner, cast, "editor").post(undo)
    assert not Membership.objects.filter(user=cast["viewer"].user).exists()
    assert "is in Ops again" in as_(owner, cast, "owner").post(undo, follow=True).text
    back = Membership.objects.get(user=cast["viewer"].user)
    assert (back.role, back.created_at) == (before.role, before.created_at)
    assert "is already in the team" in owner.post(undo, {"next": f"{OPS}members/"}, follow=True).text


def test_the_last_owner_stays(owner: Client, cast: Cast) -> None:
    mine = Membership.objects.get(user=cast["owner"].user)
    for address in (f"{OPS}members/{mine.pk}/role/viewer/", f"{OPS}members/{mine.pk}/remove/"):
        assert "A team needs an owner" in owner.post(address, {"next": f"{OPS}members/"}, follow=True).text
    assert Membership.objects.get(pk=mine.pk).role == Role.OWNER


def test_members_leave_but_remove_nobody(client: Client, cast: Cast) -> None:
    as_(client, cast, "viewer")
    mine = Membership.objects.get(user=cast["viewer"].user)
    other = Membership.objects.get(user=cast["editor"].user)
    client.post(f"{OPS}members/{other.pk}/remove/")
    client.post(f"{OPS}members/{mine.pk}/role/owner/")
    assert Membership.objects.filter(pk=other.pk).exists()
    assert Membership.objects.get(pk=mine.pk).role == Role.VIEWER
    client.post(f"{OPS}members/{mine.pk}/remove/")
    assert not Membership.objects.filter(pk=mine.pk).exists()
    assert client.get(f"{OPS}members/").status_code == 404


def test_addresses_are_for_owners(client: Client, cast: Cast) -> None:
    User.objects.filter(username="editor").update(email="editor@acme.example")
    assert "editor@acme.example" not in as_(client, cast, "viewer").get(f"{OPS}members/").text
    assert "editor@acme.example" in as_(client, cast, "owner").get(f"{OPS}members/").text


# The tree


def test_the_tree_shows_above_own_and_below_owned_but_nobody_beside(client: Client, cast: Cast) -> None:
    operations.ensure_team(organization=cast.ops.organization, slug="night-shift", parent="ops")
    seen = as_(client, cast, "owner").get(f"{OPS}tree/").text
    assert "Executive" in seen
    assert "Night shift" in seen
    assert "Sales" not in seen
    assert "Night shift" not in as_(client, cast, "viewer").get(f"{OPS}tree/").text


def test_the_tree_says_what_is_inherited(owner: Client) -> None:
    text = owner.get(f"{OPS}tree/").text
    assert "Ops, Executive" in text
    assert "director" in text


def test_what_stands_above_is_shown_to_those_who_are_in_it(client: Client, cast: Cast) -> None:
    director = factories.actor(factories.agent(cast.executive, "chief"))
    factories.memory(director, "We ship on Tuesdays.", key="core")
    factories.memory(director, "Never on Fridays.", pinned=True)
    factories.memory(director, "Lunch is at noon.")
    outside = as_(client, cast, "owner").get(f"{OPS}tree/").text
    assert "You are not in this team" in outside
    assert "Tuesdays" not in outside
    factories.member(cast.executive, Role.VIEWER, cast["owner"].user)
    inside = as_(client, cast, "owner").get(f"{OPS}tree/").text
    assert "/t/acme/executive/core/" in inside
    assert "We ship on Tuesdays." in inside
    assert "Never on Fridays." in inside
    assert "Lunch" not in inside


def test_more_teams_take_no_more_statements(owner: Client, cast: Cast) -> None:
    def taken() -> int:
        with CaptureQueriesContext(connection) as statements:
            assert owner.get(f"{OPS}tree/").status_code == 200
        return len(statements)

    user = User.objects.get(username="owner")
    factories.member(cast.executive, Role.VIEWER, user)
    director = factories.actor(factories.agent(cast.executive))
    owner.get(f"{OPS}tree/")
    before = taken()
    for number in range(3):
        factories.member(factories.team(cast.ops.organization), Role.VIEWER, user)
        factories.memory(director, f"Pinned {number}.", pinned=True)
    assert taken() == before


# One's own account


def test_name_and_e_mail_can_be_changed(owner: Client) -> None:
    owner.post("/account/", {"name": "Olga Owner", "email": "olga@acme.example"})
    user = User.objects.get(username="owner")
    assert (user.get_full_name(), user.email) == ("Olga Owner", "olga@acme.example")
    answer = owner.post("/account/", {"name": "Kept", "email": "nonsense"})
    assert "not an e-mail address" in answer.text
    assert 'value="Kept"' in answer.text
    assert "Ops" in answer.text


def test_a_password_is_changed_and_other_sessions_end(owner: Client, cast: Cast) -> None:
    other = as_(Client(), cast, "owner")
    said = {"old_password": RIGHT, "new_password1": "12345678", "new_password2": "12345678"}
    assert "too common" in owner.post("/account/password/", said).text
    better = dict.fromkeys(("new_password1", "new_password2"), "a much better one 7")
    assert owner.post("/account/password/", {"old_password": RIGHT, **better})["Location"] == "/account/"
    assert owner.get("/account/").status_code == 200
    assert other.get("/account/").status_code == 302


def test_one_can_log_out_everywhere_else(owner: Client, cast: Cast) -> None:
    other = as_(Client(), cast, "owner")
    assert "not your password" in owner.post("/account/sessions/", {"password": "wrong"}).text
    assert other.get("/account/").status_code == 200
    owner.post("/account/sessions/", {"password": RIGHT})
    assert owner.get("/account/").status_code == 200
    assert other.get("/account/").status_code == 302
    assert Client().login(username="owner", password=RIGHT)


def test_passwords_cannot_be_guessed_from_inside(owner: Client) -> None:
    for _ in range(10):
        owner.post("/account/sessions/", {"password": "wrong"})
    assert "Too many wrong passwords" in owner.post("/account/sessions/", {"password": RIGHT}).text
    said = {"old_password": RIGHT, "new_password1": "a better one 7", "new_password2": "a better one 7"}
    assert "Too many wrong passwords" in owner.post("/account/password/", said).text


def test_an_expired_token_is_folded_away(owner: Client, cast: Cast) -> None:
    agent = cast["writer"].agent
    assert agent
    moment = timezone.now() + timedelta(days=1)
    operations.issue_token(agent=agent, label="short", expires_at=moment)
    Token.objects.update(expires_at=timezone.now() - timedelta(minutes=1))
    assert "Expired and revoked (1)" in owner.get(f"{OPS}agents/{agent.pk}/").text
