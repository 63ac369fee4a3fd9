"""How rare a word is in what the asker can see: read from counts that are renewed when enough has changed."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone

from memories.models import Memory, Vocabulary
from memoryhub.ids import uuid7
from memoryhub.prepared import prepared_cursor

LOOK_EVERY = timedelta(seconds=30)  # between looks whether an audience has changed much
STALE_SHARE = 0.2  # of an audience's memories changed since they were counted
CODE = re.compile(r"[_/\\@#+:~$%&*|<>=-]|[0-9][^0-9]|[^0-9][0-9]|\.\w")  # what makes a token more than a word
EXACT = re.compile(r"[_/\\@#+:~$%&*|<>=]|[0-9][^0-9]|[^0-9][0-9]|\.\w|^-")
SMALL = 50  # changes that never matter

# The asked words, each with its lexeme and in how many memories of these audiences that one occurs; then the asked
# identifiers likewise.
ASKED = """
WITH asked AS (
    SELECT DISTINCT word, lexeme
    FROM regexp_split_to_table(memory_plain(lower(%(query)s::text)), '\\s+') AS word, unnest(memory_words(word))
    UNION ALL
    SELECT '', unnest(memory_identifiers(%(query)s::text))
)
SELECT word, asked.lexeme, coalesce((
    SELECT sum(counted.memories) FROM memories_lexeme AS counted
    WHERE counted.organization_id = %(organization)s::uuid AND counted.audience = ANY(%(audiences)s::uuid[])
        AND counted.lexeme = asked.lexeme
), 0)::integer
FROM asked
"""


@dataclass(frozen=True, slots=True)
class Term:
    """One asked word and how much it tells: the rarer, the more."""

    lexeme: str
    memories: int
    weight: float
    words: tuple[str, ...] = ()  # as they were asked; none for an identifier

    @property
    def is_identifier(self) -> bool:
        """Whether those that have it, letter by letter, come first: more than words joined by hyphens."""
        return not self.words and bool(EXACT.search(self.lexeme[1:]) or not self.lexeme.isascii())


@dataclass(frozen=True, slots=True)
class Terms:
    terms: tuple[Term, ...]  # the rarest first
    memories: int
    mean_length: float

    @property
    def weights(self) -> dict[str, float]:
        """By word, as it was asked."""
        return {word: term.weight for term in self.terms for word in term.words}


def terms(*, query: str, organization_id: UUID, audiences: Iterable[UUID], now: datetime | None = None) -> Terms:
    """The query's words, weighed by what these audiences have."""
    audiences = list(audiences)
    vocabularies = _vocabularies(organization_id, audiences, now=now or timezone.now())
    total = sum(vocabulary.memories for vocabulary in vocabularies)
    length = sum(vocabulary.memories * vocabulary.mean_length for vocabulary in vocabularies) / max(total, 1)
    with prepared_cursor() as cursor:
        cursor.execute(ASKED, {"query": query, "organization": organization_id, "audiences": audiences})
        found: dict[str, Term] = {}
        for word, lexeme, count in cursor.fetchall():
            if not word and not is_code(lexeme):
                continue  # a word with an apostrophe or a number, which counts as a word already
            known = found.get(lexeme) or Term(lexeme, count, rarity(count, total))
            found[lexeme] = replace(known, words=(*known.words, *([word] if word else [])))
    rarest_first = sorted(found.values(), key=lambda term: (term.memories, term.lexeme))
    return Terms(tuple(rarest_first), total, max(length, 1.0))


def is_code(lexeme: str) -> bool:
    """Whether it is an identifier, which is asked for just so, or writing without spaces between its words."""
    return bool(CODE.search(lexeme[1:])) or not lexeme.isascii()


def rarity(count: int, total: int) -> float:
    """The usual inverse document frequency, never negative; a word that was not counted is taken to occur once."""
    count = min(max(count, 1), max(total, 1))
    return math.log(1 + (max(total, 1) - count + 0.5) / (count + 0.5))


def _vocabularies(organization_id: UUID, audiences: list[UUID], *, now: datetime) -> list[Vocabulary]:
    rows = Vocabulary.objects.filter(organization=organization_id, audience__in=audiences)
    known = {row.audience: row for row in rows}
    for audience in audiences:
        row = known.get(audience)
        due = row is None or (now - row.counted_at > LOOK_EVERY and _stale(row))
        if due and (counted := count(organization_id=organization_id, audience=audience, now=now)):
            known[audience] = counted
    return list(known.values())


def _stale(row: Vocabulary) -> bool:
    """Whether so much has changed since that the counts mislead. Reads no more of the index memory_changed than
    tells."""
    enough = max(SMALL, int(row.memories * STALE_SHARE))
    changed = Memory.objects.filter(organization=row.organization_id, audience=row.audience, forgotten_at=None)
    return changed.filter(updated_at__gt=row.counted_at)[: enough + 1].count() > enough


COUNT = """
INSERT INTO memories_lexeme (organization_id, audience, lexeme, memories)
SELECT %(organization)s, %(audience)s, word, ndoc FROM ts_stat(%(source)s) WHERE ndoc > 1 AND word NOT LIKE '@%%'
"""
SUMMARY = """
SELECT count(*), coalesce(avg(length(search)), 0)::float8
FROM memories_memory WHERE organization_id = %s AND audience = %s AND forgotten_at IS NULL
"""


@transaction.atomic
def count(*, organization_id: UUID, audience: UUID, now: datetime) -> Vocabulary | None:
    """Counts an audience anew. Whoever comes while another counts goes on with the old counts."""
    with connection.cursor() as cursor:
        lock = int.from_bytes(sha256(f"vocabulary {audience}".encode()).digest()[:8], signed=True)
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [lock])
        if not cursor.fetchone()[0]:
            return None
        cursor.execute(SUMMARY, [organization_id, audience])
        memories, mean_length = cursor.fetchone()
        where = {"organization": organization_id, "audience": audience}
        cursor.execute(
            "DELETE FROM memories_lexeme WHERE organization_id = %(organization)s AND audience = %(audience)s", where
        )
        source = (
            "SELECT search FROM memories_memory "  # noqa: S608 (ids of ours, in a statement that Postgres runs itself)
            f"WHERE organization_id = '{organization_id}' AND audience = '{audience}' AND forgotten_at IS NULL"
        )
        cursor.execute(COUNT, where | {"source": source})
    vocabulary, _ = Vocabulary.objects.update_or_create(
        organization_id=organization_id,
        audience=audience,
        defaults={"memories": memories, "mean_length": mean_length, "counted_at": now},
        create_defaults={"id": uuid7(), "memories": memories, "mean_length": mean_length, "counted_at": now},
    )
    return vocabulary
