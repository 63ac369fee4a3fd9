"""Lookup of memories and files in the admin, and the index that serves each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import BooleanField, QuerySet
from django.db.models.expressions import RawSQL

from memories.models import Memory, TeamFile
from memories.recall import tokens
from memories.recall.text_filter import lexemes
from memories.recall.words import MOST_TERMS, match_any
from memoryhub.admin import MAX_LIST_ROWS, PER_PAGE, only_recent
from memoryhub.ids import parse_uuid
from memoryhub.text import compose_text

MemoryRows = QuerySet[Memory]
LIVING, FORGOTTEN, EXPIRING = "living", "forgotten", "expiring"
STATE_LABELS = {LIVING: "Active", FORGOTTEN: "Forgotten", EXPIRING: "Will expire"}


@dataclass(frozen=True, kw_only=True, slots=True)
class MemorySearch:
    """Search words and filters of a list of memories."""

    words: str = ""
    team: tuple[UUID, UUID] | None = None  # organization id and team id
    state: str = ""
    type: str = ""
    pinned: bool = False

    @property
    def has_index(self) -> bool:
        """Return True if an index finds the rows, however old they are."""
        return bool(self.words or self.team or self.state in (FORGOTTEN, EXPIRING))

    def select_states(self, each: Mapping[str, MemoryRows]) -> list[MemoryRows]:
        return [each[self.state]] if self.state else [each[LIVING], each[FORGOTTEN]]


def find_memory_ids(search: MemorySearch) -> list[UUID]:
    """Return the ids that match, as many as a list shows of each state. Filters without an index are left to the list:
    no statement may scan on in search of something rare."""
    if memory_id := parse_uuid(search.words):
        return [memory_id]
    if search.words:
        return _find_by_words(search)
    return [
        pk
        for rows in search.select_states(_rows_by_state(search))
        for pk in rows.values_list("pk", flat=True)[:MAX_LIST_ROWS]
    ]


def _rows_by_state(search: MemorySearch) -> dict[str, MemoryRows]:
    """Return the rows of each state in the order of its index: memory_newest, memory_typed or memory_pinned;
    memory_forgotten or memory_forgotten_at; memory_vanishing or memory_expiring."""
    rows = Memory.objects.all()
    if search.team:
        rows = rows.in_organization(search.team[0]).filter(audience=search.team[1])
    living, gone = rows.filter(forgotten_at=None), rows.filter(forgotten_at__isnull=False)
    typed = living.filter(type=search.type) if search.type and search.team else living
    pinned = living.filter(pinned=True).order_by("-importance", "-pk")
    return {
        LIVING: pinned if search.pinned and search.team else typed.order_by("-created_at"),
        FORGOTTEN: rows.forgotten().order_by("-created_at") if search.team else gone.order_by("-forgotten_at"),
        EXPIRING: living.filter(expires_at__isnull=False).order_by("expires_at"),
    }


def _find_by_words(search: MemorySearch) -> list[UUID]:
    """Look among the newest first, where common words are; else by memory_search and memory_search_gone, which find
    rare words by audience."""
    words = search_condition(search.words, audience=search.team and search.team[1])
    if words is None:
        return []
    rows = Memory.objects.filter(words)
    living = rows.filter(forgotten_at=None)
    each = {LIVING: living, FORGOTTEN: rows.forgotten(), EXPIRING: living.filter(expires_at__isnull=False)}
    sources = search.select_states(each)
    near = (
        []
        if search.team
        else [pk for some in sources for pk in only_recent(some).values_list("pk", flat=True)[:MAX_LIST_ROWS]]
    )
    return near if len(near) > PER_PAGE else near + find_ids_by_index(sources)


SET_SCAN_SQL = "SELECT set_config('enable_seqscan', %s, true), set_config('enable_indexscan', %s, true)"


@transaction.atomic
def find_ids_by_index(sources: Sequence[QuerySet[Any]]) -> list[UUID]:
    """Run the queries without sequential scans, which Postgres would choose if it overestimates how often words occur
    together."""
    with connection.cursor() as cursor:
        cursor.execute(SET_SCAN_SQL, ["off", "off"])
        ids = [pk for rows in sources for pk in rows.order_by().values_list("pk", flat=True)[:MAX_LIST_ROWS]]
        cursor.execute(SET_SCAN_SQL, ["on", "on"])
    return ids


def search_condition(text: str, *, audience: UUID | None = None) -> RawSQL | None:
    """Return the condition that the search column has all words of a text; None if it has no words."""
    text = compose_text(text)
    query = lexemes(text) or [(name,) for token in tokens.read_tokens(text) for name in token.identifiers]
    if not query:
        return None
    inside = [f"'@{audience}'"] if audience else []
    return RawSQL(
        "search @@ %s::tsquery", [" & ".join(inside + [match_any(each) for each in query[:MOST_TERMS]])], BooleanField()
    )


def find_file_ids(words: str) -> list[UUID]:
    """Find active files by their words. Index: file_search."""
    query = search_condition(words)
    return find_ids_by_index([TeamFile.objects.alive().filter(query)]) if query else []
