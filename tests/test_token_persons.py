"""Whom a token may name: the one whom it serves, those on its list, or anybody; at every door."""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest
from django.contrib.admin.models import LogEntry
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client

from memories.models import Memory, Scope
from memories.queries.who_can_see import list_readers
from memoryhub import roles
from memoryhub.errors import Conflict, Forbidden, Invalid, NotFound
from teams import auth, rights
from teams import operations as registry
from teams.call_context import CallContext
from teams.models import Agent, Person, Role, Session, Team, Token, Verb
from tests import factories
from tests.caller import Caller
from tests.markup import says, undo_of
from tests.mcp_caller import Messenger
from tests.test_admin import at, follow_action_text
from tests.tools import post

pytestmark = pytest.mark.django_db


@pytest.fixture
def agent(team: Team) -> Agent:
    return factories.agent(team, "helper")


@pytest.fixture
def token(agent: Agent) -> str:
    """One that serves Mira; Zoe is known, too, and has a memory."""
    factories.memory(factories.actor(agent, user="zoe"), "Zoe is allergic to nuts.", scope=Scope.GLOBAL)
    return registry.issue_token(agent=agent, user="mira").text


@pytest.fixture
def owner(team: Team) -> Client:
    return factories.log_in_member(team, Role.OWNER, "olaf")


def of(secret: str) -> Token:
    return Token.objects.get(prefix=secret[:12])


# What a token is made with


@pytest.mark.parametrize(
    ("made", "named", "words"),
    [
        ({}, None, "any person"),
        ({"user": "mira"}, ("mira",), "only mira"),
        ({"user": "mira", "persons": ["noor", " noor ", ""]}, ("mira", "noor"), "only mira, noor"),
        ({"persons": ["noor"]}, ("noor",), "only noor"),
        ({"user": "mira", "any_person": True}, None, "any person"),
    ],
)
def test_a_token_names_whom_it_serves_or_lists_or_anybody(
    agent: Agent, made: Any, named: tuple[str, ...] | None, words: str
) -> None:
    secret = registry.issue_token(agent=agent, **made).text
    assert (of(secret).nameable, of(secret).naming) == (named, words)
    told = Caller(token=secret)("GET", "me").json()
    assert (told["any_person"], told["persons"]) == (named is None, list(named or ()))
    assert Messenger(token=secret).call("whoami")["persons"] == list(named or ())


@pytest.mark.parametrize(
    "made",
    [{"any_person": True, "persons": ["a"]}, {"persons": ["x" * 129]}, {"persons": [f"p{n}" for n in range(101)]}],
)
def test_odd_lists_are_refused_and_make_nothing(agent: Agent, made: Any) -> None:
    with pytest.raises(Invalid, match="persons"):
        registry.issue_token(agent=agent, user="mira", **made)
    assert not Token.objects.exists()
    assert not Person.objects.exists()


def test_the_database_refuses_a_list_beside_anybody(token: str) -> None:
    with pytest.raises(IntegrityError, match="token_lists_people_or_takes_anybody"), transaction.atomic():
        Token.objects.update(persons=["zoe"], any_person=True)


@pytest.mark.parametrize(
    ("said", "naming"), [("", "any person"), ("mira, noor", "only mira, noor"), ("any", "any person")]
)
def test_the_command_takes_persons(agent: Agent, said: str, naming: str) -> None:
    place = {"org": "acme", "team": "ops", "agent": "helper"}
    call_command("create_token", **place, persons=said)
    assert Token.objects.get().naming == naming
    with pytest.raises(CommandError, match="persons"):
        call_command("create_token", **place, persons="x" * 129)


def test_tokens_from_before_name_whom_they_serve_or_anybody(agent: Agent) -> None:
    """As the columns' defaults have it, in the migration and in archives that are older."""
    mira = registry.ensure_person(organization_id=agent.organization_id, handle="mira")
    with connection.cursor() as cursor:
        for prefix, person in (("mh_served", mira.pk), ("mh_free", None)):
            cursor.execute(
                "INSERT INTO teams_token (id, organization_id, agent_id, person_id, label, prefix, digest, verbs)"
                " VALUES (gen_random_uuid(), %s, %s, %s, '', %s, '', '{read}')",
                [agent.organization_id, agent.pk, person, prefix],
            )
    assert Token.objects.get(prefix="mh_served").nameable == ("mira",)
    assert Token.objects.get(prefix="mh_free").nameable is None


# Doors: each says the status and the sentence for a call that names somebody

Door = Callable[[str, str], tuple[int, str]]


