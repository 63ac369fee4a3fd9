"""People and sessions are registered by writes alone, so many a day, and go again when nobody uses them."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django import Settings

from memories import jobs, operations
from memories.models import Memory, RecallLog, Scope
from memories.recall import recall
from memoryhub.ids import first_id
from teams import auth
from teams import operations as registry
from teams.call_context import CallContext, resolve_context
from teams.models import Admission, Agent, Person, Project, Registrations, Session, Team
from teams.operations import prune
from tests import factories
from tests.caller import Caller
from tests.mcp_caller import Messenger
from tests.tools import post

REGISTRATION_NOW = timezone.now()
LONG_AGO = REGISTRATION_NOW - timedelta(days=200)
BEFORE_PRUNING = REGISTRATION_NOW - timedelta(days=90)


@pytest.fixture
def agent(team: Team) -> Agent:
    return factories.agent(team, "helper")


def count_registered() -> tuple[int, int]:
    return Person.objects.count(), Session.objects.count()


# Reads leave no trace

CONTEXT = {"user": "noor", "session": "s-9"}
RegistrationCall = Callable[[str], Any]
READS: dict[str, RegistrationCall] = {
    "me": lambda token: Caller(token=token, context=CONTEXT)("GET", "me"),
    "list": lambda token: Caller(token=token, context=CONTEXT)("GET", "memories"),
    "recall": lambda token: Caller(token=token, context=CONTEXT)("POST", "recall", {"query": "tea"}),
    "why not": lambda token: Caller(token=token, context=CONTEXT)(
        "POST", "recall/why-not", {"query": "tea", "memory_id": str(Memory.objects.get().pk)}
    ),
    "context": lambda token: Caller(token=token, context=CONTEXT)("GET", "context?query=tea"),
    "key": lambda token: Caller(token=token, context=CONTEXT)("GET", "keys/tea"),
    "files": lambda token: Caller(token=token, context=CONTEXT)("GET", "files"),
    "export": lambda token: Caller(token=token, context=CONTEXT)("GET", "export"),
    "tools": lambda token: Caller(token=token, context=CONTEXT)("GET", "tools"),
    "kv view": lambda token: post(token, "kv/memory", {"command": "view", "key": "tea"}, **CONTEXT),
    "kv search": lambda token: post(token, "kv/memory", {"command": "search", "query": "tea"}, **CONTEXT),
    "group": lambda token: post(token, "group/recall_memories", {"query": "tea"}, **CONTEXT),
    "scoped": lambda token: post(token, "scoped/list", {"userId": "noor", "sessionId": "s-9"}),
    "hub": lambda token: post(token, "hub/memory_recall", {"query": "tea", "context": CONTEXT}),
    "hub by header": lambda token: post(token, "hub/memory_list", {}, **CONTEXT),
    "mcp tool": lambda token: Messenger(token=token, context=CONTEXT).ask(
        "tools/call", name="memory_recall", arguments={"query": "tea"}
    ),
    "mcp dialect": lambda token: Messenger(token=token, place="/mcp/kv", context=CONTEXT).ask(
        "tools/call", name="memory", arguments={"command": "view", "key": "tea"}
    ),
    "mcp resources": lambda token: Messenger(token=token, context=CONTEXT).ask("resources/list"),
    "mcp prompt": lambda token: Messenger(token=token, context=CONTEXT).ask(
        "prompts/get", name="team_context", arguments={}
    ),
}
REGISTERING_WRITES: dict[str, RegistrationCall] = {
    "save": lambda token: Caller(token=token, context=CONTEXT)("POST", "memories", {"content": "Likes coffee."}),
    "save for a person": lambda token: Caller(token=token, context=CONTEXT)(
        "POST", "memories", {"content": "Likes coffee.", "scope": "global"}
    ),
    "save once": lambda token: Caller(token=token, context=CONTEXT)(
        "POST", "memories", {"content": "Likes coffee."}, Idempotency_Key="k"
    ),
    "register": lambda token: Caller(token=token)("PUT", "sessions/s-9", {"user": "noor"}),
    "kv": lambda token: post(token, "kv/memory", {"command": "create", "key": "new", "content": "x"}, **CONTEXT),
    "scoped": lambda token: post(
        token, "scoped/save", {"key": "k", "value": "v", "userId": "noor", "sessionId": "s-9"}
    ),
    "hub": lambda token: post(token, "hub/memory_save", {"content": "Likes coffee."}, **CONTEXT),
    "mcp": lambda token: Messenger(token=token, context=CONTEXT).ask(
        "tools/call", name="memory_save", arguments={"content": "Likes coffee."}
    ),
    "mcp session": lambda token: Messenger(token=token).ask(
        "tools/call", name="session_register", arguments={"context": CONTEXT}
    ),
}


@pytest.fixture
def token(agent: Agent) -> str:
    factories.memory(factories.actor(agent), "Tea is in the cupboard.", key="tea")
    return registry.issue_token(agent=agent).text


@pytest.mark.django_db
@pytest.mark.parametrize("name", READS)
def test_a_read_registers_neither_people_nor_sessions(name: str, token: str) -> None:
    response = READS[name](token)
    assert response.status_code == 200, response.content
    assert b'"isError"' not in getattr(response, "content", b"")
    assert count_registered() == (0, 0)


@pytest.mark.django_db
@pytest.mark.parametrize("name", REGISTERING_WRITES)
def test_a_write_registers_both_and_binds_the_session(name: str, token: str) -> None:
    for _ in range(2):  # the second finds them
        response = REGISTERING_WRITES[name](token)
        assert response.status_code < 300 or name == "kv", response.content
        assert count_registered() == (1, 1)
    bound = Session.objects.select_related("person").get()
    assert (bound.name, bound.person.handle if bound.person else None) == ("s-9", "noor")


@pytest.mark.django_db
def test_a_body_that_is_refused_registers_nobody(token: str) -> None:
    assert Caller(token=token, context=CONTEXT)("POST", "memories", {"content": 7}).status_code == 400
    assert count_registered() == (0, 0)


@pytest.mark.django_db
def test_a_read_answers_as_somebody_who_has_nothing_yet(agent: Agent) -> None:
    """It answers neither as the person whom the token serves, nor without the rules that a session brings."""
    served = registry.issue_token(agent=agent, user="mira", any_person=True).text
    Caller(token=served)("POST", "memories", {"content": "Mira likes tea.", "scope": "global"})
    assert len(Caller(token=served)("GET", "memories").json()["memories"]) == 1
    assert Caller(token=served)("GET", "memories", X_Memory_User="noor").json()["memories"] == []
    told = Caller(token=served)("GET", "me", X_Memory_User="noor", X_Memory_Session="new").json()
    assert (told["person_id"], told["session_id"]) == (None, None)
    Caller(token=served)("PUT", "sessions/of-mira", {"user": "mira"})
    for method, path, body in (("GET", "memories", None), ("POST", "memories", {"content": "x"})):
        refused = Caller(token=served)(method, path, body, X_Memory_User="noor", X_Memory_Session="of-mira")
        assert "belongs to user 'mira'" in refused.json()["detail"]
    assert count_registered() == (1, 1)


@pytest.mark.django_db
def test_a_read_binds_no_session_to_more(agent: Agent, token: str) -> None:
    registry.open_session(agent=agent, name="s-9")
    registry.ensure_person(organization_id=agent.organization_id, handle="noor")
    READS["recall"](token)
    assert Session.objects.get().person is None
    REGISTERING_WRITES["save"](token)
    assert Session.objects.get().person == Person.objects.get()


@pytest.mark.django_db
def test_the_ledger_notes_recalls_of_unknown_sessions_without_them(agent: Agent, token: str) -> None:
    READS["recall"](token)
    assert RecallLog.objects.get().session is None
    REGISTERING_WRITES["save"](token)
    READS["recall"](token)
    assert RecallLog.objects.latest("pk").session == Session.objects.get()


# So many a day


@pytest.mark.django_db
def test_a_token_registers_so_many_people_and_sessions_a_day(agent: Agent, settings: Settings) -> None:
    settings.REGISTRATIONS_PER_DAY = 3
    caller, other = Caller(agent), Caller(agent)
    for number in range(3):
        assert caller("POST", "memories", {"content": f"Fact {number}."}, X_Memory_User=f"p{number}").status_code == 201
    for headers in ({"X_Memory_User": "p3"}, {"X_Memory_Session": "s"}):
        refused = caller("POST", "memories", {"content": "One more."}, **headers)
        assert (refused.status_code, refused.json()["code"]) == (429, "too_many_requests")
        assert "3 new users and sessions today" in refused.json()["detail"]
        assert 0 < int(refused["Retry-After"]) <= 86_400
    memory = caller.save("One more.")
    assert caller("POST", f"memories/{memory['id']}/sources", {"session": "s"}).status_code == 429
    called = {"name": "session_register", "arguments": {"context": {"session": "s"}}}
    assert "3 new users" in Messenger(token=caller.token).error("tools/call", **called)["message"]
    assert count_registered() == (3, 0)
    assert caller("POST", "memories", {"content": "Known."}, X_Memory_User="p0").status_code == 201
    assert caller("GET", "memories", X_Memory_User="p9").status_code == 200
    assert other("POST", "memories", {"content": "Another."}, X_Memory_User="p3").status_code == 201
    Registrations.objects.update(day=REGISTRATION_NOW.date() - timedelta(days=1))
    assert caller("POST", "memories", {"content": "Next day."}, X_Memory_User="p4").status_code == 201


@pytest.mark.django_db
def test_without_a_limit_nobody_is_counted(agent: Agent, settings: Settings) -> None:
    settings.REGISTRATIONS_PER_DAY = 0
    Caller(agent)("POST", "memories", {"content": "Fact."}, X_Memory_User="p")
    assert not Registrations.objects.exists()


@pytest.mark.django_db
def test_the_counts_are_not_logged() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT relpersistence FROM pg_class WHERE relname = 'teams_registrations'")
        assert cursor.fetchone() == ("u",)


# Those that nobody uses


def age(row: Person | Session, *, used_at: datetime = LONG_AGO) -> None:
    """Change a row as if it had been registered long ago."""
    with connection.cursor() as cursor:  # the id tells the age, and nothing may refer to it meanwhile
        pk = first_id(LONG_AGO).int + row.pk.int % 2**60
        cursor.execute(
            f"UPDATE {row._meta.db_table} SET id = %s, created_at = %s, last_used_at = %s WHERE id = %s",
            [type(row.pk)(int=pk), LONG_AGO, used_at, row.pk],
        )


def old_session(agent: Agent, name: str, *, used_at: datetime = LONG_AGO) -> Session:
    age(registry.open_session(agent=agent, name=name), used_at=used_at)
    return Session.objects.get(name=name)


def old_person(agent: Agent, handle: str, *, used_at: datetime = LONG_AGO) -> Person:
    age(registry.ensure_person(organization_id=agent.organization_id, handle=handle), used_at=used_at)
    return Person.objects.get(handle=handle)


def names() -> set[str]:
    return {*Person.objects.values_list("handle", flat=True), *Session.objects.values_list("name", flat=True)}


@pytest.mark.django_db
def test_what_nothing_refers_to_goes_and_the_rest_stays(
    agent: Agent, team: Team, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prune, "PRUNE_BATCH", 2)
    for name in ("gone-1", "gone-2", "gone-3"):
        old_session(agent, name)
        old_person(agent, name.title())
    old_session(agent, "used lately", used_at=REGISTRATION_NOW)
    old_person(agent, "used-lately", used_at=REGISTRATION_NOW)
    registry.open_session(agent=agent, name="young")
    saying, citing, asking, binding = (old_session(agent, name) for name in ("saying", "citing", "asking", "binding"))
    memory = factories.memory(factories.actor(agent, session="saying"), "Said.")
    operations.add_citation(actor=factories.actor(agent), memory_id=memory.pk, session="citing")
    recall(actor=factories.actor(agent, session="asking"), query="anything")
    remembered, served, admitted, bound, logged_in, named = (
        old_person(agent, handle) for handle in ("remembered", "served", "admitted", "bound", "logged-in", "named")
    )
    factories.memory(factories.actor(agent, user="remembered"), "Theirs.", scope=Scope.GLOBAL)
    registry.issue_token(agent=agent, user="served")
    here = {
        "organization": team.organization,
        "project": Project.objects.create(organization=team.organization, team=team, slug="p", name="P"),
    }
    Admission.objects.create(**here, person=admitted)
    Session.objects.filter(pk=binding.pk).update(person=bound)
    recall(actor=factories.actor(agent, session="binding"), query="anything")
    Person.objects.filter(pk=logged_in.pk).update(user=factories.login())
    Person.objects.filter(pk=named.pk).update(name="Nora")
    for model in (Person, Session):
        model.objects.exclude(pk__gte=first_id(BEFORE_PRUNING)).exclude(last_used_at=REGISTRATION_NOW).update(
            last_used_at=LONG_AGO
        )
    kept = names() - {name for name in names() if name.lower().startswith("gone")}
    assert jobs.JOBS_BY_NAME["prune"]() == "6 unused people and sessions removed; all checked"
    assert names() == kept
    assert {saying.name, citing.name, asking.name, remembered.handle, served.handle} <= kept
    assert jobs.JOBS_BY_NAME["prune"]() == "0 unused people and sessions removed; all checked"


@pytest.mark.django_db
def test_for_ever_is_for_ever(agent: Agent, settings: Settings) -> None:
    settings.KEEP_UNUSED_DAYS = 0
    old_session(agent, "old")
    assert jobs.JOBS_BY_NAME["prune"]() == "people and sessions are kept forever"
    assert names() == {"old"}


@pytest.mark.django_db
def test_each_turn_looks_at_so_many_and_goes_on_where_it_was(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prune, "PRUNE_BATCH", 2)
    for number in range(5):
        old_session(agent, f"old-{number}")
    assert jobs.prune_job(within=0) == "2 unused people and sessions removed; more wait"
    (waiting,) = ProcrastinateJob.objects.filter(task_name="prune").values_list("args", flat=True)
    assert (waiting["table"], len(names())) == (0, 3)
    removed, place, turns = 0, (waiting["table"], UUID(waiting["after"])), 0
    while place:
        turn = prune.prune_all(before=BEFORE_PRUNING, table=place[0], after=place[1], within=0)
        removed, place, turns = removed + turn.removed, turn.next, turns + 1
        assert turn.removed <= 2
    assert (removed, turns, names()) == (3, 3, set())  # two of sessions, one of people


@pytest.mark.django_db
def test_whatever_refers_to_them_has_an_index(agent: Agent) -> None:
    """Each row takes one index look-up per column that refers to it, however large the tables are."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        for model in prune.PRUNED:
            unused = prune.UNUSED.format(
                table=model._meta.db_table, choice="true", free=prune._unreferenced_condition(model)
            )
            values = {"after": prune.START, "last": first_id(REGISTRATION_NOW), "before": BEFORE_PRUNING}
            cursor.execute(f"EXPLAIN {unused}", values)
            plan = "\n".join(row[0] for row in cursor.fetchall())
            assert "Seq Scan" not in plan, plan
            assert plan.count("Index") > len(prune.referring_columns(model)), plan


