"""Many at once: Postgres decides, nobody's write is lost, the losers are told."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier
from typing import Any
from uuid import UUID

import pytest
from django.db import connections

from memories import operations
from memories.models import Answer, Association, Memory, Pair, Proposal, Revision, Source, TeamFile
from memories.operations import Draft
from memories.rules.preconditions import tail_of_id
from memoryhub.errors import Conflict, NotFound
from teams.actor import Actor
from teams.models import Agent, Team
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def writer(transactional_db: None) -> Actor:
    return factories.actor()


def at_once(number: int, act: Callable[[int], Any]) -> list[Any]:
    """Run a function in so many threads, all starting together, and return each one's result or the refusal it met."""
    start = Barrier(number)

    def one(position: int) -> Any:
        start.wait()
        try:
            return act(position)
        except Conflict as refusal:
            return refusal
        finally:
            connections.close_all()

    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(one, range(number)))


def test_fifty_threads_saving_one_key_leave_one_row_with_fifty_versions(writer: Actor) -> None:
    saved = at_once(50, lambda n: operations.save_memory(actor=writer, draft=Draft(key="k", content=f"by {n}")))
    memory = Memory.objects.get()
    assert memory.version == 50
    assert sorted(row.version for row in saved) == list(range(1, 51))
    history = Revision.objects.filter(memory=memory)
    assert set(history.values_list("content", flat=True)) == {f"by {n}" for n in range(50)}
    assert {(row.version, row.content) for row in saved} == set(history.values_list("version", "content"))


def propose_first_line(writer: Actor, editor: Actor) -> Proposal:
    """Return a change of the first line of a pinned memory, which waits for a person."""
    memory = factories.memory(editor, "Line one.\nLine two.\nLine three.", pinned=True)
    content = "Line 1.\nLine two.\nLine three."
    held = operations.update_memory(actor=writer, memory_id=memory.pk, content=content)
    return Proposal.objects.get(pk=held.proposal_id)


@pytest.mark.parametrize("attempt", range(5))
def test_an_approval_and_a_change_at_once_lose_nothing(writer: Actor, attempt: int) -> None:
    team = Team.objects.get(pk=writer.team_id)
    editor, other = factories.owner_actor(team), factories.owner_actor(team)
    proposal = propose_first_line(writer, editor)
    acts: list[Callable[[], object]] = [
        lambda: operations.approve_proposal(actor=other, proposal_id=proposal.pk),
        lambda: operations.update_memory(
            actor=editor, memory_id=proposal.memory_id, content="Line one.\nLine two.\nLine 3.", version=1
        ),
    ]
    approved, changed = at_once(2, lambda place: acts[place]())
    assert not isinstance(approved, Conflict)
    content = Memory.objects.get(pk=proposal.memory_id).content
    if isinstance(changed, Conflict):  # the editor is told, and the approved text stands
        assert (content, changed.current.version) == ("Line 1.\nLine two.\nLine three.", 2)
    else:
        assert content == "Line 1.\nLine two.\nLine 3."


@pytest.mark.parametrize("attempt", range(5))
def test_merging_into_a_memory_that_is_forgotten_meanwhile_loses_nothing(writer: Actor, attempt: int) -> None:
    Team.objects.filter(pk=writer.team_id).update(policy={"rules": [{"who": ["agent"], "then": "propose"}]})
    team = Team.objects.get(pk=writer.team_id)
    editor, other = factories.owner_actor(team), factories.owner_actor(team)
    target = factories.memory(editor, "The pump runs by day.")
    agent = Agent.objects.select_related("team__organization").get(pk=writer.agent_id)
    proposed = factories.memory(factories.actor(agent), "The pump is blue.")
    joined = "The pump runs by day. It is blue."
    acts: list[Callable[[], object]] = [
        lambda: operations.merge_proposal(
            actor=other, proposal_id=proposed.proposal_id, target_id=target.pk, content=joined
        ),
        lambda: operations.forget_memory(actor=editor, memory_id=target.pk),
    ]
    merged, forgotten = at_once(2, lambda place: acts[place]())
    assert not isinstance(forgotten, Conflict)
    state = Proposal.objects.get(pk=proposed.proposal_id).state
    status = Memory.objects.get(pk=proposed.pk).status
    if isinstance(merged, Conflict):
        assert (state, status) == ("open", "proposed")
        assert "forgotten" in merged.message
    else:
        assert (state, status) == ("approved", "rejected")
        assert Revision.objects.filter(memory=target.pk, content=joined).exists()