def by_header(token: str, user: str) -> tuple[int, str]:
    return _rest(Caller(token=token)("GET", "memories", X_Memory_User=quote(user)))


def by_header_writing(token: str, user: str) -> tuple[int, str]:
    body = {"content": "Likes tea.", "scope": "global"}
    return _rest(Caller(token=token)("POST", "memories", body, X_Memory_User=quote(user)))


def by_header_in_batches(token: str, user: str) -> tuple[int, str]:
    body = {"memories": [{"content": "Likes tea.", "scope": "global"}]}
    return _rest(Caller(token=token)("POST", "memories/batch", body, X_Memory_User=quote(user)))


def by_binding(token: str, user: str) -> tuple[int, str]:
    return _rest(Caller(token=token)("PUT", f"sessions/{uuid4()}", {"user": user}))


def by_scoped_argument(token: str, user: str) -> tuple[int, str]:
    return _rest(post(token, "scoped/recall", {"query": "nuts", "userId": user}))


def by_scoped_save(token: str, user: str) -> tuple[int, str]:
    return _rest(post(token, "scoped/save", {"key": "k", "value": "v", "userId": user}))


def by_dialect_header(token: str, user: str) -> tuple[int, str]:
    return _rest(post(token, "graph/memory_recall", {"query": "nuts"}, user=quote(user)))


def by_hub_tool(token: str, user: str) -> tuple[int, str]:
    return _rest(post(token, "hub/memory_recall", {"query": "nuts", "context": {"user": user}}))


def by_mcp_header(token: str, user: str) -> tuple[int, str]:
    return _mcp(Messenger(token=token, context={"user": quote(user)}), "memory_list")


def by_mcp_argument(token: str, user: str) -> tuple[int, str]:
    said = {"content": "Likes tea.", "scope": "global", "context": {"user": user}}
    return _mcp(Messenger(token=token), "memory_save", **said)


def by_mcp_dialect(token: str, user: str) -> tuple[int, str]:
    return _mcp(Messenger(token=token, place="/mcp/scoped"), "list", userId=user)


def by_mcp_resource(token: str, user: str) -> tuple[int, str]:
    found = Messenger(token=token, context={"user": quote(user)}).ask("resources/list").json()
    return (403, found["error"]["message"]) if "error" in found else (200, "")


def _rest(response: Any) -> tuple[int, str]:
    return response.status_code, response.json().get("detail", "")


def _mcp(messenger: Messenger, name: str, **arguments: Any) -> tuple[int, str]:
    result = messenger.result("tools/call", name=name, arguments=arguments)
    return 403 if result.get("isError") else 200, result["content"][0]["text"]


DOORS: list[Door] = [
    *(by_header, by_header_writing, by_header_in_batches, by_binding),
    *(by_scoped_argument, by_scoped_save, by_dialect_header, by_hub_tool),
    *(by_mcp_header, by_mcp_argument, by_mcp_dialect, by_mcp_resource),
]


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_no_door_lets_a_token_name_another(door: Door, token: str) -> None:
    """Nor tells who is known: the answer for a stranger is the same as for somebody with memories."""
    before = Memory.objects.count(), Person.objects.count(), Session.objects.count()
    known, unknown = door(token, "zoe"), door(token, "nobody")
    assert known[0] == unknown[0] == 403, (known, unknown)
    assert known[1] == unknown[1].replace("nobody", "zoe")
    assert "may not name 'zoe'" in known[1]
    assert (Memory.objects.count(), Person.objects.count(), Session.objects.count()) == before


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_every_door_lets_it_name_whom_it_may(door: Door, token: str, agent: Agent) -> None:
    assert door(token, "mira")[0] in (200, 201)
    assert door(registry.issue_token(agent=agent, persons=["Zoë"]).text, "Zoe\N{COMBINING DIAERESIS}")[0] in (200, 201)
    assert door(registry.issue_token(agent=agent).text, "anybody at all")[0] in (200, 201)


# Sessions that another token of the agent bound


@pytest.fixture
def bound(agent: Agent, token: str) -> Session:
    Caller(agent)("PUT", "sessions/of-zoe", {"user": "zoe"})
    return Session.objects.get(name="of-zoe")


def by_session_header(token: str) -> tuple[int, str]:
    return _rest(Caller(token=token)("POST", "recall", {"query": "nuts"}, X_Memory_Session="of-zoe"))


def by_session_header_and_user(token: str) -> tuple[int, str]:
    return _rest(Caller(token=token)("GET", "memories", X_Memory_Session="of-zoe", X_Memory_User="mira"))


