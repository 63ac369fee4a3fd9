"""A long query is read so far and no further: it asks for no more than any other, whatever is in it."""

import random

import pytest
from django.utils import timezone

from memories.embedding import active_model
from memories.models import Memory
from memories.recall import QUERY_LENGTH, recall, tokens, word_stats
from memories.recall.explain import MOST_EXPLAINED, find_matched_words
from memories.recall.tokens import LITERAL_LENGTH, MOST_SIGNS, MOST_TOKENS, limit_query
from memories.recall.word_stats import Term, Within
from teams.actor import Actor
from tests import factories
from tests.effort import seconds


def letters(first: int, beyond: int, *, every: int = 0) -> str:
    """Return a query of letters in any order, with a space after every so many."""
    chance = random.Random(7)
    found = [chr(chance.randrange(first, beyond)) for _ in range(QUERY_LENGTH)]
    return "".join(found if not every else (each + " " * (not n % every) for n, each in enumerate(found)))[
        :QUERY_LENGTH
    ]


LETTERS = "abcdefghijklmnopqrst"
LONG = {
    "English": " ".join(f"tide{x}{y}{z}" for x in "abc" for y in LETTERS for z in LETTERS)[:QUERY_LENGTH],
    "names": " ".join(f"w{number:x}q" for number in range(3_000))[:QUERY_LENGTH],
    "paths": "/a.b-c_d" * 1_250,
    "Chinese": letters(0x4E00, 0x9FA0),
    "Chinese words": letters(0x4E00, 0x9FA0, every=4),
    "Thai": letters(0x0E01, 0x0E2F),
    "Korean": letters(0xAC00, 0xD7A4, every=3),
    "Japanese": letters(0x3041, 0x3097),
    "Lao": letters(0x0E81, 0x0EAF),
    "Khmer": letters(0x1780, 0x17B4),
    "Burmese": letters(0x1000, 0x1021),
    "Russian": letters(0x0430, 0x0450, every=6),
    "Greek": letters(0x03B1, 0x03C2, every=6),
    "Arabic": letters(0x0627, 0x063B, every=6),
    "Arabic with vowel signs": letters(0x0627, 0x0653, every=6),
    "Hebrew": letters(0x05D0, 0x05EB, every=6),
    "Hindi": letters(0x0915, 0x093A, every=6),
    "Hindi with vowel signs": letters(0x0904, 0x0950, every=6),
    "Turkish": letters(0x011E, 0x0160, every=6),
    "Vietnamese": letters(0x1EA0, 0x1EFA, every=4),
    "accents": letters(0x00E0, 0x0100, every=6),
    "full width": letters(0xFF21, 0xFF5B, every=6),
    "sentences in one sign": "\ufdfa " * (QUERY_LENGTH // 2),
    "one letter": "a" * QUERY_LENGTH,
    "signs": ".,;:!?-/" * 1_250,
}


@pytest.mark.parametrize("query", LONG.values(), ids=LONG)
def test_so_many_tokens_and_characters_are_read(query: str) -> None:
    read = limit_query(query)
    assert query.startswith(read)
    asked = tokens.list_readings(read)
    assert len(asked) <= MOST_TOKENS
    assert sum(len(token) for token in asked if not tokens.is_word(token)) <= MOST_SIGNS
    assert limit_query(read) == read


@pytest.mark.parametrize(
    "query",
    [
        " ".join(chr(0x4E00 + number) for number in range(LITERAL_LENGTH // 2)),
        "Which berth was closed by the storm? " * 200,
        " ".join(f"tide{chr(97 + number // 19)}{chr(97 + number % 19)}" for number in range(MOST_TOKENS)),
        "The crane at https://example.org/a?b=c, broken on 2026-05-04 by ADR-016. " * 100,
    ],
)
def test_what_is_not_too_much_is_read_to_its_end(query: str) -> None:
    assert limit_query(query) == query


@pytest.mark.django_db
@pytest.mark.parametrize("query", LONG.values(), ids=LONG)
def test_twice_as_long_a_query_asks_for_no_more(writer: Actor, query: str) -> None:
    for language in ("german", "russian", "turkish", "arabic", "simple"):
        Memory.objects.filter(pk=factories.memory(writer, "berth").pk).update(language=language)

    def ask(text: str) -> int:
        asked = word_stats.terms(query=text, within=Within.of(writer), audiences=[writer.team_id], now=timezone.now())
        return len(asked.terms)

    half = ask(query[: QUERY_LENGTH // 2])
    assert ask(query) <= max(half, MOST_TOKENS) <= 2 * MOST_SIGNS


@pytest.mark.django_db
@pytest.mark.parametrize("query", LONG.values(), ids=LONG)
def test_twice_as_long_a_query_takes_no_longer(writer: Actor, query: str) -> None:
    Memory.objects.filter(pk=factories.memory(writer, "berth").pk).update(language="turkish")
    now = timezone.now()

    def read(text: str) -> None:
        tokens.forget_tokens()
        word_stats.terms(query=text, within=Within.of(writer), audiences=[writer.team_id], now=now)

    read("berth")
    half = seconds(lambda: read(query[: QUERY_LENGTH // 2]))
    assert seconds(lambda: read(query)) < 4 * max(0.02, half)


@pytest.mark.django_db
def test_the_embedder_gets_what_is_read(writer: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[str] = []
    monkeypatch.setattr(active_model, "embed_query", lambda text, weights: given.append(text))
    monkeypatch.setattr("memories.recall.query.pgvector.has_vectors", lambda connection: True)
    recall(actor=writer, query=LONG["Chinese"])
    assert given == [LONG["Chinese"][:MOST_SIGNS]]


@pytest.mark.django_db
def test_words_in_the_part_that_is_read_are_found(writer: Actor) -> None:
    memory = factories.memory(writer, "The anchorage is closed.")
    hits = recall(actor=writer, query=f"anchorage {LONG['names']}"[:QUERY_LENGTH], explain=True, snippets=True).hits
    assert (hits[0].memory, hits[0].matched) == (memory, ["anchorage"])


@pytest.mark.django_db
def test_a_long_query_is_explained_by_its_rarest_words(writer: Actor) -> None:
    names = [f"word{number}" for number in range(2_000)]
    memories = [factories.memory(writer, f"{number} " + " ".join(names)) for number in range(3)]
    terms = [Term(name, 1, 1.0, (name,)) for name in names]
    assert {len(found) for found in find_matched_words(memories=memories, terms=terms).values()} == {MOST_EXPLAINED}
    few = seconds(lambda: find_matched_words(memories=memories, terms=terms[:MOST_EXPLAINED]))
    assert seconds(lambda: find_matched_words(memories=memories, terms=terms)) < 4 * few
