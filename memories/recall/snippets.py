"""Snippets: the part of a memory or a file that answers, with the asked words marked."""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from uuid import UUID

from django.db import connection

from memories.models import Memory
from memories.recall.text_filter import file_lexemes
from memories.recall.word_stats import Term
from memories.recall.words import match_any

WIDTH = 240  # characters
START, STOP = "\x02", "\x03"
MARKS = re.compile(f"[{START}{STOP}]")
Span = tuple[int, int]

# The content with its asked words between two signs that it does not have itself then. Words are found as the index
# finds them: in the text without punctuation and accents, which has the same length. Words that the index has cut are
# marked by their beginning.
MARKED = """
SELECT id, ts_headline(
    memory_dictionaries(language), translate(memory_plain(memory_unaccented({text})), %(signs)s, '  '),
    CASE language WHEN 'simple' THEN %(beginnings)s ELSE %(asked)s END::tsquery, %(options)s
)
FROM {table} WHERE organization_id = %(organization)s AND id = ANY(%(ids)s)
"""
MOST_TERMS = 16  # of a long query, the rarest: each is compared with each word of a text
READ = 20_000  # characters of a text, from its beginning
IN_MEMORIES = MARKED.format(text=f"left(content, {READ})", table="memories_memory")
INDEXED = 65_536  # characters of a file that it is found by
IN_FILES = MARKED.format(text=f"left(content, {READ})", table="memories_teamfile")


@dataclass(frozen=True, slots=True)
class Snippet:
    text: str
    marks: tuple[Span, ...]  # where in the text the asked words stand


def snippets(*, memories: Sequence[Memory], terms: Sequence[Term]) -> dict[UUID, Snippet]:
    lexemes = [lexeme for term in terms[:MOST_TERMS] for lexeme in term.lexemes]
    words = [lexeme for lexeme in lexemes if lexeme[0] not in "~="]
    identifiers = [lexeme[1:] for lexeme in lexemes if lexeme[0] in "~="]
    ids = [memory.pk for memory in memories]
    marked = _mark_words(IN_MEMORIES, memories[0].organization_id, ids, words) if words and memories else {}
    return {memory.pk: _snippet(memory.content, marked.get(memory.pk, ""), identifiers) for memory in memories}


def in_files(*, organization_id: UUID, texts: Mapping[UUID, str], words: str) -> dict[UUID, Snippet]:
    """Return a snippet of each file, by its id. `texts` holds the part of each text by which the file is found."""
    lexemes = [lexeme for each in file_lexemes(words) for lexeme in each]
    asked = sorted(lexemes, key=len, reverse=True)[:MOST_TERMS]  # long words are the rarer ones
    marked = _mark_words(IN_FILES, organization_id, list(texts), asked) if asked and texts else {}
    literal = [] if asked else [words.lower()]
    return {file_id: _snippet(text, marked.get(file_id, ""), literal) for file_id, text in texts.items()}


def _mark_words(statement: str, organization_id: UUID, ids: Sequence[UUID], words: Sequence[str]) -> dict[UUID, str]:
    with connection.cursor() as cursor:
        cursor.execute(
            statement,
            {
                "signs": START + STOP,
                "asked": match_any(words),
                "beginnings": match_any(words, label=":*"),
                "options": f'HighlightAll=true, StartSel="{START}", StopSel="{STOP}"',
                "organization": organization_id,
                "ids": list(ids),
            },
        )
        return dict(cursor.fetchall())


def _snippet(content: str, marked: str, identifiers: Sequence[str]) -> Snippet:
    spans = _merge_spans(sorted({*_spans(marked), *_occurrences(content, identifiers)}))
    start = _after_a_space(content, _best_start(spans, len(content)))
    end = min(len(content), start + WIDTH)
    before, after = "…" if start else "", "…" if end < len(content) else ""
    shift = len(before) - start
    inside = [(left + shift, right + shift) for left, right in spans if left >= start and right <= end]
    return Snippet(f"{before}{content[start:end]}{after}", tuple(inside))


def _spans(marked: str) -> list[Span]:
    """Return the positions of the marked words in the text without the marks: between two marks is a word, then other
    text."""
    ends = [*accumulate(map(len, MARKS.split(marked)))]
    return [*zip(ends[0::2], ends[1::2], strict=False)]


def _occurrences(content: str, identifiers: Sequence[str]) -> list[Span]:
    lower = content[:READ].lower()
    if len(lower) != len(content[:READ]):  # a few letters change their length
        return []
    return [found.span() for each in identifiers if each for found in re.finditer(re.escape(each), lower)]


def _best_start(spans: Sequence[Span], length: int) -> int:
    """Return the beginning of the window with the most marks, a little before its first mark."""
    if length <= WIDTH or not spans:
        return 0
    ends = [right for _, right in spans]
    inside = [bisect_right(ends, left + WIDTH * 3 // 4) - place for place, (left, _) in enumerate(spans)]
    best, _ = spans[inside.index(max(inside))]
    return max(0, min(best - WIDTH // 6, length - WIDTH))


def _after_a_space(content: str, start: int) -> int:
    """Return the next beginning of a word, a little later but before the first mark; `start` itself if there is
    none."""
    gap = re.search(r"\s", content[start : start + WIDTH // 6]) if start else None
    return start + gap.end() if gap else start


def _merge_spans(spans: Sequence[Span]) -> list[Span]:
    """Merge overlapping spans."""
    merged: list[Span] = []
    for left, right in spans:
        if merged and left < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(right, merged[-1][1]))
        else:
            merged.append((left, right))
    return merged