def by_reading_session(token: str) -> tuple[int, str]:
    return _rest(Caller(token=token)("GET", "sessions/of-zoe"))


def by_registering_session(token: str) -> tuple[int, str]:
    return _rest(Caller(token=token)("PUT", "sessions/of-zoe", {}))


def by_archiving_session(token: str) -> tuple[int, str]:
    said = {"messages": [{"role": "user", "content": "Hello."}]}
    return _rest(Caller(token=token)("POST", "sessions/of-zoe/archive", said))


def by_scoped_session(token: str) -> tuple[int, str]:
    return _rest(post(token, "scoped/list", {"sessionId": "of-zoe"}))


def by_mcp_session(token: str) -> tuple[int, str]:
    return _mcp(Messenger(token=token), "session_register", context={"session": "of-zoe"})


@pytest.mark.parametrize(
    "door",
    [
        *(by_session_header, by_session_header_and_user, by_reading_session, by_registering_session),
        *(by_archiving_session, by_scoped_session, by_mcp_session),
    ],
    ids=lambda door: door.__name__,
)
def test_no_session_leads_to_a_person_whom_the_token_may_not_name(
    door: Callable[[str], tuple[int, str]], token: str, bound: Session, agent: Agent
) -> None:
    status, sentence = door(token)
    assert (status, "belongs to a person" in sentence, "zoe" in sentence.lower()) == (403, True, False)
    free = registry.issue_token(agent=agent, persons=["zoe", "mira"]).text
    assert door(free)[0] in ((400,) if door is by_session_header_and_user else (200, 201))


def test_a_list_is_looked_up_with_the_token(agent: Agent, django_assert_num_queries: Any) -> None:
    secret = registry.issue_token(agent=agent, user="mira", persons=["noor"]).text
    auth.authenticate_agent(token=secret, context=CallContext(user="noor"), register=True)
    with django_assert_num_queries(2):  # whose token it is, and whom the call names
        auth.authenticate_agent(token=secret, context=CallContext(user="noor"), register=True)
    with django_assert_num_queries(1), pytest.raises(Forbidden):
        auth.authenticate_agent(token=secret, context=CallContext(user="zoe"))


# Changing it


def test_an_owner_changes_whom_a_token_may_name_and_takes_it_back(owner: Client, token: str) -> None:
    page = f"/t/acme/ops/tokens/{of(token).pk}/persons/"
    assert "Only mira." in says(owner.get(page))
    changed = owner.post(page, {"naming": "listed", "persons": "noor\r\n zoe, the second \r\n"}, follow=True)
    assert of(token).nameable == ("mira", "noor", "zoe, the second")
    assert "May name only mira, noor, zoe, the second" in says(changed)
    assert LogEntry.objects.get().change_message == "May name only mira, noor, zoe, the second; before: only mira."
    assert LogEntry.objects.get().user.username == "olaf"
    undone = owner.post(undo_of(changed), follow=True)
    assert of(token).nameable == ("mira",)
    owner.post(undo_of(undone))
    assert of(token).persons == ["noor", "zoe, the second"]
    owner.post(page, {"naming": "any"})
    assert of(token).nameable is None
    assert "May name any person" in says(owner.get(f"/t/acme/ops/agents/{of(token).agent_id}/"))
    assert "May name any person" in says(owner.get(f"/t/acme/ops/activity/tokens/{of(token).pk}/"))


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"naming": "listed"}, "List at least one person."),
        ({"naming": "any", "persons": "noor"}, "choose “These people”"),
        ({"naming": "listed", "persons": "x" * 129}, "At most 128 characters"),
        ({"naming": "everybody"}, "Select a valid choice"),
    ],
)
def test_a_form_that_is_not_right_changes_nothing(
    owner: Client, token: str, said: dict[str, str], sentence: str
) -> None:
    page = owner.post(f"/t/acme/ops/tokens/{of(token).pk}/persons/", said)
    assert sentence in says(page)
    assert of(token).nameable == ("mira",)
    assert not LogEntry.objects.exists()


def test_only_owners_of_its_team_change_a_token(viewer: Client, owner: Client, token: str) -> None:
    other = factories.agent(factories.team(of(token).organization))
    elsewhere = of(registry.issue_token(agent=other, user="mira").text)
    said = {"naming": "any"}
    assert viewer.post(f"/t/acme/ops/tokens/{of(token).pk}/persons/", said).status_code == 403
    assert owner.post(f"/t/acme/ops/tokens/{elsewhere.pk}/persons/", said).status_code == 404
    assert not Token.objects.filter(any_person=True).exists()


