"""Recall: every ranked read. Candidates found by words, meaning and links are put in one order, limited to what the
actor may see."""

import time
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from memories.recall import lists, log, retrievers
from memories.recall.confidence import AUTO, Floor, is_floor, resolve_floor
from memories.recall.disputes import order_disputed
from memories.recall.explain import Verdict, find_excluding_rule, find_matched_words, rank_memory
from memories.recall.hits import Hit, Recalled
from memories.recall.meaning import VectorLimits, choose_limits
from memories.recall.past_versions import Moment
from memories.recall.query import Question, ask
from memories.recall.reranking import count_candidates, rerank_memories
from memories.recall.selection import list_wanted, select_hits
from memories.recall.snippets import snippets as snippets_of
from memories.rules.memory_filters import Filters
from memoryhub import metrics
from memoryhub.errors import Invalid
from memoryhub.text import text_problem
from teams.actor import Actor

__all__ = ["AUTO", "Filters", "Floor", "Hit", "Mode", "Recalled", "Verdict", "recall", "why_not"]

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


def recall(
    *,
    actor: Actor,
    query: str = "",
    mode: str = Mode.HYBRID,
    limit: int | None = None,
    filters: Filters | None = None,
    sort_by: str = "recent",
    min_confidence: Floor | None = None,
    fold: bool = True,
    explain: bool = False,
    snippets: bool = False,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    noted: bool = True,
    now: datetime | None = None,
) -> Recalled:
    """Return the memories that answer best, or the first of the requested list, among those that hold at `as_of`, by
    default now, as the hub knew them at `known_at`. To a query, hits that are not sure enough are left out, and, if
    `fold` is true, those that repeat a better one. The recall is logged, unless `noted` is false."""
    began, now = time.perf_counter(), now or timezone.now()
    chosen, limit = _check_parameters(
        query=query, mode=mode, limit=limit, filters=filters, sort_by=sort_by, min_confidence=min_confidence
    )
    moment = Moment(now, as_of, known_at)
    rule, as_of = moment.match(filters), moment.holds_at
    if chosen in ASKING:
        question = _read_question(actor=actor, query=query, mode=chosen, now=now, as_of=as_of)
        question = question.add_candidates(moment.find_former_texts(actor, question.terms))
        floor = resolve_floor(min_confidence)
        found = _select_answer(
            actor=actor, question=question, mode=chosen, limit=limit, floor=floor, fold=fold, rule=rule, moment=moment
        )
        found = replace(found, hits=order_disputed(found.hits, at=as_of))
        if explain or snippets:
            found = _add_words(found, question, explain=explain, snippets=snippets)
    else:
        order = {Mode.RECENT: "recent", Mode.IMPORTANT: "importance", Mode.TYPED: sort_by}[chosen]
        found = _list_recall(actor=actor, rule=rule, order=order, limit=limit, now=now, as_of=as_of)
        moment.restore([hit.memory for hit in found.hits])
    if noted:
        took = time.perf_counter() - began
        metrics.recall_seconds.labels(chosen).observe(took)
        log.queue_entry(
            actor=actor,
            query=query,
            mode=chosen,
            filters=(filters.set_values() if filters else {}) | moment.describe(),
            memories=[hit.memory for hit in found.hits],
            total=found.total,
            floor=found.floor,
            confidence=max((hit.confidence for hit in (*found.hits, *found.doubtful)), default=None),
            took=took,
            now=now,
        )
    return found


def _check_parameters(
    *,
    query: str,
    mode: str,
    limit: int | None,
    filters: Filters | None,
    sort_by: str,
    min_confidence: Floor | None,
) -> tuple[Mode, int]:
    wrong = {}
    try:
        chosen = Mode(mode)
    except ValueError:
        raise Invalid({"mode": f"This must be one of {', '.join(Mode)}."}) from None
    if found := text_problem(query, longest=QUERY_LENGTH):
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
    if not is_floor(min_confidence):
        wrong["min_confidence"] = f"This must be a number from 0 to 1, or {AUTO}."
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
    min_confidence: Floor | None = None,
    as_of: datetime | None = None,
    now: datetime | None = None,
) -> Verdict:
    """Return the rule that keeps this memory out of the answer, or its rank in it."""
    now = now or timezone.now()
    chosen, limit = _check_parameters(
        query=query, mode=mode, limit=limit, filters=filters, sort_by=sort_by, min_confidence=min_confidence
    )
    if chosen not in ASKING:
        raise Invalid({"mode": f"This must be one of {', '.join(ASKING)}."})
    filters = filters or Filters()
    memory, rule = find_excluding_rule(actor=actor, memory_id=memory_id, filters=filters, now=now, as_of=as_of)
    if rule:
        return Verdict(None, rule)
    question = _read_question(actor=actor, query=query, mode=chosen, now=now, as_of=as_of)
    floor = resolve_floor(min_confidence)
    return rank_memory(
        actor=actor, memory=memory, question=question, filters=filters, limit=limit, floor=floor, now=now
    )


