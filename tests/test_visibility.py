"""The one rule about who sees and changes a memory, through every door."""

from collections.abc import Callable
from datetime import timedelta
from itertools import product

import pytest
from django.core.files.base import ContentFile
from django.test import Client
from django.utils import timezone

from memories import operations
from memories.models import Memory, Scope
from memoryhub.errors import Forbidden, NotFound
from teams.actor import Actor
from teams.models import Admission, Verb
from tests import doors, factories
from tests.cast import AGENTS, EVERYBODY, PEOPLE, WHO_CHANGES, WHO_SEES, Cast, Member

WHO_USES = {**doors.ALL, **dict.fromkeys(doors.OF_THE_CONTEXT, AGENTS)}
BY_EVERY_DOOR = pytest.mark.parametrize("door", WHO_USES, ids=lambda door: door.__name__)
BY_DOOR = pytest.mark.parametrize("door", doors.ALL, ids=lambda door: door.__name__)


@BY_EVERY_DOOR
def test_each_scope_shows_only_to_its_readers(cast: Cast, door: doors.Door) -> None:
    saved = {scope: cast.memory(scope, f"The {scope} pager is blue.") for scope in Scope}
    shown = {scope: seers(cast, door, memory) for scope, memory in saved.items()}
    assert shown == {scope: WHO_SEES[scope] & set(WHO_USES[door]) for scope in Scope}


@BY_EVERY_DOOR
def test_expired_and_forgotten_show_to_nobody(cast: Cast, door: doors.Door) -> None:
    """Nobody of those who saw the memory sees it any more."""
    shown = []
    for scope in Scope:
        expired = cast.memory(scope, f"The {scope} pager was red.", expires_at=timezone.now() + timedelta(hours=1))
        Memory.objects.filter(pk=expired.pk).update(expires_at=timezone.now())
        forgotten = cast.memory(scope, f"The {scope} pager was blue.")
        operations.forget_memory(actor=cast["writer"].actor(), memory_id=forgotten.pk)
        for name, memory in product(WHO_SEES[scope] & set(WHO_USES[door]), (expired, forgotten)):
            shown += [(scope, name, memory)] if door(cast[name], memory) else []
    assert shown == []


# Whom what another of the cast saves shows to, of the agents.
OTHERS: dict[str, dict[Scope, set[str]]] = {
    "guest": {
        Scope.TEAM: {"guest", "stranger"},
        Scope.PROJECT: {"writer", "teammate", "guest"},
        Scope.AGENT: {"guest"},
        Scope.GLOBAL: {"writer", "teammate", "guest"},
    },
    "stranger": {Scope.TEAM: {"guest", "stranger"}, Scope.AGENT: {"stranger"}},
    "elsewhere": {scope: {"elsewhere"} for scope in Scope},
    "outsider": {Scope.TEAM: {"outsider"}, Scope.AGENT: {"outsider"}},
}
ONE_OF_EACH_KIND = (
    *(doors.api_by_id, doors.api_lists, doors.api_recall, doors.api_key, doors.api_why_not),
    *(doors.scoped_list, doors.graph_recall, doors.mcp_key),
)


@pytest.mark.parametrize("door", ONE_OF_EACH_KIND, ids=lambda door: door.__name__)
def test_what_other_teams_workspaces_and_organizations_save_is_theirs(cast: Cast, door: doors.Door) -> None:
    wrong = []
    for owner, scopes in OTHERS.items():
        for scope, readers in scopes.items():
            content = f"The {scope} pager of {owner} is green."
            memory = factories.memory(cast[owner].actor(), content, scope=scope)
            shown = seers(cast, door, memory)
            wrong += [(owner, scope, shown)] if shown != readers else []
    assert wrong == []


