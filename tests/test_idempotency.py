"""A repeated request writes once and is answered the same."""

from datetime import timedelta

import pytest
from django.utils import timezone

from memories import operations
from memories.models import Memory
from memoryhub.errors import IdempotencyKeyReused, Invalid
from teams.actor import Actor
from teams.models import Agent, Level, Verb
from tests import factories


def saving(writer: Actor) -> operations.IdempotentResult:
    memory = factories.memory(writer)
    return operations.IdempotentResult({"id": str(memory.pk)}, memory_ids=(memory.pk,))


def test_the_second_time_answers_as_the_first(writer: Actor) -> None:
    first, second = (
        operations.run_once(actor=writer, key="k", request=b"same", act=lambda: saving(writer)) for _ in range(2)
    )
    assert first == second
    assert Memory.objects.count() == 1


def test_another_request_under_the_same_key_is_refused(writer: Actor) -> None:
    operations.run_once(actor=writer, key="k", request=b"one", act=lambda: saving(writer))
    with pytest.raises(IdempotencyKeyReused):
        operations.run_once(actor=writer, key="k", request=b"two", act=lambda: saving(writer))
    assert Memory.objects.count() == 1


def test_the_key_is_free_after_a_day(writer: Actor) -> None:
    for days in (2, 0):
        then = timezone.now() - timedelta(days=days)
        operations.run_once(actor=writer, key="k", request=b"x", act=lambda: saving(writer), now=then)
    assert Memory.objects.count() == 2


def test_callers_do_not_share_keys(writer: Actor) -> None:
    operations.run_once(actor=writer, key="k", request=b"x", act=lambda: saving(writer))
    other = factories.actor()
    operations.run_once(actor=other, key="k", request=b"y", act=lambda: saving(other))
    assert Memory.objects.count() == 2


def test_a_failure_leaves_the_key_free(writer: Actor) -> None:
    def failing() -> operations.IdempotentResult:
        factories.memory(writer)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        operations.run_once(actor=writer, key="k", request=b"x", act=failing)
    assert not Memory.objects.exists()
    operations.run_once(actor=writer, key="k", request=b"x", act=lambda: saving(writer))
    assert Memory.objects.count() == 1


@pytest.mark.parametrize("key", ["", "  ", "k" * 256, "a\0b"])
def test_an_odd_key_is_refused(writer: Actor, key: str) -> None:
    with pytest.raises(Invalid, match="idempotency_key"):
        operations.run_once(actor=writer, key=key, request=b"x", act=lambda: saving(writer))


def test_the_same_words_in_another_context_are_another_request(writer: Actor) -> None:
    agent = Agent.objects.select_related("team__organization").get(pk=writer.agent_id)
    operations.run_once(actor=factories.actor(agent, user="mira"), key="k", request=b"x", act=lambda: saving(writer))
    with pytest.raises(IdempotencyKeyReused):
        operations.run_once(actor=factories.actor(agent, user="jon"), key="k", request=b"x", act=lambda: saving(writer))
    reader = factories.actor(agent, user="mira", verbs=frozenset({Verb.READ}))
    with pytest.raises(IdempotencyKeyReused):
        operations.run_once(actor=reader, key="k", request=b"x", act=lambda: saving(writer))


def test_whoever_reads_less_by_now_is_not_answered_as_before(writer: Actor) -> None:
    agent = factories.agent(factories.team(), level=Level.DIRECTOR)
    operations.run_once(actor=factories.actor(agent), key="k", request=b"x", act=lambda: saving(writer))
    agent.level = Level.MEMBER
    with pytest.raises(IdempotencyKeyReused):
        operations.run_once(actor=factories.actor(agent), key="k", request=b"x", act=lambda: saving(writer))
