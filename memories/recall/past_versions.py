"""What the hub knew at an earlier moment: memories as their versions of then have them.

Whoever may see a memory now may see what it said then, as far as that was written for the same audience. What was
forgotten, expired or moved away since stays hidden.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from memories.models import Memory, MemoryFields, Revision, match_holding
from memories.recall import visibility_sql
from memories.recall.visibility_sql import PastRule
from memories.recall.word_stats import Terms
from memories.recall.words import match_any
from memories.rules.memory_filters import Filters
from memoryhub.prepared_statements import prepared_cursor
from teams.actor import Actor

VERSION_FIELDS = tuple(field.attname for field in MemoryFields._meta.local_fields)
MOST_CHANGED = 1_000  # memories changed since then, of which is looked whether their text was another
MOST_COMPARED = 200  # former texts that are compared with a query
MOST_READ = 5_000  # characters of each
MOST_FOUND = 20
LEAST_COVERAGE = 1 / 3  # share of the asked rarity that a former text must have
SHARE = 0.8  # share of a full score, for a former text with every asked word

# Which of the asked words the former texts of changed memories have. Indexes: memory_changed,
# memory_has_each_version_once.
FORMER_TEXTS = """
WITH changed AS MATERIALIZED (
    SELECT id, organization_id, audience, language, key, summary, content FROM memories_memory
    WHERE {visible} AND updated_at > %(known_at)s::timestamptz AND created_at <= %(known_at)s::timestamptz
    ORDER BY updated_at DESC LIMIT {most_changed}
),
former AS MATERIALIZED (
    SELECT changed.id, memory_search(
        changed.audience, past.key, past.tags, past.summary, past.category, left(past.content, {most_read}),
        changed.language
    ) AS search
    FROM changed, LATERAL (
        SELECT key, tags, summary, category, content, audience FROM memories_revision
        WHERE organization_id = changed.organization_id AND memory_id = changed.id
            AND created_at <= %(known_at)s::timestamptz
        ORDER BY version DESC LIMIT 1
    ) AS past
    WHERE past.audience = changed.audience
        AND (past.content, past.summary, past.key) <> (changed.content, changed.summary, changed.key)
    LIMIT {most_compared}
)
SELECT former.id, sum(asked.weight)
FROM former, unnest(%(lexemes)s::tsquery[], %(weights)s::float8[]) AS asked (lexeme, weight)
WHERE search @@ asked.lexeme
GROUP BY former.id HAVING sum(asked.weight) >= %(least)s::float8
ORDER BY 2 DESC, former.id LIMIT {most_found}
"""


@dataclass(frozen=True, slots=True)
class Moment:
    """The time that a read is about: what held at `as_of`, as the hub knew it at `known_at`; both are now if they are
    not given, and `as_of` is `known_at` if only that is."""

    now: datetime
    as_of: datetime | None = None
    known_at: datetime | None = None

    @property
    def holds_at(self) -> datetime:
        return self.as_of or self.known_at or self.now

    def match(self, filters: Filters | None = None) -> Q | None:
        """Return the rule for memories at this moment, beyond what is visible and holds now, if there is one."""
        if self.known_at is None:
            return filters.q(now=self.now) if filters else None
        return match_known(known_at=self.known_at, holds_at=self.holds_at, filters=filters or Filters(), now=self.now)

    def find_former_texts(self, actor: Actor, terms: Terms) -> list[tuple[UUID, float]]:
        if self.known_at is None:
            return []
        return find_former_texts(actor=actor, terms=terms, known_at=self.known_at, now=self.now)

    def restore(self, memories: Sequence[Memory]) -> None:
        if self.known_at is not None:
            restore_versions(memories, known_at=self.known_at)

    def describe(self) -> dict[str, str]:
        """Return what was given, for the log of recalls."""
        given = {"as_of": self.as_of, "known_at": self.known_at}
        return {name: value.isoformat() for name, value in given.items() if value}


def match_known(*, known_at: datetime, holds_at: datetime | None = None, filters: Filters, now: datetime) -> PastRule:
    """Match the memories that were there then, held at the other moment (if there is one) as far as was known, and
    passed the filters. Only of those that were changed since, an earlier version is read."""
    holding = match_holding(holds_at) if holds_at else Q()
    versions = Revision.objects.known_at(known_at).filter(holding, filters.match_versions(now=now))
    versions = versions.filter(organization=OuterRef("organization"), memory=OuterRef("pk"))
    unchanged = Q(updated_at__lte=known_at) & holding & filters.q(now=now)
    changed = Q(updated_at__gt=known_at) & Q(Exists(versions.filter(audience=OuterRef("audience"))))
    return PastRule(Q(created_at__lte=known_at) & (unchanged | changed & filters.match_lasting(now=now)))


def restore_versions(memories: Sequence[Memory], *, known_at: datetime) -> None:
    """Give each memory the fields that it had then."""
    changed = {memory.pk: memory for memory in memories if memory.updated_at > known_at}
    if not changed:
        return
    organization_id = next(iter(changed.values())).organization_id
    versions = Revision.objects.in_organization(organization_id).filter(memory__in=changed).known_at(known_at)
    for memory_id, saved_at, *values in versions.values_list("memory_id", "created_at", *VERSION_FIELDS):
        memory = changed[memory_id]
        memory.updated_at = saved_at
        for name, value in zip(VERSION_FIELDS, values, strict=True):
            setattr(memory, name, value)


def find_former_texts(*, actor: Actor, terms: Terms, known_at: datetime, now: datetime) -> list[tuple[UUID, float]]:
    """Return memories whose text was another one then and has the asked words, each with its share of a full score:
    the index knows present texts only."""
    weighed = [(match_any(term.lexemes), term.weight) for term in terms.terms]
    whole = sum(weight for _, weight in weighed)
    if not whole:
        return []
    statement = FORMER_TEXTS.format(
        visible=visibility_sql.visible_at_any_time(actor),
        most_changed=MOST_CHANGED,
        most_compared=MOST_COMPARED,
        most_read=MOST_READ,
        most_found=MOST_FOUND,
    )
    parameters = {
        "now": now,
        "known_at": known_at,
        "lexemes": [lexeme for lexeme, _ in weighed],
        "weights": [weight for _, weight in weighed],
        "least": LEAST_COVERAGE * whole,
    }
    with prepared_cursor() as cursor:
        cursor.execute(statement, visibility_sql.bind_visibility(actor) | parameters)
        return [(memory_id, SHARE * weight / whole) for memory_id, weight in cursor.fetchall()]
