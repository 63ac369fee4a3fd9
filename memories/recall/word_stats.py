"""Rarity of words in what the caller can see: read from counts that are renewed when enough has changed."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID, uuid5

from django.conf import settings
from django.db import OperationalError, connection, transaction

from memories.models import Memory, MemoryQuerySet, Vocabulary
from memories.recall import tokens as query_tokens
from memories.text.language import order_languages
from memoryhub import background, locks
from memoryhub.ids import uuid7
from memoryhub.languages import ENGLISH
from memoryhub.prepared_statements import array_literal, prepared_cursor
from memoryhub.text import compose_text
from teams.actor import Actor

LOOK_EVERY = timedelta(seconds=30)  # between looks whether an audience has changed much
STALE_SHARE = 0.2  # counted again once this share of an audience's memories has changed
SMALL = 50  # changes that never matter
GROWN = 0.5  # counts added at once, as a share of those that the planner knows of
QUICK = 2_000  # memories that are counted while the first asker waits; more are counted beside
EXACT = re.compile(r"[_/\\@#+:~$%&*|<>=!]|[0-9][^0-9]|[^0-9][0-9]|\.\w|^-")
REMEMBERED = 10_000  # callers' audiences
MOST_PIECES, MOST_UNCOUNTED = 16, 4  # pieces of unspaced writing that a short query looks for; uncounted ones

# The languages of memories in these audiences besides English, one look into the index memory_language for each.
LANGUAGES = """
ARRAY(
    SELECT DISTINCT held.language
    FROM unnest(%(holders)s::uuid[]) AS holder, LATERAL (
        WITH RECURSIVE later (language) AS (
            SELECT NULL::text
            UNION ALL
            SELECT following.language
            FROM later, LATERAL (
                SELECT language FROM memories_memory
                WHERE organization_id = %(organization)s::uuid AND audience = holder AND forgotten_at IS NULL
                    AND language <> 'english' AND language > coalesce(later.language, '')
                ORDER BY language LIMIT 1
            ) AS following
        )
        SELECT language FROM later WHERE language IS NOT NULL AND (NOT %(separates)s::boolean OR EXISTS (
            SELECT FROM memories_memory
            WHERE organization_id = %(organization)s::uuid AND audience = holder AND forgotten_at IS NULL
                AND language <> 'english' AND language = later.language
                AND workspace_id IS NOT DISTINCT FROM %(workspace)s::uuid
        ))
    ) AS held
    ORDER BY held.language
)
"""


def build_counting_sql(other_lexemes: str = "") -> str:
    """Return the statement that counts: how many memories these audiences have, how long they are, when they were
    counted, whether the organization has links, and the languages of the memories; and in how many of them each asked
    lexeme occurs. Index: the primary key of memories_lexeme."""
    return f"""
SELECT counted.*, asked.lexeme, (
    SELECT coalesce(sum(occurring.memories), 0) FROM memories_lexeme AS occurring
    WHERE occurring.organization_id = %(organization)s::uuid AND occurring.audience = ANY(%(audiences)s::uuid[])
        AND occurring.lexeme = asked.lexeme
)::integer
FROM (
    SELECT coalesce(sum(memories), 0)::integer AS memories, coalesce(sum(memories * mean_bytes), 0)::float8 AS bytes,
        coalesce(array_agg(audience), '{{}}') AS audiences, min(counted_at) AS since,
        EXISTS (SELECT FROM memories_association WHERE organization_id = %(organization)s::uuid) AS linked,
        {LANGUAGES} AS languages
    FROM memories_vocabulary
    WHERE organization_id = %(organization)s::uuid AND audience = ANY(%(audiences)s::uuid[])
) AS counted LEFT JOIN (SELECT unnest(%(lexemes)s::text[]) AS lexeme {other_lexemes}) AS asked ON true
"""


def build_reading_sql(read: str) -> str:
    """Return the statement that counts, and reads tokens that were never read before: rows of counts first, then a row
    for each word that a token reads as."""
    return f"""
