"""The list of a team's memories: search as you type, filters in the address, and pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import prefetch_related_objects
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import patch_vary_headers

from memories import recall
from memories.models import Memory
from memories.queries import memory_rows
from memories.queries.memory_list import filter_memories
from memories.queries.paging import RowPage
from memories.queries.paging import fetch_page as paged
from memories.recall import Hit
from memories.recall.snippets import Snippet, snippets
from memories.recall.word_stats import Within, terms
from memories.rules import access
from memories.views.list_filters import MemoryFilterForm
from memoryhub.errors import Forbidden, Invalid
from teams.team_page import TeamPage, in_team

MEMORIES_PER_PAGE = 50


@dataclass(frozen=True, slots=True)
class MemoryLine:
    memory: Memory
    changeable: bool
    snippet: Snippet | None = None
    confidence: float | None = None  # confidence of a hit


@dataclass(frozen=True, slots=True)
class MemoryListing:
    lines: Sequence[MemoryLine]
    next: str = ""  # address of the next page
    total: int = 0  # hits of a search
    bounded: bool = False  # there may be more hits than the total
    note: str = ""
    doubtful: Sequence[MemoryLine] = ()  # hits below the hub's floor


@in_team
def show_memories(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    filters = MemoryFilterForm(request.GET, team_page=team_page)
    listing, problems = MemoryListing([]), filters.problems
    if not problems:
        try:
            listing = load_listing(team_page=team_page, filters=filters, now=timezone.now())
        except Invalid as refusal:
            problems = list(refusal.fields.values())
    context = {"section": "memories", "filters": filters, "listing": listing, "problems": problems}
    is_fragment = request.headers.get("HX-Target", "").endswith("#memory-list")
    template = "memories/_memory_list_update.html" if is_fragment else "memories/memories.html"
    response = render(request, template, context, status=400 if problems else 200)
    response["HX-Replace-Url"] = filters.current_url
    patch_vary_headers(response, ["HX-Target"])  # or the back button would show the fragment as a page
    return response


def load_listing(*, team_page: TeamPage, filters: MemoryFilterForm, now: datetime) -> MemoryListing:
    if filters.forgotten_only and not team_page.may_write:
        raise Forbidden("Forgotten memories are listed only for those who may restore them.")
    listing = _search_or_list(filters, now=now)
    memories = [line.memory for line in (*listing.lines, *listing.doubtful)]
    prefetch_related_objects(memories, "agent", "user", "project")
    return listing


def _search_or_list(filters: MemoryFilterForm, *, now: datetime) -> MemoryListing:
    """Return the best hits of a search; in another order, all that contain the words, or else the best in that
    order."""
    if filters.is_ranked:
        return _search_memories(filters, now=now)
    listed = _list_memories(filters, now=now)
    if listed.lines or filters.after or not filters.is_search:
        return listed
    return _search_memories(filters, now=now)


def _search_memories(filters: MemoryFilterForm, *, now: datetime) -> MemoryListing:
    answer = recall.recall(
        actor=filters.reader,
        query=filters.query,
        limit=recall.MOST,
        filters=recall.Filters(**filters.as_filters(now=now)),
        snippets=True,
        min_confidence=recall.AUTO,
        fold=False,
        noted=False,
        now=now,
    )
    hits, doubtful = _hit_lines(filters, answer.hits), _hit_lines(filters, answer.doubtful)
    return MemoryListing(hits, total=answer.total, bounded=answer.bounded, note=answer.note, doubtful=doubtful)


def _hit_lines(filters: MemoryFilterForm, hits: Sequence[Hit]) -> list[MemoryLine]:
    if filters.cleaned_data["sort"]:
        field = filters.order.removeprefix("-")
        hits = sorted(hits, key=lambda hit: getattr(hit.memory, field), reverse=True)
    return [_memory_line(filters, hit.memory, hit.snippet, hit.confidence) for hit in hits]


def _list_memories(filters: MemoryFilterForm, *, now: datetime) -> MemoryListing:
    page = _read_page(filters, limit=MEMORIES_PER_PAGE, cursor=filters.after, now=now)
    next_page = filters.build_url(cursor=page.next) if page.next else ""
    snippet_by_id = _load_snippets(filters, page.rows, now=now) if filters.is_search else {}
    return MemoryListing(
        [_memory_line(filters, memory, snippet_by_id.get(memory.pk)) for memory in page.rows], next=next_page
    )


def _load_snippets(filters: MemoryFilterForm, memories: list[Memory], *, now: datetime) -> dict[UUID, Snippet]:
    reader = filters.reader
    query_terms = terms(query=filters.query, within=Within.of(reader), audiences=sorted(reader.reads), now=now)
    return snippets(memories=memories, terms=query_terms.terms)


def matching_ids(filters: MemoryFilterForm, *, limit: int) -> list[UUID]:
    """Return the first ids of the whole list, whichever page is shown: the best hits first, then all that contain the
    words."""
    if not filters.is_valid():
        raise Invalid({"list": " ".join(filters.problems)})
    now = timezone.now()
    best = [line.memory.pk for line in _search_memories(filters, now=now).lines] if filters.is_ranked else []
    rest = [memory.pk for memory in _read_page(filters, limit=limit, cursor=None, now=now).rows]
    return list(dict.fromkeys([*best, *rest]))[:limit]


def _read_page(filters: MemoryFilterForm, *, limit: int, cursor: str | None, now: datetime) -> RowPage[Memory]:
    actor, order, forgotten = filters.reader, filters.order, filters.forgotten_only
    params = filters.as_filters(now=now) | {"forgotten": forgotten, "text": filters.query}
    rows, parts = filter_memories(actor=actor, params=params)
    options: dict[str, Any] = {"order": order, "limit": limit, "cursor": cursor, "parts": parts}
    if forgotten:
        return paged(rows.defer("search"), **options)
    return paged(rows, **options, read=lambda rows: memory_rows.fetch_in_order(actor=actor, rows=rows, order=order))


def _memory_line(
    filters: MemoryFilterForm, memory: Memory, snippet: Snippet | None = None, confidence: float | None = None
) -> MemoryLine:
    return MemoryLine(memory, access.may_write(filters.team_page.actor, memory.audience), snippet, confidence)
