"""Where a text comes from, and what its readers are told about it."""

import pytest
from django.utils import timezone

from memories import operations
from memories.models import Memory, Provenance
from memories.prompts.context import build_context
from teams.actor import Actor
from teams.models import Team
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
