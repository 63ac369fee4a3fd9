"""A question: read once, then asked of the memories."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Self
from uuid import UUID

from django.db import connection
from django.db.models import Q

from memories import extensions
from memories.embedding import Unavailable, serving
from memories.embedding.serving import Asked
from memories.recall import compiled, fusion, meaning, retrievers
from memories.recall.statistics import Terms, terms
from teams.actor import Actor

SWITCHED_OFF = "Recall by meaning is switched off here; these were found by words."
UNAVAILABLE = "The embedding provider does not answer just now; these were found by words."


@dataclass(frozen=True, slots=True)
class Question:
    terms: Terms
    by_words: bool
    vector: Asked | None
    note: str  # why it is not asked as it was meant
    brought: Sequence[tuple[UUID, float]] = ()  # by retrievers of one's own

    @classmethod
    def read(cls, *, actor: Actor, query: str, by_words: bool, by_meaning: bool, now: datetime) -> Self:
        audiences = compiled.bound(actor)["audiences"]
        asked = terms(query=query, organization_id=actor.organization_id, audiences=audiences, now=now)
        vector, note = _vector(query, asked) if by_meaning else (None, "")
        brought = retrievers.brought(actor=actor, query=query) if by_words and by_meaning else ()
        return cls(asked, by_words or vector is None, vector, note, brought)

    @property
    def literal(self) -> str:
        """The query as it may stand in a memory; nothing for a sentence."""
        return self.terms.literal[0] if self.terms.literal else ""

    def missed_by_index(self, found: fusion.Fused) -> bool:
        """Whether memories may have the query in them, letter by letter, that no word of it finds: an identifier, or
        writing that the index knows only as parts of longer ones."""
        if not self.by_words or not self.terms.literal or any(scored.exact for _, scored in found.hits):
            return False
        return self.terms.only_identifiers or not self.literal.isascii()


def _vector(query: str, asked: Terms) -> tuple[Asked | None, str]:
    """The query's vector, or why there is none."""
    if not retrievers.uses("meaning") or not extensions.has_vectors(connection):
        return None, SWITCHED_OFF
    try:
        found = serving.query(query, asked.weights)
    except Unavailable:
        return None, UNAVAILABLE
    if found is None:
        return None, SWITCHED_OFF
    return (found if any(found.vector) else None), ""


def ask(
    *, actor: Actor, question: Question, rule: Q | None, limit: int, reach: meaning.Reach, now: datetime
) -> fusion.Fused:
    """The best answers. Where so many that nobody sees stood before the nearest, only what is seen is looked at."""

    def attempt(*, narrow: bool) -> fusion.Fused:
        return fusion.fused(
            actor=actor,
            rule=rule,
            terms=question.terms if question.by_words else None,
            vector=question.vector,
            limit=limit,
            reach=reach,
            now=now,
            narrow=narrow,
            few=question.terms.whole and question.terms.memories <= meaning.FEW,
            linked=question.terms.linked and retrievers.uses("links"),
            brought=question.brought,
            first_words=frozenset(question.terms.weights),
        )

    found = attempt(narrow=False)
    if question.vector and found.hides_the_nearest:
        found = attempt(narrow=True)
    return found
