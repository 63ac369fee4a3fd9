"""Validity in time: what holds now, what held then, and what replaced what."""

import threading
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories import operations
from memories.contract.use_cases.memories import list_memory_page
from memories.models import Association, Memory, Relation
from memories.prompts.context import build_context
from memories.queries.lookup import list_key_timeline
from memories.recall import Filters, recall, why_not
from memoryhub.errors import Conflict, Invalid, NotFound
from teams.actor import Actor
from tests import factories

pytestmark = pytest.mark.django_db
MARCH, MAY = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 5, 1, tzinfo=UTC)


def contents(actor: Actor, query: str = "the port of the gateway", **options: object) -> list[str]:
    return [hit.memory.content for hit in recall(actor=actor, query=query, **options).hits]  # type: ignore[arg-type]


def two_ports(writer: Actor) -> tuple[Memory, Memory]:
    old = factories.memory(writer, "The gateway listens on port 8080.", key="gateway-port", valid_from=MARCH)
    new = factories.memory(writer, "The gateway listens on port 1933.", valid_from=MAY)
    return old, new


def test_recall_gives_what_holds_now(writer: Actor) -> None:
    now = timezone.now()
    factories.memory(writer, "The gateway listened on port 1.", valid_until=now - timedelta(days=1))
    factories.memory(writer, "The gateway will listen on port 2.", valid_from=now + timedelta(days=1))
    factories.memory(writer, "The gateway listens on port 3.", valid_from=now - timedelta(days=1))
    assert contents(writer) == ["The gateway listens on port 3."]
    assert contents(writer, as_of=now - timedelta(days=2)) == ["The gateway listened on port 1."]
    assert [hit.memory.content[-2] for hit in recall(actor=writer, mode="recent").hits] == ["3"]
    assert "port 3" in build_context(actor=writer).text
    assert "port 1" not in build_context(actor=writer).text


def test_a_replaced_memory_is_closed_when_its_successor_begins(writer: Actor) -> None:
    old, new = two_ports(writer)
    closed = operations.supersede_memory(actor=writer, memory_id=old.pk, by=new.pk)
    assert (closed.valid_until, closed.superseded_by, closed.owns_key) == (MAY, new.pk, False)
    successor = Memory.objects.defer("search").get(pk=new.pk)
    assert (successor.key, successor.owns_key) == ("gateway-port", True)
    link = Association.objects.get(origin=new.pk, target=old.pk)
    assert (link.relation, link.weight) == (Relation.UPDATES, 1.0)
    assert contents(writer) == ["The gateway listens on port 1933."]
    assert contents(writer, as_of=MAY - timedelta(seconds=1)) == ["The gateway listens on port 8080."]
    assert contents(writer, as_of=MAY) == ["The gateway listens on port 1933."]
    assert not contents(writer, as_of=MARCH - timedelta(seconds=1))


def test_without_a_start_the_successor_holds_since_it_was_saved(writer: Actor) -> None:
    old, new = factories.memory(writer, "Port 8080."), factories.memory(writer, "Port 1933.")
    closed = operations.supersede_memory(actor=writer, memory_id=old.pk, by=new.pk)
    assert closed.valid_until == new.created_at == Memory.objects.get(pk=new.pk).valid_from


def test_the_timeline_of_a_key_has_what_was_replaced(writer: Actor) -> None:
    old, new = two_ports(writer)
    operations.supersede_memory(actor=writer, memory_id=old.pk, by=new.pk)
    timeline = list_key_timeline(actor=writer, key="gateway-port", scope="team")
    assert [memory.pk for memory in timeline] == [new.pk, old.pk]


def test_a_replacement_can_be_undone(writer: Actor) -> None:
    old, new = two_ports(writer)
    operations.supersede_memory(actor=writer, memory_id=old.pk, by=new.pk)
    again = operations.reinstate_memory(actor=writer, memory_id=old.pk)
    assert (again.valid_until, again.superseded_by) == (None, None)
    with pytest.raises(Conflict, match="No memory has replaced"):
        operations.reinstate_memory(actor=writer, memory_id=old.pk)


def test_an_earlier_end_stays_when_a_memory_is_replaced_and_when_that_is_undone(writer: Actor) -> None:
    april = datetime(2026, 4, 1, tzinfo=UTC)
    old = factories.memory(writer, "The gateway listens on port 8080.", valid_from=MARCH, valid_until=april)
    new = factories.memory(writer, "The gateway listens on port 1933.", valid_from=MAY)
    closed = operations.supersede_memory(actor=writer, memory_id=old.pk, by=new.pk)
    assert closed.valid_until == april
    operations.tag_memory(actor=writer, memory_id=old.pk, add=["closed"])
    assert operations.reinstate_memory(actor=writer, memory_id=old.pk).valid_until == april


