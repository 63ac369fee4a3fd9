"""Saving: keys, defaults, batches."""

from dataclasses import replace
from datetime import timedelta

import orjson
import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from memories.embedding.active_model import get_active_models
from memories.models import Memory, Revision, Scope, pgvector
from memories.operations import (
    BATCH_LIMIT,
    Dedupe,
    Draft,
    forget_memory,
    restore_memory,
    save_memories,
    save_memory,
    sweep_expired,
    update_memory,
)
from memories.operations.same_text import IS_NEW_TEXT, hash_text
from memories.rules.policies import bypass_policy
from memoryhub.errors import Conflict, Invalid, KeyTaken, NotFound
from teams.actor import Actor
from teams.models import Verb
from tests import factories
from tests.cast import Cast


def test_a_save_is_version_1_with_its_revision(writer: Actor) -> None:
    memory = save_memory(actor=writer, draft=Draft(content="Backups run at 03:00 UTC.", tags=["backup"]))
    revision = Revision.objects.get(memory=memory)
    assert (memory.version, revision.version, revision.change) == (1, 1, "created")
    assert (revision.content, revision.tags) == ("Backups run at 03:00 UTC.", ["backup"])
    assert (revision.agent_id, revision.user_id, revision.audience) == (writer.agent_id, None, writer.team_id)


def test_saving_a_key_again_makes_a_version_and_keeps_what_is_unsaid(writer: Actor) -> None:
    first = save_memory(
        actor=writer, draft=Draft(key="oncall", content="Ana", tags=["rota"], type="decision", pinned=True)
    )
    second = save_memory(actor=bypass_policy(writer), draft=Draft(key="oncall", content="Bo", importance=0.9))
    assert (second.pk, second.version, second.content) == (first.pk, 2, "Bo")
    assert (second.tags, second.type, second.pinned, second.importance) == (["rota"], "decision", True, 0.9)
    assert second.created_at == first.created_at < second.updated_at
    history = Revision.objects.filter(memory=first).order_by("version")
    assert list(history.values_list("content", "change")) == [("Ana", "created"), ("Bo", "updated")]


def test_a_summary_does_not_outlive_its_text(writer: Actor) -> None:
    first = save_memory(actor=writer, draft=Draft(key="oncall", content="Ana until May.", summary="Ana", tags=["rota"]))
    assert save_memory(actor=writer, draft=Draft(key="oncall", content="Bo from May.")).summary == ""
    assert save_memory(actor=writer, draft=Draft(key="oncall", content="Cy from June.", summary="Cy")).summary == "Cy"
    same = {"actor": writer, "memory_id": first.pk}
    assert update_memory(**same, tags=["x"]).summary == "Cy"
    assert update_memory(**same, content="Di from July.").summary == ""
    assert update_memory(**same, content="Ed from August.", summary="Ed").summary == "Ed"


def test_null_empties_what_leaving_out_would_keep(writer: Actor) -> None:
    save_memory(actor=writer, draft=Draft(key="k", content="x", expires_at=timezone.now() + timedelta(days=1)))
    assert save_memory(actor=writer, draft=Draft(key="k", content="y")).expires_at is not None
    assert save_memory(actor=writer, draft=Draft(key="k", content="z", expires_at=None)).expires_at is None


def test_the_same_key_lives_once_per_audience_and_workspace(cast: Cast) -> None:
    drafts = [Draft(key="k", content=scope, scope=scope) for scope in Scope]
    here = save_memories(actor=cast["writer"].actor(), drafts=drafts)
    elsewhere = save_memory(actor=cast["elsewhere"].actor(), draft=Draft(key="k", content="green"))
    assert len({memory.pk for memory in (*here, elsewhere)}) == 5
    assert {memory.version for memory in (*here, elsewhere)} == {1}


def test_create_forces_a_new_row_and_the_first_keeps_the_key(writer: Actor) -> None:
    owner = save_memory(actor=writer, draft=Draft(key="k", content="first"))
    other = save_memory(actor=writer, draft=Draft(key="k", content="second", dedupe=Dedupe.CREATE))
    again = save_memory(actor=writer, draft=Draft(key="k", content="third"))
    assert other.pk != owner.pk == again.pk
    assert Memory.objects.with_key("k").first() == again


def test_a_forgotten_owner_leaves_the_key_to_its_namesake(writer: Actor) -> None:
    owner = save_memory(actor=writer, draft=Draft(key="k", content="first"))
    other = save_memory(actor=writer, draft=Draft(key="k", content="second", dedupe=Dedupe.CREATE))
    forget_memory(actor=writer, memory_id=owner.pk)
    assert save_memory(actor=writer, draft=Draft(key="k", content="third")).pk == other.pk
    assert not restore_memory(actor=writer, memory_id=owner.pk).owns_key


