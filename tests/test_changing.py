"""Changing, forgetting, restoring, reverting, purging: each a version with who and what."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from memories import operations
from memories.models import Answer, Asset, Association, Memory, Revision, Scope, Source
from memories.rules.policies import bypass_policy
from memoryhub.errors import Conflict, Forbidden, Invalid, NotFound, TooLarge
from teams.actor import Actor
from teams.models import Team
from tests import factories
from tests.cast import Cast


@pytest.fixture
def memory(writer: Actor) -> Memory:
    return factories.memory(writer, "Tea at four.", key="tea", tags=["habit"])


def kinds(memory: Memory) -> list[str]:
    return list(Revision.objects.filter(memory=memory).order_by("version").values_list("change", flat=True))


def test_each_change_leaves_its_version_and_kind(writer: Actor, memory: Memory) -> None:
    same: dict[str, Any] = {"actor": bypass_policy(writer), "memory_id": memory.pk}
    operations.update_memory(**same, content="Tea at five.")
    operations.append_to_memory(**same, text="With milk.")
    operations.pin_memory(**same)
    operations.pin_memory(**same, pinned=False)
    operations.tag_memory(**same, add=["daily"], remove=["habit"])
    operations.set_expiry(**same, expires_at=timezone.now() + timedelta(days=1))
    checker = factories.actor(factories.agent(Team.objects.get(pk=writer.team_id), "checker"))
    operations.verify_memory(actor=checker, memory_id=memory.pk, review_by=timezone.now() + timedelta(days=90))
    operations.forget_memory(**same, reason="moved to coffee")
    final = operations.restore_memory(**same)
    assert kinds(memory) == [
        *("created", "updated", "appended", "pinned", "unpinned", "tagged", "expiry", "verified"),
        *("forgotten", "restored"),
    ]
    assert (final.version, final.content, final.tags) == (10, "Tea at five.\nWith milk.", ["daily"])
    assert (final.verified_by, final.forgotten_at, final.forget_reason) == ("checker", None, "")


def test_history_names_every_hand(cast: Cast) -> None:
    memory = cast.memory(key="shared")
    operations.update_memory(actor=cast["teammate"].actor(), memory_id=memory.pk, content="b")
    operations.update_memory(actor=cast["owner"].actor(), memory_id=memory.pk, content="c")
    bylines = [revision.byline for revision in Revision.objects.filter(memory=memory).order_by("version")]
    assert bylines == ["writer", "teammate", "owner"]


def test_a_stale_version_gets_the_current_text(writer: Actor, memory: Memory) -> None:
    operations.update_memory(actor=writer, memory_id=memory.pk, content="Coffee at four.", version=1)
    with pytest.raises(Conflict, match="You saw version 1; it is now version 2") as refusal:
        operations.update_memory(actor=writer, memory_id=memory.pk, content="Cocoa at four.", version=1)
    assert refusal.value.current.content == "Coffee at four."


def test_an_empty_change_is_refused(writer: Actor, memory: Memory) -> None:
    with pytest.raises(Invalid):
        operations.update_memory(actor=writer, memory_id=memory.pk)


def test_appending_past_the_limit_says_the_size(writer: Actor) -> None:
    memory = factories.memory(writer, "a" * 49_990)
    with pytest.raises(TooLarge, match="50,001"):
        operations.append_to_memory(actor=writer, memory_id=memory.pk, text="b" * 10)
    memory.refresh_from_db()
    assert (memory.version, len(memory.content)) == (1, 49_990)
    assert operations.append_to_memory(actor=writer, memory_id=memory.pk, text="b" * 9).version == 2


def test_too_many_tags_in_two_steps_are_refused(writer: Actor, memory: Memory) -> None:
    operations.tag_memory(actor=writer, memory_id=memory.pk, add=[f"t{n}" for n in range(31)])
    with pytest.raises(Invalid, match="33"):
        operations.tag_memory(actor=writer, memory_id=memory.pk, add=["one-more"])


def test_forgotten_is_gone_kept_and_restorable(writer: Actor, memory: Memory) -> None:
    operations.forget_memory(actor=writer, memory_id=memory.pk, reason="outdated")
    assert not Memory.objects.visible_to(writer).exists()
    kept = Memory.objects.restorable_by(writer).get()
    assert (kept.forget_reason, kept.forgotten_by, kept.content) == ("outdated", writer.name, "Tea at four.")
    with pytest.raises(Conflict, match="forgotten"):
        operations.forget_memory(actor=writer, memory_id=memory.pk)
    assert operations.restore_memory(actor=writer, memory_id=memory.pk).owns_key
    with pytest.raises(Conflict, match="not forgotten"):
        operations.restore_memory(actor=writer, memory_id=memory.pk)


def test_restoring_what_expired_lets_it_stay(writer: Actor) -> None:
    then = timezone.now() - timedelta(days=2)
    draft = operations.Draft(content="x", expires_at=then + timedelta(days=1))
    memory = operations.save_memory(actor=writer, draft=draft, now=then)
    assert operations.sweep_expired(rows=Memory.objects.all(), now=timezone.now()) == 1
    assert operations.sweep_expired(rows=Memory.objects.all(), now=timezone.now()) == 0
    assert operations.restore_memory(actor=writer, memory_id=memory.pk).expires_at is None
    assert Memory.objects.visible_to(writer).exists()


def test_strangers_cannot_restore(cast: Cast) -> None:
    memory = cast.memory()
    operations.forget_memory(actor=cast["writer"].actor(), memory_id=memory.pk)
    for name in ("stranger", "outsider", "elsewhere", "viewer"):
        with pytest.raises(NotFound):
            operations.restore_memory(actor=cast[name].actor(), memory_id=memory.pk)


def test_revert_says_again_what_an_old_version_said(writer: Actor, memory: Memory) -> None:
    writer = bypass_policy(writer)  # which holds what agents do to pinned memories
    operations.update_memory(actor=writer, memory_id=memory.pk, content="Coffee.", key="coffee", tags=[], pinned=True)
    back = operations.revert_memory(actor=writer, memory_id=memory.pk, to_version=1)
    assert (back.version, back.content, back.key, back.tags, back.pinned) == (
        3,
        "Tea at four.",
        "tea",
        ["habit"],
        False,
    )
    assert kinds(memory)[-1] == "reverted"
    with pytest.raises(NotFound, match="version 9"):
        operations.revert_memory(actor=writer, memory_id=memory.pk, to_version=9)


def test_revert_does_not_bring_back_a_passed_expiry(writer: Actor) -> None:
    then = timezone.now() - timedelta(days=2)
    draft = operations.Draft(content="x", expires_at=then + timedelta(days=1))
    memory = operations.save_memory(actor=writer, draft=draft, now=then)
    operations.set_expiry(actor=writer, memory_id=memory.pk, expires_at=None, now=then)
    assert operations.revert_memory(actor=writer, memory_id=memory.pk, to_version=1).expires_at is None


@pytest.mark.django_db(transaction=True)
def test_purge_removes_the_words_from_everywhere() -> None:
    team = factories.team()
    writer = factories.actor(factories.agent(team))
    owner = factories.owner_actor(team)
    memory = factories.memory(writer, "SECRET one", key="SECRET", summary="SECRET", tags=["secret"])
    other = factories.memory(writer)
    operations.update_memory(actor=writer, memory_id=memory.pk, content="SECRET two", metadata={"SECRET": 1})
    asset = operations.attach_file(actor=writer, memory_id=memory.pk, file=ContentFile(b"SECRET"), name="SECRET.txt")
    operations.add_citation(actor=writer, memory_id=memory.pk, quote="SECRET")
    operations.associate(actor=writer, origin_id=memory.pk, target_id=other.pk)
    result = operations.IdempotentResult({"content": "SECRET"}, memory_ids=(memory.pk,))
    operations.run_once(actor=writer, key="k", request=b"", act=lambda: result)
    path = asset.file.name

    operations.purge_memory(actor=owner, memory_id=memory.pk)

    for model in (Asset, Source, Association, Answer):
        assert not model.objects.exists()
    assert not default_storage.exists(path)
    rows = [*Memory.objects.filter(pk=memory.pk).values(), *Revision.objects.filter(memory=memory).values()]
    assert len(rows) == 4
    assert "SECRET" not in str(rows).replace("secret", "SECRET")
    assert not Memory.objects.restorable_by(writer).exists()
    with pytest.raises(NotFound):
        operations.purge_memory(actor=owner, memory_id=memory.pk)


def test_only_owners_purge(cast: Cast) -> None:
    memory = cast.memory()
    for name in ("writer", "editor", "viewer", "director"):
        with pytest.raises(Forbidden):
            operations.purge_memory(actor=cast[name].actor(), memory_id=memory.pk)
    assert operations.purge_memory(actor=cast["owner"].actor(), memory_id=memory.pk).content == "[purged]"


def test_rescope_moves_a_memory_to_another_audience(cast: Cast) -> None:
    memory = cast.memory()
    writer = cast["writer"].actor()
    moved = operations.change_scope(actor=writer, memory_id=memory.pk, scope="project", audience=cast.project.pk)
    assert moved.audience == cast.project.pk
    assert Memory.objects.visible_to(cast["guest"].actor()).filter(pk=memory.pk).exists()
    assert not Memory.objects.visible_to(cast["bystander"].actor()).filter(pk=memory.pk).exists()
    assert Revision.objects.get(memory=memory, version=2).audience == cast.project.pk


def test_revert_does_not_bring_what_was_written_for_another_audience(cast: Cast) -> None:
    writer = cast["writer"].actor()
    memory = cast.memory(Scope.AGENT, "SECRET: my private note")
    operations.update_memory(actor=writer, memory_id=memory.pk, content="cleaned")
    operations.change_scope(actor=writer, memory_id=memory.pk, scope="team", audience=cast.ops.pk)
    with pytest.raises(NotFound, match="version 1"):
        operations.revert_memory(actor=cast["teammate"].actor(), memory_id=memory.pk, to_version=1)


def test_nobody_takes_anothers_memory_for_their_own(cast: Cast) -> None:
    memory = cast.memory()
    teammate = cast["teammate"].actor()
    assert teammate.agent_id
    with pytest.raises(Invalid, match="the agent that wrote it"):
        operations.change_scope(actor=teammate, memory_id=memory.pk, scope="agent", audience=teammate.agent_id)


def test_a_purged_owner_leaves_its_key_to_a_namesake(cast: Cast) -> None:
    owner = cast.memory(key="k")
    namesake = cast.memory(key="k", dedupe="create")
    operations.purge_memory(actor=cast["owner"].actor(), memory_id=owner.pk)
    assert cast.memory(key="k").pk == namesake.pk
