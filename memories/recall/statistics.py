"""How rare a word is in what the asker can see: read from counts that are renewed when enough has changed."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction

from memories.models import Memory, Vocabulary
from memories.recall import reading
from memoryhub import background, locks
from memoryhub.ids import uuid7
from memoryhub.prepared import prepared_cursor

LOOK_EVERY = timedelta(seconds=30)  # between looks whether an audience has changed much
STALE_SHARE = 0.2  # of an audience's memories changed since they were counted
SMALL = 50  # changes that never matter
QUICK = 2_000  # memories that are counted while the first asker waits; more are counted beside
EXACT = re.compile(r"[_/\\@#+:~$%&*|<>=!]|[0-9][^0-9]|[^0-9][0-9]|\.\w|^-")

# How many memories these audiences have, how long they are, when they were counted, whether the organization has links;
# and in how many of them each asked lexeme occurs. Hopes for the primary key of memories_lexeme.
COUNTED = """
SELECT counted.*, asked.lexeme, (
    SELECT coalesce(sum(occurring.memories), 0) FROM memories_lexeme AS occurring
    WHERE occurring.organization_id = %(organization)s::uuid AND occurring.audience = ANY(%(audiences)s::uuid[])
        AND occurring.lexeme = asked.lexeme
)::integer
FROM (
    SELECT coalesce(sum(memories), 0)::integer AS memories, coalesce(sum(memories * mean_bytes), 0)::float8 AS bytes,
        coalesce(array_agg(audience), '{}') AS audiences, min(counted_at) AS since,
        EXISTS (SELECT FROM memories_association WHERE organization_id = %(organization)s::uuid) AS linked
    FROM memories_vocabulary
    WHERE organization_id = %(organization)s::uuid AND audience = ANY(%(audiences)s::uuid[])
) AS counted LEFT JOIN (SELECT unnest(%(lexemes)s::text[]) AS lexeme {lexemes}) AS asked ON true
"""
KNOWN = COUNTED.replace("{lexemes}", "")
# The same for tokens that were never read before: what they read as, too.
READING = f"""
WITH read AS MATERIALIZED (<read>)
SELECT *, NULL::text, NULL::text, NULL::text[]
FROM ({COUNTED.replace("{lexemes}", "UNION SELECT unnest(found) FROM read")}) AS counted
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, token, word, found FROM read
"""
UNKNOWN, UNKNOWN_PLAIN = (READING.replace("<read>", read) for read in (reading.READ, reading.READ_PLAIN))


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
    mean_bytes: float
    weights: dict[str, float] = field(default_factory=dict)  # by word, as it was asked
    only_identifiers: bool = False  # beside stop words
    literal: tuple[str, ...] = ()  # as the query may stand in a memory, letter by letter
    whole: bool = False  # every audience was counted
    linked: bool = True  # there are links to follow


def terms(*, query: str, organization_id: UUID, audiences: Sequence[UUID], now: datetime) -> Terms:
    """The query's words, weighed by what these audiences have."""
    query = reading.normal(query)
    tokens, counted = _looked_up(query, organization_id, audiences, now=now)
    asked: dict[str, list[str]] = {}  # by lexeme, the words that ask for it
    only_identifiers = True
    for token in tokens:
        only_identifiers &= bool(token.identifiers) or not any(lexemes for _, lexemes in token.words)
        for word, lexeme in token.lexemes:
            asked.setdefault(lexeme, []).extend([word] if word else [])
    found = [
        Term(lexeme, counted.of[lexeme], rarity(counted.of[lexeme], counted.memories), tuple(dict.fromkeys(words)))
        for lexeme, words in asked.items()
    ]
    found.sort(key=lambda term: (term.memories, term.lexeme))
    weights = {word: term.weight for term in found for word in term.words}
    literal = reading.literal(query, likely=only_identifiers)
    return Terms(
        terms=tuple(found),
        memories=counted.memories,
        mean_bytes=counted.mean_bytes,
        weights=weights,
        only_identifiers=only_identifiers,
        literal=literal,
        whole=counted.whole,
        linked=counted.linked,
    )


def rarity(count: int, total: int) -> float:
    """The usual inverse document frequency, never negative; a word that was not counted is taken to occur once."""
    count = min(max(count, 1), max(total, 1))
    return math.log(1 + (max(total, 1) - count + 0.5) / (count + 0.5))


@dataclass(frozen=True, slots=True)
class Counted:
    memories: int
    mean_bytes: float
    of: dict[str, int]  # by lexeme
    whole: bool  # every audience was counted
    linked: bool  # the organization has links


