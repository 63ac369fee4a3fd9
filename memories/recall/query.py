"""A question: read once, then put to the memories."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Self
from uuid import UUID

from django.db import connection
from django.db.models import Q

from memories.embedding import EmbeddingUnavailable, active_model
from memories.embedding.active_model import QueryVector
from memories.models import pgvector
from memories.recall import hybrid, meaning, retrievers, tokens, visibility_sql
from memories.recall.word_stats import Terms, Within, terms
from memories.text.time_words import Period, find_period
from teams.actor import Actor

SWITCHED_OFF = "Recall by meaning is switched off here; these were found by words."
LEAST_PART = 5  # characters of a query that is looked for within words: fewer are in many
UNAVAILABLE = "The embedding provider does not answer just now; these were found by words."


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    terms: Terms
    by_words: bool
    vector: QueryVector | None
    note: str  # why it is not asked as it was meant
    extra_candidates: Sequence[tuple[UUID, float]] = ()  # found by custom retrievers
    period: Period | None = None  # that words of time in it mean

    @classmethod
    def read(
        cls,
        *,
        actor: Actor,
        query: str,
        by_words: bool,
        by_meaning: bool,
        now: datetime,
        as_of: datetime | None = None,
    ) -> Self:
        """Read the query. Its words of time are counted from `as_of`, by default from now."""
        audiences = visibility_sql.bind_visibility(actor)["audiences"]
        asked = terms(query=query, within=Within.of(actor), audiences=audiences, now=now)
        vector, note = _vector(query, asked) if by_meaning else (None, "")
        extra = retrievers.run_retrievers(actor=actor, query=query) if by_words and by_meaning else ()
        period = find_period(query, as_of or now)
        return cls(query, asked, by_words or vector is None, vector, note, extra, period)

    def add_candidates(self, candidates: Sequence[tuple[UUID, float]]) -> Self:
        return replace(self, extra_candidates=(*self.extra_candidates, *candidates)) if candidates else self

    @property
    def literal(self) -> str:
        """The query as it may occur in a memory; empty for a sentence."""
        return self.terms.literal[0] if self.terms.literal else ""

    def missed_by_index(self, fused: hybrid.Fused) -> bool:
        """Return whether memories may contain the query letter by letter although none of its words finds them: because
        it is an identifier, or writing that the index knows only as a part of something longer, as "mongod"."""
        if not self.by_words or not self.terms.literal or any(scored.exact for _, scored in fused.hits):
            return False
        if len(self.literal) >= LEAST_PART and not any(scored.coverage for _, scored in fused.hits):
            return True
        return self.terms.only_identifiers or tokens.is_shorter_than_pieces(self.literal)


def _vector(query: str, terms: Terms) -> tuple[QueryVector | None, str]:
    """Return the query's vector, or a note on why there is none."""
    if not retrievers.uses("meaning") or not pgvector.has_vectors(connection):
        return None, SWITCHED_OFF
    try:
        found = active_model.embed_query(tokens.limit_query(query), terms.weights)
    except EmbeddingUnavailable:
        return None, UNAVAILABLE
    if found is None:
        return None, SWITCHED_OFF
    return (found if any(found.vector) else None), ""


def ask(
    *,
    actor: Actor,
    question: Question,
    rule: Q | None,
    limit: int,
    limits: meaning.VectorLimits,
    now: datetime,
    as_of: datetime | None = None,
) -> hybrid.Fused:
    """Return the best answers among what holds at `as_of`, by default now. If too many of the nearest memories are
    hidden from the actor, search again among visible ones only."""
    fuse = partial(
        hybrid.fuse_rankings,
        actor=actor,
        rule=rule,
        terms=question.terms if question.by_words else None,
        vector=question.vector,
        limit=limit,
        limits=limits,
        now=now,
        as_of=as_of,
        exact_scan=question.terms.whole and question.terms.memories <= meaning.MOST_SCANNED,
        follow_links=question.terms.linked and retrievers.uses("links"),
        extra_candidates=question.extra_candidates,
        first_words=question.terms.leading,
    )
    found = fuse()
    return fuse(filter_inside_ann=True) if found.vector_search_starved else found
