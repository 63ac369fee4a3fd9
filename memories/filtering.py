"""What a list of memories is narrowed to, and where its rows are looked for."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Q
from django.utils import timezone
from django_filters import Filter, FilterSet

from memories.models import Memory, MemoryQuerySet
from memories.operations.recording import require
from memories.recall.filters import LOOKUPS, kept
from memories.recall.having import having, lexemes
from teams.actor import Actor
from teams.models import Verb


class MemoryFilter(Filter):
    def __init__(self, name: str, lookup: str) -> None:
        field, _, comparison = lookup.partition("__")
        super().__init__(field_name=field, lookup_expr=comparison or "exact")
        self.name = name

    def filter(self, qs: MemoryQuerySet, value: object) -> MemoryQuerySet:
        found: MemoryQuerySet = super().filter(qs, kept(self.name, value, now=timezone.now()))
        return found


class MemoryFilters(FilterSet):
    """The values come checked by the schema that describes them (`bodies.LIST`)."""

    @classmethod
    def get_filters(cls) -> dict[str, Filter]:
        return {name: MemoryFilter(name, lookup) for name, lookup in LOOKUPS.items()}

    @classmethod
    def applied(cls, rows: MemoryQuerySet, asked: Mapping[str, Any]) -> MemoryQuerySet:
        """Without a form, which would take longer than the list: nothing is left to check."""
        for name, rule in cls.base_filters.items():
            if name in asked:
                rows = rule.filter(rows, asked[name])
        return rows


def narrowed(*, actor: Actor, asked: Mapping[str, Any]) -> tuple[MemoryQuerySet, list[Q]]:
    """The memories that were asked for, and the parts in which an index gives them: each audience by itself."""
    if asked["forgotten"]:
        require(actor, Verb.READ)
        require(actor, Verb.WRITE)
    seen = Memory.objects.restorable_by(actor) if asked["forgotten"] else Memory.objects.visible_to(actor)
    audiences = sorted(actor.writes if asked["forgotten"] else actor.reads, key=str)
    rows = MemoryFilters.applied(seen, asked)
    words = asked.get("text", "").strip()
    found = lexemes(words) if words else []
    if words and not found:  # nothing but signs and the commonest words, which no index knows
        rows = rows.filter(content__icontains=words)
    if labels := _indexed(asked):
        found = [*found, *lexemes(labels)]
    if not found:
        return rows, [Q(audience=audience) for audience in audiences]
    return rows, [Q(audience=audience) & having(found, within=audience) for audience in audiences]


def _indexed(asked: Mapping[str, Any]) -> str:
    """What the filters say in words that the search index of the living knows, too: rare ones are found by it."""
    if asked["forgotten"]:
        return ""
    said = [asked.get("category", ""), *asked.get("tags", ())]
    return " ".join(label for label in said if label.isascii())  # of others it may know only parts