def test_an_archive_has_what_the_agent_sees_of_its_own_team(cast: Cast) -> None:
    saved = {scope: cast.memory(scope, f"The {scope} pager is blue.") for scope in Scope}
    shown = {
        scope: {name for name in AGENTS if doors.api_export(cast[name], memory)} for scope, memory in saved.items()
    }
    assert shown == {scope: WHO_SEES[scope] & set(AGENTS) - {"guest"} for scope in Scope}


def test_the_forgotten_are_listed_to_those_who_may_bring_them_back(cast: Cast) -> None:
    for scope in Scope:
        memory = cast.memory(scope, f"The {scope} pager was blue.")
        operations.forget_memory(actor=cast["writer"].actor(), memory_id=memory.pk)
        assert {name for name in AGENTS if lists_forgotten(cast[name], memory)} == WHO_CHANGES[scope] & set(AGENTS)
        assert not lists_forgotten(cast["writer"], memory, Verb.WRITE)
        assert not lists_forgotten(cast["writer"], memory, Verb.READ)


def lists_forgotten(member: Member, memory: Memory, *verbs: Verb) -> bool:
    """Return whether a memory is listed among the forgotten, by REST and by MCP: both must agree."""
    response = Client().get("/api/v1/memories?forgotten=true", headers=doors.headers(member, *verbs))
    result = doors.messenger(member, *verbs).result("tools/call", name="memory_list", arguments={"forgotten": True})
    assert (response.status_code, "isError" in result) in ((200, False), (403, True))
    shown = {str(memory.pk) in str(response.json()), str(memory.pk) in str(result)}
    assert len(shown) == 1
    return shown == {True}


@pytest.mark.parametrize("door", doors.OF_THE_INBOX, ids=lambda door: door.__name__)
def test_what_waits_for_a_decision_shows_to_people_who_may_change_it(cast: Cast, door: doors.Door) -> None:
    saved = {scope: cast.memory(scope, f"The {scope} pager is blue.") for scope in Scope}
    shown = {scope: {name for name in PEOPLE if door(cast[name], memory)} for scope, memory in saved.items()}
    assert shown == {scope: WHO_CHANGES[scope] & set(PEOPLE) for scope in Scope}


def seers(cast: Cast, door: doors.Door, memory: Memory) -> set[str]:
    """Return the names of those users of this door who see the memory through it."""
    return {name for name in WHO_USES[door] if door(cast[name], memory)}


@BY_DOOR
def test_directors_read_upwards_and_nobody_reads_down_or_sideways(cast: Cast, door: doors.Door) -> None:
    chief = factories.actor(factories.agent(cast.executive, "chief"), workspace="blue")
    above = factories.memory(chief, "We hire in autumn.")
    assert seers(cast, door, above) == {"director"}
    assert not Memory.objects.visible_to(chief).filter(pk=cast.memory().pk).exists()


def test_a_read_only_glance_needs_the_verb(cast: Cast) -> None:
    agent = cast["writer"].agent
    blind = factories.actor(agent, verbs=frozenset({Verb.WRITE}), workspace="blue")
    assert not Memory.objects.visible_to(blind).filter(pk=cast.memory().pk).exists()


def test_a_withdrawn_admission_ends_the_guests_view(cast: Cast) -> None:
    memory = cast.memory(Scope.PROJECT)
    Admission.objects.all().delete()
    with pytest.raises(NotFound, match="apollo"):
        doors.queryset(cast["guest"], memory)


@pytest.mark.parametrize("scope", Scope)
@pytest.mark.parametrize("name", EVERYBODY)
def test_only_writers_change_and_strangers_learn_nothing(cast: Cast, scope: Scope, name: str) -> None:
    memory = cast.memory(scope)
    actor = cast[name].actor()
    if name in WHO_CHANGES[scope]:
        assert operations.update_memory(actor=actor, memory_id=memory.pk, content="Moved.").version == 2
        return
    with pytest.raises(Forbidden if name in WHO_SEES[scope] else NotFound):
        operations.update_memory(actor=actor, memory_id=memory.pk, content="Moved.")
    memory.refresh_from_db()
    assert (memory.version, memory.content) == (1, "The pager is in the left drawer.")


