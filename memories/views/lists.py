"""All memories of a team: searched as one types, narrowed by filters that the address holds, page by page."""

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

from memories import reading, recall
from memories.filtering import narrowed
from memories.models import Memory
from memories.paging import Page
from memories.paging import page as paged
from memories.recall.snippets import Snippet, snippets
from memories.recall.statistics import terms
from memories.views.narrowing import Narrowing
from memoryhub.errors import Forbidden, Invalid
from teams.place import Place, in_team

PAGE = 50


@dataclass(frozen=True, slots=True)
class Line:
    memory: Memory
    changeable: bool
    snippet: Snippet | None = None


@dataclass(frozen=True, slots=True)
class Found:
    lines: Sequence[Line]
    next: str = ""  # the cursor of the page that follows
    total: int = 0  # of a search
    bounded: bool = False  # there may be more than the total
    note: str = ""


@in_team
def page(request: HttpRequest, place: Place) -> HttpResponse:
    narrowing = Narrowing(request.GET, place=place)
    found, wrong = Found([]), narrowing.wrong
    if not wrong:
        try:
            found = read(place=place, narrowing=narrowing, now=timezone.now())
        except Invalid as refusal:
            wrong = list(refusal.fields.values())
    shown = {"section": "memories", "narrowing": narrowing, "found": found, "wrong": wrong}
    typing = request.headers.get("HX-Target", "").endswith("#found")
    template = "memories/_answer.html" if typing else "memories/memories.html"
    answer = render(request, template, shown, status=400 if wrong else 200)
    answer["HX-Replace-Url"] = narrowing.here
    patch_vary_headers(answer, ["HX-Target"])  # or going back would show the part as a page
    return answer


def read(*, place: Place, narrowing: Narrowing, now: datetime) -> Found:
    if narrowing.of_forgotten and not place.may_write:
        raise Forbidden("What was forgotten is shown to those who may restore it.")
    found = _found(narrowing, now=now)
    memories = [line.memory for line in found.lines]
    prefetch_related_objects(memories, "agent", "user", "project")
    return found


def _found(narrowing: Narrowing, *, now: datetime) -> Found:
    """Searched for, the best; in another order, all that have the words, or else the best in that order."""
    if narrowing.ranked:
        return _searched(narrowing, now=now)
    listed = _listed(narrowing, now=now)
    if listed.lines or narrowing.after or not narrowing.searching:
        return listed
    return _searched(narrowing, now=now)


def _searched(narrowing: Narrowing, *, now: datetime) -> Found:
    answer = recall.recall(
        actor=narrowing.reader,
        query=narrowing.query,
        limit=recall.MOST,
        filters=recall.Filters(**narrowing.rules(now=now)),
        snippets=True,
        noted=False,
        now=now,
    )
    hits = answer.hits
    if narrowing.cleaned_data["sort"]:
        field = narrowing.order.removeprefix("-")
        hits = sorted(hits, key=lambda hit: getattr(hit.memory, field), reverse=True)
    lines = [_line(narrowing, hit.memory, hit.snippet) for hit in hits]
    return Found(lines, total=answer.total, bounded=answer.bounded, note=answer.note)


def _listed(narrowing: Narrowing, *, now: datetime) -> Found:
    found = _page(narrowing, limit=PAGE, cursor=narrowing.after, now=now)
    next_page = narrowing.address(cursor=found.next) if found.next else ""
    parts = _snippets(narrowing, found.rows, now=now) if narrowing.searching else {}
    return Found([_line(narrowing, memory, parts.get(memory.pk)) for memory in found.rows], next=next_page)


def _snippets(narrowing: Narrowing, memories: list[Memory], *, now: datetime) -> dict[UUID, Snippet]:
    reader = narrowing.reader
    asked = terms(
        query=narrowing.query, organization_id=reader.organization_id, audiences=sorted(reader.reads), now=now
    )
    return snippets(memories=memories, terms=asked.terms)


def matching(narrowing: Narrowing, *, limit: int) -> list[UUID]:
    """The first of the whole list, whichever page of it is shown: of a search the best, and all that have the words."""
    if not narrowing.is_valid():
        raise Invalid({"list": " ".join(narrowing.wrong)})
    now = timezone.now()
    best = [line.memory.pk for line in _searched(narrowing, now=now).lines] if narrowing.ranked else []
    rest = [memory.pk for memory in _page(narrowing, limit=limit, cursor=None, now=now).rows]
    return list(dict.fromkeys([*best, *rest]))[:limit]


def _page(narrowing: Narrowing, *, limit: int, cursor: str | None, now: datetime) -> Page[Memory]:
    actor, order, forgotten = narrowing.reader, narrowing.order, narrowing.of_forgotten
    asked = narrowing.rules(now=now) | {"forgotten": forgotten, "text": narrowing.query}
    rows, parts = narrowed(actor=actor, asked=asked)
    wanted: dict[str, Any] = {"order": order, "limit": limit, "cursor": cursor, "parts": parts}
    if forgotten:
        return paged(rows.defer("search"), **wanted)
    return paged(rows, **wanted, read=lambda rows: reading.in_order(actor=actor, rows=rows, order=order))


def _line(narrowing: Narrowing, memory: Memory, snippet: Snippet | None = None) -> Line:
    return Line(memory, narrowing.place.may_change(memory.audience), snippet)
