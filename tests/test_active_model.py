"""Vectors come and go, saves and recalls go on: a provider that fails, and a model that takes over from another."""

import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from django.core.management import call_command
from django.db import connection
from pytest_django import Settings

from memories import operations
from memories.embedding import active_model, get_provider
from memories.models import Association, Embedding, EmbeddingModel, Memory, Unembedded, pgvector
from memories.operations import embed
from memories.operations.embed import catch_up, queue_reembedding
from memories.recall import Mode, recall
from teams.actor import Actor
from tests import factories
from tests.embedding_server import EMBEDDING_PATIENCE, EndpointServer
from tests.hub import free_port

pytestmark = pytest.mark.django_db
FACT = "Deploys are frozen from Friday noon until Monday morning."


@pytest.fixture(autouse=True)
def _vectors(db: None) -> None:
    if not pgvector.has_vectors(connection):
        pytest.skip("DATABASE_URL names a server without pgvector, where there is nothing to embed for.")


def state() -> EmbeddingModel:
    return EmbeddingModel.objects.get(name__startswith="small@")


def count_embeddings() -> int:
    return Embedding.objects.filter(model__startswith="small@").count()


def test_vectors_of_a_slow_provider_are_made_beside_the_save(server: EndpointServer, writer: Actor) -> None:
    memory = factories.memory(writer, FACT)
    assert (server.asked, count_embeddings(), Unembedded.objects.get().memory_id) == ([], 0, memory.pk)
    catch_up()
    assert (count_embeddings(), Unembedded.objects.count()) == (1, 0)
    result = recall(actor=writer, query="freeze of deploys", mode=Mode.SEMANTIC)
    assert [hit.memory.pk for hit in result.hits] == [memory.pk]
    assert result.note == ""


FAILURES = ["500", "401", "429", "html", "wrong-dimension", "nan", "null", "truncated", "hang-up", "too-few", "slow"]


@pytest.mark.parametrize("failure", FAILURES)
def test_saves_and_recalls_go_on_while_a_provider_fails(
    server: EndpointServer, chosen: Settings, writer: Actor, failure: str
) -> None:
    chosen.EMBEDDING_TIMEOUT = 1
    factories.memory(writer, "Lunch is at half past twelve.")
    catch_up()
    server.behaviour = failure
    start = time.monotonic()
    memory = factories.memory(writer, FACT)
    catch_up()
    result = recall(actor=writer, query="when are deploys frozen?")
    again = recall(actor=writer, query="and when not?", mode=Mode.SEMANTIC)
    assert time.monotonic() - start < EMBEDDING_PATIENCE / 2
    assert result.hits[0].memory.pk == memory.pk
    assert "does not answer" in result.note
    assert "does not answer" in again.note
    assert state().failed_at
    assert state().error
    assert (count_embeddings(), Unembedded.objects.count()) == (1, 1)

    server.behaviour = "good"
    active_model.reset_backoff()
    catch_up()
    assert (count_embeddings(), Unembedded.objects.count()) == (2, 0)
    assert (state().failed_at, state().error) == (None, "")
    assert recall(actor=writer, query="and when not?").note == ""


def test_a_server_that_is_gone_costs_nothing_but_meaning(
    chosen: Settings, server: EndpointServer, writer: Actor
) -> None:
    chosen.EMBEDDING_URL = f"http://127.0.0.1:{free_port()}/v1"
    memory = factories.memory(writer, FACT)
    catch_up()
    assert [hit.memory.pk for hit in recall(actor=writer, query="frozen deploys").hits] == [memory.pk]
    assert state().error
    assert Unembedded.objects.count() == 1


def test_a_provider_that_failed_is_left_alone_for_a_while(server: EndpointServer, writer: Actor) -> None:
    factories.memory(writer, FACT)
    server.behaviour = "500"
    for n in range(5):
        recall(actor=writer, query=f"frozen {n}")
    assert len(server.asked) == 1