WITH read AS MATERIALIZED ({read})
SELECT *, NULL::text, NULL::bigint, NULL::text, NULL::text[]
FROM ({build_counting_sql("UNION SELECT unnest(found) FROM read")}) AS counted
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, kind, place, word, found FROM read
"""


COUNT_KNOWN_TOKENS = build_counting_sql()
READ_TOKENS = build_reading_sql(query_tokens.READ)
READ_PLAIN_TOKENS = build_reading_sql(query_tokens.READ_PLAIN)


@dataclass(frozen=True, slots=True)
class Term:
    """An asked word and its weight: the rarer the word, the greater."""

    lexeme: str
    memories: int
    weight: float
    words: tuple[str, ...] = ()  # as they were asked; none for an identifier
    others: tuple[str, ...] = ()  # what it is in other languages

    @property
    def is_identifier(self) -> bool:
        """True if memories that contain it letter by letter come first: it is more than words joined by hyphens."""
        return not self.words and (bool(EXACT.search(self.lexeme[1:])) or query_tokens.has_symbols(self.lexeme))

    @property
    def lexemes(self) -> tuple[str, ...]:
        return (self.lexeme, *self.others)


@dataclass(frozen=True, slots=True)
class Terms:
    terms: tuple[Term, ...]  # the rarest first
    memories: int
    mean_bytes: float
    weights: dict[str, float] = field(default_factory=dict)  # by word, as it was asked
    leading: frozenset[str] = frozenset()  # words that tell something in every language in which they were read
    only_identifiers: bool = False  # beside stop words
    literal: tuple[str, ...] = ()  # as the query may stand in a memory, letter by letter
    whole: bool = False  # every audience was counted
    linked: bool = True  # there are links to follow


@dataclass(frozen=True, slots=True)
class Within:
    """The memories in which words are counted: if the organization separates workspaces, those of one workspace or of
    none. A score must not reveal what is frequent in another workspace."""

    organization_id: UUID
    separates: bool = False
    workspace_id: UUID | None = None

    @classmethod
    def of(cls, actor: Actor) -> "Within":
        return cls(actor.organization_id, actor.workspaces_enabled, actor.workspace_id)

    def key(self, audience: UUID) -> UUID:
        """Return the id under which an audience's counts are stored: its own, or one made of it and the workspace."""
        return uuid5(audience, str(self.workspace_id)) if self.separates else audience

    def memories(self, audience: UUID) -> MemoryQuerySet:
        rows = Memory.objects.in_organization(self.organization_id).filter(audience=audience, forgotten_at=None)
        return rows.filter(workspace=self.workspace_id) if self.separates else rows

    @property
    def condition(self) -> str:
        """The SQL condition on the workspace, to be used beside those on the organization and the audience."""
        if not self.separates:
            return "true"
        return f"workspace_id = '{self.workspace_id}'" if self.workspace_id else "workspace_id IS NULL"


def terms(*, query: str, within: Within, audiences: Sequence[UUID], now: datetime) -> Terms:
    """Return the query's words, weighted by their rarity in these audiences; for a long query, only those of the part
    that is read."""
    query = compose_text(query)
    keys = {within.key(audience): audience for audience in audiences}
    tokens, counted = _look_up_tokens(query_tokens.limit_query(query), within, keys, now=now)
    only_identifiers = all(token.identifiers or not any(lexemes for _, lexemes in token.words) for token in tokens)
    found = _build_terms(tokens, counted)
    weights = {word: term.weight for term in found for word in term.words}
    common = {word for token in tokens for word in token.common}
    literal = query_tokens.literal(query, likely=only_identifiers)
    return Terms(
        terms=tuple(found),
        memories=counted.memories,
        mean_bytes=counted.mean_bytes,
        weights=weights,
        leading=frozenset(weights.keys() - common),
        only_identifiers=only_identifiers,
        literal=literal,
        whole=counted.whole,
        linked=counted.linked,
    )


