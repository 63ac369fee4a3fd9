"""The one rule about who changes a memory, through every door that writes."""

from contextlib import suppress
from itertools import product

import pytest

from memories import operations
from memories.models import Pair, PairState, Rating, Scope
from memories.tools import DIALECTS
from memories.tools.hub import TOOLS
from memoryhub.errors import NotFound
from teams.models import Verb
from tests import factories, writing
from tests.belongings import SECRET_WORD, Belongings, belongings, undone
from tests.cast import AGENTS, Cast
from tests.writing import WHOSE, WRITES, Answered, Write


def find_belongings(cast: Cast, whose: str) -> Belongings:
    """Return the writer's belongings of one scope, or those of an agent of the team above."""
    if whose != "above":
        return belongings(cast["writer"].actor(), "theirs", scope=Scope(whose))
    return belongings(factories.actor(factories.agent(cast.executive, "chief"), workspace="blue"), "theirs")


def tried_with(whose: str) -> list[str]:
    """Return the writes to try."""
    return [door for door, write in WRITES.items() if _is_tried_with(write, whose)]


def _is_tried_with(write: Write, whose: str) -> bool:
    """Files are tried once for all scopes; nobody here forgot or replaced anything of the team above."""
    if write.of_files:
        return whose in ("team", "above")
    return whose != "above" or not (write.forgotten or write.replaced)


def try_write(cast: Cast, write: Write, theirs: Belongings, name: str, *verbs: Verb) -> tuple[Answered, bool]:
    """Try a write and return its answer and whether it changed anything. Whatever it did is undone."""
    cast[name].token(*verbs)  # which is not
    with undone():
        if write.forgotten:
            operations.forget_memory(actor=cast["writer"].actor(), memory_id=theirs.memory.pk)
        if write.replaced:
            by = theirs.link.target_id
            operations.supersede_memory(actor=cast["writer"].actor(), memory_id=theirs.memory.pk, by=by)
        if write.rated:
            with suppress(NotFound):
                operations.rate_memory(actor=cast[name].actor(), memory_id=theirs.memory.pk, rating=Rating.WRONG)
        if write.settled:
            decided = {"state": PairState.SETTLED, "decision": "not-duplicate", "agent": theirs.memory.agent}
            Pair.objects.filter(pk=theirs.pair.pk).update(**decided)
        before = theirs.rows()
        answer = write.act(cast[name], theirs, verbs)
        return answer, theirs.rows() != before


@pytest.mark.parametrize("whose", WHOSE)
def test_each_write_obeys_those_who_may_change_it_and_nobody_else(cast: Cast, whose: str) -> None:
    theirs, rights, wrong = find_belongings(cast, whose), WHOSE[whose], []
    for door, name in product(tried_with(whose), AGENTS):
        write = WRITES[door]
        answer, changed = try_write(cast, write, theirs, name)
        obeyed = name in write.obeys(rights)
        right = answer.status < 300 if obeyed else answer.status in write.allowed_statuses(rights, name)
        leaks = SECRET_WORD in answer.text and name not in rights.sees
        if not right or changed != obeyed or leaks:
            wrong.append((door, name, changed, answer))
    assert wrong == []


def test_every_tool_that_writes_is_tried() -> None:
    tools = {f"{dialect}/{tool.name}" for dialect, tools in DIALECTS.items() for tool in tools if not tool.reads}
    assert tools == {door.partition(" ")[0] for door in writing.DIALECTS}
    hub = {tool.name for tool in TOOLS if not tool.reads}
    assert hub == {door.partition(" ")[0] for door in writing.HUB} | writing.OF_SESSIONS


def test_a_token_that_only_reads_changes_nothing(cast: Cast) -> None:
    shared, own = find_belongings(cast, "team"), find_belongings(cast, "agent")
    wrong = []
    for door, write in WRITES.items():
        theirs = own if door == "scoped/save" else shared  # which knows no memories of teams
        answer, changed = try_write(cast, write, theirs, "writer", Verb.READ)
        if answer.status != 403 or changed:
            wrong.append((door, changed, answer))
    assert wrong == []


def test_a_token_that_may_not_read_is_shown_nothing_by_writing(cast: Cast) -> None:
    theirs = find_belongings(cast, "team")
    wrong = []
    for door, write in WRITES.items():
        answer, _ = try_write(cast, write, theirs, "writer", Verb.WRITE, Verb.FORGET)
        if SECRET_WORD in answer.text:
            wrong.append((door, answer))
    assert wrong == []
