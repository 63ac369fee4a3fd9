"""Many memories at once: foreseen, done to all or none, taken back together."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories import operations, recall
from memories.embedding import active_model
from memories.models import Batch, Embedding, Memory, Revision
from memories.operations import bulk_edit, embed
from memories.operations.bulk_edit import build_bulk_edit
from memories.rules.policies import bypass_policy
from memoryhub.errors import Conflict, Forbidden, Invalid, NotFound, TooLarge
from teams import rights
from teams.actor import Actor
from teams.models import Role
from tests import factories
from tests.cast import Cast
from tests.test_races import at_once

pytestmark = pytest.mark.django_db

PIN, FORGET, RESTORE = (
    build_bulk_edit(kind="pin"),
    build_bulk_edit(kind="forget", reason="old"),
    build_bulk_edit(kind="restore"),
)


def three(writer: Actor) -> list[Memory]:
    return [factories.memory(writer, f"number {n}", key=f"k{n}") for n in range(3)]


def read_versions(memories: list[Memory]) -> dict[object, int]:
    return dict(Memory.objects.filter(pk__in=[memory.pk for memory in memories]).values_list("pk", "version"))


def do(actor: Actor, memories: list[Memory], wished: bulk_edit.BulkEdit) -> Batch:
    return bulk_edit.apply_bulk_edit(actor=actor, seen=read_versions(memories), wish=wished)  # type: ignore[arg-type]


def states(field: str) -> set[object]:
    return set(Memory.objects.values_list(field, flat=True))


def test_what_will_change_and_what_not_and_why(cast: Cast) -> None:
    editor, viewer = cast["editor"].actor(), cast["viewer"].actor()
    plain, pinned, gone = cast.memory(), cast.memory(pinned=True), cast.memory()
    operations.forget_memory(actor=editor, memory_id=gone.pk)
    ids = [plain.pk, pinned.pk, gone.pk, uuid4()]
    foreseen = bulk_edit.preview_effects(actor=editor, memory_ids=ids, wish=PIN)
    assert [memory.pk for memory in foreseen.changing] == [plain.pk]
    assert {memory.pk: why for memory, why in foreseen.skipped} == {
        pinned.pk: "It is pinned already.",
        gone.pk: "It is forgotten. Restore it first.",
    }
    assert foreseen.missing == 1
    seen_by_viewer = bulk_edit.preview_effects(actor=viewer, memory_ids=ids, wish=PIN)
    assert {why for _, why in seen_by_viewer.skipped} == {"You may read it, but not change it."}
    assert (seen_by_viewer.changing, seen_by_viewer.missing) == ([], 2)


def test_each_deed_says_why_it_leaves_one_as_it_is(writer: Actor) -> None:
    soon = timezone.now() + timedelta(days=1)
    memory = factories.memory(writer, tags=[f"t{n}" for n in range(32)])
    reasons = [
        (build_bulk_edit(kind="unpin"), "It is not pinned."),
        (build_bulk_edit(kind="tag", tags=["T1"]), "It has these tags already."),
        (build_bulk_edit(kind="tag", tags=["new"]), "It would have more than 32 tags."),
        (build_bulk_edit(kind="untag", tags=["new"]), "It has none of these tags."),
        (build_bulk_edit(kind="expire"), "It has this expiry already."),
        (RESTORE, "It is not forgotten."),
    ]
    for wished, why in reasons:
        assert bulk_edit.preview_effects(actor=writer, memory_ids=[memory.pk], wish=wished).skipped == [(memory, why)]
    assert bulk_edit.preview_effects(
        actor=writer, memory_ids=[memory.pk], wish=build_bulk_edit(kind="expire", expires_at=soon)
    ).changing


@pytest.mark.parametrize(
    ("said", "field", "after", "before", "kind", "back"),
    [
        ({"kind": "pin"}, "pinned", True, False, "pinned", "unpinned"),
        ({"kind": "tag", "tags": ["New"]}, "tags", ["a", "new"], ["a"], "tagged", "tagged"),
        ({"kind": "untag", "tags": ["a"]}, "tags", [], ["a"], "tagged", "tagged"),
        ({"kind": "expire", "expires_at": "soon"}, "expires_at", "soon", None, "expiry", "expiry"),
    ],
)
def test_all_of_them_change_and_go_back_together(
    writer: Actor, said: dict[str, object], field: str, after: object, before: object, kind: str, back: str
) -> None:
    soon = timezone.now() + timedelta(days=1)
    said = {name: soon if value == "soon" else value for name, value in said.items()}
    memories = [factories.memory(writer, f"number {n}", tags=["a"]) for n in range(3)]
    batch = do(writer, memories, build_bulk_edit(**said))  # type: ignore[arg-type]
    values = [getattr(memory, field) for memory in Memory.objects.all()]
    assert values == [soon if after == "soon" else after] * 3
    assert (set(batch.versions_before), set(batch.versions_after)) == ({1}, {2})
    bulk_edit.undo_bulk_edit(actor=writer, batch_id=batch.pk)
    assert [getattr(memory, field) for memory in Memory.objects.all()] == [before] * 3
    for memory in memories:
        history = Revision.objects.filter(memory=memory).order_by("version")
        assert list(history.values_list("change", "agent")) == [
            (change, writer.agent_id) for change in ("created", kind, back)
        ]


def test_what_is_forgotten_together_is_gone_and_comes_back_with_its_keys(writer: Actor) -> None:
    memories = three(writer)
    batch = do(writer, memories, FORGET)
    assert recall.recall(actor=writer, query="number", noted=False).hits == []
    assert not Embedding.objects.exists()
    assert states("forget_reason") == {"old"}
    assert states("forgotten_by") == {writer.name}
    taken = factories.memory(writer, "another", key="k0")
    undone = bulk_edit.undo_bulk_edit(actor=writer, batch_id=batch.pk)
    assert undone.left_ids == []
    assert states("forgotten_at") == {None}
    assert Embedding.objects.count() == 1
    embed.catch_up()  # which the commit asks for
    assert Embedding.objects.count() == 4
    owners = set(Memory.objects.filter(owns_key=True).values_list("pk", "key"))
    assert owners == {(taken.pk, "k0"), (memories[1].pk, "k1"), (memories[2].pk, "k2")}


def test_a_forgotten_owner_leaves_its_key_to_its_namesake(writer: Actor) -> None:
    owner = factories.memory(writer, key="k")
    heir = factories.memory(writer, key="k", dedupe="create")
    do(writer, [owner], FORGET)
    assert Memory.objects.alive().get(owns_key=True) == heir


def test_restoring_together_can_be_undone_too(writer: Actor) -> None:
    memories = three(writer)
    do(writer, memories, FORGET)
    gone_at = states("forgotten_at")
    batch = do(writer, memories, RESTORE)
    assert states("forgotten_at") == {None}
    assert states("owns_key") == {True}
    bulk_edit.undo_bulk_edit(actor=writer, batch_id=batch.pk)
    assert states("forgotten_at") == gone_at
    assert states("forget_reason") == {"old"}
    assert bulk_edit.preview_effects(actor=writer, memory_ids=[memories[0].pk], wish=RESTORE).changing


def test_an_expiry_that_has_passed_does_not_come_back(writer: Actor) -> None:
    now = timezone.now()
    memory = factories.memory(writer, expires_at=now + timedelta(hours=1))
    batch = do(writer, [memory], build_bulk_edit(kind="expire"))
    undone = bulk_edit.undo_bulk_edit(actor=writer, batch_id=batch.pk, now=now + timedelta(hours=2))
    assert undone.left_ids == [memory.pk]
    assert states("expires_at") == {None}


def test_if_one_has_changed_meanwhile_none_is_changed(writer: Actor) -> None:
    memories = three(writer)
    as_seen = {memory.pk: 1 for memory in memories}
    operations.append_to_memory(actor=writer, memory_id=memories[1].pk, text="more")
    with pytest.raises(Conflict, match="changed meanwhile"):
        bulk_edit.apply_bulk_edit(actor=writer, seen=as_seen, wish=PIN)
    assert states("pinned") == {False}
    assert not Batch.objects.exists()


def test_undo_leaves_alone_what_others_changed_since(writer: Actor) -> None:
    memories = three(writer)
    batch = do(writer, memories, PIN)
    trusted = bypass_policy(writer)  # which holds what agents do to pinned memories
    operations.update_memory(actor=trusted, memory_id=memories[0].pk, content="better")
    operations.forget_memory(actor=trusted, memory_id=memories[1].pk)
    undone = bulk_edit.undo_bulk_edit(actor=writer, batch_id=batch.pk)
    assert set(undone.left_ids) == {memories[0].pk, memories[1].pk}
    assert set(Memory.objects.filter(pinned=True)) == {memories[0], memories[1]}
    with pytest.raises(Conflict, match="already been undone"):
        bulk_edit.undo_bulk_edit(actor=writer, batch_id=batch.pk)


def test_an_undo_from_another_workspace_does_not_use_the_undo_up(cast: Cast) -> None:
    batch = do(cast["editor"].actor(), [cast.memory()], FORGET)
    elsewhere = rights.login_actor(user=cast["editor"].user, workspace="green")  # type: ignore[arg-type]
    with pytest.raises(NotFound):
        bulk_edit.undo_bulk_edit(actor=elsewhere, batch_id=batch.pk)
    assert bulk_edit.undo_bulk_edit(actor=cast["editor"].actor(), batch_id=batch.pk).left_ids == []
    assert states("forgotten_at") == {None}


def test_others_memories_might_as_well_not_exist(cast: Cast) -> None:
    editor = cast["editor"].actor()
    mine, theirs = cast.memory(), factories.memory(cast["outsider"].actor())
    foreseen = bulk_edit.preview_effects(actor=editor, memory_ids=[mine.pk, theirs.pk], wish=PIN)
    assert (foreseen.changing, foreseen.skipped, foreseen.missing) == ([mine], [], 1)
    refusals = []
    for unknown in (theirs.pk, uuid4()):
        with pytest.raises(Conflict) as refused:
            bulk_edit.apply_bulk_edit(actor=editor, seen={mine.pk: 1, unknown: 1}, wish=PIN)
        refusals.append(refused.value.message)
    assert refusals[0] == refusals[1]
    assert states("pinned") == {False}


def test_readers_are_told_no(cast: Cast) -> None:
    memory = cast.memory()
    with pytest.raises(Forbidden):
        bulk_edit.apply_bulk_edit(actor=cast["viewer"].actor(), seen={memory.pk: 1}, wish=PIN)
    assert states("pinned") == {False}


def test_a_batch_is_undone_by_who_did_it_or_owns_the_team(cast: Cast) -> None:
    batch = do(cast["editor"].actor(), [cast.memory()], PIN)
    colleague = rights.login_actor(user=factories.member(cast.ops, Role.EDITOR), workspace="blue")
    for stranger in (colleague, cast["viewer"].actor(), cast["mira"].actor(), cast["outsider"].actor()):
        with pytest.raises(NotFound):
            bulk_edit.undo_bulk_edit(actor=stranger, batch_id=batch.pk)
    assert bulk_edit.undo_bulk_edit(actor=cast["owner"].actor(), batch_id=batch.pk).undone_by == "owner"
    assert states("pinned") == {False}


def test_five_hundred_at_most_and_one_at_least(writer: Actor) -> None:
    for ids, sentence in (([], "Select some"), ([uuid4() for _ in range(501)], "At most 500")):
        with pytest.raises(Invalid, match=sentence):
            bulk_edit.preview_effects(actor=writer, memory_ids=ids, wish=PIN)
        with pytest.raises(Invalid, match=sentence):
            bulk_edit.apply_bulk_edit(actor=writer, seen=dict.fromkeys(ids, 1), wish=PIN)


def test_more_bytes_than_one_request_may_touch_are_refused(writer: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    memories = three(writer)
    monkeypatch.setattr(bulk_edit, "MAX_BULK_BYTES", 20)
    assert bulk_edit.preview_effects(actor=writer, memory_ids=[memories[0].pk, memories[1].pk], wish=PIN).changing
    sentence = "At most 20 bytes of content at once; these are 24. Do it in parts."
    with pytest.raises(TooLarge, match=sentence):
        bulk_edit.preview_effects(actor=writer, memory_ids=[memory.pk for memory in memories], wish=PIN)
    with pytest.raises(TooLarge, match=sentence):
        do(writer, memories, PIN)
    assert states("version") == {1}
    assert do(writer, memories[:2], PIN).memory_ids
    Memory.objects.filter(pk=memories[2].pk).update(content="longer than all of it")
    assert do(writer, memories[2:], PIN).memory_ids


@pytest.mark.parametrize("said", [{"kind": "explode"}, {"kind": "tag"}, {"kind": "untag", "tags": [" "]}])
def test_a_wish_says_what_it_wants(said: dict[str, object]) -> None:
    with pytest.raises(Invalid):
        build_bulk_edit(**said)  # type: ignore[arg-type]


def test_nothing_expires_in_the_past() -> None:
    with pytest.raises(Invalid, match="already past"):
        build_bulk_edit(kind="expire", expires_at=timezone.now() - timedelta(days=1))


@pytest.mark.parametrize("wished", [PIN, build_bulk_edit(kind="tag", tags=["x"]), FORGET])
def test_a_batch_needs_no_more_statements_for_more_memories(writer: Actor, wished: bulk_edit.BulkEdit) -> None:
    counts = []
    for size in (2, 40):
        memories = [factories.memory(writer, f"number {n}") for n in range(size)]
        active_model.invalidate_active_models()
        active_model.get_active_models()  # which is known for a while
        with CaptureQueriesContext(connection) as heard:
            batch = do(writer, memories, wished)
            bulk_edit.undo_bulk_edit(actor=writer, batch_id=batch.pk)
        counts.append(len(heard))
    assert counts[0] == counts[1]


@pytest.mark.django_db(transaction=True)
def test_batches_at_once_do_not_wait_for_each_other_and_one_wins(transactional_db: None) -> None:
    writer = factories.actor()
    memories = three(writer)
    forwards, backwards = ({m.pk: 1 for m in order} for order in (memories, reversed(memories)))
    results = at_once(
        8, lambda n: bulk_edit.apply_bulk_edit(actor=writer, seen=forwards if n % 2 else backwards, wish=PIN)
    )
    assert sum(isinstance(result, Batch) for result in results) == 1
    assert sum(isinstance(result, Conflict) for result in results) == 7
    assert states("version") == {2}


@pytest.mark.django_db(transaction=True)
def test_a_batch_and_writers_at_once_lose_nothing(transactional_db: None) -> None:
    writer = factories.actor()
    memories = three(writer)
    as_seen = {memory.pk: 1 for memory in memories}

    def act(number: int) -> object:
        if number == 0:
            return bulk_edit.apply_bulk_edit(
                actor=writer, seen=as_seen, wish=build_bulk_edit(kind="tag", tags=["batch"])
            )
        return operations.append_to_memory(actor=writer, memory_id=memories[number - 1].pk, text="more")

    outcome = at_once(4, act)[0]
    assert {memory.content for memory in Memory.objects.all()} == {f"number {n}\nmore" for n in range(3)}
    assert states("version") == {3 if isinstance(outcome, Batch) else 2}
    assert all(
        tags == (["batch"] if isinstance(outcome, Batch) else [])
        for tags in Memory.objects.values_list("tags", flat=True)
    )


@pytest.mark.django_db(transaction=True)
def test_a_batch_is_undone_once(transactional_db: None) -> None:
    writer = factories.actor()
    batch = do(writer, three(writer), PIN)
    results = at_once(6, lambda n: bulk_edit.undo_bulk_edit(actor=writer, batch_id=batch.pk))
    assert sum(isinstance(result, Batch) for result in results) == 1
    assert states("version") == {3}
