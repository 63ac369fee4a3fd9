"""Snippets of long texts, asked for by long queries."""

import pytest

from memories.recall import Mode, recall
from memories.recall.snippets import MOST_TERMS, START, STOP, _snippet, snippets
from memories.recall.word_stats import Term
from teams.actor import Actor
from tests import factories
from tests.effort import cpu_seconds, seconds


def test_many_marks_take_time_by_their_number() -> None:
    def mark(count: int) -> None:
        found = _snippet("a b " * count, f"{START}a{STOP} b " * count, ["a"])
        assert found.marks[0] == (0, 1)

    assert cpu_seconds(lambda: mark(40_000)) < 4 * cpu_seconds(lambda: mark(20_000))


def test_marks_stand_where_the_words_do() -> None:
    found = _snippet("The tide turned.", f"The {START}tide{STOP} {START}turned{STOP} ", ["ned"])
    assert [found.text[left:right] for left, right in found.marks] == ["tide", "turned"]


@pytest.mark.django_db
def test_a_long_query_marks_no_longer_than_its_rarest_words_do(writer: Actor) -> None:
    memories = [factories.memory(writer, f"{number} " + "tide pilot berth crane " * 2_000) for number in range(5)]
    terms = [Term(f"word{number}", 1, 1.0, (f"word{number}",)) for number in range(2_000)]
    few = seconds(lambda: snippets(memories=memories, terms=terms[:MOST_TERMS]))
    assert seconds(lambda: snippets(memories=memories, terms=terms)) < 4 * few


@pytest.mark.parametrize(
    ("content", "query", "marked"),
    [
        ("Die Häuser am Hafen sind verkauft, das Haus bleibt.", "haus", ["Häuser", "Haus"]),
        ("Le café est fermé parce que les cafés de la ville le sont.", "cafe", ["café", "cafés"]),
        ("İşçiler limanda bekliyor ve bu işçi çok yorgun.", "isci", ["İşçiler", "işçi"]),
        ("Zamknięte magazyny i zamknięty magazyn, ale nie że się.", "zamknięta", ["Zamknięte", "zamknięty"]),
        ("港口在台风期间关闭。", "台风期间", ["台风期间"]),
        ("ท่าเรือปิดเพราะพายุ", "พายุ", ["พายุ"]),
    ],
)
def test_words_are_marked_in_any_language(writer: Actor, content: str, query: str, marked: list[str]) -> None:
    factories.memory(writer, content)
    found = recall(actor=writer, query=query, mode=Mode.KEYWORD, snippets=True).hits[0].snippet
    assert found
    assert [found.text[left:right] for left, right in found.marks] == marked
