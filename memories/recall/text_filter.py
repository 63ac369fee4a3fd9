"""Filter by words: narrows a list to the rows that contain all of them, without ranking."""

from collections.abc import Sequence
from typing import Any

from django.contrib.postgres.search import SearchQueryField
from django.db import connection
from django.db.models import BooleanField, F, Func, Q, Value
from django.db.models.functions import Cast

from memories.recall.words import match_any
from memoryhub.languages import ENGLISH, LANGUAGES, SIMPLE

# Of each word the lexemes that the search columns know it by in any language, and whether it is a stop word of one; of
# writing without spaces, its pieces.
LEXEMES = """
WITH token AS MATERIALIZED (
    SELECT DISTINCT token FROM regexp_split_to_table(%(text)s, '\\s+') AS token WHERE token <> ''
)
SELECT word, array_agg(DISTINCT lexeme) FILTER (WHERE lexeme IS NOT NULL), bool_or(lexeme IS NULL),
    coalesce(array_agg(lexeme) FILTER (WHERE language = %(english)s AND lexeme IS NOT NULL), '{}')
FROM token, regexp_split_to_table(memory_plain(token), '\\s+') AS word, unnest(%(languages)s::text[]) AS language
    LEFT JOIN LATERAL unnest(tsvector_to_array(memory_words(word, language))) AS lexeme ON true
WHERE word <> '' AND memory_grams(word) = '{}'
GROUP BY word
UNION ALL
SELECT gram, ARRAY[gram], false, ARRAY[gram] FROM token, unnest(memory_grams(token)) AS gram
"""
Alternatives = tuple[str, ...]  # lexemes, one of which is enough


class Matches(Func):
    template = "%(expressions)s"
    arg_joiner = " @@ "
    output_field = BooleanField()


def lexemes(text: str) -> list[Alternatives]:
    """Return the words of the text as the index has them. Rows are in many languages, so the stop words of any are left
    out; if the text has no other words, those of English are."""
    with connection.cursor() as cursor:
        parameters: dict[str, Any] = {"text": text, "languages": [*LANGUAGES, SIMPLE], "english": ENGLISH}
        cursor.execute(LEXEMES, parameters)
        rows = cursor.fetchall()
    telling = [tuple(every) for _, every, is_stop_word, _ in rows if every and not is_stop_word]
    return sorted(telling or [tuple(english) for _, _, _, english in rows if english])


def file_lexemes(text: str) -> list[Alternatives]:
    """Return the lexemes to look for in files; none if the index of files, which knows only whole words, does not
    help."""
    found = lexemes(text)
    return [] if any(lexeme.startswith("~") for each in found for lexeme in each) else found


def match_all_words(words: Sequence[Alternatives], *, within: Any = None) -> Q:
    """Match rows that have all of these words; within one audience, if rows have their audience as a lexeme, too."""
    wanted = [match_any(each) for each in words]
    wanted += [f"'@{within}'"] if within else []
    return Q(Matches(F("search"), Cast(Value(" & ".join(wanted)), SearchQueryField())))
