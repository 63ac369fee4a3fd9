"""Why a memory came back, or why not."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from uuid import UUID

from django.db import connection

from memories import scopes
from memories.models import Memory
from memories.recall import meaning, words
from memories.recall.asking import Question, ask
from memories.recall.filters import Filters
from memories.recall.statistics import Term
from memories.recall.words import quoted
from memories.vectors import literal
from memoryhub.errors import NotFound
from teams.actor import Actor
from teams.models import Verb

ALL = words.CANDIDATES + meaning.LONG.candidates + 150  # more than are ever weighed, links included

# Which of the asked words each memory has.
MATCHED = """
SELECT memory.id, array_agg(asked.word)
FROM memories_memory AS memory, unnest(%(lexemes)s::tsquery[], %(words)s::text[]) AS asked (lexeme, word)
WHERE memory.organization_id = %(organization)s AND memory.id = ANY(%(ids)s) AND memory.search @@ asked.lexeme
GROUP BY memory.id
"""

# How many vectors of these audiences are nearer than this memory's; no row if it has none.
NEARER = """
SELECT (
    SELECT count(*) FROM memories_embedding AS other
    WHERE other.organization_id = %(organization)s AND other.audience = ANY(%(audiences)s) AND other.model = %(model)s
        AND other.vector <#> %(vector)s::vector < mine.vector <#> %(vector)s::vector
)
FROM memories_embedding AS mine
WHERE mine.organization_id = %(organization)s AND mine.memory_id = %(memory)s AND mine.model = %(model)s
"""


@dataclass(frozen=True, slots=True)
class Verdict:
    rank: int | None  # where it stands among all that were weighed; None if it was not weighed
    reason: str


def matched(*, memories: Sequence[Memory], terms: Sequence[Term]) -> dict[UUID, list[str]]:
    """The asked words that each memory has, as they were asked."""
    if not memories or not terms:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(
            MATCHED,
            {
                "lexemes": [quoted(term.lexeme) for term in terms],
                "words": [term.words[0] if term.words else term.lexeme[1:] for term in terms],
                "organization": memories[0].organization_id,
                "ids": [memory.pk for memory in memories],
            },
        )
        return {memory_id: sorted(words) for memory_id, words in cursor.fetchall()}


def dropped(*, actor: Actor, memory_id: UUID, filters: Filters, now: datetime) -> tuple[Memory, str]:
    """The memory, and which rule keeps it from every answer, if one does."""
    reachable = Memory.objects.filter(scopes.readable(actor), purged_at=None)
    memory = reachable.filter(pk=memory_id).defer("search").first()
    if memory is None:
        raise NotFound("There is no such memory.")
    if memory.forgotten_at:
        restorable = Memory.objects.restorable_by(actor).filter(pk=memory_id)
        if not actor.may(Verb.WRITE) or not restorable.exists():
            raise NotFound("There is no such memory.")
        return memory, f"It was forgotten on {memory.forgotten_at:%Y-%m-%d} by {memory.forgotten_by}."
    if memory.expires_at and memory.expires_at <= now:
        return memory, f"It expired on {memory.expires_at:%Y-%m-%d %H:%M} UTC."
    for field in fields(Filters):
        value = getattr(filters, field.name)
        alone = replace(Filters(), **{field.name: value})
        if alone.said() and not reachable.filter(alone.q(now=now), pk=memory_id).exists():
            return memory, f"The filter {field.name} leaves it out."
    return memory, ""


def judged(*, actor: Actor, memory: Memory, question: Question, filters: Filters, limit: int, now: datetime) -> Verdict:
    """Where it stands for this question, and why not higher."""
    rule = filters.q(now=now) if filters.said() else None
    found = ask(actor=actor, question=question, rule=rule, limit=ALL, reach=meaning.reach(limit), now=now)
    for rank, (other, _) in enumerate(found.hits, start=1):
        if other.pk == memory.pk:
            if rank <= limit:
                return Verdict(rank, f"It is there, as number {rank}.")
            return Verdict(rank, f"It is number {rank}; the limit is {limit}.")
    return Verdict(None, " ".join([_by_words(memory, question), _by_meaning(actor, memory, question, limit)]).strip())


def _by_words(memory: Memory, question: Question) -> str:
    found = matched(memories=[memory], terms=question.terms.terms).get(memory.pk, [])
    if not found:
        return "It has none of the asked words."
    return f"Of the asked words it has only common ones: {', '.join(found)}."


def _by_meaning(actor: Actor, memory: Memory, question: Question, limit: int) -> str:
    if not question.vector:
        return question.note
    with connection.cursor() as cursor:
        cursor.execute(
            NEARER,
            {
                "organization": actor.organization_id,
                "memory": memory.pk,
                "model": question.vector.model,
                "audiences": sorted(actor.reads, key=str),
                "vector": literal(question.vector.vector),
            },
        )
        row = cursor.fetchone()
    if row is None:
        return "It has no vector yet."
    return f"By meaning {row[0]} are nearer; the nearest {meaning.reach(limit).candidates} are weighed."
