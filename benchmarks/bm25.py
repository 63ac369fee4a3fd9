"""BM25 over Postgres' lexemes: what recall is compared with."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from uuid import UUID

SATURATION, LENGTH = 0.9, 0.4  # the constants k1 and b
PIECES = "pieces"  # instead of a language: writing without spaces, read by its pairs of characters
TEXTS = "SELECT id, content FROM memories_memory WHERE audience = %s"
LEXEMES = """
SELECT id, lexeme, coalesce(cardinality(positions), 1)
FROM memories_memory, unnest(to_tsvector(%s::regconfig, content))
WHERE audience = %s
"""


@dataclass(slots=True)
class Bm25:
    """An index of one team's memories, all read by the dictionary of one language."""

    language: str
    postings: dict[str, list[tuple[UUID, int]]] = field(default_factory=lambda: defaultdict(list))
    lengths: dict[UUID, int] = field(default_factory=lambda: defaultdict(int))

    @classmethod
    def build(cls, team_id: UUID, language: str) -> "Bm25":
        from django.db import connection

        index = cls(language)
        with connection.cursor() as cursor:
            if language == PIECES:
                cursor.execute(TEXTS, [team_id])
                rows = [(pk, *piece) for pk, text in cursor for piece in Counter(map("".join, pairwise(text))).items()]
            else:
                cursor.execute(LEXEMES, [language, team_id])
                rows = cursor.fetchall()
        for memory_id, lexeme, count in rows:
            index.postings[lexeme].append((memory_id, count))
            index.lengths[memory_id] += count
        return index

    def search(self, query: str, limit: int) -> list[UUID]:
        """Return the best memories for a query, best first."""
        mean = sum(self.lengths.values()) / max(len(self.lengths), 1)
        scores: dict[UUID, float] = defaultdict(float)
        for lexeme in self._read(query):
            found = self.postings.get(lexeme, [])
            rarity = math.log(1 + (len(self.lengths) - len(found) + 0.5) / (len(found) + 0.5))
            for memory_id, count in found:
                length = SATURATION * (1 - LENGTH + LENGTH * self.lengths[memory_id] / mean)
                scores[memory_id] += rarity * count * (SATURATION + 1) / (count + length)
        return sorted(scores, key=lambda memory_id: -scores[memory_id])[:limit]

    def _read(self, query: str) -> Iterable[str]:
        from django.db import connection

        if self.language == PIECES:
            return {"".join(pair) for pair in pairwise(query)}
        with connection.cursor() as cursor:
            cursor.execute("SELECT tsvector_to_array(to_tsvector(%s::regconfig, %s))", [self.language, query])
            lexemes: list[str] = cursor.fetchone()[0]
        return lexemes
