"""Where a text comes from, and what its readers are told about it."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from memories import operations
from memories.models import Memory, Proposal, Provenance
from memories.prompts.context import build_context
from teams.actor import Actor
from teams.models import Role, Team
from tests import factories
from tests.caller import Caller
from tests.mcp_caller import Messenger

pytestmark = pytest.mark.django_db
SHOWN_LABELS = {
    "tool": "unverified tool output",
    "import": "unverified import",
    "extraction": "unverified extraction",
}


@pytest.fixture
def scribe(team: Team) -> Actor:
    return factories.actor(factories.agent(team, "scribe"))


@pytest.fixture
def reader(team: Team) -> Actor:
    return factories.actor(factories.agent(team, "reader"))


@pytest.mark.parametrize("provenance", SHOWN_LABELS)
def test_agents_are_told_of_a_text_that_nobody_has_verified(provenance: str, scribe: Actor, reader: Actor) -> None:
    memory = factories.memory(scribe, "The crane is serviced in May.", provenance=provenance)
    token = factories.token(reader)

    def read() -> list[str | None]:
        """Return the label in a recall by REST and by MCP, in the list, and by id."""
        rest, mcp = Caller(token=token), Messenger(token=token)
        hits = rest("POST", "recall", {"query": "crane"}).json()["memories"]
        told = mcp.call("memory_recall", query="crane")["memories"]
        listed = rest("GET", "memories").json()["memories"]
        return [one.get("trust") for one in (*hits, *told, *listed, rest("GET", f"memories/{memory.pk}").json())]

    def read_prompt() -> str:
        return build_context(actor=reader, query="crane").text

    assert read() == [SHOWN_LABELS[provenance]] * 4
    assert f"[fact][scribe][{SHOWN_LABELS[provenance]}] The crane is serviced in May." in read_prompt()
    operations.verify_memory(actor=reader, memory_id=memory.pk)
    assert read() == [None] * 4
    assert "[fact][scribe] The crane is serviced in May." in read_prompt()


def test_the_core_says_so_too(scribe: Actor, reader: Actor) -> None:
    factories.memory(scribe, "We write short sentences.", key="core", provenance="tool")
    block = build_context(actor=reader).text
    assert block.startswith("--- TEAM CORE MEMORY ---\n[unverified tool output]\nWe write short sentences.\n")


def test_a_text_is_trusted_as_its_least_trusted_part(scribe: Actor, reader: Actor) -> None:
    told = factories.memory(scribe, "Seen in a log.", provenance="tool")
    appended = operations.append_to_memory(actor=reader, memory_id=told.pk, text="And by me.")
    assert appended.provenance == Provenance.TOOL
    rewritten = operations.update_memory(actor=reader, memory_id=told.pk, content="By me alone.")
    assert rewritten.provenance == Provenance.AGENT


def test_a_new_text_is_not_verified(scribe: Actor, reader: Actor) -> None:
    memory = factories.memory(scribe, "Seen in a log.", provenance="tool")
    Memory.objects.filter(pk=memory.pk).update(verified_at=timezone.now(), verified_by="ana")
    operations.append_to_memory(actor=reader, memory_id=memory.pk, text="And more.")
    assert "[unverified tool output]" in build_context(actor=reader).text


# Every write may declare less trust than its caller has, and none more


def read_provenance(memory: Memory) -> str:
    return Memory.objects.values_list("provenance", flat=True).get(pk=memory.pk)


def declare_by_change(caller: Caller, memory: Memory, declared: str) -> int:
    return caller("PATCH", f"memories/{memory.pk}", {"content": "From a page.", "provenance": declared}).status_code


def declare_by_tags(caller: Caller, memory: Memory, declared: str) -> int:
    return caller("PATCH", f"memories/{memory.pk}", {"tags": ["page"], "provenance": declared}).status_code


def declare_by_addition(caller: Caller, memory: Memory, declared: str) -> int:
    return caller("POST", f"memories/{memory.pk}/append", {"text": "From a page.", "provenance": declared}).status_code


def declare_by_key(caller: Caller, memory: Memory, declared: str) -> int:
    return caller("PUT", "keys/crane", {"content": "From a page.", "provenance": declared}).status_code


def declare_by_version(caller: Caller, memory: Memory, declared: str) -> int:
    body = {"content": "From a page.", "key": "crane", "version": 1, "provenance": declared}
    return caller("POST", "memories", body).status_code


DECLARATIONS = [declare_by_change, declare_by_tags, declare_by_addition, declare_by_key, declare_by_version]


@pytest.mark.parametrize("declare", DECLARATIONS)
def test_a_change_may_say_that_its_text_is_less_trusted(declare: Callable[..., int], scribe: Actor) -> None:
    memory = factories.memory(scribe, "The crane is serviced in May.", key="crane")
    caller = Caller(token=factories.token(scribe))
    assert (declare(caller, memory, "person"), read_provenance(memory)) == (400, "agent")
    assert (declare(caller, memory, "tool"), read_provenance(memory)) == (200, "tool")


@pytest.mark.parametrize("declare", DECLARATIONS)
def test_an_approval_makes_no_text_more_trusted(declare: Callable[..., int], team: Team, scribe: Actor) -> None:
    owner = factories.owner_actor(team)
    memory = factories.memory(owner, "The crane is serviced in May.", key="crane", pinned=True)
    declare(Caller(token=factories.token(scribe)), memory, "tool")
    assert read_provenance(memory) == "person"
    operations.approve_proposal(actor=owner, proposal_id=Proposal.objects.get().pk)
    assert read_provenance(memory) == "tool"


def test_an_approved_addition_leaves_the_text_as_little_trusted(team: Team, scribe: Actor) -> None:
    owner = factories.owner_actor(team)
    memory = factories.memory(owner, "The crane is serviced in May.", pinned=True, provenance="tool")
    operations.append_to_memory(actor=scribe, memory_id=memory.pk, text="Ask Ana.")
    operations.approve_proposal(actor=owner, proposal_id=Proposal.objects.get().pk)
    assert (Memory.objects.get(pk=memory.pk).version, read_provenance(memory)) == (2, "tool")


# Pages


@pytest.mark.parametrize("page", ["memories/", "memories/?q=crane", "recall/?query=crane", "memories/{id}/"])
def test_pages_say_what_is_disputed_and_not_to_be_taken_at_its_word(page: str, team: Team, scribe: Actor) -> None:
    memory = factories.memory(scribe, "The crane is serviced on berth 7.", provenance="tool")
    viewer = factories.log_in_member(team, Role.VIEWER, "vera")
    address = f"/t/{team.organization.slug}/{team.slug}/{page.format(id=memory.pk)}"
    shown = viewer.get(address).text
    assert ("unverified tool output" in shown, "disputed" in shown) == (True, False)
    factories.memory(scribe, "The crane is serviced on berth 9.")
    operations.verify_memory(actor=factories.owner_actor(team), memory_id=memory.pk)
    shown = viewer.get(address).text
    assert ("unverified tool output" in shown, "disputed" in shown) == (False, True)
