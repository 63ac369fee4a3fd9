"""Comparison of all memories: which are candidates, with vectors and without, and which are near-duplicates."""

from collections.abc import Iterator
from hashlib import md5
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django import DjangoAssertNumQueries, Settings

from memories import jobs, operations
from memories.embedding import active_model, get_provider
from memories.models import Memory, Pair, PairKind
from memories.operations import similarity
from memories.operations.candidates import find_alike
from memories.text.comparison import compare_texts
from memories.text.wording import measure_overlap, normalize_wording
from teams.actor import Actor
from tests import factories

pytestmark = pytest.mark.django_db
OLD, NEW = "The staging server listens on port 8080.", "The staging server listens on port 1933."


@pytest.fixture
def no_vectors(settings: Settings) -> Iterator[None]:
    settings.EMBEDDING = "none"
    get_provider.cache_clear()
    active_model.invalidate_active_models()
    yield
    get_provider.cache_clear()
    active_model.invalidate_active_models()


def save_uncompared(actor: Actor, *texts: str, **fields: Any) -> list[Memory]:
    """Save memories, and forget their pairs: as if they had been imported."""
    memories = [factories.memory(actor, text, **fields) for text in texts]
    Pair.objects.all().delete()
    return memories


def list_kinds() -> list[str]:
    return sorted(Pair.objects.values_list("kind", flat=True))


@pytest.mark.parametrize(
    "text",
    [
        "  The  Pump,\n(in hall 2) *runs*\tat “night”!  ",
        "ÄÖÜ Straße ЁЛКА ΟΔΥΣΣΕΥΣ İstanbul IĞDIR",
        "東京 の\u3000ポンプ。 \u00a0非常\u2003口\u202f\u2028\x85\x1f",
        "a" * 50_000,
        "!" * 50_000,
        " a" * 25_000,
        "...",
    ],
)
def test_postgres_and_python_read_the_same_wording(text: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT memory_wording(%s), md5(memory_wording(%s))", [text, text])
        wording, hashed = cursor.fetchone()  # type: ignore[misc]
    assert wording == normalize_wording(text)
    assert hashed == md5(wording.encode(), usedforsecurity=False).hexdigest()


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("The pump in hall two runs at night.", "The pump in hall two is running at night.", True),
        ("The outbox worker restarts nightly.", "Ann says that the outbox worker restarts nightly.", True),
        ("The outbox worker restarts nightly.", "The outbox workers restart nightly", True),
        ("Ann says that the outbox worker restarts.", "Bob says that the outbox worker restarts.", False),
        ("A black dog sleeps on the mat.", "A white dog sleeps on the mat.", False),
        ("The outbox worker restarts at 5 in the morning.", "The outbox worker restarts in the morning.", False),
        ("The outbox worker never restarts.", "The outbox worker restarts.", False),
    ],
)
def test_near_duplicates_share_all_facts_and_most_words(first: str, second: str, same: bool) -> None:
    assert compare_texts(first, second).same is same
    assert compare_texts(second, first).same is same


@pytest.mark.parametrize("turned", [False, True])
def test_a_correction_names_what_it_corrects(turned: bool) -> None:
    texts = ["41 % of the sessions start offline.", "Only 27 % of all sessions really start offline, not 41 %: a bug."]
    first, second = reversed(texts) if turned else texts
    (difference,) = compare_texts(first, second).differences
    assert (difference.kind, {difference.first, difference.second}) == ("number", {"27", "41"})
    assert (difference.first == "27") is turned


def test_overlap_is_that_of_the_letters() -> None:
    assert measure_overlap("The pump runs.", "the PUMP runs!") == 1.0
    assert 0.5 < measure_overlap(OLD, NEW) < 1.0
    assert measure_overlap("The pump runs.", "Grapes ripen late.") < 0.1
    assert measure_overlap("...", "!") == 0.0


def test_without_vectors_texts_are_found_by_their_words(no_vectors: None, writer: Actor) -> None:
    factories.memory(writer, "Grapes ripen late on northern slopes.")
    older = factories.memory(writer, OLD)
    newer = factories.memory(writer, NEW)
    (conflict,) = newer.conflicts
    assert conflict.memory_id == older.pk
    assert conflict.similarity == pytest.approx(measure_overlap(NEW, OLD))
    assert not newer.similar
    factories.memory(writer, "the staging server listens on port 8080")
    assert list_kinds() == [PairKind.CONTRADICTION, PairKind.CONTRADICTION, PairKind.DUPLICATE]


def test_without_vectors_writing_without_spaces_is_found_too(no_vectors: None, writer: Actor) -> None:
    factories.memory(writer, "東京の倉庫にはポンプが8台あります")
    assert factories.memory(writer, "東京の倉庫にはポンプが9台あります").conflicts


