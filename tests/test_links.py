"""Links in recall: what the first hits lead to is found too, and never out of what the actor sees."""

from itertools import pairwise

import pytest
from django.db import connection

from memories import operations
from memories.models import Association, Memory, Relation, Scope, pgvector
from memories.recall import Mode, recall
from teams.actor import Actor
from tests import factories
from tests.cast import EVERYBODY, WHO_SEES, Cast

FAR = "Grapes ripen late on northern slopes."


def link_memories(actor: Actor, first: Memory, second: Memory, weight: float = 0.9) -> None:
    operations.associate(actor=actor, origin_id=first.pk, target_id=second.pk, weight=weight)


@pytest.fixture
def crowd(writer: Actor) -> list[Memory]:
    """So many that nothing is found by meaning just because there is nothing else."""
    drafts = [operations.Draft(content=f"Ship {n} left berth {n % 7} at {n % 24} o'clock.") for n in range(150)]
    return operations.save_memories(actor=writer, drafts=drafts)


@pytest.mark.parametrize("backwards", [False, True])
def test_a_link_leads_to_what_no_word_and_no_meaning_finds(writer: Actor, crowd: list[Memory], backwards: bool) -> None:
    asked, far = factories.memory(writer, "The anchor windlass squeaks."), factories.memory(writer, FAR)
    link_memories(writer, *((far, asked) if backwards else (asked, far)))
    hits = recall(actor=writer, query="anchor windlass", mode=Mode.KEYWORD).hits
    assert [hit.memory.pk for hit in hits] == [asked.pk, far.pk]
    assert hits[1].scored
    assert hits[1].scored.links_rank == 1
    assert hits[1].relevance < hits[0].relevance


def test_two_steps_are_followed_and_three_are_not(writer: Actor, crowd: list[Memory]) -> None:
    chain = [factories.memory(writer, text) for text in ("The anchor squeaks.", "Grapes.", "Basalt.", "Velvet.")]
    for first, second in pairwise(chain):
        link_memories(writer, first, second)
    hits = recall(actor=writer, query="anchor", mode=Mode.KEYWORD).hits
    assert [hit.memory.pk for hit in hits] == [memory.pk for memory in chain[:3]]


def test_links_stand_behind_what_answers_itself(writer: Actor) -> None:
    asked, better = factories.memory(writer, "The anchor squeaks."), factories.memory(writer, "Our anchor is new.")
    far = factories.memory(writer, FAR)
    link_memories(writer, asked, far, weight=1.0)
    order = [hit.memory.pk for hit in recall(actor=writer, query="anchor", mode=Mode.KEYWORD).hits]
    assert order.index(far.pk) == 2
    assert {asked.pk, better.pk} == set(order[:2])


def test_fan_out_is_bounded(writer: Actor) -> None:
    hub = factories.memory(writer, "The anchor squeaks.")
    others = operations.save_memories(actor=writer, drafts=[operations.Draft(content=f"Grape {n}") for n in range(40)])
    for other in others:
        link_memories(writer, hub, other)
    result = recall(actor=writer, query="anchor", mode=Mode.KEYWORD, limit=50)
    assert len(result.hits) == 11


@pytest.mark.parametrize("scope", Scope)
@pytest.mark.parametrize("name", EVERYBODY)
def test_a_link_never_leads_out_of_what_is_seen(cast: Cast, scope: Scope, name: str) -> None:
    """From a memory that everybody in the table sees in a scope of their own, to one of each scope."""
    hidden = cast.memory(scope)
    actor = cast[name].actor()
    own = Memory.objects.visible_to(actor).exclude(pk=hidden.pk).first() or _own(cast, name)
    Association.objects.create(
        organization_id=hidden.organization_id, origin=hidden, target=_beside(cast, hidden), weight=1.0
    )
    if own and own.organization_id == hidden.organization_id:
        Association.objects.create(organization_id=own.organization_id, origin=own, target=hidden, weight=1.0)
    query = own.content if own else "pager"
    for mode in (Mode.HYBRID, Mode.KEYWORD, Mode.SEMANTIC):
        found = {hit.memory.pk for hit in recall(actor=actor, query=query, mode=mode, limit=50).hits}
        assert (hidden.pk in found) == (name in WHO_SEES[scope])


def _own(cast: Cast, name: str) -> Memory | None:
    """A memory that this one sees: its team's."""
    member = cast[name]
    writer = factories.actor(member.agent, workspace=member.context.workspace) if member.agent else None
    return factories.memory(writer, "Velvet curtains need brushing.") if writer else None


def _beside(cast: Cast, memory: Memory) -> Memory:
    return factories.memory(cast["writer"].actor(), "Something else again, quite apart.")


def test_forgotten_and_expired_ends_are_not_reached(writer: Actor, crowd: list[Memory]) -> None:
    asked, far = factories.memory(writer, "The anchor squeaks."), factories.memory(writer, FAR)
    link_memories(writer, asked, far)
    operations.forget_memory(actor=writer, memory_id=far.pk)
    hits = recall(actor=writer, query="anchor", mode=Mode.KEYWORD).hits
    assert [hit.memory.pk for hit in hits] == [asked.pk]


def test_what_nearly_repeats_another_is_linked_and_said(writer: Actor) -> None:
    if not pgvector.has_vectors(connection):
        return
    first = factories.memory(writer, "Deploys are frozen from Friday noon until Monday morning.")
    other = factories.memory(writer, "Lunch is at half past twelve on weekdays.")
    second = factories.memory(writer, "Deploys are frozen from Friday noon until Monday evening.")
    assert [similar.memory_id for similar in second.similar] == [first.pk]
    assert second.similar[0].similarity > 0.9
    assert list(other.similar) == []
    link = Association.objects.get()
    assert (link.origin_id, link.target_id, link.relation) == (second.pk, first.pk, Relation.UPDATES)
    assert link.agent_id == writer.agent_id


def test_similar_memories_of_others_are_not_told(cast: Cast) -> None:
    text = "The pager is in the left drawer of the desk."
    factories.memory(cast["stranger"].actor(), text)
    factories.memory(cast["elsewhere"].actor(), text)
    factories.memory(cast["writer"].actor(), text, scope="agent")
    assert list(factories.memory(cast["teammate"].actor(), text).similar) == []


def test_similar_links_can_be_switched_off(writer: Actor, settings: pytest.FixtureRequest) -> None:
    settings.SIMILAR_ABOVE = 0.0  # type: ignore[attr-defined]
    for _ in range(2):
        assert list(factories.memory(writer, "The same again and again.").similar) == []
    assert not Association.objects.exists()
