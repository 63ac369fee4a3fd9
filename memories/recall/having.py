"""Having words: what narrows a list to the rows that have all of them, without ranking."""

from typing import Any

from django.contrib.postgres.search import SearchQueryField
from django.db import connection
from django.db.models import BooleanField, F, Func, Q, Value
from django.db.models.functions import Cast

from memories.recall.words import quoted

# Of each asked token the lexemes that the search columns know it by: its words; of writing without spaces, its pairs.
LEXEMES = """
SELECT DISTINCT lexeme FROM regexp_split_to_table(%s, '\\s+') AS token, unnest(
    CASE WHEN memory_pairs(token) = '{}' THEN tsvector_to_array(memory_words(token)) ELSE memory_pairs(token) END
) AS lexeme
"""


class Matches(Func):
    template = "%(expressions)s"
    arg_joiner = " @@ "
    output_field = BooleanField()


def lexemes(text: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(LEXEMES, [text])
        return sorted(row[0] for row in cursor.fetchall())


def file_lexemes(text: str) -> list[str]:
    """None where the index of files, which knows whole words alone, does not help."""
    found = lexemes(text)
    return [] if any(lexeme.startswith("~") for lexeme in found) else found


def having(asked: list[str], *, within: Any = None) -> Q:
    """The rows that have all of these lexemes; within one audience, if it is a lexeme of theirs too."""
    wanted = [quoted(lexeme) for lexeme in asked]
    wanted += [f"'@{within}'"] if within else []
    return Q(Matches(F("search"), Cast(Value(" & ".join(wanted)), SearchQueryField())))