@pytest.mark.parametrize("forgotten", ["older", "newer"])
@pytest.mark.parametrize("attempt", range(4))
def test_merging_a_pair_of_which_one_is_forgotten_meanwhile_loses_nothing(
    writer: Actor, attempt: int, forgotten: str
) -> None:
    older = factories.memory(writer, "The pump in hall two runs at night.", tags=["old"])
    newer = factories.memory(writer, "The pump in hall two is running at night.", tags=["new"])
    pair = Pair.objects.get(older=older.pk, newer=newer.pk)
    merge = operations.Settlement(decision="merge", content="The pump in hall two runs at night, from ten.")
    victim = older if forgotten == "older" else newer

    def settle() -> object:
        try:
            return operations.settle_pair(actor=writer, pair_id=pair.pk, settlement=merge)
        except NotFound as refusal:  # it was no pair any more
            return Conflict(refusal.message)

    acts: list[Callable[[], object]] = [settle, lambda: operations.forget_memory(actor=writer, memory_id=victim.pk)]
    merged, gone = at_once(2, lambda place: acts[place]())
    assert not isinstance(gone, Conflict)
    kept, other, state = Memory.objects.get(pk=newer.pk), Memory.objects.get(pk=older.pk), Pair.objects.get(pk=pair.pk)
    assert Memory.objects.get(pk=victim.pk).forgotten_at
    if isinstance(merged, Conflict):
        assert (kept.content, kept.tags, other.superseded_by, state.state) == (newer.content, ["new"], None, "open")
    else:
        assert (kept.tags, other.superseded_by, state.state) == (["new", "old"], newer.pk, "settled")
        assert Revision.objects.filter(memory=newer.pk, content=merge.content).exists()


def test_of_four_who_replace_one_memory_one_does(writer: Actor) -> None:
    old, *new = (factories.memory(writer, f"Port {number}.") for number in range(5))
    results = at_once(4, lambda n: operations.supersede_memory(actor=writer, memory_id=old.pk, by=new[n].pk))
    refused = [result for result in results if isinstance(result, Conflict)]
    assert len(refused) == 3
    assert all("replaced this one already" in refusal.message for refusal in refused)
    assert {refusal.current.pk for refusal in refused} == {old.pk}


def test_of_twenty_with_the_same_version_one_wins(writer: Actor) -> None:
    memory = factories.memory(writer, "before")
    results = at_once(
        20, lambda n: operations.update_memory(actor=writer, memory_id=memory.pk, content=f"by {n}", version=1)
    )
    winners = [row for row in results if isinstance(row, Memory)]
    losers = [row for row in results if isinstance(row, Conflict)]
    assert (len(winners), len(losers)) == (1, 19)
    assert {(loser.current.version, loser.current.content) for loser in losers} == {(2, winners[0].content)}
    assert Revision.objects.filter(memory=memory).count() == 2


def test_the_same_idempotency_key_writes_once(writer: Actor) -> None:
    def act() -> operations.IdempotentResult:
        memory = operations.save_memory(actor=writer, draft=Draft(content="once"))
        return operations.IdempotentResult({"id": str(memory.pk)}, memory_ids=(memory.pk,))

    answers = at_once(20, lambda n: operations.run_once(actor=writer, key="retry-1", request=b"{}", act=act))
    assert Memory.objects.count() == Revision.objects.count() == Answer.objects.count() == 1
    assert [answer["id"] for answer in answers] == [str(Memory.objects.get().pk)] * 20


def test_twenty_appends_all_arrive(writer: Actor) -> None:
    memory = factories.memory(writer, "start")
    at_once(20, lambda n: operations.append_to_memory(actor=writer, memory_id=memory.pk, text=f"line {n}"))
    memory.refresh_from_db()
    assert sorted(memory.content.splitlines()[1:]) == sorted(f"line {n}" for n in range(20))
    assert memory.version == 21


