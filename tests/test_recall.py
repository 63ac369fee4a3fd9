"""Recall finds it: words, meaning, identifiers, modes, filters; and any text is a safe query."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

from memories import operations
from memories.models import Lexeme, Memory, Usage, Vocabulary, pgvector
from memories.recall import Filters, Mode, lists, recall, word_stats
from memories.rules.importance import IMPORTANCE_NOW, importance_at
from memoryhub.errors import Invalid
from teams.actor import Actor
from tests import factories

NOTES = [
    "Deploys are frozen from Friday noon until Monday morning.",
    "The invoice service retries failed payments five times with exponential backoff.",
    "Caroline leads the harbour migration and prefers short stand-ups.",
    "Our Postgres runs version 16.4 on db-prod-2; failover takes forty seconds.",
    "Customers in Porto complain about slow berth search in the afternoon.",
    "Never run rm -rf on the shared volume; use the clean-up job instead.",
    "The ADR-016 decision moved the queue from Redis to Postgres.",
    "Lunch is at half past twelve on weekdays.",
]


@pytest.fixture
def notes(writer: Actor) -> dict[str, Memory]:
    saved = operations.save_memories(actor=writer, drafts=[operations.Draft(content=text) for text in NOTES])
    return {memory.content: memory for memory in saved}


def recalled_contents(actor: Actor, query: str, **said: Any) -> list[str]:
    return [hit.memory.content for hit in recall(actor=actor, query=query, **said).hits]


QUESTIONS = {
    "When are we not allowed to deploy?": 0,
    "How often does billing retry payments that failed?": 1,
    "What does Caroline like?": 2,
    "which database version do we use in production": 3,
    "what do users in Porto say": 4,
    "why did we move away from Redis?": 6,
    "when do we eat": 7,
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_questions_find_their_answer_first(writer: Actor, notes: dict[str, Memory], question: str) -> None:
    wanted = NOTES[QUESTIONS[question]]
    if pgvector.has_vectors(connection):
        assert recalled_contents(writer, question)[0] == wanted
    else:  # by words alone, those questions that share one with their answer
        assert wanted in recalled_contents(writer, question) or question == "when do we eat"


@pytest.mark.parametrize(
    ("query", "wanted"), [("ADR-016", 6), ("adr-016?", 6), ("rm -rf", 5), ("db-prod-2", 3), ("16.4", 3)]
)
@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.KEYWORD])
def test_exact_identifiers_come_first(
    writer: Actor, notes: dict[str, Memory], query: str, wanted: int, mode: Mode
) -> None:
    assert recalled_contents(writer, query, mode=mode)[0] == NOTES[wanted]


WORD_PARTS = ["stponed", "ogres ru", "% of", "_", "%", "'", "\\", "&", "!", "((", ":*"]


@pytest.mark.parametrize("query", WORD_PARTS)
def test_parts_are_found_letter_by_letter_when_no_word_matches(writer: Actor, query: str) -> None:
    memory = factories.memory(writer, f"xx{query}yy")
    factories.memory(writer, "Nothing of the sort.")
    assert recalled_contents(writer, query, mode=Mode.KEYWORD)[:1] == [memory.content]


def test_where_only_the_newest_were_read_through_there_may_be_more(
    writer: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        factories.memory(writer, f"xxstponed {number}")
    assert not recall(actor=writer, query="stponed", mode=Mode.KEYWORD).bounded
    monkeypatch.setattr(lists, "READ_THROUGH", 2)
    assert recall(actor=writer, query="stponed", mode=Mode.KEYWORD).bounded


def test_any_text_is_a_safe_query(writer: Actor) -> None:
    factories.memory(writer, "a memory")

    @settings(max_examples=60, deadline=None)
    @given(query=st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1))
    def safe(query: str) -> None:
        if query.strip():
            for mode in (Mode.HYBRID, Mode.KEYWORD):
                recall(actor=writer, query=query, mode=mode)

    safe()


HARD = [
    "C++",
    "a b " * 2_500,
    "x" * 10_000,
    "the of and",
    "?!",
    "日本語 の 質問",
    "🚀",
    '"quoted',
    "it's",
    "a\\'b",
    "<->",
    "1e309",
]


@pytest.mark.parametrize("query", HARD)
def test_hard_queries_are_answered(writer: Actor, notes: dict[str, Memory], query: str) -> None:
    assert set(recalled_contents(writer, query)) <= set(NOTES)


def test_lists_by_time_importance_and_type(writer: Actor) -> None:
    now = timezone.now()
    for days, type_, importance in ((3, "fact", 0.9), (2, "todo", 0.1), (1, "fact", 0.4)):
        draft = operations.Draft(content=f"{days} days", type=type_, importance=importance)
        operations.save_memory(actor=writer, draft=draft, now=now - timedelta(days=days))
    often = Memory.objects.get(content="3 days")
    ids = {"organization_id": often.organization_id, "memory_id": often.pk, "audience": often.audience}
    Usage.objects.create(**ids, access_count=7, last_accessed_at=now - timedelta(days=3))
    assert recalled_contents(writer, "", mode=Mode.RECENT) == ["1 days", "2 days", "3 days"]
    assert recalled_contents(writer, "", mode=Mode.IMPORTANT) == ["3 days", "1 days", "2 days"]
    fact = Filters(type="fact")
    assert recalled_contents(writer, "", mode=Mode.TYPED, filters=fact) == ["1 days", "3 days"]
    assert recalled_contents(writer, "", mode=Mode.TYPED, filters=fact, sort_by="most_accessed") == ["3 days", "1 days"]
    assert recall(actor=writer, mode=Mode.RECENT, limit=2).total == 3


def test_filters_narrow_every_mode(writer: Actor) -> None:
    kept = factories.memory(writer, "blue berth", tags=["a", "b"], type="lesson", category="x", pinned=True)
    factories.memory(writer, "blue berth again", tags=["a"])
    narrowing = [
        Filters(type="lesson"),
        Filters(category="x"),
        Filters(tags=["A", "b"]),
        Filters(any_tags=["b", "z"]),
        Filters(pinned=True),
        Filters(min_importance=0.6),
        Filters(type="lesson", scope="team", source="manual", agent_id=writer.agent_id),
    ]
    for filters in narrowing:
        for mode in (Mode.HYBRID, Mode.KEYWORD, Mode.SEMANTIC, Mode.RECENT, Mode.IMPORTANT):
            assert recalled_contents(writer, "blue berth", mode=mode, filters=filters) == [kept.content]
    future = Filters(created_after=timezone.now() + timedelta(days=1))
    assert recalled_contents(writer, "blue berth", filters=future) == []


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"query": ""}, "query"),
        ({"query": " "}, "query"),
        ({"query": "a\0"}, "query"),
        ({"query": "x" * 10_001}, "query"),
        ({"query": "x", "mode": "magic"}, "mode"),
        ({"query": "x", "limit": 0}, "limit"),
        ({"query": "x", "limit": 51}, "limit"),
        ({"query": "x", "limit": True}, "limit"),
        ({"mode": "typed"}, "type"),
        ({"query": "x", "sort_by": "mood"}, "sort_by"),
    ],
)
def test_odd_recalls_are_refused(writer: Actor, said: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as refusal:
        recall(actor=writer, **said)
    assert list(refusal.value.fields) == [field]


def test_limits_default_by_mode(writer: Actor) -> None:
    operations.save_memories(actor=writer, drafts=[operations.Draft(content=f"berth {n}") for n in range(20)])
    assert [len(recalled_contents(writer, "berth", mode=mode)) for mode in (Mode.KEYWORD, Mode.HYBRID)] == [5, 10]
    assert recall(actor=writer, query="berth", limit=1).total == 20


def test_words_that_are_rare_here_count_more(writer: Actor) -> None:
    operations.save_memories(actor=writer, drafts=[operations.Draft(content=f"berth plan {n}") for n in range(30)])
    rare = factories.memory(writer, "the anchor plan")
    assert recalled_contents(writer, "berth anchor", mode=Mode.KEYWORD)[0] == rare.content


def test_counts_are_renewed_when_enough_has_changed(writer: Actor) -> None:
    factories.memory(writer, "one berth")
    recall(actor=writer, query="berth")
    operations.save_memories(actor=writer, drafts=[operations.Draft(content=f"berth {n}") for n in range(60)])
    recall(actor=writer, query="berth")
    assert Vocabulary.objects.get(audience=writer.team_id).memories == 1
    recall(actor=writer, query="berth", now=timezone.now() + word_stats.LOOK_EVERY * 2)
    assert Vocabulary.objects.get(audience=writer.team_id).memories == 61
    assert Lexeme.objects.get(audience=writer.team_id, lexeme="berth").memories == 61


def test_a_changed_memory_is_found_by_its_new_meaning_only(writer: Actor) -> None:
    memory = factories.memory(writer, "The cat sleeps on the sofa.")
    operations.update_memory(actor=writer, memory_id=memory.pk, content="Quarterly revenue grew by nine percent.")
    hits = recall(actor=writer, query="income growth of the quarter", mode=Mode.SEMANTIC).hits
    assert [hit.memory.content for hit in hits] == ["Quarterly revenue grew by nine percent."]
    if pgvector.has_vectors(connection):
        assert memory.embeddings.get().memory_version == 2


def test_without_pgvector_recall_says_so(writer: Actor) -> None:
    factories.memory(writer, "blue berth")
    result = recall(actor=writer, query="berth", mode=Mode.SEMANTIC)
    assert bool(result.note) == (not pgvector.has_vectors(connection))
    assert [hit.memory.content for hit in result.hits] == ["blue berth"]


MOMENTS = st.datetimes(min_value=datetime(2020, 1, 1), max_value=datetime(2030, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
ROWS = st.tuples(
    st.integers(0, 10**6).map(lambda millionths: millionths / 10**6),
    st.sampled_from(["fact", "identity"]),
    st.booleans(),
    MOMENTS,
    st.none() | MOMENTS,
    st.integers(0, 10_000),
)


@pytest.mark.django_db
def test_importance_is_the_same_in_python_and_in_sql() -> None:
    @settings(max_examples=100, deadline=None)
    @given(row=ROWS, now=MOMENTS)
    def same(row: tuple[Any, ...], now: datetime) -> None:
        names = ("importance", "type", "pinned", "updated_at", "last_accessed_at", "access_count")
        values = dict(zip(names, row, strict=True))
        columns = "%(importance)s::float8 AS importance, %(type)s AS type, %(pinned)s AS pinned, "
        columns += "%(updated_at)s::timestamptz AS updated_at, %(last_accessed_at)s::timestamptz AS last_accessed_at, "
        columns += "%(access_count)s::integer AS access_count"
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {IMPORTANCE_NOW} FROM (SELECT {columns}) AS row", {**values, "now": now})
            (in_sql,) = cursor.fetchone()
        assert importance_at(**values, now=now) == pytest.approx(in_sql, abs=1e-9)

    same()


def test_importance_fades_with_idleness_rises_with_use_and_keeps_what_is_pinned() -> None:
    start = datetime(2030, 1, 1, tzinfo=UTC)
    common: dict[str, Any] = {"importance": 0.8, "type": "fact", "updated_at": start, "last_accessed_at": None}

    def at(days: int, **said: Any) -> float:
        return importance_at(**{"pinned": False, "access_count": 0, **common, **said}, now=start + timedelta(days=days))

    assert at(0) == 0.8
    assert at(90) == pytest.approx(0.4)
    assert at(90, access_count=20) > at(90)
    assert at(900, pinned=True) == at(900, type="identity") == 0.8


@pytest.mark.django_db
def test_plain_words_read_the_same_by_the_dictionary_alone() -> None:
    words = ["the", "running", "ponies", "generalizations", "a", "us", "skies", "dying", "university", "news", "s"]
    words += sorted({word.lower() for note in NOTES for word in note.split() if word.isalpha() and word.isascii()})
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT word, ts_lexize('pg_catalog.english_stem', word) = "
            "array(SELECT lexeme FROM unnest(memory_words(word, 'english'))) FROM unnest(%s::text[]) AS word",
            [words],
        )
        assert [word for word, same in cursor.fetchall() if not same] == []
