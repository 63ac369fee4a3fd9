"""Tests of what writers cannot do without the verb forget, and of what an agent cannot say about its own words."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.files.base import ContentFile

from memories import operations
from memories.models import Asset, Association, BulkActionKind, Memory, Source
from memoryhub.errors import Forbidden
from teams.actor import Actor
from teams.models import Agent, Verb
from tests import factories
from tests.caller import Caller
from tests.mcp_caller import Messenger
from tests.tools import refusal, result

SOON, LATER = datetime(2098, 1, 1, tzinfo=UTC), datetime(2099, 1, 1, tzinfo=UTC)


@pytest.fixture
def scribe(agent: Agent) -> Actor:
    """Return an actor who writes, but may not forget."""
    return factories.actor(agent, verbs=frozenset({Verb.READ, Verb.WRITE}))


@pytest.fixture
def sweeper(agent: Agent) -> Actor:
    """Return an actor who may only forget."""
    return factories.actor(agent, verbs=frozenset({Verb.FORGET}))


# What is taken off a memory


Off = Callable[[Actor, Memory], object]
TAKEN_OFF: dict[str, Off] = {
    "detach": lambda actor, memory: operations.detach_file(actor=actor, asset_id=Asset.objects.get().pk),
    "uncite": lambda actor, memory: operations.remove_citation(actor=actor, source_id=Source.objects.get().pk),
    "dissociate": lambda actor, memory: operations.dissociate(
        actor=actor, origin_id=memory.pk, target_id=Association.objects.get().target_id, relation="part_of"
    ),
}


def laden(agent: Agent) -> Memory:
    actor = factories.actor(agent)
    memory, other = factories.memory(actor), factories.memory(actor, "Lunch is at noon.")
    operations.attach_file(actor=actor, memory_id=memory.pk, file=ContentFile(b"x"), name="x.txt")
    operations.add_citation(actor=actor, memory_id=memory.pk, quote="so")
    operations.associate(actor=actor, origin_id=memory.pk, target_id=other.pk, relation="part_of")
    return memory


def hanging() -> int:
    return Asset.objects.count() + Source.objects.count() + Association.objects.count()


@pytest.mark.parametrize("act", TAKEN_OFF)
def test_taking_something_off_a_memory_takes_the_verb_forget(
    agent: Agent, scribe: Actor, sweeper: Actor, act: str
) -> None:
    memory = laden(agent)
    with pytest.raises(Forbidden, match="may not forget"):
        TAKEN_OFF[act](scribe, memory)
    assert hanging() == 3
    TAKEN_OFF[act](sweeper, memory)
    assert hanging() == 2


def test_what_hangs_on_another_memory_is_not_taken_off_by_naming_one_of_ones_own(agent: Agent) -> None:
    memory, caller = laden(agent), Caller(agent)
    other = caller.save("Mine.")["id"]
    assert caller("DELETE", f"memories/{other}/assets/{Asset.objects.get().pk}").status_code == 404
    assert caller("DELETE", f"memories/{other}/sources/{Source.objects.get().pk}").status_code == 404
    assert hanging() == 3
    assert caller("DELETE", f"memories/{memory.pk}/assets/{Asset.objects.get().pk}").status_code == 204


# When a memory vanishes


def expiring(agent: Agent, expires_at: datetime | None) -> Memory:
    return factories.memory(factories.actor(agent), "Tea at four.", key="tea", expires_at=expires_at)


SHORTEN: dict[str, Callable[[Actor, Memory, datetime], object]] = {
    "expire": lambda actor, memory, at: operations.set_expiry(actor=actor, memory_id=memory.pk, expires_at=at),
    "update": lambda actor, memory, at: operations.update_memory(actor=actor, memory_id=memory.pk, expires_at=at),
    "move the key": lambda actor, memory, at: operations.update_memory(
        actor=actor, memory_id=memory.pk, key="chai", expires_at=at
    ),
    "save": lambda actor, memory, at: operations.save_memory(actor=actor, draft=_draft(at)),
    "save over": lambda actor, memory, at: operations.save_memory(actor=actor, draft=_draft(at), version=1),
    "save many": lambda actor, memory, at: operations.save_memories(
        actor=actor, drafts=[operations.Draft(content="x"), _draft(at)]
    ),
    "bulk": lambda actor, memory, at: operations.bulk_edit.apply_bulk_edit(
        actor=actor,
        seen={memory.pk: 1},
        wish=operations.bulk_edit.build_bulk_edit(kind=BulkActionKind.EXPIRE, expires_at=at),
    ),
}


def _draft(expires_at: datetime) -> operations.Draft:
    return operations.Draft(content="Tea at five.", key="tea", expires_at=expires_at)


@pytest.mark.parametrize("before", [None, LATER], ids=["never", "later"])
@pytest.mark.parametrize("act", SHORTEN)
def test_a_writer_cannot_let_a_memory_vanish_earlier(
    agent: Agent, scribe: Actor, act: str, before: datetime | None
) -> None:
    memory = expiring(agent, before)
    with pytest.raises(Forbidden, match="expire earlier"):
        SHORTEN[act](scribe, memory, SOON)
    kept = Memory.objects.get(key="tea")
    assert (kept.version, kept.expires_at, Memory.objects.count()) == (1, before, 1)
    SHORTEN[act](factories.actor(agent), memory, SOON)
    assert Memory.objects.get(pk=memory.pk).expires_at == SOON


@pytest.mark.parametrize("act", SHORTEN)
def test_a_writer_lets_a_memory_stay_longer(agent: Agent, scribe: Actor, act: str) -> None:
    memory = expiring(agent, SOON)
    SHORTEN[act](scribe, memory, LATER)
    assert Memory.objects.get(pk=memory.pk).expires_at == LATER


def test_a_writer_says_when_a_new_memory_vanishes_and_reverts_to_no_earlier_end(agent: Agent, scribe: Actor) -> None:
    memory = operations.save_memory(actor=scribe, draft=_draft(SOON))
    assert operations.set_expiry(actor=scribe, memory_id=memory.pk, expires_at=None).expires_at is None
    with pytest.raises(Forbidden, match="expire earlier"):
        operations.revert_memory(actor=scribe, memory_id=memory.pk, to_version=1)
    assert operations.update_memory(actor=scribe, memory_id=memory.pk, content="Tea at six.").version == 3


def test_each_memory_of_a_batch_has_its_own_answer(agent: Agent) -> None:
    expiring(agent, None)
    drafts = [{"content": "New.", "expires_at": SOON}, {"content": "x", "key": "tea", "expires_at": SOON}]
    writer = Caller(agent, (Verb.READ, Verb.WRITE))
    response = writer("POST", "memories/batch", {"memories": drafts, "each": True})
    first, second = response.json()["results"]
    assert (first["memory"]["content"], second["problem"]["status"]) == ("New.", 403)


def test_dialects_keep_the_rule(agent: Agent, scribe: Actor) -> None:
    said = {"key": "tea", "value": "Tea at four.", "scope": "agent"}
    result(scribe, "scoped/save", said)
    refused = refusal(scribe, "scoped/save", said | {"expiresAt": SOON.isoformat()}, verbs=(Verb.READ, Verb.WRITE))
    assert refused[:2] == (403, "forbidden")
    assert result(scribe, "scoped/save", said | {"expiresAt": SOON.isoformat()})["expiresAt"]


def test_a_token_that_only_forgets_forgets_by_the_scoped_key(agent: Agent, scribe: Actor) -> None:
    result(scribe, "scoped/save", {"key": "tea", "value": "Tea at four.", "scope": "agent"})
    messenger = Messenger(agent, (Verb.FORGET,), "/mcp/scoped")
    assert messenger.call("delete", key="tea")["deleted"]


# Who verifies


def colleague(agent: Agent) -> Actor:
    return factories.actor(factories.agent(agent.team))


def test_an_agent_cannot_verify_what_it_wrote(agent: Agent) -> None:
    author, other = factories.actor(agent), colleague(agent)
    memory = factories.memory(author)
    with pytest.raises(Forbidden, match="written itself"):
        operations.verify_memory(actor=author, memory_id=memory.pk)
    assert Memory.objects.get().version == 1
    assert operations.verify_memory(actor=other, memory_id=memory.pk).verified_by == other.name


REWRITE: dict[str, Callable[[Actor, Memory], Any]] = {
    "update": lambda actor, memory: operations.update_memory(actor=actor, memory_id=memory.pk, content="On MySQL."),
    "append": lambda actor, memory: operations.append_to_memory(actor=actor, memory_id=memory.pk, text="On MySQL."),
    "revert": lambda actor, memory: operations.revert_memory(actor=actor, memory_id=memory.pk, to_version=1),
    "save": lambda actor, memory: operations.save_memory(
        actor=actor, draft=operations.Draft(content="On MySQL.", key="queue")
    ),
}


@pytest.mark.parametrize("act", REWRITE)
def test_an_agent_that_wrote_a_later_version_cannot_verify_either(agent: Agent, act: str) -> None:
    memory, other = factories.memory(factories.actor(agent), key="queue"), colleague(agent)
    REWRITE[act](other, memory)
    with pytest.raises(Forbidden, match="written itself"):
        operations.verify_memory(actor=other, memory_id=memory.pk)
    operations.append_to_memory(actor=factories.actor(agent), memory_id=memory.pk, text="And more.")
    with pytest.raises(Forbidden, match="written itself"):
        operations.verify_memory(actor=other, memory_id=memory.pk)


def test_pinning_and_tagging_write_nothing(agent: Agent) -> None:
    memory, other = factories.memory(factories.actor(agent)), colleague(agent)
    operations.pin_memory(actor=other, memory_id=memory.pk)
    operations.tag_memory(actor=other, memory_id=memory.pk, add=["x"])
    assert operations.verify_memory(actor=other, memory_id=memory.pk).verified_at


def test_people_verify_their_own(agent: Agent) -> None:
    person = factories.owner_actor(agent.team)
    assert operations.verify_memory(actor=person, memory_id=factories.memory(person).pk).verified_by == person.name


CHANGE_TEXT = {name: act for name, act in REWRITE.items() if name != "revert"} | {
    "summary": lambda actor, memory: operations.update_memory(actor=actor, memory_id=memory.pk, summary="MySQL."),
    "save over": lambda actor, memory: operations.save_memory(
        actor=actor, draft=operations.Draft(content="On MySQL.", key="queue"), version=2
    ),
}


@pytest.mark.parametrize("act", CHANGE_TEXT)
def test_a_new_text_is_not_verified_by_whoever_checked_the_former(agent: Agent, act: str) -> None:
    memory = factories.memory(factories.actor(agent), key="queue")
    operations.verify_memory(actor=colleague(agent), memory_id=memory.pk)
    CHANGE_TEXT[act](factories.actor(agent), memory)
    changed = Memory.objects.get()
    assert (changed.version, changed.verified_at, changed.verified_by) == (3, None, "")


def test_the_same_text_stays_verified_and_a_revert_brings_its_mark_back(agent: Agent) -> None:
    author, other = factories.actor(agent), colleague(agent)
    memory = factories.memory(author, key="queue")
    operations.verify_memory(actor=other, memory_id=memory.pk)
    same = operations.save_memory(actor=author, draft=operations.Draft(content=memory.content, key="queue"))
    assert same.verified_by == other.name
    assert operations.update_memory(actor=author, memory_id=memory.pk, content=memory.content).verified_by == other.name
    assert operations.update_memory(actor=author, memory_id=memory.pk, tags=["x"]).verified_by == other.name
    assert operations.append_to_memory(actor=author, memory_id=memory.pk, text="x").verified_by == ""
    assert operations.revert_memory(actor=author, memory_id=memory.pk, to_version=2).verified_by == other.name


def test_by_every_door_the_author_is_told_to_ask_another(agent: Agent) -> None:
    caller = Caller(agent)
    saved = caller.save()
    refused = caller("POST", f"memories/{saved['id']}/verify", {})
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert "another agent or a person" in Messenger(agent).refusal("memory_verify", memory_id=saved["id"])