Act = Callable[[Actor, Memory], object]
CHANGES: dict[str, Act] = {
    "update": lambda actor, memory: operations.update_memory(actor=actor, memory_id=memory.pk, content="x"),
    "append": lambda actor, memory: operations.append_to_memory(actor=actor, memory_id=memory.pk, text="x"),
    "pin": lambda actor, memory: operations.pin_memory(actor=actor, memory_id=memory.pk),
    "tag": lambda actor, memory: operations.tag_memory(actor=actor, memory_id=memory.pk, add=["x"]),
    "expire": lambda actor, memory: operations.set_expiry(actor=actor, memory_id=memory.pk, expires_at=None),
    "verify": lambda actor, memory: operations.verify_memory(actor=actor, memory_id=memory.pk),
    "forget": lambda actor, memory: operations.forget_memory(actor=actor, memory_id=memory.pk),
    "revert": lambda actor, memory: operations.revert_memory(actor=actor, memory_id=memory.pk, to_version=1),
    "purge": lambda actor, memory: operations.purge_memory(actor=actor, memory_id=memory.pk),
    "cite": lambda actor, memory: operations.add_citation(actor=actor, memory_id=memory.pk, quote="x"),
    "associate": lambda actor, memory: operations.associate(
        actor=actor, origin_id=memory.pk, target_id=factories.memory_beside(memory).pk
    ),
    "attach": lambda actor, memory: operations.attach_file(
        actor=actor, memory_id=memory.pk, file=ContentFile(b"x"), name="x.txt"
    ),
    "rescope": lambda actor, memory: operations.change_scope(
        actor=actor, memory_id=memory.pk, scope="team", audience=actor.team_id
    ),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", ["stranger", "outsider", "elsewhere", "mira"])
def test_no_change_reaches_a_strangers_memory(cast: Cast, change: str, name: str) -> None:
    memory = cast.memory()
    with pytest.raises(NotFound):
        CHANGES[change](cast[name].actor(), memory)
    memory.refresh_from_db()
    assert memory.version == 1


@pytest.mark.parametrize("change", CHANGES)
def test_a_viewer_is_told_no(cast: Cast, change: str) -> None:
    memory = cast.memory()
    with pytest.raises(NotFound if change == "rescope" else Forbidden):
        CHANGES[change](cast["viewer"].actor(), memory)
    memory.refresh_from_db()
    assert memory.version == 1


@pytest.mark.parametrize("change", [name for name in CHANGES if name != "purge"])
def test_a_token_without_the_verb_is_told_no(cast: Cast, change: str) -> None:
    memory = cast.memory()
    reader = factories.actor(cast["writer"].agent, verbs=frozenset({Verb.READ}), workspace="blue")
    with pytest.raises(Forbidden, match="verbs are read"):
        CHANGES[change](reader, memory)


def test_a_link_leads_only_to_what_the_linker_sees(cast: Cast) -> None:
    hidden = factories.memory(cast["stranger"].actor(), "Sales target: 4 million.")
    mine = cast.memory()
    with pytest.raises(NotFound):
        operations.associate(actor=cast["writer"].actor(), origin_id=mine.pk, target_id=hidden.pk)


def test_nobody_saves_for_an_audience_they_cannot_write_for(cast: Cast) -> None:
    draft = operations.Draft(content="x", audience=cast.sales.pk)
    with pytest.raises(NotFound):
        operations.save_memory(actor=cast["owner"].actor(), draft=draft)
    with pytest.raises(Forbidden):
        operations.save_memory(actor=cast["viewer"].actor(), draft=operations.Draft(content="x"))
    above = operations.Draft(content="x", audience=cast.executive.pk)
    with pytest.raises(Forbidden):
        operations.save_memory(actor=cast["director"].actor(), draft=above)
    assert not Memory.objects.exists()
