"""Writing without spaces is found by its pieces, in time by its length."""

import random
from typing import Any

import pytest
from django.db import connection

from tests.effort import seconds

pytestmark = pytest.mark.django_db
# Obviously right, and slow: `substr` counts from the start of the text each time.
SIMPLE_GRAMS = r"""
CREATE FUNCTION simple_grams(text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ARRAY(
    SELECT DISTINCT '~' || substr(run[1], place, size)
    FROM (VALUES
            ('[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+', 3),
            ('[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\U00020000]+', 2)
        ) AS script (letters, size),
        regexp_matches(normalize($1, NFKC), letters, 'g') AS run,
        generate_series(1, greatest(length(run[1]) - size + 1, 1)) AS place
)
"""
LETTERS = (
    "\u5e02\u5834\u6e2f\u3042\u30fc\uac00\uac01\u0e01\u0e49\u0e40\u0e81\u1000\u1780\u1100\u1161"
    "e\u0301a -,\n\U00020000\u00e9"
)


def select_value(statement: str, *values: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchone()[0]


def test_pieces_are_each_character_and_the_next_ones() -> None:
    with connection.cursor() as cursor:
        cursor.execute(SIMPLE_GRAMS)
    chance = random.Random(7)
    for length in (0, 1, 2, 3, *(chance.randrange(60) for _ in range(300))):
        text = "".join(chance.choices(LETTERS, k=length))
        assert sorted(select_value("SELECT memory_grams(%s)", text)) == sorted(
            select_value("SELECT simple_grams(%s)", text)
        )


@pytest.mark.parametrize("letters", ["\u5e02\u5834\u6e2f\u53e3", "\u0e01\u0e49\u0e40", "\u3042", "\uac00\uac01"])
def test_pieces_take_time_by_the_length_of_the_text(letters: str) -> None:
    def read(length: int) -> None:
        text = (letters * length)[:length]
        assert select_value("SELECT cardinality(memory_grams(%s))", text) >= 1

    assert seconds(lambda: read(16_000)) < 5 * max(0.02, seconds(lambda: read(8_000)))


# Each about 16,000 characters: what a memory can hold of three bytes each.
WORST = {
    "one letter": "a" * 16_000,
    "letters with marks": "e\u0301" * 8_000,
    "marks": "a" + "\u0315\u0300" * 8_000,
    "dots": "a." * 8_000,
    "signs": "!-/" * 5_000,
    "arrows": "->" * 8_000,
    "borders of scripts": "a\u5e02" * 8_000,
    "hyphens": "a-" * 8_000,
    "paths": "/a" * 8_000,
    "digits": "1" * 16_000,
    "digits with dots": "1." * 8_000,
    "quotation marks": "\u201c" * 16_000,
    "Chinese": "\u5e02\u5834" * 8_000,
    "Thai": "\u0e01\u0e49" * 8_000,
    "emoji": "\U0001f6a2\u200d" * 8_000,
    "many words": " ".join(f"w{number}" for number in range(2_500)),
    "Greek": "\u03ac\u03bb " * 5_000,
    "Russian": "\u0451\u0436 " * 5_000,
    "Arabic": "\u0623\u064b\u0628 " * 4_000,
    "Hindi": "\u0915\u093f\u0924\u093e\u092c " * 2_600,
    "accents": "\u00e9\u00df\u0131 " * 4_000,
    "sentences in one sign": "\ufdfa " * 8_000,
    "words in one sign": "\u3300" * 16_000,
    "full width": "\uff21\uff22 " * 5_000,
}
SEARCH = "SELECT length(memory_search(NULL, '', '{}', '', '', %s, %s))"


@pytest.mark.parametrize("language", ["english", "german", "turkish", "simple"])
@pytest.mark.parametrize("text", WORST.values(), ids=WORST)
def test_what_a_memory_is_found_by_takes_no_longer_than_for_an_ordinary_text(text: str, language: str) -> None:
    words = [f"berth{number % 7} pilots told on {number} that the tide turned" for number in range(400)]
    ordinary = seconds(lambda: select_value(SEARCH, ". ".join(words)[:16_000], "english"))
    assert seconds(lambda: select_value(SEARCH, text, language)) < 8 * max(0.01, ordinary)
