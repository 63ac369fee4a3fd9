"""What operators look memories up by, and which index finds it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import BooleanField, QuerySet
from django.db.models.expressions import RawSQL

from memories.models import Memory, TeamFile
from memories.recall import reading
from memories.recall.words import TERMS, quoted
from memoryhub.admin import LOOK, PER_PAGE, recent
from memoryhub.ids import as_uuid

Rows = QuerySet[Memory]
LIVING, FORGOTTEN, EXPIRING = "living", "forgotten", "expiring"
STATES = {LIVING: "Living", FORGOTTEN: "Forgotten", EXPIRING: "Will expire"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What narrows a list of memories."""

    words: str = ""
    team: tuple[UUID, UUID] | None = None  # its organization and itself
    state: str = ""
    type: str = ""
    pinned: bool = False

    @property
    def by_index(self) -> bool:
        """Whether an index finds what is asked, however long ago it was written."""
        return bool(self.words or self.team or self.state in (FORGOTTEN, EXPIRING))

    def chosen(self, each: Mapping[str, Rows]) -> list[Rows]:
        return [each[self.state]] if self.state else [each[LIVING], each[FORGOTTEN]]


def found(asked: Asked) -> list[UUID]:
    """The ids of what is asked for, as many as a list shows of each state. What else narrows the list is left to it,
    unless it has an index: no statement may walk on in search of something rare."""
    if known := as_uuid(asked.words):
        return [known]
    if asked.words:
        return _by_words(asked)
    return [pk for rows in asked.chosen(_in_order(asked)) for pk in rows.values_list("pk", flat=True)[:LOOK]]


def _in_order(asked: Asked) -> dict[str, Rows]:
    """Each in the order of its index: memory_newest, memory_typed or memory_pinned; memory_forgotten or
    memory_forgotten_at; memory_vanishing or memory_expiring."""
    rows = Memory.objects.all()
    if asked.team:
        rows = rows.filter(organization=asked.team[0], audience=asked.team[1])
    living, gone = rows.filter(forgotten_at=None), rows.filter(forgotten_at__isnull=False)
    typed = living.filter(type=asked.type) if asked.type and asked.team else living
    pinned = living.filter(pinned=True).order_by("-importance", "-pk")
    return {
        LIVING: pinned if asked.pinned and asked.team else typed.order_by("-created_at"),
        FORGOTTEN: rows.forgotten().order_by("-created_at") if asked.team else gone.order_by("-forgotten_at"),
        EXPIRING: living.filter(expires_at__isnull=False).order_by("expires_at"),
    }


def _by_words(asked: Asked) -> list[UUID]:
    """Among the newest, where common words are; else by memory_search and memory_search_gone, which know the rare ones
    and whose they are."""
    words = having(asked.words, audience=asked.team and asked.team[1])
    if words is None:
        return []
    rows = Memory.objects.filter(words)
    living = rows.filter(forgotten_at=None)
    each = {LIVING: living, FORGOTTEN: rows.forgotten(), EXPIRING: living.filter(expires_at__isnull=False)}
    sources = asked.chosen(each)
    near = [] if asked.team else [pk for some in sources for pk in recent(some).values_list("pk", flat=True)[:LOOK]]
    return near if len(near) > PER_PAGE else near + by_index(sources)


BY_INDEX = "SELECT set_config('enable_seqscan', %s, true), set_config('enable_indexscan', %s, true)"


@transaction.atomic
def by_index(sources: Sequence[QuerySet[Any]]) -> list[UUID]:
    """Never by walking the table: Postgres would, in the hope that words are as common together as apart."""
    with connection.cursor() as cursor:
        cursor.execute(BY_INDEX, ["off", "off"])
        ids = [pk for rows in sources for pk in rows.order_by().values_list("pk", flat=True)[:LOOK]]
        cursor.execute(BY_INDEX, ["on", "on"])
    return ids


def having(text: str, *, audience: UUID | None = None) -> RawSQL | None:
    """Rows whose search column has all of its words; None if it has none to go by."""
    lexemes = [lexeme for token in reading.read(reading.normal(text)) for lexeme in _asked(token)][:TERMS]
    if not lexemes:
        return None
    inside = [f"'@{audience}'"] if audience else []
    return RawSQL(
        "search @@ %s::tsquery", [" & ".join(inside + [quoted(lexeme) for lexeme in lexemes])], BooleanField()
    )


def _asked(token: reading.Token) -> list[str]:
    """Its words; the pairs of writing without spaces; identifiers that have neither."""
    words = [lexeme for word, lexeme in token.lexemes if word]
    pairs = [lexeme for lexeme in words if lexeme.startswith("~")]
    return pairs or words or list(token.identifiers)


def files(words: str) -> list[UUID]:
    """Living files by their words. Hopes for file_search."""
    query = having(words)
    return by_index([TeamFile.objects.alive().filter(query)]) if query else []
