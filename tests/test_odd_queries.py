"""No query, however odd, is an error.

`ODD_QUERIES=10000 python -m pytest tests/test_odd_queries.py` tries as many.
"""

import os
import random
from collections.abc import Callable, Iterator

import pytest
from django.db import connection
from django.utils import timezone

from memories.recall import QUERY_LENGTH, Mode, recall, tokens
from memoryhub.errors import Invalid
from memoryhub.text import text_problem
from teams.actor import Actor
from tests import factories

ODD = {
    "operators of a text query": ":*&|!<->()'\"\\ab ",
    "wildcards": "%_\\*?[]^$.{}ab ",
    "invisible": "\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e\u3164\u115f\u2800\u034f ",
    "spaces": " \t\n\v\f\r\u0085\u00a0\u1680\u2003\u2028\u2029\u202f\u3000",
    "controls": "".join(map(chr, [*range(1, 32), *range(127, 160)])) + "ab",
    "combining marks": "e" + "".join(map(chr, range(0x300, 0x370))),
    "directions": "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061cאبa1 ",
    "emoji": "👍🏽\u200d💻🇵🇹🏴\ufe0f\u20e31#",
    "letters of odd case": "ßŉǰΐﬃİıſΣςǅ ",
}
SQL = ["'", '"', ";", "--", "/*", "*/", "$$", "%s", "%(query)s", "{}", "\\", "E'\\'", "x'41'", "=@", "@", ")", "("]
SQL += ["SELECT 1", "DROP TABLE memories_memory", "UNION ALL", "pg_sleep(9)", "to_tsquery('a &')", "::tsquery", "NULL"]
QUERIES = int(os.environ.get("ODD_QUERIES", "1500"))
LONG_EVERY = 499  # odd, so that both modes get some


def any_characters(chance: random.Random, size: int) -> str:
    """From all planes, but more often from the lower ones; never NUL or half of a surrogate pair."""
    top = chance.choice([0x80, 0x800, 0x10000, 0x110000])
    points = (chance.randrange(1, top) for _ in range(size))
    return "".join(chr(point) for point in points if not 0xD800 <= point < 0xE000)


def odd_characters(chance: random.Random, size: int) -> str:
    return "".join(chance.choices(ODD[chance.choice(list(ODD))], k=size))


def sql_like(chance: random.Random, size: int) -> str:
    return chance.choice(["", " "]).join(chance.choices(SQL, k=size))


MAKERS: list[Callable[[random.Random, int], str]] = [any_characters, odd_characters, odd_characters, sql_like]


def odd_queries(chance: random.Random, *, count: int) -> Iterator[str]:
    for number in range(count):
        size = chance.randint(1, QUERY_LENGTH if number % LONG_EVERY == 0 else 30)
        yield chance.choice(MAKERS)(chance, size)[:QUERY_LENGTH]


def test_odd_queries_are_answered_or_refused_for_being_blank(writer: Actor) -> None:
    for content in ("100%_sure: 'a & b' | !c <-> \\d", "日本語のメモ 👍🏽"):
        factories.memory(writer, content)
    now = timezone.now()  # the same for all, so that nobody looks again whether words have to be counted anew
    for number, query in enumerate(odd_queries(random.Random(1), count=QUERIES)):
        mode = Mode.KEYWORD if number % 2 else Mode.HYBRID
        blank = bool(text_problem(query, longest=QUERY_LENGTH)) or not query.strip()
        try:
            recall(actor=writer, query=query, mode=mode, limit=1, now=now)
            refused = False
        except Invalid:
            refused = True
        except Exception as error:
            error.add_note(f"Mode {mode}, query {query!r}.")
            raise
        assert refused == blank, repr(query)


LONG_RUN = "".join(chr(0x4E00 + number) for number in range(2_000))


@pytest.mark.parametrize("token", [LONG_RUN, "-".join(f"w{number}" for number in range(400))], ids=["run", "words"])
def test_a_long_token_comes_back_once_and_not_with_each_of_its_parts(db: None, token: str) -> None:
    with connection.cursor() as cursor:
        readings = tokens.list_readings(token)[token]
        cursor.execute(tokens.READ, tokens.bound(readings))
        letters = sum(len(str(row)) for row in cursor.fetchall())
    assert letters < 50 * len(token)