# Coming back while it is swept


@pytest.mark.django_db
def test_whoever_comes_back_stays(agent: Agent, django_assert_num_queries: Any) -> None:
    """Coming back costs one more statement once in hours, not each time."""
    old_session(agent, "back")
    old_person(agent, "noor")
    actor = factories.actor(agent, session="back", user="noor")
    assert prune.prune_all(before=BEFORE_PRUNING, within=60).removed == 0
    with django_assert_num_queries(1):
        assert factories.actor(agent, session="back", user="noor").session_id == actor.session_id
    factories.memory(actor, "Said.", scope=Scope.GLOBAL)


@pytest.mark.django_db
def test_what_was_swept_just_before_is_registered_anew(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    """The row is swept between the look-up and the note that it is used."""
    old_session(agent, "back")
    old_person(agent, "noor")
    noted = registry.register.note_use

    def sweep_first(row: Any, **options: Any) -> Any:
        prune.prune_all(before=BEFORE_PRUNING, within=60)
        return noted(row, **options)

    for module in (registry, registry.register):
        monkeypatch.setattr(module, "note_use", sweep_first)
    read = resolve_context(agent, CallContext(session="back", user="noor"), register=False)
    assert (read.session_id, read.person_id, read.unregistered) == (None, None, True)
    old_session(agent, "back")
    old_person(agent, "noor")
    found = resolve_context(agent, CallContext(session="back", user="noor"), register=True)
    assert (found.session_id, found.person_id) == (Session.objects.get().pk, Person.objects.get().pk)


@pytest.mark.django_db(transaction=True)
def test_a_write_that_is_underway_keeps_what_it_refers_to(agent: Agent) -> None:
    """The sweeper passes over a session that an open transaction refers to, and finds the reference afterwards."""
    session = old_session(agent, "back")
    memory = factories.memory(factories.actor(agent), "Said.")
    with transaction.atomic():
        Memory.objects.filter(pk=memory.pk).update(session=session)
        assert elsewhere(lambda: prune.prune_all(before=BEFORE_PRUNING, within=60).removed) == 0
    assert prune.prune_all(before=BEFORE_PRUNING, within=60).removed == 0
    assert Memory.objects.get().session == session


@pytest.mark.django_db(transaction=True)
def test_writers_who_come_back_while_all_is_swept_lose_nothing(agent: Agent) -> None:
    """Twenty sessions, each named by a write while a sweeper goes over the tables again and again."""
    for number in range(20):
        old_session(agent, f"s-{number}")
        old_person(agent, f"p-{number}")
    secret, stopped = registry.issue_token(agent=agent).text, threading.Event()

    def sweep() -> None:
        while not stopped.is_set():
            prune.prune_all(before=BEFORE_PRUNING, within=60)

    sweeper = threading.Thread(target=lambda: _closing(sweep))
    sweeper.start()
    try:
        for number in range(20):
            said = {"session": f"s-{number}", "user": f"p-{number}"}
            actor = auth.authenticate_agent(token=secret, context=CallContext(**said), register=True)
            factories.memory(actor, f"Said {number}.", scope=Scope.GLOBAL)
    finally:
        stopped.set()
        sweeper.join()
    assert Memory.objects.filter(session__name__startswith="s-", person__handle__startswith="p-").count() == 20


@pytest.mark.django_db
def test_the_database_keeps_what_is_referred_to(agent: Agent) -> None:
    """Whatever else fails, no memory is deleted with its session."""
    session = old_session(agent, "kept")
    factories.memory(factories.actor(agent, session="kept"), "Said.")
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM teams_session WHERE id = %s", [session.pk])


def elsewhere(act: Callable[[], Any]) -> Any:
    """Run a function in another thread, on a connection of its own, and return its result."""
    given: list[Any] = []
    thread = threading.Thread(target=lambda: _closing(lambda: given.append(act())))
    thread.start()
    thread.join()
    return given[0]


def _closing(act: Callable[[], Any]) -> None:
    try:
        act()
    finally:
        connection.close()