def _looked_up(
    query: str, organization_id: UUID, audiences: Sequence[UUID], *, now: datetime, again: bool = True
) -> tuple[list[reading.Token], Counted]:
    """The query's tokens and the counts of their lexemes, in one statement."""
    tokens, unknown = reading.known(query)
    lexemes = {lexeme for token in tokens.values() if token for _, lexeme in token.lexemes}
    where: dict[str, Any] = {"organization": organization_id, "audiences": list(audiences)}
    with prepared_cursor() as cursor:
        where |= {"lexemes": list(lexemes) or [""]} | reading.bound(unknown)
        cursor.execute(_statement(where), where)
        rows = cursor.fetchall()
    total, size, counted, since, linked = rows[0][:5]
    uncounted = set(audiences) - set(counted)
    if uncounted and again and _count_new(organization_id, uncounted, now=now):
        return _looked_up(query, organization_id, audiences, now=now, again=False)
    if since and now - since > LOOK_EVERY:
        work = partial(renew, organization_id=organization_id, audiences=list(audiences), now=now)
        background.soon(("vocabulary", organization_id, *audiences), work, within=1.0)
    if unknown:
        tokens |= reading.learnt(unknown, [row[7:] for row in rows if row[7] is not None])
    counts = {row[5]: row[6] for row in rows if row[5] is not None}
    read = [token for token in tokens.values() if token]
    return read, Counted(total, max(size / max(total, 1), 1.0), counts, whole=not uncounted, linked=linked)


def _statement(where: dict[str, Any]) -> str:
    if where["tokens"]:
        return UNKNOWN
    return UNKNOWN_PLAIN if where["plain"] else KNOWN


def _count_new(organization_id: UUID, audiences: Iterable[UUID], *, now: datetime) -> bool:
    """Counts audiences for the first time; a large one in the background. Whether something was counted just now."""
    done = False
    for audience in audiences:
        rows = Memory.objects.filter(organization=organization_id, audience=audience, forgotten_at=None)
        work = partial(count, organization_id=organization_id, audience=audience, now=now)
        if settings.BACKGROUND and rows[: QUICK + 1].count() > QUICK:
            background.soon(("vocabulary", organization_id, audience), work)
        else:
            done = bool(work()) or done
    return done


_looked: dict[UUID, datetime] = {}


def renew(*, organization_id: UUID, audiences: Iterable[UUID], now: datetime) -> None:
    """Counts those audiences anew that have changed much; looks at each no more often than needed."""
    rows = Vocabulary.objects.filter(organization=organization_id, audience__in=list(audiences))
    for row in rows:
        since = max(row.counted_at, _looked.get(row.audience, row.counted_at))
        if now - since > LOOK_EVERY:
            _looked[row.audience] = now
            if _stale(row):
                count(organization_id=organization_id, audience=row.audience, now=now)


def _stale(row: Vocabulary) -> bool:
    """Whether so much has changed since that the counts mislead. Reads no more of the index memory_changed than
    tells."""
    enough = max(SMALL, int(row.memories * STALE_SHARE))
    changed = Memory.objects.filter(organization=row.organization_id, audience=row.audience, forgotten_at=None)
    return changed.filter(updated_at__gt=row.counted_at)[: enough + 1].count() > enough


COUNT = """
INSERT INTO memories_lexeme (organization_id, audience, lexeme, memories)
SELECT %(organization)s, %(audience)s, word, ndoc FROM ts_stat(%(source)s)
WHERE word NOT LIKE '@%%' AND (ndoc > 1 OR word NOT LIKE '=%%')
"""
SUMMARY = """
SELECT count(*), coalesce(avg(octet_length(content)), 0)::float8
FROM memories_memory WHERE organization_id = %s AND audience = %s AND forgotten_at IS NULL
"""


@transaction.atomic
def count(*, organization_id: UUID, audience: UUID, now: datetime) -> Vocabulary | None:
    """Counts an audience anew. Whoever comes while another counts goes on with the old counts."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [locks.number(f"vocabulary {audience}")])
        if not cursor.fetchone()[0]:
            return None
        cursor.execute(SUMMARY, [organization_id, audience])
        memories, mean_bytes = cursor.fetchone()
        where = {"organization": organization_id, "audience": audience}
        cursor.execute(
            "DELETE FROM memories_lexeme WHERE organization_id = %(organization)s AND audience = %(audience)s", where
        )
        source = (
            "SELECT search FROM memories_memory "
            f"WHERE organization_id = '{organization_id}' AND audience = '{audience}' AND forgotten_at IS NULL"
        )
        cursor.execute(COUNT, where | {"source": source})
    counted = {"memories": memories, "mean_bytes": mean_bytes, "counted_at": now}
    vocabulary, _ = Vocabulary.objects.update_or_create(
        organization_id=organization_id,
        audience=audience,
        defaults=counted,
        create_defaults={"id": uuid7(), **counted},
    )
    return vocabulary