def _read_question(*, actor: Actor, query: str, mode: Mode, now: datetime, as_of: datetime | None) -> Question:
    by_words = mode is Mode.KEYWORD or (mode is Mode.HYBRID and retrievers.uses("words"))
    by_meaning = mode is not Mode.KEYWORD
    return Question.read(actor=actor, query=query, by_words=by_words, by_meaning=by_meaning, now=now, as_of=as_of)


def _add_words(recalled: Recalled, question: Question, *, explain: bool, snippets: bool) -> Recalled:
    hits, terms = [*recalled.hits, *recalled.doubtful], question.terms.terms
    memories = [hit.memory for hit in hits]
    words = find_matched_words(memories=memories, terms=terms) if explain else {}
    parts = snippets_of(memories=memories, terms=terms) if snippets else {}
    told = [replace(hit, matched=words.get(hit.memory.pk, ()), snippet=parts.get(hit.memory.pk)) for hit in hits]
    return replace(recalled, hits=told[: len(recalled.hits)], doubtful=told[len(recalled.hits) :])


def _select_answer(
    *,
    actor: Actor,
    question: Question,
    mode: Mode,
    limit: int,
    floor: float,
    fold: bool,
    rule: Q | None,
    moment: Moment,
) -> Recalled:
    """Return the hits of the answer. If many of them repeat a better one, more are collected, once: the candidates that
    are compared stay the same."""
    first, *_ = list_wanted(limit)
    limits = choose_limits(count_candidates(first))
    for wanted in list_wanted(limit):
        collected = _collect_hits(
            actor=actor, question=question, mode=mode, limit=wanted, limits=limits, rule=rule, moment=moment
        )
        found = select_hits(collected, question=question, limit=limit, floor=floor, fold=fold)
        if len(found.hits) == limit or not found.folded or len(collected.hits) < wanted:
            break
    return found


def _collect_hits(
    *, actor: Actor, question: Question, mode: Mode, limit: int, limits: VectorLimits, rule: Q | None, moment: Moment
) -> Recalled:
    reranks = mode is not Mode.KEYWORD
    count = count_candidates(limit) if reranks else limit
    found = _answer_query(actor=actor, question=question, limit=count, limits=limits, rule=rule, moment=moment)
    moment.restore([hit.memory for hit in found.hits])
    return _rerank(found, query=question.text, limit=limit) if reranks else found


def _answer_query(
    *, actor: Actor, question: Question, limit: int, limits: VectorLimits, rule: Q | None, moment: Moment
) -> Recalled:
    now, as_of = moment.now, moment.holds_at
    found = ask(actor=actor, question=question, rule=rule, limit=limit, limits=limits, now=now, as_of=as_of)
    hits = [Hit(memory, scored.score, scored) for memory, scored in found.hits]
    if hits and not question.missed_by_index(found):
        return Recalled(hits, found.total, bounded=found.bounded, note=question.note)
    part = question.literal or question.text.strip()
    holding, total = lists.find_literal(actor=actor, rule=rule, part=part, limit=limit, now=now, as_of=as_of)
    first = {memory.pk for memory in holding}
    rest = [hit for hit in hits if hit.memory.pk not in first]
    best = [*(Hit(memory, 1.0) for memory in holding), *rest][:limit]
    bounded = found.bounded or question.terms.memories > lists.READ_THROUGH
    return Recalled(best, max(total + len(rest), found.total), bounded=bounded, note=question.note)


def _rerank(recalled: Recalled, *, query: str, limit: int) -> Recalled:
    """Put the hits in the reranker's order, if there is one, and return as many as are wanted.

    What contains the query's identifier letter by letter stays in front. The relevance of each place stays with the
    place, so that it falls from hit to hit.
    """
    fixed = sum(1 for hit in recalled.hits if hit.scored is None or hit.scored.exact)
    front, rest = recalled.hits[:fixed], recalled.hits[fixed:]
    reranking = rerank_memories(query=query, memories=[hit.memory for hit in rest])
    moved = [
        replace(rest[place], reranked=score) for place, score in zip(reranking.order, reranking.scores, strict=True)
    ]
    hits = [replace(hit, relevance=old.relevance) for hit, old in zip([*moved, *rest[len(moved) :]], rest, strict=True)]
    note = " ".join(filter(None, (recalled.note, reranking.note)))
    return replace(recalled, hits=[*front, *hits][:limit], note=note)


def _list_recall(
    *, actor: Actor, rule: Q | None, order: str, limit: int, now: datetime, as_of: datetime | None
) -> Recalled:
    memories = lists.list_in_order(actor=actor, rule=rule, order=order, limit=limit, now=now, as_of=as_of)
    total = (
        lists.count_memories(actor=actor, rule=rule, now=now, as_of=as_of) if len(memories) == limit else len(memories)
    )
    hits = [Hit(memory, 1.0) for memory in memories]
    return Recalled(hits, min(total, lists.COUNTED), bounded=total > lists.COUNTED)