def test_refuse_tells_who_has_the_key(writer: Actor) -> None:
    owner = save_memory(actor=writer, draft=Draft(key="k", content="first"))
    with pytest.raises(KeyTaken) as refusal:
        save_memory(actor=writer, draft=Draft(key="k", content="second", dedupe=Dedupe.REFUSE))
    assert refusal.value.current == owner
    assert Revision.objects.count() == 1


def test_an_unknown_dedupe_is_refused(writer: Actor) -> None:
    with pytest.raises(Invalid, match="dedupe"):
        save_memory(actor=writer, draft=Draft(content="x", dedupe="merge"))


def test_an_expired_key_is_free_and_its_holder_kept_for_audit(writer: Actor) -> None:
    then = timezone.now() - timedelta(days=2)
    old = save_memory(actor=writer, draft=Draft(key="k", content="old", expires_at=then + timedelta(days=1)), now=then)
    new = save_memory(actor=writer, draft=Draft(key="k", content="new"))
    old.refresh_from_db()
    assert (new.version, new.pk != old.pk) == (1, True)
    assert (old.forget_reason, old.forgotten_by, old.version) == ("expired", "system", 2)
    assert Revision.objects.get(memory=old, version=2).change == "forgotten"


def test_a_batch_keeps_its_order_and_repeated_keys_get_a_version_each(writer: Actor) -> None:
    drafts = [
        Draft(content="a1", key="a"),
        Draft(content="free"),
        Draft(content="a2", key="a"),
        Draft(content="b1", key="b", pinned=True),
        Draft(content="a3", key="a"),
    ]
    saved = save_memories(actor=writer, drafts=drafts)
    assert [memory.content for memory in saved] == ["a1", "free", "a2", "b1", "a3"]
    assert [memory.version for memory in saved] == [1, 1, 2, 1, 3]
    assert list(Revision.objects.filter(memory=saved[0]).order_by("version").values_list("content", flat=True)) == [
        *("a1", "a2", "a3")
    ]


def test_a_batch_is_all_or_nothing(writer: Actor) -> None:
    save_memory(actor=writer, draft=Draft(key="taken", content="x"))
    with pytest.raises(KeyTaken):
        save_memories(actor=writer, drafts=[Draft(content="y"), Draft(key="taken", content="z", dedupe=Dedupe.REFUSE)])
    assert Memory.objects.count() == 1


def test_a_batch_has_a_limit(writer: Actor) -> None:
    with pytest.raises(Invalid, match="501"):
        save_memories(actor=writer, drafts=[Draft(content="x")] * (BATCH_LIMIT + 1))