def test_a_later_end_comes_back_with_the_memory(writer: Actor) -> None:
    june = datetime(2026, 6, 1, tzinfo=UTC)
    old = factories.memory(writer, "The gateway listens on port 8080.", valid_until=june)
    new = factories.memory(writer, "The gateway listens on port 1933.", valid_from=MAY)
    assert operations.supersede_memory(actor=writer, memory_id=old.pk, by=new.pk).valid_until == MAY
    assert operations.reinstate_memory(actor=writer, memory_id=old.pk).valid_until == june


def test_a_replaced_memory_can_still_be_read_by_its_id(writer: Actor) -> None:
    old, new = two_ports(writer)
    operations.supersede_memory(actor=writer, memory_id=old.pk, by=new.pk)
    assert Memory.objects.visible_to(writer).filter(pk=old.pk).exists()
    verdict = why_not(actor=writer, memory_id=old.pk, query="the port of the gateway")
    assert (verdict.rank, "Another memory has replaced it." in verdict.reason) == (None, True)


def test_replacements_make_no_circle(writer: Actor) -> None:
    one, two, three = (factories.memory(writer, f"Port {number}.") for number in (1, 2, 3))
    operations.supersede_memory(actor=writer, memory_id=one.pk, by=two.pk)
    operations.supersede_memory(actor=writer, memory_id=two.pk, by=three.pk)
    with pytest.raises(Conflict, match="circle"):
        operations.supersede_memory(actor=writer, memory_id=three.pk, by=one.pk)
    with pytest.raises(Invalid, match="itself"):
        operations.supersede_memory(actor=writer, memory_id=three.pk, by=three.pk)
    with pytest.raises(Conflict, match="replaced this one already"):
        operations.supersede_memory(actor=writer, memory_id=one.pk, by=three.pk)


def test_a_long_chain_of_replacements_takes_no_more_statements(writer: Actor) -> None:
    """Each memory is replaced by one that has been replaced itself, so that the whole chain has to be followed."""
    chain = [factories.memory(writer, f"Port {number}.") for number in range(12)]
    numbers = []
    for old, new in reversed(list(pairwise(chain))):
        with CaptureQueriesContext(connection) as queries:
            operations.supersede_memory(actor=writer, memory_id=old.pk, by=new.pk)
        numbers.append(len(queries))
    assert len(set(numbers[1:])) == 1
    with pytest.raises(Conflict, match="circle"):
        operations.supersede_memory(actor=writer, memory_id=chain[-1].pk, by=chain[0].pk)