def _build_terms(tokens: Iterable[query_tokens.Token], counted: "Counted") -> list[Term]:
    """Return the words and identifiers that are asked for, the rarest first. Words that are the same in the first of
    the languages are one."""
    words: dict[str, list[str]] = {}  # by lexeme, the words that ask for it
    others: dict[str, list[str]] = {}
    spare = {lexeme for token in tokens for lexeme in token.spare}
    for token in tokens:
        for word, lexemes in (*token.words, *(("", (identifier,)) for identifier in token.identifiers)):
            if lexemes:
                words.setdefault(lexemes[0], []).extend([word] if word else [])
                others.setdefault(lexemes[0], []).extend(lexemes[1:])
    found = []
    for lexeme, asking in words.items():
        lexemes = tuple(dict.fromkeys([lexeme, *others[lexeme]]))
        if any(counted.of[each] for each in lexemes if each not in spare):
            lexemes = tuple(each for each in lexemes if each not in spare or each == lexeme)
        memories = max(counted.of[each] for each in lexemes)
        weight = rarity(memories, counted.memories)
        found.append(Term(lexeme, memories, weight, tuple(dict.fromkeys(asking)), lexemes[1:]))
    return _limit_pieces(sorted(found, key=lambda term: (term.memories, term.lexeme)))


