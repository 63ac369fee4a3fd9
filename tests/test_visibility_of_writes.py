"""The one rule about who changes a memory, through every door that writes."""

from itertools import product

import pytest

from memories import operations
from memories.dialects import DIALECTS
from memories.mcp.tools import TOOLS
from memories.models import Scope
from teams.models import Verb
from tests import factories, writing
from tests.belongings import SECRET, Belongings, belongings, undone
from tests.cast import AGENTS, Cast
from tests.writing import WHOSE, WRITES, Answered, Write


def held(cast: Cast, whose: str) -> Belongings:
    """The writer's of one scope, or what an agent of the team above has."""
    if whose != "above":
        return belongings(cast["writer"].actor(), "theirs", scope=Scope(whose))
    return belongings(factories.actor(factories.agent(cast.executive, "chief"), workspace="blue"), "theirs")


def tried_with(whose: str) -> list[str]:
    """Files are tried once for all scopes. What is above was not forgotten by anybody here."""
    return [
        door
        for door, write in WRITES.items()
        if not (write.of_files and whose not in ("team", "above")) and not (write.forgotten and whose == "above")
    ]


def tried(cast: Cast, write: Write, theirs: Belongings, name: str, *verbs: Verb) -> tuple[Answered, bool]:
    """What it answered and whether it changed anything. Whatever it did is undone."""
    cast[name].token(*verbs)  # which is not
    with undone():
        if write.forgotten:
            operations.forget(actor=cast["writer"].actor(), memory_id=theirs.memory.pk)
        before = theirs.rows()
        answer = write.act(cast[name], theirs, verbs)
        return answer, theirs.rows() != before


@pytest.mark.parametrize("whose", WHOSE)
def test_each_write_obeys_those_who_may_change_it_and_nobody_else(cast: Cast, whose: str) -> None:
    theirs, rights, wrong = held(cast, whose), WHOSE[whose], []
    for door, name in product(tried_with(whose), AGENTS):
        write = WRITES[door]
        answer, changed = tried(cast, write, theirs, name)
        obeyed = name in write.obeys(rights)
        right = answer.status < 300 if obeyed else answer.status in write.allowed(rights, name)
        leaks = SECRET in answer.text and name not in rights.sees
        if not right or changed != obeyed or leaks:
            wrong.append((door, name, changed, answer))
    assert wrong == []


def test_every_tool_that_writes_is_tried() -> None:
    tools = {f"{dialect}/{tool.name}" for dialect, tools in DIALECTS.items() for tool in tools if not tool.reads}
    assert tools == {door.partition(" ")[0] for door in writing.DIALECTS}
    hub = {tool.name for tool in TOOLS if not tool.reads}
    assert hub == {door.partition(" ")[0] for door in writing.HUB} | writing.OF_SESSIONS


def test_a_token_that_only_reads_changes_nothing(cast: Cast) -> None:
    shared, own = held(cast, "team"), held(cast, "agent")
    wrong = []
    for door, write in WRITES.items():
        theirs = own if door == "scoped/save" else shared  # which knows no memories of teams
        answer, changed = tried(cast, write, theirs, "writer", Verb.READ)
        if answer.status != 403 or changed:
            wrong.append((door, changed, answer))
    assert wrong == []


def test_a_token_that_may_not_read_is_shown_nothing_by_writing(cast: Cast) -> None:
    theirs = held(cast, "team")
    wrong = []
    for door, write in WRITES.items():
        answer, _ = tried(cast, write, theirs, "writer", Verb.WRITE, Verb.FORGET)
        if SECRET in answer.text:
            wrong.append((door, answer))
    assert wrong == []
