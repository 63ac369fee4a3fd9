"""Explanations of why a memory came back, or why not."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from uuid import UUID

from django.db import connection

from memories.models import Memory
from memories.models.vector_field import vector_literal
from memories.recall import meaning, words
from memories.recall.adjustments import adjust_order
from memories.recall.confidence import rate_hits
from memories.recall.hits import Hit
from memories.recall.query import Question, ask
from memories.recall.repetitions import find_better
from memories.recall.time_preference import prefer_period
from memories.recall.word_stats import Term
from memories.recall.words import match_any
from memories.rules import access
from memories.rules.memory_filters import Filters
from teams.actor import Actor
from teams.models import Verb

ALL = words.WORD_CANDIDATES + meaning.LONG.final + 150  # more than are ever weighed, links included

MOST_EXPLAINED = 400  # asked words that are looked for in each memory

# Which of the asked words each memory has. Adding nothing to `search` has a long one unpacked once, not for each word.
MATCHED = """
WITH unpacked AS MATERIALIZED (
    SELECT id, search || ''::tsvector AS search FROM memories_memory
    WHERE organization_id = %(organization)s AND id = ANY(%(ids)s)
)
SELECT id, array_agg(asked.word)
FROM unpacked, unnest(%(lexemes)s::tsquery[], %(words)s::text[]) AS asked (lexeme, word)
WHERE search @@ asked.lexeme
GROUP BY id
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


def find_matched_words(*, memories: Sequence[Memory], terms: Sequence[Term]) -> dict[UUID, list[str]]:
    """Return the asked words that each memory contains, as they were asked; for a long query, only its rarest words
    that occur anywhere."""
    terms = sorted(terms, key=lambda term: not term.memories)[:MOST_EXPLAINED]
    if not memories or not terms:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(
            MATCHED,
            {
                "lexemes": [match_any(term.lexemes) for term in terms],
                "words": [term.words[0] if term.words else term.lexeme[1:] for term in terms],
                "organization": memories[0].organization_id,
                "ids": [memory.pk for memory in memories],
            },
        )
        return {memory_id: sorted(found) for memory_id, found in cursor.fetchall()}


def find_excluding_rule(
    *, actor: Actor, memory_id: UUID, filters: Filters, now: datetime, as_of: datetime | None = None
) -> tuple[Memory, str]:
    """Return the memory, and the rule that keeps it out of every answer, if there is one."""
    reachable = Memory.objects.explainable_to(actor)
    memory = reachable.defer("search").require(memory_id)
    if memory.forgotten_at:
        restorable = Memory.objects.restorable_by(actor) if actor.may(Verb.WRITE) else Memory.objects.none()
        restorable.defer("search").require(memory_id)
        return memory, f"It was forgotten on {memory.forgotten_at:%Y-%m-%d} by {memory.forgotten_by}."
    if memory.expires_at and memory.expires_at <= now:
        return memory, f"It expired on {memory.expires_at:%Y-%m-%d %H:%M} UTC."
    moment = as_of or now
    if memory.valid_until and memory.valid_until <= moment:
        instead = " Another memory has replaced it." if memory.superseded_by else ""
        return memory, f"It held until {memory.valid_until:%Y-%m-%d %H:%M} UTC.{instead}"
    if memory.valid_from and memory.valid_from > moment:
        return memory, f"It holds only from {memory.valid_from:%Y-%m-%d %H:%M} UTC on."
    for field in fields(Filters):
        value = getattr(filters, field.name)
        alone = replace(Filters(), **{field.name: value})
        if alone.set_values() and not reachable.filter(alone.q(now=now), pk=memory_id).exists():
            return memory, f"The filter {field.name} leaves it out."
    return memory, ""


def rank_memory(
    *, actor: Actor, memory: Memory, question: Question, filters: Filters, limit: int, floor: float, now: datetime
) -> Verdict:
    """Return the memory's rank for this question, or the reasons why it was not weighed."""
    rule = filters.q(now=now) if filters.set_values() else None
    found = ask(actor=actor, question=question, rule=rule, limit=ALL, limits=meaning.choose_limits(limit), now=now)
    if memory.pk in {other.pk for other, _ in found.hits}:
        certainties = rate_hits([(scored, scored.score) for _, scored in found.hits], question)
        weighed = (
            Hit(other, scored.score, scored, certainty=certainty)
            for (other, scored), certainty in zip(found.hits, certainties, strict=True)
        )
        hits = adjust_order(prefer_period(weighed, question.period))
        places = {hit.memory.pk: place for place, hit in enumerate(hits)}
        return _judge_place(hits, places[memory.pk], limit=limit, floor=floor)
    return Verdict(None, " ".join([_by_words(memory, question), _by_meaning(actor, memory, question, limit)]).strip())


def _judge_place(hits: Sequence[Hit], place: int, *, limit: int, floor: float) -> Verdict:
    """Return what becomes of the hit at this place."""
    hit, rank = hits[place], place + 1
    if hit.confidence < floor:
        return Verdict(rank, f"Its confidence {hit.confidence:.2f} is below the floor {floor:.2f}.")
    if (better := find_better(hits[: place + 1], place)) is not None:
        return Verdict(rank, f"It says the same as number {better + 1}.")
    if rank <= limit:
        return Verdict(rank, f"It is there, as number {rank}.")
    return Verdict(rank, f"It is number {rank}; the limit is {limit}.")


def _by_words(memory: Memory, question: Question) -> str:
    found = find_matched_words(memories=[memory], terms=question.terms.terms).get(memory.pk, [])
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
                "audiences": access.list_readable_audiences(actor),
                "vector": vector_literal(question.vector.vector),
            },
        )
        row = cursor.fetchone()
    if row is None:
        return "It has no vector yet."
    return f"By meaning {row[0]} are nearer; the nearest {meaning.choose_limits(limit).final} are weighed."
