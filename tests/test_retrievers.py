"""Which ways lead to candidates is said by the settings."""

from collections.abc import Iterator
from uuid import UUID

import pytest
from pytest_django import Settings

from memories import operations
from memories.models import Memory
from memories.recall import recall
from teams.actor import Actor
from tests.cast import Cast

OWN, BROKEN = "tests.test_retrievers.from_a_note", "tests.test_retrievers.broken"
_noted: list[Memory] = []


def from_a_note(*, actor: Actor, query: str) -> Iterator[tuple[UUID, float]]:
    return ((memory.pk, 7.0) for memory in _noted)


def broken(*, actor: Actor, query: str) -> Iterator[tuple[UUID, float]]:
    raise RuntimeError("The wiki is gone.")


def save_content(actor: Actor, content: str) -> Memory:
    return operations.save_memory(actor=actor, draft=operations.Draft(content=content))


def recall_contents(actor: Actor, query: str) -> list[str]:
    return [hit.memory.content for hit in recall(actor=actor, query=query).hits]


@pytest.fixture
def linked(writer: Actor) -> Actor:
    anchor, winch = save_content(writer, "The anchor hangs aft."), save_content(writer, "Grease it monthly.")
    operations.associate(actor=writer, origin_id=anchor.pk, target_id=winch.pk, weight=1.0)
    return writer


def test_links_can_be_left_out(linked: Actor, settings: Settings) -> None:
    settings.EMBEDDING = "none"
    settings.RETRIEVERS = ("words", "links")
    assert recall_contents(linked, "anchor") == ["The anchor hangs aft.", "Grease it monthly."]
    settings.RETRIEVERS = ("words",)
    assert recall_contents(linked, "anchor") == ["The anchor hangs aft."]


def test_without_meaning_only_words_count_and_it_is_said(linked: Actor, settings: Settings) -> None:
    settings.RETRIEVERS = ("words",)
    result = recall(actor=linked, query="ship's iron hook")
    assert not result.hits
    assert "switched off" in result.note


def test_without_words_meaning_finds(linked: Actor, settings: Settings) -> None:
    settings.RETRIEVERS = ("meaning",)
    (hit, *_) = recall(actor=linked, query="anchor").hits
    assert hit.scored
    assert (hit.memory.content, hit.scored.words_rank) == ("The anchor hangs aft.", None)


def test_one_of_ones_own_brings_what_nobody_else_finds(linked: Actor, settings: Settings) -> None:
    settings.RETRIEVERS = ("words", OWN)
    _noted[:] = [Memory.objects.get(content="Grease it monthly.")]
    assert recall_contents(linked, "anchor") == ["The anchor hangs aft.", "Grease it monthly."]


def test_it_brings_nothing_that_the_asker_may_not_see(cast: Cast, settings: Settings) -> None:
    settings.RETRIEVERS = ("words", OWN)
    _noted[:] = [cast.memory()]
    assert recall_contents(cast["stranger"].actor(), "anything") == []
    assert recall_contents(cast["writer"].actor(), "anything") == ["The pager is in the left drawer."]


def test_one_that_fails_leaves_the_others(linked: Actor, settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    settings.RETRIEVERS = ("words", BROKEN)
    assert recall_contents(linked, "anchor") == ["The anchor hangs aft."]
    assert "The wiki is gone." in caplog.text