def test_twenty_taggers_all_arrive(writer: Actor) -> None:
    memory = factories.memory(writer)
    at_once(20, lambda n: operations.tag_memory(actor=writer, memory_id=memory.pk, add=[f"t{n}"]))
    memory.refresh_from_db()
    assert set(memory.tags) == {f"t{n}" for n in range(20)}


def test_forgetting_and_updating_at_once_never_changes_the_forgotten(writer: Actor) -> None:
    for _ in range(10):
        memory = factories.memory(writer)
        acts: list[Callable[[], Any]] = [
            lambda pk=memory.pk: operations.forget_memory(actor=writer, memory_id=pk),  # type: ignore[misc]
            lambda pk=memory.pk: operations.update_memory(actor=writer, memory_id=pk, content="changed"),  # type: ignore[misc]
        ]
        at_once(2, lambda n, acts=acts: acts[n]())  # type: ignore[misc]
        kinds = list(Revision.objects.filter(memory=memory).order_by("version").values_list("change", flat=True))
        assert kinds in (["created", "forgotten"], ["created", "updated", "forgotten"])


def test_batches_in_opposite_order_do_not_deadlock(writer: Actor) -> None:
    keys = [f"k{n}" for n in range(30)]

    def batch(position: int) -> None:
        ordered = keys if position % 2 else list(reversed(keys))
        operations.save_memories(actor=writer, drafts=[Draft(key=key, content=f"by {position}") for key in ordered])

    at_once(12, batch)
    assert set(Memory.objects.values_list("version", flat=True)) == {12}
    assert Revision.objects.count() == 360


def test_create_and_refuse_under_fire_leave_one_owner(writer: Actor) -> None:
    modes = [operations.Dedupe.CREATE, operations.Dedupe.REFUSE]
    results = at_once(
        20, lambda n: operations.save_memory(actor=writer, draft=Draft(key="k", content="x", dedupe=modes[n % 2]))
    )
    refused = [row for row in results if isinstance(row, Conflict)]
    assert Memory.objects.filter(owns_key=True).count() == 1
    assert Memory.objects.count() == 20 - len(refused)
    assert len(refused) >= 9


def test_one_link_however_many_draw_it(writer: Actor) -> None:
    one, two = factories.memory(writer), factories.memory(writer, "Lunch is at noon.")
    at_once(
        20,
        lambda n: operations.associate(actor=writer, origin_id=one.pk, target_id=two.pk, weight=n / 20),
    )
    assert Association.objects.count() == 1


def test_a_file_written_by_many_keeps_every_version(writer: Actor) -> None:
    at_once(20, lambda n: operations.files.write_file(actor=writer, path="notes/day.md", content=f"by {n}"))
    file = TeamFile.objects.get()
    assert file.version == 20
    assert set(file.versions.values_list("content", flat=True)) == {f"by {n}" for n in range(20)}


def test_unlike_batches_in_opposite_order_do_not_deadlock(writer: Actor) -> None:
    batches = [
        [Draft(key="a", content="x"), Draft(key="b", content="x", tags=["t"])],
        [Draft(key="b", content="x"), Draft(key="a", content="x", tags=["t"])],
    ]
    for _ in range(5):
        at_once(8, lambda n: operations.save_memories(actor=writer, drafts=batches[n % 2]))
    assert set(Memory.objects.values_list("version", flat=True)) == {40}


def test_versions_never_run_back_in_time(writer: Actor) -> None:
    at_once(30, lambda n: operations.save_memory(actor=writer, draft=Draft(key="k", content=f"by {n}")))
    times = list(Revision.objects.order_by("version").values_list("created_at", flat=True))
    assert times == sorted(times)
    assert Memory.objects.get().updated_at == times[-1]


def test_nothing_is_hung_on_a_memory_while_it_is_purged() -> None:
    team = factories.team()
    writer, owner = factories.actor(factories.agent(team)), factories.owner_actor(team)
    for _ in range(5):
        memory, other = factories.memory(writer), factories.memory(writer)

        def act(n: int, pk: UUID = memory.pk, other: UUID = other.pk) -> object:
            try:
                if n == 0:
                    return operations.purge_memory(actor=owner, memory_id=pk)
                if n == 1:
                    return operations.add_citation(actor=writer, memory_id=pk, quote="SECRET")
                return operations.associate(actor=writer, origin_id=other, target_id=pk)
            except NotFound as refusal:
                return refusal

        at_once(3, act)
        assert not Source.objects.filter(memory=memory).exists()
        assert not Association.objects.filter(target=memory).exists()


