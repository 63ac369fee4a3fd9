"""Recall: every ranked read. Candidates by words and by meaning in one order, within what the actor may see."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from django.db import connection
from django.db.models import F, Q
from django.db.models.expressions import RawSQL
from django.utils import timezone

from memories import embedding, extensions
from memories.importance import IMPORTANCE_NOW
from memories.models import Memory, MemoryQuerySet
from memories.recall.filters import Filters
from memories.recall.fusion import CANDIDATES, WORDS, Scored, fused
from memories.recall.statistics import Terms, terms
from memoryhub.errors import Invalid
from memoryhub.text import flaw
from teams.actor import Actor

__all__ = ["Filters", "Hit", "Mode", "Recalled", "recall"]

MOST = 50
QUERY_LENGTH = 10_000
COUNTED = 1_000  # how far a list is counted


class Mode(StrEnum):
    HYBRID = "hybrid"
    KEYWORD = "keyword"
    SEMANTIC = "semantic"
    RECENT = "recent"
    IMPORTANT = "important"
    TYPED = "typed"


DEFAULT_LIMIT = {mode: 5 if mode is Mode.KEYWORD else 10 for mode in Mode}
ASKING = (Mode.HYBRID, Mode.KEYWORD, Mode.SEMANTIC)
SORTS = ("recent", "importance", "most_accessed")


@dataclass(frozen=True, slots=True)
class Hit:
    memory: Memory
    relevance: float  # 0 to 1; 1 where nothing was asked
    scored: Scored | None = None


@dataclass(frozen=True, slots=True)
class Recalled:
    hits: list[Hit]
    total: int
    bounded: bool  # there may be more than the total
    note: str = ""  # what was not as asked


def recall(
    *,
    actor: Actor,
    query: str = "",
    mode: str = Mode.HYBRID,
    limit: int | None = None,
    filters: Filters | None = None,
    sort_by: str = "recent",
    now: datetime | None = None,
) -> Recalled:
    now = now or timezone.now()
    chosen, limit = _checked(query=query, mode=mode, limit=limit, filters=filters, sort_by=sort_by)
    visible = Memory.objects.visible_to(actor, now=now).filter((filters or Filters()).q(now=now))
    if chosen in ASKING:
        return _asked(actor=actor, query=query, mode=chosen, limit=limit, visible=visible, now=now)
    order = {Mode.RECENT: "recent", Mode.IMPORTANT: "importance", Mode.TYPED: sort_by}[chosen]
    return _listed(visible=visible, order=order, limit=limit, now=now)


def _checked(*, query: str, mode: str, limit: int | None, filters: Filters | None, sort_by: str) -> tuple[Mode, int]:
    wrong = {}
    if mode not in list(Mode):
        raise Invalid({"mode": f"This must be one of {', '.join(Mode)}."})
    chosen = Mode(mode)
    if found := flaw(query, longest=QUERY_LENGTH):
        wrong["query"] = found
    elif chosen in ASKING and not query.strip():
        wrong["query"] = f"Mode {chosen} needs a query."
    if chosen is Mode.TYPED and not (filters and filters.type):
        wrong["type"] = "Mode typed needs a type."
    if sort_by not in SORTS:
        wrong["sort_by"] = f"This must be one of {', '.join(SORTS)}."
    limit = DEFAULT_LIMIT[chosen] if limit is None else limit
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MOST:
        wrong["limit"] = f"This must be a whole number from 1 to {MOST}."
    if wrong:
        raise Invalid(wrong)
    return chosen, limit


def _asked(*, actor: Actor, query: str, mode: Mode, limit: int, visible: MemoryQuerySet, now: datetime) -> Recalled:
    audiences = sorted(actor.reads, key=str)
    asked = terms(query=query, organization_id=actor.organization_id, audiences=audiences, now=now)
    vector, model, note = _vector(query, asked) if mode is not Mode.KEYWORD else (None, "", "")
    scored = fused(
        visible=visible,
        organization_id=actor.organization_id,
        audiences=audiences,
        terms=asked,
        vector=vector,
        model=model,
        weight_words=0.0 if mode is Mode.SEMANTIC and vector else WORDS,
        limit=limit,
        now=now,
    )
    if not scored:
        return _containing(visible=visible, query=query, limit=limit, note=note)
    memories = _by_id(visible, (row.memory_id for row in scored))
    hits = [Hit(memories[row.memory_id], row.score, row) for row in scored if row.memory_id in memories]
    return Recalled(hits, scored[0].total, bounded=scored[0].total >= CANDIDATES, note=note)


def _vector(query: str, asked: Terms) -> tuple[list[float] | None, str, str]:
    """The query's vector with its model, or why there is none."""
    provider = embedding.provider()
    if provider is None or not extensions.has_vectors(connection):
        return None, "", "Recall by meaning is switched off here; these were found by words."
    vector = provider.query(query, asked.weights)
    return (vector, provider.name, "") if any(vector) else (None, "", "")


def _by_id(visible: MemoryQuerySet, memory_ids: Iterable[UUID]) -> dict[UUID, Memory]:
    rows = visible.filter(pk__in=list(memory_ids)).with_authors().defer("search")
    return {memory.pk: memory for memory in rows}


def _containing(*, visible: MemoryQuerySet, query: str, limit: int, note: str) -> Recalled:
    """When no word matched: whatever has the query in it, letter by letter."""
    part = query.strip()
    holding = Q(content__icontains=part) | Q(key__icontains=part) | Q(summary__icontains=part)
    return _listed(visible=visible.filter(holding), order="recent", limit=limit, note=note)


def _listed(
    *, visible: MemoryQuerySet, order: str, limit: int, now: datetime | None = None, note: str = ""
) -> Recalled:
    if order == "importance":
        present = RawSQL(IMPORTANCE_NOW % {"now": "%s"}, [now] * IMPORTANCE_NOW.count("%(now)s"))  # noqa: S611
        rows = visible.order_by(present.desc(), "-created_at", "-id")
    elif order == "most_accessed":
        rows = visible.order_by(F("access_count").desc(), "-created_at", "-id")
    else:
        rows = visible.newest()
    hits = [Hit(memory, 1.0) for memory in rows.with_authors().defer("search")[:limit]]
    total = visible[: COUNTED + 1].count() if len(hits) == limit else len(hits)
    return Recalled(hits, min(total, COUNTED), bounded=total > COUNTED, note=note)
