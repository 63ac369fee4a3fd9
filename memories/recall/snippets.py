"""The part of a memory or a file that answers, with the asked words marked."""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection

from memories.models import Memory
from memories.recall.having import file_lexemes
from memories.recall.statistics import Term
from memories.recall.words import quoted

WIDTH = 240  # characters
START, STOP = "\x02", "\x03"
Span = tuple[int, int]

# The content with its asked words between two signs that it does not have itself then. Words are found as the index
# finds them: in the text without punctuation, which has the same length.
MARKED = """
SELECT id, ts_headline('pg_catalog.english', translate(memory_plain({text}), %(signs)s, '  '), %(asked)s::tsquery,
    %(options)s)
FROM {table} WHERE organization_id = %(organization)s AND id = ANY(%(ids)s)
"""
IN_MEMORIES = MARKED.format(text="content", table="memories_memory")
INDEXED = 65_536  # characters of a file that it is found by
IN_FILES = MARKED.format(text=f"left(content, {INDEXED})", table="memories_teamfile")


@dataclass(frozen=True, slots=True)
class Snippet:
    text: str
    marks: tuple[Span, ...]  # where in the text the asked words stand


def snippets(*, memories: Sequence[Memory], terms: Sequence[Term]) -> dict[UUID, Snippet]:
    words = [term.lexeme for term in terms if term.words]
    identifiers = [term.lexeme[1:] for term in terms if not term.words]
    ids = [memory.pk for memory in memories]
    marked = _marked(IN_MEMORIES, memories[0].organization_id, ids, words) if words and memories else {}
    return {memory.pk: _snippet(memory.content, marked.get(memory.pk, ""), identifiers) for memory in memories}


def in_files(*, organization_id: UUID, texts: Mapping[UUID, str], words: str) -> dict[UUID, Snippet]:
    """Of each file, by its id, with the part of its text that it is found by."""
    asked = file_lexemes(words)
    marked = _marked(IN_FILES, organization_id, list(texts), asked) if asked and texts else {}
    literal = [] if asked else [words.lower()]
    return {file_id: _snippet(text, marked.get(file_id, ""), literal) for file_id, text in texts.items()}


def _marked(statement: str, organization_id: UUID, ids: Sequence[UUID], words: Sequence[str]) -> dict[UUID, str]:
    with connection.cursor() as cursor:
        cursor.execute(
            statement,
            {
                "signs": START + STOP,
                "asked": " | ".join(map(quoted, words)),
                "options": f'HighlightAll=true, StartSel="{START}", StopSel="{STOP}"',
                "organization": organization_id,
                "ids": list(ids),
            },
        )
        return dict(cursor.fetchall())


def _snippet(content: str, marked: str, identifiers: Sequence[str]) -> Snippet:
    spans = _merged(sorted({*_spans(marked), *_occurrences(content, identifiers)}))
    start = _after_a_space(content, _best_start(spans, len(content)))
    end = min(len(content), start + WIDTH)
    before, after = "…" if start else "", "…" if end < len(content) else ""
    shift = len(before) - start
    inside = [(left + shift, right + shift) for left, right in spans if left >= start and right <= end]
    return Snippet(f"{before}{content[start:end]}{after}", tuple(inside))


def _spans(marked: str) -> list[Span]:
    """Where the marked words stand in the text without the marks."""
    found, place, rest = [], 0, marked
    while START in rest:
        before, _, rest = rest.partition(START)
        word, _, rest = rest.partition(STOP)
        place += len(before)
        found.append((place, place + len(word)))
        place += len(word)
    return found


def _occurrences(content: str, identifiers: Sequence[str]) -> list[Span]:
    lower = content.lower()
    if len(lower) != len(content):  # a few letters change their length
        return []
    found = []
    for identifier in identifiers:
        place = lower.find(identifier)
        while place >= 0:
            found.append((place, place + len(identifier)))
            place = lower.find(identifier, place + 1)
    return found


def _best_start(spans: Sequence[Span], length: int) -> int:
    """Where the window with the most marks begins, with a little before its first mark."""
    if length <= WIDTH or not spans:
        return 0
    ends = [right for _, right in spans]
    inside = [bisect_right(ends, left + WIDTH * 3 // 4) - place for place, (left, _) in enumerate(spans)]
    best, _ = spans[inside.index(max(inside))]
    return max(0, min(best - WIDTH // 6, length - WIDTH))


def _after_a_space(content: str, start: int) -> int:
    """A little later, before the first mark, where a word begins; there, if none does."""
    gap = re.search(r"\s", content[start : start + WIDTH // 6]) if start else None
    return start + gap.end() if gap else start


def _merged(spans: Sequence[Span]) -> list[Span]:
    """Without overlaps."""
    merged: list[Span] = []
    for left, right in spans:
        if merged and left < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(right, merged[-1][1]))
        else:
            merged.append((left, right))
    return merged