def test_what_serves_nobody_needs_a_list_and_what_was_revoked_stays(team: Team, agent: Agent) -> None:
    by, token = factories.owner_actor(team), of(registry.issue_token(agent=agent).text)
    with pytest.raises(Invalid, match="It serves nobody"):
        registry.agents.change_token_persons(actor=by, token_id=token.pk)
    registry.revoke_token(token=token)
    with pytest.raises(Conflict, match="revoked"):
        registry.agents.change_token_persons(actor=by, token_id=token.pk, persons=["noor"])
    with pytest.raises(NotFound):
        registry.agents.change_token_persons(actor=factories.owner_actor(factories.team()), token_id=token.pk)


def test_an_owner_chooses_when_a_token_is_made(owner: Client, agent: Agent) -> None:
    page = f"/t/acme/ops/agents/{agent.pk}/tokens/new/"
    for said, naming in (
        ({}, "any person"),
        ({"user": "mira", "naming": "served"}, "only mira"),
        ({"user": "mira", "naming": "any"}, "any person"),
        ({"naming": "listed", "persons": "noor\nzoe"}, "only noor, zoe"),
    ):
        assert owner.post(page, {"verbs": ["read"], **said}).status_code == 302
        assert Token.objects.latest("pk").naming == naming


def test_operators_see_and_change_it_and_the_log_says_so(token: str) -> None:
    operator = factories.logged_in(factories.staff_member("olga", role=roles.OPERATOR))
    support = factories.logged_in(factories.staff_member("sue", role=roles.SUPPORT))
    page = at(Token, "change", of(token).pk)
    assert "only mira" in says(operator.get(at(Token)))
    assert "only mira" in says(support.get(page))
    assert support.post(page, {"any_person": "on"}).status_code == 403
    operator.post(page, {"persons": "noor\nzoe"})
    assert of(token).nameable == ("mira", "noor", "zoe")
    assert "not both" in follow_action_text(operator, operator.post(page, {"persons": "noor", "any_person": "on"}))
    assert LogEntry.objects.get().change_message == "May name only mira, noor, zoe; before: only mira."
    registry.revoke_token(token=of(token))
    assert operator.post(page, {"any_person": "on"}).status_code == 403


def test_a_person_who_is_renamed_stays_on_the_lists(agent: Agent, token: str) -> None:
    secret = registry.issue_token(agent=agent, user="mira", persons=["zoe", "noor"]).text
    operator = factories.logged_in(factories.staff_member("olga", role=roles.OPERATOR))
    operator.post(at(Person, "change", Person.objects.get(handle="zoe").pk), {"handle": "zoe.b", "name": ""})
    assert of(secret).nameable == ("mira", "zoe.b", "noor")


# Who can see what is remembered of a person


def test_readers_of_a_person_are_the_agents_whose_tokens_may_name_them(team: Team) -> None:
    def agent(slug: str, **made: Any) -> Agent:
        found = factories.agent(team, slug)
        registry.issue_token(agent=found, **made)
        return found

    writer = agent("free")
    memory = factories.memory(factories.actor(writer, user="mira"), "Mira likes tea.", scope=Scope.GLOBAL)
    agent("serving", user="mira")
    agent("listing", persons=["mira", "zoe"])
    agent("of-another", user="zoe")
    agent("blind", user="mira", verbs=[Verb.WRITE])
    factories.agent(team, "tokenless")
    registry.revoke_token(token=Token.objects.get(agent=agent("revoked", user="mira")))
    registry.issue_token(agent=agent("both", user="mira"))
    registry.issue_token(agent=factories.agent(factories.team()), user="mira")
    registry.issue_token(agent=factories.agent(factories.team()))
    found = {group.title: [reader.name for reader in group.named] for group in list_readers(memory)}
    assert found == {
        "Agents with a token that names mira, while they work for them": ["both", "listing", "serving"],
        "Agents with a token for any person, while they work for mira": ["free"],
    }
    for name in ("free", "serving", "listing", "of-another", "blind", "both"):
        reaches = [_reads(token, memory) for token in Token.objects.filter(agent__slug=name)]
        assert any(reaches) == any(name in names for names in found.values()), name


def _reads(token: Token, memory: Memory) -> bool:
    try:
        actor = rights.actor_of_token(token=token, context=CallContext(user="mira"))
    except Forbidden:
        return False
    return actor.may(Verb.READ) and Memory.objects.visible_to(actor).filter(pk=memory.pk).exists()