def test_a_chain_of_replacements_has_an_end(writer: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memories.operations.supersede.LONGEST_CHAIN", 2)
    chain = [factories.memory(writer, f"Port {number}.") for number in range(5)]
    for old, new in reversed(list(pairwise(chain[1:]))):
        operations.supersede_memory(actor=writer, memory_id=old.pk, by=new.pk)
    with pytest.raises(Conflict, match="too long"):
        operations.supersede_memory(actor=writer, memory_id=chain[0].pk, by=chain[1].pk)


def test_both_memories_must_be_ones_that_the_caller_may_change(writer: Actor) -> None:
    mine, theirs = factories.memory(writer, "Mine."), factories.memory(factories.actor(), "Theirs.")
    for old, new in ((mine, theirs), (theirs, mine)):
        with pytest.raises(NotFound):
            operations.supersede_memory(actor=writer, memory_id=old.pk, by=new.pk)
    own = factories.memory(writer, "My own.", scope="agent")
    with pytest.raises(Invalid, match="same audience"):
        operations.supersede_memory(actor=writer, memory_id=mine.pk, by=own.pk)


@pytest.mark.django_db(transaction=True)
def test_replacements_in_a_circle_at_once_leave_none(writer: Actor) -> None:
    ring = [factories.memory(writer, f"Port {number}.") for number in range(4)]
    barrier = threading.Barrier(4)
    outcomes: list[str] = []

    def replace(place: int) -> None:
        barrier.wait()
        try:
            operations.supersede_memory(actor=writer, memory_id=ring[place].pk, by=ring[(place + 1) % 4].pk)
            outcomes.append("replaced")
        except Conflict:
            outcomes.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=replace, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["refused", "replaced", "replaced", "replaced"]


def test_a_period_cannot_end_before_it_begins(writer: Actor) -> None:
    with pytest.raises(Invalid, match="valid until is not before valid from"):
        factories.memory(writer, "Backwards.", valid_from=MAY, valid_until=MARCH)


# What the hub knew


@pytest.fixture
def before() -> datetime:
    """A moment after the first write of a test and before the others."""
    return timezone.now() - timedelta(days=1)


def save_then(writer: Actor, content: str, before: datetime, **fields: object) -> Memory:
    draft = operations.Draft(content=content, **fields)  # type: ignore[arg-type]
    return operations.save_memory(actor=writer, draft=draft, now=before - timedelta(hours=1))


def test_what_was_replaced_later_is_what_the_hub_knew(writer: Actor, before: datetime) -> None:
    """The replacement is dated back: as the hub knows now, the old one did not hold then. Then it did not know that."""
    old = save_then(writer, "The gateway listens on port 8080.", before, key="gateway-port")
    new = factories.memory(writer, "The gateway listens on port 1933.")
    operations.supersede_memory(actor=writer, memory_id=old.pk, by=new.pk, at=MARCH)
    assert contents(writer, as_of=before) == ["The gateway listens on port 1933."]
    for asked in ({}, {"mode": "recent"}, {"mode": "keyword"}, {"as_of": timezone.now()}):
        assert contents(writer, known_at=before, **asked) == ["The gateway listens on port 8080."], asked
    assert contents(writer, known_at=timezone.now()) == ["The gateway listens on port 1933."]
    timeline = list_key_timeline(actor=writer, key="gateway-port", scope="team", known_at=before)
    assert [(memory.pk, memory.valid_until, memory.superseded_by) for memory in timeline] == [(old.pk, None, None)]
    told = build_context(actor=writer, query="the port of the gateway", known_at=before).text
    assert ("8080" in told, "1933" in told) == (True, False)


def test_a_text_is_read_and_found_as_it_was(writer: Actor, before: datetime) -> None:
    memory = save_then(writer, "Marta keeps the spare keys of the harbour.", before, type="fact", tags=["keys"])
    operations.update_memory(actor=writer, memory_id=memory.pk, content="Nobody is told.", type="decision", tags=["x"])
    asked = {"query": "who keeps the spare keys of the harbour?", "known_at": before}
    (hit,) = recall(actor=writer, **asked).hits
    assert (hit.memory.content, hit.memory.version, hit.memory.type) == (
        "Marta keeps the spare keys of the harbour.",
        1,
        "fact",
    )
    assert not recall(actor=writer, filters=Filters(type="decision"), **asked).hits
    assert recall(actor=writer, filters=Filters(type="fact", tags=["keys"]), **asked).hits
    assert "Marta keeps" in build_context(actor=writer, known_at=before).text


def test_what_was_hidden_since_or_written_for_others_stays_hidden(writer: Actor, before: datetime) -> None:
    gone = save_then(writer, "The gateway is gone.", before)
    operations.forget_memory(actor=writer, memory_id=gone.pk)
    private = save_then(writer, "The gateway was mine.", before, scope="agent")
    operations.change_scope(actor=writer, memory_id=private.pk, scope="team")
    restored = save_then(writer, "The gateway was forgotten then.", before)
    operations.forget_memory(actor=writer, memory_id=restored.pk, now=before - timedelta(minutes=2))
    operations.restore_memory(actor=writer, memory_id=restored.pk)
    factories.memory(writer, "The gateway is new.")
    assert not contents(writer, known_at=before)
    assert not contents(writer, known_at=before, mode="recent")
    assert "gateway" not in build_context(actor=writer, query="the gateway", known_at=before).text
    assert list_all(writer, known_at=before) == []


def list_all(actor: Actor, **params: object) -> list[str]:
    asked = {"limit": 50, "order": "-created_at", "forgotten": False, **params}
    return [row["content"] for row in list_memory_page(actor, asked)["memories"]]


def test_lists_have_the_versions_of_then_and_filter_by_them(writer: Actor, before: datetime) -> None:
    tagged = save_then(writer, "The lock is closed.", before, tags=["locks"])
    operations.update_memory(actor=writer, memory_id=tagged.pk, content="The lock is open.", tags=["doors"])
    assert (
        list_all(writer, known_at=before)
        == list_all(writer, known_at=before, tags=["locks"])
        == ["The lock is closed."]
    )
    assert list_all(writer, known_at=before, tags=["doors"]) == []
    assert list_all(writer, tags=["doors"]) == ["The lock is open."]