def _limit_pieces(terms: list[Term]) -> list[Term]:
    """Return the terms, of the pieces of writing without spaces only the rarest: most say the same as their neighbours.
    Some of those that were not counted anywhere are left for memories that are new."""
    pieces = [term for term in terms if term.lexeme.startswith("~")]
    if len(pieces) <= MOST_PIECES:
        return terms
    most = max(MOST_PIECES, len(pieces) // 3)
    uncounted = [term for term in pieces if not term.memories]
    counted = pieces[len(uncounted) :][: max(most - MOST_UNCOUNTED, most - len(uncounted))]
    kept = {term.lexeme for term in [*uncounted[: most - len(counted)], *counted]}
    return [term for term in terms if term.lexeme in kept or not term.lexeme.startswith("~")]


def rarity(count: int, total: int) -> float:
    """Return the usual inverse document frequency, never negative. A word that was not counted is taken to occur
    once."""
    count = min(max(count, 1), max(total, 1))
    return math.log(1 + (max(total, 1) - count + 0.5) / (count + 0.5))


@dataclass(frozen=True, slots=True)
class Counted:
    memories: int
    mean_bytes: float
    of: dict[str, int]  # by lexeme
    whole: bool  # every audience was counted
    linked: bool  # the organization has links


_languages: dict[tuple[UUID, ...], tuple[str, ...]] = {}  # by audiences: their languages at the last look


def _look_up_tokens(
    query: str, within: Within, keys: Mapping[UUID, UUID], *, now: datetime, again: int = 2
) -> tuple[list[query_tokens.Token], Counted]:
    """Return the query's tokens and the counts of their lexemes, read by one statement; by another one if these are not
    the languages that were expected."""
    expected = _languages.get(tuple(keys), (ENGLISH,))
    readings = query_tokens.list_readings(query, order_languages(query, expected))
    unknown = query_tokens.find_unknown(readings.values())
    lexemes = query_tokens.list_known_lexemes(readings.values())
    where: dict[str, Any] = {"organization": within.organization_id, "audiences": array_literal(keys)}
    where |= {"holders": list(keys.values()), "separates": within.separates, "workspace": within.workspace_id}
    with prepared_cursor() as cursor:
        where |= {"lexemes": array_literal(lexemes or [""])} | query_tokens.bound(unknown)
        cursor.execute(_statement(where), where)
        rows = cursor.fetchall()
    total, size, counted, since, linked, others = rows[0][:6]
    if again and _remember_languages(tuple(keys), (ENGLISH, *others)) != expected:
        return _look_up_tokens(query, within, keys, now=now, again=again - 1)
    uncounted = keys.keys() - set(counted)
    if uncounted and again and _count_new(within, [keys[key] for key in uncounted], now=now):
        return _look_up_tokens(query, within, keys, now=now, again=again - 1)
    if since and now - since > LOOK_EVERY:
        work = partial(renew, within=within, audiences=list(keys.values()), now=now)
        background.run_soon(("vocabulary", within.organization_id, *keys), work, within=1.0)
    read = query_tokens.remember(unknown, [row[8:] for row in rows if row[8] is not None]) if unknown else {}
    tokens = query_tokens.merge_readings(readings, read)
    counts = {row[6]: row[7] for row in rows if row[6] is not None}
    return tokens, Counted(total, max(size / max(total, 1), 1.0), counts, whole=not uncounted, linked=linked)


def _remember_languages(keys: tuple[UUID, ...], languages: tuple[str, ...]) -> tuple[str, ...]:
    if len(_languages) > REMEMBERED:
        _languages.clear()
    _languages[keys] = languages
    return languages


def _statement(where: dict[str, Any]) -> str:
    if where["tokens"] or where["words"] or where["whole"]:
        return READ_TOKENS
    return READ_PLAIN_TOKENS if where["plain"] else COUNT_KNOWN_TOKENS


def _count_new(within: Within, audiences: Iterable[UUID], *, now: datetime) -> bool:
    """Count audiences for the first time, large ones in the background. Return whether something was counted just
    now."""
    done = False
    for audience in audiences:
        work = partial(count, within=within, audience=audience, now=now)
        if settings.BACKGROUND and within.memories(audience)[: QUICK + 1].count() > QUICK:
            background.run_soon(("vocabulary", within.organization_id, within.key(audience)), work)
        else:
            with suppress(OperationalError):  # a full disk: the recall goes on without counts
                done = bool(work()) or done
    return done


_looked: dict[UUID, datetime] = {}


def renew(*, within: Within, audiences: Iterable[UUID], now: datetime) -> None:
    """Count the audiences again that have changed much. Each is checked no more often than needed."""
    keys = {within.key(audience): audience for audience in audiences}
    rows = Vocabulary.objects.in_organization(within.organization_id).filter(audience__in=list(keys))
    for row in rows:
        since = max(row.counted_at, _looked.get(row.audience, row.counted_at))
        if now - since > LOOK_EVERY:
            _looked[row.audience] = now
            if _stale(row, within.memories(keys[row.audience])):
                count(within=within, audience=keys[row.audience], now=now)


def _stale(row: Vocabulary, memories: MemoryQuerySet) -> bool:
    """Return whether so much has changed since the last count that it misleads. Reads no more of the index
    memory_changed than it takes to tell."""
    enough = max(SMALL, int(row.memories * STALE_SHARE))
    return memories.filter(updated_at__gt=row.counted_at)[: enough + 1].count() > enough


COUNT = """
INSERT INTO memories_lexeme (organization_id, audience, lexeme, memories)
SELECT %(organization)s, %(audience)s, word, ndoc FROM ts_stat(%(source)s)
WHERE word NOT LIKE '@%%' AND (ndoc > 1 OR word NOT LIKE '=%%')
"""
SUMMARY = """
SELECT count(*), coalesce(avg(octet_length(content)), 0)::float8
FROM memories_memory
WHERE organization_id = %s AND audience = %s AND forgotten_at IS NULL AND status = 'active' AND {within}
"""


def _tell_planner(cursor: Any) -> None:
    """Have the planner look at the counts after many were added, as autovacuum would a minute later: it plans for a
    nearly empty table until then, and reads all of it for each word of a query."""
    added = cursor.rowcount
    cursor.execute("SELECT reltuples FROM pg_class WHERE oid = 'memories_lexeme'::regclass")
    if added > cursor.fetchone()[0] * GROWN:
        cursor.execute("ANALYZE memories_lexeme")


@transaction.atomic
def count(*, within: Within, audience: UUID, now: datetime) -> Vocabulary | None:
    """Count the words of an audience again. If another caller is counting, return None: the old counts serve
    meanwhile."""
    organization_id, key = within.organization_id, within.key(audience)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [locks.lock_number(f"vocabulary {key}")])
        if not cursor.fetchone()[0]:
            return None
        cursor.execute(SUMMARY.format(within=within.condition), [organization_id, audience])
        memories, mean_bytes = cursor.fetchone()
        where = {"organization": organization_id, "audience": key}
        cursor.execute(
            "DELETE FROM memories_lexeme WHERE organization_id = %(organization)s AND audience = %(audience)s", where
        )
        source = (
            "SELECT search FROM memories_memory "
            f"WHERE organization_id = '{organization_id}' AND audience = '{audience}' AND forgotten_at IS NULL "
            "AND status = 'active' "
            f"AND {within.condition}"
        )
        cursor.execute(COUNT, where | {"source": source})
        _tell_planner(cursor)
    counted = {"memories": memories, "mean_bytes": mean_bytes, "counted_at": now}
    vocabulary, _ = Vocabulary.objects.update_or_create(
        organization_id=organization_id,
        audience=key,
        defaults=counted,
        create_defaults={"id": uuid7(), **counted},
    )
    return vocabulary