@pytest.mark.parametrize("text", ["it's", "a \\ ' | & !", "''' \\' (a|b) <-> :*", "=@~b", "'a\\'' b:A & !c\\"])
def test_without_vectors_any_text_may_be_compared(no_vectors: None, writer: Actor, text: str) -> None:
    memories = [factories.memory(writer, text), factories.memory(writer, text)]
    assert find_alike([memory.pk for memory in memories], links=True, now=memories[0].created_at)
    assert list_kinds() == [PairKind.DUPLICATE]


def test_without_vectors_batches_are_compared(
    no_vectors: None, writer: Actor, django_capture_on_commit_callbacks: Any
) -> None:
    factories.memory(writer, OLD, key="port")
    with django_capture_on_commit_callbacks(execute=True):
        operations.save_memories(actor=writer, drafts=[operations.Draft(content=NEW)])
    assert list_kinds() == [PairKind.CONTRADICTION]


def test_the_same_wording_is_found_however_many_are_as_near(writer: Actor) -> None:
    first = factories.memory(writer, "Pump 100 of the hall runs at night")
    crowd = [operations.Draft(content=f"Pump {n} of the hall runs at night.") for n in range(101, 125)]
    operations.save_memories(actor=writer, drafts=crowd)
    last = factories.memory(writer, "pump 100 of the hall RUNS at night!")
    assert Pair.objects.filter(older=first.pk, newer=last.pk, kind=PairKind.DUPLICATE).exists()


def test_all_memories_are_compared_in_turns(writer: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(similarity, "COMPARE_BATCH", 2)
    save_uncompared(writer, OLD, "Grapes ripen late.", NEW, "the staging server listens on port 8080", "Basalt.")
    turn, turns = similarity.compare_all(within=-1), 1
    while turn.go_on_after:
        turn, turns = similarity.compare_all(after=turn.go_on_after, within=-1), turns + 1
    assert turns == 4
    assert list_kinds() == [PairKind.CONTRADICTION, PairKind.CONTRADICTION, PairKind.DUPLICATE]
    pairs = set(Pair.objects.values_list("pk", "updated_at"))
    assert similarity.compare_all(within=60).compared == 5
    assert set(Pair.objects.values_list("pk", "updated_at")) == pairs


def test_what_is_forgotten_is_not_compared(writer: Actor) -> None:
    older, _ = save_uncompared(writer, OLD, NEW)
    operations.forget_memory(actor=writer, memory_id=older.pk)
    assert similarity.compare_all(within=60).compared == 1
    assert not Pair.objects.exists()


def test_a_pair_stays_while_it_holds_although_others_are_nearer(
    writer: Actor, django_capture_on_commit_callbacks: Any
) -> None:
    older, newer = factories.memory(writer, OLD), factories.memory(writer, NEW)
    pair = Pair.objects.get(older=older.pk, newer=newer.pk)
    for number in range(2_000, 2_015):
        factories.memory(writer, f"The staging server listens on port {number}.", category="conversation")
    similarity.compare_all(within=60)
    assert Pair.objects.filter(pk=pair.pk).exists()
    with django_capture_on_commit_callbacks(execute=True):
        operations.update_memory(actor=writer, memory_id=older.pk, content="Grapes ripen late.")
    assert not Pair.objects.filter(pk=pair.pk).exists()


def test_a_decision_outlasts_the_night(writer: Actor) -> None:
    factories.memory(writer, "The pump in hall two runs at night.")
    factories.memory(writer, "The pump in hall two is running at night.")
    pair = Pair.objects.get()
    operations.settle_pair(actor=writer, pair_id=pair.pk, settlement=operations.Settlement(decision="not-duplicate"))
    assert jobs.compare_job() == "2 memories compared; all are"
    pair.refresh_from_db()
    assert (pair.state, pair.decision) == ("settled", "not-duplicate")


def test_the_job_goes_on_where_it_stopped(writer: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(similarity, "COMPARE_BATCH", 1)
    first, *_ = save_uncompared(writer, OLD, NEW)
    assert jobs.compare_job(within=-1) == "1 memories compared; more wait"
    job = ProcrastinateJob.objects.get(task_name="compare")
    assert (UUID(job.args["after"]), job.args["turns"]) == (first.pk, 2)


def test_a_night_has_so_many_turns_and_the_next_goes_on(writer: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(similarity, "COMPARE_BATCH", 1)
    first, *_ = save_uncompared(writer, OLD, NEW)
    jobs.compare_job(within=-1, turns=jobs.COMPARE_TURNS)
    job = ProcrastinateJob.objects.get(task_name="compare")
    assert (UUID(job.args["after"]), job.args["turns"]) == (first.pk, 1)
    assert job.scheduled_at
    assert (job.scheduled_at - first.created_at).total_seconds() > 22 * 3600
    assert jobs.JOBS_BY_NAME["compare"]() == "2 memories compared; all are"
    assert list_kinds() == [PairKind.CONTRADICTION]


def test_a_turn_asks_a_few_statements(writer: Actor, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    save_uncompared(writer, *(f"Ship {n} is in berth {n}." for n in range(10)))
    with django_assert_max_num_queries(12):
        similarity.compare_all(within=60)
