"""Tests of the list of changes, which shows to each reader only what they may know."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from memories import operations
from memories.models import Change, Memory, Scope
from memories.queries.activity import CHANGE_VERBS, MAX_INLINE_DIFF_LENGTH, list_changes
from memories.queries.presence import Presence
from teams.actor import Actor
from tests import factories
from tests.cast import Cast

pytestmark = pytest.mark.django_db


def test_every_kind_of_change_has_words() -> None:
    assert set(CHANGE_VERBS) == set(Change)


def test_each_change_comes_with_the_text_before(writer: Actor) -> None:
    memory = factories.memory(writer, "The queue runs on RabbitMQ.")
    operations.update_memory(actor=writer, memory_id=memory.pk, content="The queue runs on Postgres.")
    operations.pin_memory(actor=writer, memory_id=memory.pk)
    pinned, updated, created = list_changes(actor=writer, limit=10).changes
    assert (created.before, created.text, created.differs) == (None, "The queue runs on RabbitMQ.", False)
    assert (updated.before, updated.differs) == ("The queue runs on RabbitMQ.", True)
    assert (pinned.verb, pinned.differs) == ("pinned", False)


def test_long_texts_are_not_compared(writer: Actor) -> None:
    memory = factories.memory(writer, "long " * MAX_INLINE_DIFF_LENGTH)
    operations.update_memory(actor=writer, memory_id=memory.pk, content="short")
    updated = list_changes(actor=writer, limit=10).changes[0]
    assert (updated.long, updated.differs) == (True, False)


def test_pages_follow_each_other_across_audiences(writer: Actor) -> None:
    made = [factories.memory(writer, f"{n}", scope=(Scope.TEAM, Scope.AGENT)[n % 2]).pk for n in range(7)]
    first = list_changes(actor=writer, limit=4)
    rest = list_changes(actor=writer, limit=4, cursor=first.next)
    assert [told.revision.memory_id for told in [*first.changes, *rest.changes]] == made[::-1]
    assert rest.next is None


def test_only_what_one_reads_is_told(cast: Cast) -> None:
    for scope in Scope:
        cast.memory(scope, f"Of the {scope}.")
    told = {
        name: {one.text for one in list_changes(actor=cast[name].actor(), limit=10).changes} for name in cast.members
    }
    assert told["viewer"] == {"Of the team.", "Of the project."}
    assert told["owner"] == {"Of the team.", "Of the project.", "Of the agent."}
    assert told["stranger"] == told["outsider"] == told["elsewhere"] == set()


def test_what_left_ones_sight_is_not_quoted(cast: Cast) -> None:
    """After a memory was forgotten, expired, purged or moved away, its changes stay listed, but not its text."""
    now = timezone.now()
    writer, owner, viewer = (cast[name].actor() for name in ("writer", "owner", "viewer"))
    forgotten, expired, purged, moved = (cast.memory(content=f"Text {number}.") for number in range(4))
    operations.forget_memory(actor=writer, memory_id=forgotten.pk)
    Memory.objects.filter(pk=expired.pk).update(expires_at=now - timedelta(seconds=1))
    operations.purge_memory(actor=owner, memory_id=purged.pk)
    operations.change_scope(actor=writer, memory_id=moved.pk, scope=Scope.AGENT, audience=moved.agent_id)
    seen = list_changes(actor=viewer, limit=20).changes
    assert len(seen) == 6
    assert {(told.presence, told.text, told.before) for told in seen} == {(Presence.GONE, "", None)}
    restorable = {
        told.revision.memory_id for told in list_changes(actor=owner, limit=20).changes if told.text == "Text 0."
    }
    assert restorable == {forgotten.pk}


def test_a_version_for_others_is_not_compared_with(cast: Cast) -> None:
    memory = cast.memory(Scope.AGENT, "Private words.")
    writer = cast["writer"].actor()
    operations.change_scope(actor=writer, memory_id=memory.pk, scope=Scope.TEAM, audience=cast.ops.pk)
    (told,) = list_changes(actor=cast["viewer"].actor(), limit=5).changes
    assert (told.text, told.before) == ("Private words.", None)


def test_whoever_reads_nothing_is_told_nothing(writer: Actor) -> None:
    factories.memory(writer)
    assert list_changes(actor=replace(writer, reads=frozenset()), limit=5).changes == []