def test_a_write_that_does_not_care_wins_beside_deletions(writer: Actor) -> None:
    def act(n: int) -> object:
        if n == 0:
            try:
                return operations.files.delete_file(actor=writer, path="a.md")
            except NotFound as refusal:
                return refusal
        return operations.files.write_file(actor=writer, path="a.md", content=f"by {n}")

    for _ in range(5):
        operations.files.write_file(actor=writer, path="a.md", content="start")
        results = at_once(5, act)
        assert all(isinstance(result, TeamFile) for result in results[1:])


def test_whoever_is_late_while_it_is_forgotten_is_told_so(writer: Actor) -> None:
    for _ in range(5):
        memory = operations.save_memory(actor=writer, draft=Draft(content="one"))
        operations.update_memory(actor=writer, memory_id=memory.pk, content="two")

        def act(number: int, pk: UUID = memory.pk) -> Memory:
            if number == 10:
                return operations.forget_memory(actor=writer, memory_id=pk)
            return operations.update_memory(actor=writer, memory_id=pk, content="late", version=1)

        assert sum(isinstance(result, Conflict) for result in at_once(20, act)) == 19


def test_whoever_saw_the_former_owner_of_a_key_never_overwrites_the_next(writer: Actor) -> None:
    """Half of the threads forget the memory and save the key anew, the others write over what they saw."""
    former = operations.save_memory(actor=writer, draft=Draft(key="k", content="seen"))
    seen = operations.ExpectedVersion(1, tail_of_id(former.pk))

    def act(number: int) -> None:
        if number % 2:
            with suppress(NotFound):  # nobody has the key for a moment
                operations.save_memory(actor=writer, draft=Draft(key="k", content="over"), version=seen)
            return
        with suppress(Conflict):  # forgotten already
            operations.forget_memory(actor=writer, memory_id=former.pk)
        operations.save_memory(actor=writer, draft=Draft(key="k", content="anew"))

    at_once(20, act)
    next_one = Memory.objects.get(key="k", forgotten_at=None)
    assert set(Revision.objects.filter(memory=next_one).values_list("content", flat=True)) == {"anew"}
    assert next_one.version == 10


def test_whoever_saw_the_former_file_of_a_path_never_overwrites_the_next(writer: Actor) -> None:
    former = operations.files.write_file(actor=writer, path="a.md", content="seen")
    seen = operations.ExpectedVersion(1, tail_of_id(former.pk))

    def act(number: int) -> None:
        with suppress(NotFound):  # nothing is there for a moment
            if number % 2:
                operations.files.write_file(actor=writer, path="a.md", content="over", version=seen)
            elif number == 0:
                operations.files.delete_file(actor=writer, path="a.md")
        if not number % 2:
            operations.files.write_file(actor=writer, path="a.md", content="anew")

    at_once(20, act)
    next_one = TeamFile.objects.alive().get()
    assert next_one.pk != former.pk
    assert set(next_one.versions.values_list("content", flat=True)) == {"anew"}


def test_a_text_that_twenty_save_at_once_is_one_memory(writer: Actor) -> None:
    draft = Draft(content="The pager is in the left drawer.")
    saved = at_once(20, lambda n: operations.save_memory(actor=writer, draft=draft))
    memory = Memory.objects.get()
    assert {row.pk for row in saved} == {memory.pk}
    assert sum(not row.duplicate for row in saved) == 1


def test_batches_of_the_same_texts_at_once_leave_each_text_once(writer: Actor) -> None:
    texts = [f"Ship {n} is in." for n in range(10)]
    batches = [texts, texts[::-1]] * 4
    at_once(8, lambda n: operations.save_memories(actor=writer, drafts=[Draft(content=text) for text in batches[n]]))
    assert sorted(Memory.objects.values_list("content", flat=True)) == texts
