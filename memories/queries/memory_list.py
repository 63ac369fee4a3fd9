"""Filters of the list endpoints, and the index parts in which their rows are searched."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Q
from django.utils import timezone
from django_filters import Filter, FilterSet

from memories.models import Memory, MemoryQuerySet
from memories.recall import visibility_sql
from memories.recall.literal_text import contains_text
from memories.recall.past_versions import Moment
from memories.recall.text_filter import lexemes, match_all_words
from memories.rules import access
from memories.rules.access import require_verb
from memories.rules.memory_filters import LOOKUPS, Filters, clean_filter
from teams.actor import Actor
from teams.models import Verb


class MemoryFilter(Filter):
    def __init__(self, name: str, lookup: str) -> None:
        field, _, comparison = lookup.partition("__")
        super().__init__(field_name=field, lookup_expr=comparison or "exact")
        self.name = name

    def filter(self, qs: MemoryQuerySet, value: object) -> MemoryQuerySet:
        rows: MemoryQuerySet = super().filter(qs, clean_filter(self.name, value, now=timezone.now()))
        return rows


class MemoryFilters(FilterSet):
    """Filters of a list of memories. The values have been checked by the schema that describes them (`inputs.LIST`)."""

    @classmethod
    def get_filters(cls) -> dict[str, Filter]:
        return {name: MemoryFilter(name, lookup) for name, lookup in LOOKUPS.items()}

    @classmethod
    def apply_filters(cls, rows: MemoryQuerySet, params: Mapping[str, Any]) -> MemoryQuerySet:
        """Apply the filters without a form, which would take longer than the list: the values are checked already."""
        for name, rule in cls.base_filters.items():
            if name in params:
                rows = rule.filter(rows, params[name])
        return rows


def filter_memories(*, actor: Actor, params: Mapping[str, Any]) -> tuple[MemoryQuerySet, list[Q]]:
    """Return the filtered memories, and the parts (one per audience) in which an index finds them."""
    if params["forgotten"]:
        require_verb(actor, Verb.READ)
        require_verb(actor, Verb.WRITE)
    allowed = Memory.objects.restorable_by(actor) if params["forgotten"] else _list_visible(actor, params)
    list_audiences = access.list_writable_audiences if params["forgotten"] else access.list_readable_audiences
    audiences = list_audiences(actor)
    past = not params["forgotten"] and "known_at" in params
    rows = allowed if past else MemoryFilters.apply_filters(allowed, params)
    words = params.get("text", "").strip()
    found = lexemes(words) if words else []
    if words and not found:  # only punctuation and stop words, which are in no index
        rows = rows.filter(contains_text("content", words))
    if labels := "" if past else _indexed_labels(params):
        found = [*found, *lexemes(labels)]
    if not found:
        return rows, [Q(audience=audience) for audience in audiences]
    return rows, [Q(audience=audience) & match_all_words(found, within=audience) for audience in audiences]


def _list_visible(actor: Actor, params: Mapping[str, Any]) -> MemoryQuerySet:
    """Return what the actor sees at the moment that is asked for. A past one has the filters in its rule."""
    if "known_at" not in params:
        return visibility_sql.visible_rows(actor, holds_at=params.get("as_of"))
    filters = Filters(**{name: params[name] for name in LOOKUPS if name in params})
    rule = Moment(timezone.now(), params.get("as_of"), params["known_at"]).match(filters)
    return visibility_sql.visible_rows(actor, holding=False).filter(rule)


def _indexed_labels(params: Mapping[str, Any]) -> str:
    """Return the category and tags as search words: the search index of active memories finds rare ones faster."""
    if params["forgotten"]:
        return ""
    labels = [params.get("category", ""), *params.get("tags", ())]
    return " ".join(label for label in labels if label.isascii())  # the index may split others
