"""Recall: every ranked read. Candidates by words, by meaning and by links in one order, within what the actor sees."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from memories.models import Memory
from memories.recall import ledger, lists, retrievers
from memories.recall.asking import Question, ask
from memories.recall.explaining import Verdict, dropped, judged, matched
from memories.recall.filters import Filters
from memories.recall.fusion import Scored
from memories.recall.meaning import reach
from memories.recall.snippets import Snippet
from memories.recall.snippets import snippets as snippets_of
from memoryhub import figures
from memoryhub.errors import Invalid
from memoryhub.text import flaw
from teams.actor import Actor

__all__ = ["Filters", "Hit", "Mode", "Recalled", "Verdict", "recall", "why_not"]

MOST = 50
QUERY_LENGTH = 10_000


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
    matched: Sequence[str] = ()  # the asked words it has, if an explanation was wanted
    snippet: Snippet | None = None  # if it was wanted


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
    explain: bool = False,
    snippets: bool = False,
    noted: bool = True,
    now: datetime | None = None,
) -> Recalled:
    """The memories that answer best, or head the list that was asked for; noted in the ledger, unless somebody only
    looks around."""
    began, now = time.perf_counter(), now or timezone.now()
    chosen, limit = _checked(query=query, mode=mode, limit=limit, filters=filters, sort_by=sort_by)
    rule = filters.q(now=now) if filters else None
    if chosen in ASKING:
        question = _question(actor=actor, query=query, mode=chosen, now=now)
        found = _asked(actor=actor, query=query, question=question, limit=limit, rule=rule, now=now)
        if explain or snippets:
            found = replace(found, hits=_with_words(found.hits, question, explain=explain, snippets=snippets))
    else:
        order = {Mode.RECENT: "recent", Mode.IMPORTANT: "importance", Mode.TYPED: sort_by}[chosen]
        found = _listed(actor=actor, rule=rule, order=order, limit=limit, now=now)
    if noted:
        took = time.perf_counter() - began
        figures.recalls.labels(chosen).observe(took)
        ledger.note(
            actor=actor,
            query=query,
            mode=chosen,
            filters=filters.said() if filters else {},
            memories=[hit.memory for hit in found.hits],
            total=found.total,
            took=took,
            now=now,
        )
    return found


def _checked(*, query: str, mode: str, limit: int | None, filters: Filters | None, sort_by: str) -> tuple[Mode, int]:
    wrong = {}
    try:
        chosen = Mode(mode)
    except ValueError:
        raise Invalid({"mode": f"This must be one of {', '.join(Mode)}."}) from None
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


def why_not(
    *,
    actor: Actor,
    memory_id: UUID,
    query: str,
    mode: str = Mode.HYBRID,
    limit: int | None = None,
    filters: Filters | None = None,
    sort_by: str = "recent",
    now: datetime | None = None,
) -> Verdict:
    """Which rule keeps this memory from the answer, or where it stands in it."""
    now = now or timezone.now()
    chosen, limit = _checked(query=query, mode=mode, limit=limit, filters=filters, sort_by=sort_by)
    if chosen not in ASKING:
        raise Invalid({"mode": f"This must be one of {', '.join(ASKING)}."})
    filters = filters or Filters()
    memory, rule = dropped(actor=actor, memory_id=memory_id, filters=filters, now=now)
    if rule:
        return Verdict(None, rule)
    question = _question(actor=actor, query=query, mode=chosen, now=now)
    return judged(actor=actor, memory=memory, question=question, filters=filters, limit=limit, now=now)


def _question(*, actor: Actor, query: str, mode: Mode, now: datetime) -> Question:
    by_words = mode is Mode.KEYWORD or (mode is Mode.HYBRID and retrievers.uses("words"))
    by_meaning = mode is not Mode.KEYWORD
    return Question.read(actor=actor, query=query, by_words=by_words, by_meaning=by_meaning, now=now)


def _with_words(hits: list[Hit], question: Question, *, explain: bool, snippets: bool) -> list[Hit]:
    memories, terms = [hit.memory for hit in hits], question.terms.terms
    words = matched(memories=memories, terms=terms) if explain else {}
    parts = snippets_of(memories=memories, terms=terms) if snippets else {}
    return [replace(hit, matched=words.get(hit.memory.pk, ()), snippet=parts.get(hit.memory.pk)) for hit in hits]


def _asked(*, actor: Actor, query: str, question: Question, limit: int, rule: Q | None, now: datetime) -> Recalled:
    found = ask(actor=actor, question=question, rule=rule, limit=limit, reach=reach(limit), now=now)
    hits = [Hit(memory, scored.score, scored) for memory, scored in found.hits]
    if hits and not question.missed_by_index(found):
        return Recalled(hits, found.total, bounded=found.bounded, note=question.note)
    part = question.literal or query.strip()
    holding, total = lists.holding(actor=actor, rule=rule, part=part, limit=limit, now=now)
    first = {memory.pk for memory in holding}
    rest = [hit for hit in hits if hit.memory.pk not in first]
    best = [*(Hit(memory, 1.0) for memory in holding), *rest][:limit]
    bounded = found.bounded or question.terms.memories > lists.READ_THROUGH
    return Recalled(best, max(total + len(rest), found.total), bounded=bounded, note=question.note)


def _listed(*, actor: Actor, rule: Q | None, order: str, limit: int, now: datetime) -> Recalled:
    memories = lists.listed(actor=actor, rule=rule, order=order, limit=limit, now=now)
    total = lists.counted(actor=actor, rule=rule, now=now) if len(memories) == limit else len(memories)
    hits = [Hit(memory, 1.0) for memory in memories]
    return Recalled(hits, min(total, lists.COUNTED), bounded=total > lists.COUNTED)