@pytest.mark.parametrize(("size", "statements"), [(1, 3), (2, 4), (100, 4)])
def test_a_batch_costs_the_same_statements_whatever_its_size(
    writer: Actor, size: int, statements: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    drafts = [Draft(content=f"fact {n}", key=f"k{n}") for n in range(size)]
    vectors = int(pgvector.has_vectors(connection))
    get_active_models()  # known for a few seconds then
    with django_assert_num_queries(statements + vectors):  # savepoint, (take turns,) save, (vectors,) release
        save_memories(actor=writer, drafts=drafts)


def test_a_save_with_a_version_needs_that_version(writer: Actor) -> None:
    save_memory(actor=writer, draft=Draft(key="k", content="one"))
    assert save_memory(actor=writer, draft=Draft(key="k", content="two"), version=1).version == 2
    with pytest.raises(Conflict) as refusal:
        save_memory(actor=writer, draft=Draft(key="k", content="three"), version=1)
    assert (refusal.value.current.content, refusal.value.current.version) == ("two", 2)
    with pytest.raises(NotFound):
        save_memory(actor=writer, draft=Draft(key="unknown", content="three"), version=1)


def test_a_save_inherits_the_context(cast: Cast) -> None:
    agent = cast["writer"].agent
    actor = factories.actor(agent, project="apollo", user="mira", workspace="blue", session="s-1", channel="c-9")
    save_memory(actor=actor, draft=Draft(content="x"))
    later = factories.actor(agent, session="s-1")
    memory = save_memory(actor=later, draft=Draft(content="y", scope=Scope.PROJECT))
    assert (memory.project_id, memory.person_id) == (actor.project_id, actor.person_id)
    assert (memory.workspace_id, memory.session_id, memory.channel_id) == (actor.workspace_id, actor.session_id, "c-9")


@pytest.mark.parametrize(("scope", "field"), [(Scope.PROJECT, "project"), (Scope.GLOBAL, "user")])
def test_a_scope_without_its_audience_is_refused(writer: Actor, scope: Scope, field: str) -> None:
    with pytest.raises(Invalid) as refusal:
        save_memory(actor=writer, draft=Draft(content="x", scope=scope))
    assert list(refusal.value.fields) == [field]


def test_a_rename_onto_a_living_key_is_refused(writer: Actor) -> None:
    save_memory(actor=writer, draft=Draft(key="a", content="x"))
    other = save_memory(actor=writer, draft=Draft(key="b", content="y"))
    with pytest.raises(KeyTaken):
        update_memory(actor=writer, memory_id=other.pk, key="a")


def test_a_renamed_owner_leaves_its_key_to_a_namesake(writer: Actor) -> None:
    owner = save_memory(actor=writer, draft=Draft(key="k", content="first"))
    other = save_memory(actor=writer, draft=Draft(key="k", content="second", dedupe=Dedupe.CREATE))
    assert not update_memory(actor=writer, memory_id=other.pk, key="k", content="still second").owns_key
    update_memory(actor=writer, memory_id=owner.pk, key="j")
    assert save_memory(actor=writer, draft=Draft(key="k", content="third")).pk == other.pk
    assert save_memory(actor=writer, draft=Draft(key="j", content="fourth")).pk == owner.pk


def make_expired_owner(writer: Actor, key: str) -> Memory:
    """An owner of the key whose time is over, and which nobody has swept yet."""
    memory = save_memory(actor=writer, draft=Draft(key=key, content="over"))
    Memory.objects.filter(pk=memory.pk).update(expires_at=timezone.now())
    return memory


def test_an_expired_owner_is_in_nobodys_way(writer: Actor) -> None:
    make_expired_owner(writer, "renamed")
    other = save_memory(actor=writer, draft=Draft(key="other", content="x"))
    assert update_memory(actor=writer, memory_id=other.pk, key="renamed").owns_key
    gone = save_memory(actor=writer, draft=Draft(key="restored", content="x"))
    forget_memory(actor=writer, memory_id=gone.pk)
    make_expired_owner(writer, "restored")
    assert restore_memory(actor=writer, memory_id=gone.pk).owns_key
    make_expired_owner(writer, "refused")
    assert save_memory(actor=writer, draft=Draft(key="refused", content="x", dedupe=Dedupe.REFUSE)).version == 1
    make_expired_owner(writer, "created")
    assert save_memory(actor=writer, draft=Draft(key="created", content="x", dedupe=Dedupe.CREATE)).owns_key


def test_a_swept_owner_leaves_its_key_to_a_namesake(writer: Actor) -> None:
    make_expired_owner(writer, "k")
    namesake = factories.memory(writer, "heir", key="k", dedupe=Dedupe.UPDATE)
    owner = Memory.objects.get(key="k", owns_key=True, forgotten_at=None)
    other = save_memory(actor=writer, draft=Draft(key="k", content="third", dedupe=Dedupe.CREATE))
    Memory.objects.filter(pk=owner.pk).update(expires_at=timezone.now())
    sweep_expired(rows=Memory.objects.all(), now=timezone.now())
    assert namesake.pk == owner.pk
    assert save_memory(actor=writer, draft=Draft(key="k", content="fourth")).pk == other.pk


def test_a_version_goes_with_updating_only(writer: Actor) -> None:
    save_memory(actor=writer, draft=Draft(key="k", content="x"))
    with pytest.raises(Invalid, match="version"):
        save_memory(actor=writer, draft=Draft(key="k", content="y", dedupe=Dedupe.CREATE), version=1)


def test_a_token_that_may_not_read_learns_nothing_from_refusals(cast: Cast) -> None:
    cast.memory(key="k", content="SECRET")
    blind = factories.actor(cast["teammate"].agent, verbs=frozenset({Verb.WRITE, Verb.FORGET}), workspace="blue")
    with pytest.raises(KeyTaken) as refusal:
        save_memory(actor=blind, draft=Draft(key="k", content="x", dedupe=Dedupe.REFUSE))
    assert refusal.value.current is None
    with pytest.raises(Conflict) as refusal:
        save_memory(actor=blind, draft=Draft(key="k", content="x"), version=7)
    assert refusal.value.current is None


def test_a_key_is_the_same_however_its_accents_are_typed(writer: Actor) -> None:
    save_memory(actor=writer, draft=Draft(key="caf\u00e9", content="one"))
    assert save_memory(actor=writer, draft=Draft(key=" cafe\u0301 ", content="two")).version == 2


def test_the_same_text_without_a_key_is_saved_once(writer: Actor) -> None:
    first = save_memory(actor=writer, draft=Draft(content="The pager is blue.", tags=["pager"]))
    again = save_memory(actor=writer, draft=Draft(content=" The pager is blue.\n", tags=["phone"]))
    assert (again.pk, again.version, again.duplicate, again.tags) == (first.pk, 1, True, ["pager"])
    assert not first.duplicate
    assert Memory.objects.count() == Revision.objects.count() == 1


def test_a_text_that_is_forced_is_saved_again(writer: Actor) -> None:
    first = save_memory(actor=writer, draft=Draft(content="The pager is blue."))
    forced = save_memory(actor=writer, draft=Draft(content="The pager is blue.", dedupe=Dedupe.CREATE))
    assert forced.pk != first.pk
    assert not forced.duplicate
    assert save_memory(actor=writer, draft=Draft(content="The pager is blue.")).pk == first.pk


def test_a_memory_with_a_key_is_the_same_text_too(writer: Actor) -> None:
    keyed = save_memory(actor=writer, draft=Draft(content="The pager is blue.", key="pager"))
    assert save_memory(actor=writer, draft=Draft(content="The pager is blue.")).pk == keyed.pk
    other = save_memory(actor=writer, draft=Draft(content="The pager is blue.", key="phone"))
    assert other.pk != keyed.pk


def test_a_text_that_is_gone_or_no_longer_holds_is_saved_anew(writer: Actor) -> None:
    draft = Draft(content="The pager is blue.")
    first = save_memory(actor=writer, draft=draft)
    forget_memory(actor=writer, memory_id=first.pk)
    second = save_memory(actor=writer, draft=draft)
    update_memory(actor=writer, memory_id=second.pk, valid_until=timezone.now() - timedelta(days=1))
    third = save_memory(actor=writer, draft=draft)
    update_memory(actor=writer, memory_id=third.pk, content="The pager is red.")
    fourth = save_memory(actor=writer, draft=draft)
    assert len({first.pk, second.pk, third.pk, fourth.pk}) == 4
    assert save_memory(actor=writer, draft=Draft(content="The pager is red.")).pk == third.pk


def test_the_same_text_twice_in_a_batch_is_one_memory(writer: Actor) -> None:
    texts = ["The pager is blue.", "The phone is red.", "The pager is blue."]
    saved = save_memories(actor=writer, drafts=[Draft(content=text) for text in texts])
    assert [memory.content for memory in saved] == texts
    assert [memory.duplicate for memory in saved] == [False, False, True]
    assert saved[0].pk == saved[2].pk


def test_the_same_text_of_another_audience_is_another_memory(cast: Cast) -> None:
    draft = Draft(content="The pager is blue.")
    saved = {save_memory(actor=cast["writer"].actor(), draft=replace(draft, scope=scope)).pk for scope in Scope}
    saved |= {save_memory(actor=cast[name].actor(), draft=draft).pk for name in ("stranger", "elsewhere", "outsider")}
    assert len(saved) == 7
    assert save_memory(actor=cast["teammate"].actor(), draft=draft).duplicate


def test_a_proposal_is_the_same_text_for_its_proposer_alone(writer: Actor) -> None:
    held = replace(writer, policy={"rules": [{"who": ["agent"], "then": "propose"}]})
    draft = Draft(content="The pager is blue.")
    first = save_memory(actor=held, draft=draft)
    again = save_memory(actor=held, draft=draft)
    assert (again.pk, again.duplicate, again.proposal_id) == (first.pk, True, first.proposal_id)
    active = save_memory(actor=writer, draft=draft)
    assert active.pk != first.pk
    assert save_memory(actor=held, draft=draft).pk == active.pk


def test_the_same_text_is_found_by_an_index(writer: Actor) -> None:
    save_memories(actor=writer, drafts=[Draft(content=f"Ship {n} is in.") for n in range(400)])
    row = {
        "organization_id": writer.organization_id,
        "audience": writer.team_id,
        "text_hash": hash_text("Ship 7 is in."),
    }
    columns = "organization_id uuid, audience uuid, text_hash text, workspace_id uuid, status text, agent_id uuid"
    rows = f"jsonb_to_recordset(%(rows)s::jsonb) AS row ({columns}, user_id integer)"
    values = {"rows": orjson.dumps([row]).decode(), "now": timezone.now()}
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE memories_memory")
        cursor.execute(f"EXPLAIN SELECT FROM {rows} {IS_NEW_TEXT}", values)
        assert "memory_same_text" in "\n".join(line for (line,) in cursor.fetchall())