def test_a_local_provider_that_breaks_loses_no_save(writer: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    wordllama = get_provider()
    assert wordllama

    def broken(texts: list[str]) -> list[list[float]]:
        raise MemoryError("no room")

    monkeypatch.setattr(wordllama, "documents", broken)
    memory = factories.memory(writer, FACT)
    assert Memory.objects.get() == memory
    monkeypatch.undo()
    catch_up()
    assert Embedding.objects.get().memory_id == memory.pk


def test_one_bad_text_does_not_hold_up_the_others(server: EndpointServer, writer: Actor) -> None:
    factories.memory(writer, "one")
    bad = factories.memory(writer, "POISON")
    factories.memory(writer, "three")
    server.refused = "POISON"
    for _ in range(3):
        active_model.reset_backoff()
        catch_up()
    assert count_embeddings() == 2
    assert Unembedded.objects.get().memory_id == bad.pk
    assert state().covered_at


def test_the_newest_version_is_embedded(server: EndpointServer, writer: Actor) -> None:
    memory = factories.memory(writer, "one")
    operations.update_memory(actor=writer, memory_id=memory.pk, content="two")
    operations.pin_memory(actor=writer, memory_id=memory.pk)
    catch_up()
    assert server.texts == ["two"]
    assert Unembedded.objects.count() == 0


def test_what_is_forgotten_has_no_vector_until_it_is_restored(writer: Actor) -> None:
    memory = factories.memory(writer, FACT)
    operations.forget_memory(actor=writer, memory_id=memory.pk)
    assert not Embedding.objects.exists()
    operations.restore_memory(actor=writer, memory_id=memory.pk)
    assert Embedding.objects.get().memory_id == memory.pk


def test_similar_memories_are_linked_once_their_vectors_are_there(server: EndpointServer, writer: Actor) -> None:
    first, second = factories.memory(writer, FACT), factories.memory(writer, FACT)
    assert not Association.objects.exists()
    catch_up()
    link = Association.objects.get()
    assert (link.origin_id, link.target_id) == (second.pk, first.pk)


def test_new_vectors_bring_no_link_back_that_was_removed(
    server: EndpointServer, chosen: Settings, writer: Actor
) -> None:
    first, second = factories.memory(writer, FACT), factories.memory(writer, FACT)
    catch_up()
    operations.dissociate(actor=writer, origin_id=second.pk, target_id=first.pk, relation="updates")
    queue_reembedding([first, second])
    assert Unembedded.objects.count() == 2
    catch_up()
    chosen.EMBEDDING_MODEL = "large"
    get_provider.cache_clear()
    active_model.reset_backoff()
    catch_up()
    assert (count_embeddings(), Embedding.objects.filter(model__startswith="large@").count()) == (2, 2)
    assert not Association.objects.exists()


def test_a_memory_that_was_changed_before_its_vector_came_is_linked(server: EndpointServer, writer: Actor) -> None:
    first, second = factories.memory(writer, FACT), factories.memory(writer, FACT)
    operations.pin_memory(actor=writer, memory_id=second.pk)
    catch_up()
    assert Association.objects.get().target_id == first.pk


def test_the_old_model_serves_until_the_new_one_covers(server: EndpointServer, chosen: Settings, writer: Actor) -> None:
    chosen.EMBEDDING = "wordllama"
    factories.memory(writer, FACT)
    catch_up()
    chosen.EMBEDDING = "endpoint"
    get_provider.cache_clear()
    active_model.reset_backoff()
    factories.memory(writer, "Lunch is at half past twelve.")
    assert Embedding.objects.filter(model="wordllama-256").count() == 2
    result = recall(actor=writer, query="is anything frozen", mode=Mode.SEMANTIC)
    assert (len(result.hits), result.note, server.asked) == (2, "", [])

    catch_up()
    assert count_embeddings() == 2
    recall(actor=writer, query="is anything frozen", mode=Mode.SEMANTIC)
    assert server.texts[-1] == "is anything frozen"
    factories.memory(writer, "Only the new one sees this.")
    assert Embedding.objects.filter(model="wordllama-256").count() == 2

    chosen.EMBEDDING = "wordllama"
    get_provider.cache_clear()
    active_model.reset_backoff()
    present = active_model.get_active_models()
    assert present.query_provider
    assert present.query_provider.name.startswith("small@")
    catch_up()
    assert active_model.get_active_models().query_provider is get_provider()
    assert Embedding.objects.filter(model="wordllama-256").count() == 3


@pytest.mark.django_db(transaction=True)
def test_recalls_keep_their_meaning_while_another_model_takes_over(
    server: EndpointServer, chosen: Settings, writer: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen.EMBEDDING, chosen.SIMILAR_ABOVE = "wordllama", 0
    monkeypatch.setattr(embed, "EMBED_BATCH", 32)
    target = factories.memory(writer, FACT)
    notes = [operations.Draft(content=f"Note {number}: lunch is at half past twelve.") for number in range(300)]
    operations.save_memories(actor=writer, drafts=notes)
    catch_up()
    enough, seen = Event(), Counter[str]()

    def ask(mode: Mode) -> None:
        try:
            while not enough.is_set():
                by = active_model.get_active_models().query_provider
                found = recall(actor=writer, query="when are deploys frozen?", mode=mode)
                best = found.hits[0]
                assert (found.note, best.memory.pk) == ("", target.pk)
                assert best.scored
                assert best.scored.meaning_rank == 1
                seen[by.name if by else ""] += 1
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        askers = [pool.submit(ask, mode) for mode in (Mode.SEMANTIC, Mode.HYBRID)]
        try:
            chosen.EMBEDDING = "endpoint"
            get_provider.cache_clear()
            active_model.reset_backoff()
            steps = 0
            while catch_up(within=-1):
                steps, shown = steps + 1, seen.total()
                wait_until(lambda shown=shown: seen.total() > shown or any(asker.done() for asker in askers))
            wait_until(lambda: seen[state().name] > 20 or any(asker.done() for asker in askers))
        finally:
            enough.set()
        for asker in askers:
            asker.result()
    assert steps == 300 // 32
    assert seen["wordllama-256"] > steps
    assert count_embeddings() == 301


def wait_until(condition: Callable[[], bool]) -> None:
    while not condition():
        time.sleep(0.005)


def test_the_command_says_how_it_stands(
    server: EndpointServer, writer: Actor, capsys: pytest.CaptureFixture[str]
) -> None:
    factories.memory(writer, FACT)
    server.behaviour = "500"
    call_command("embeddings", make=True)
    assert "1 wait; failing since" in capsys.readouterr().out
    server.behaviour = "good"
    active_model.reset_backoff()
    call_command("embeddings", make=True)
    assert "1 vectors, covers all\n" in capsys.readouterr().out
