"""What a list of memories is narrowed to, and where its rows are looked for."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Q
from django.utils import timezone
from django_filters import Filter, FilterSet

from memories.fields import clean
from memories.models import Memory, MemoryQuerySet
from memories.operations.recording import require
from memories.recall.having import having, lexemes
from teams.actor import Actor
from teams.models import Verb


class TagFilter(Filter):
    def filter(self, qs: MemoryQuerySet, value: Sequence[str] | None) -> MemoryQuerySet:
        tags = clean({"tags": value or []}, now=timezone.now())["tags"]
        found: MemoryQuerySet = super().filter(qs, tags)
        return found


class MemoryFilters(FilterSet):
    """The values come checked by the schema that describes them (`bodies.LIST`)."""

    type = Filter()
    category = Filter()
    tags = TagFilter(lookup_expr="contains")
    any_tags = TagFilter(field_name="tags", lookup_expr="overlap")
    scope = Filter()
    project_id = Filter()
    agent_id = Filter()
    person_id = Filter()
    session_id = Filter()
    channel_id = Filter()
    source = Filter()
    pinned = Filter()
    created_after = Filter(field_name="created_at", lookup_expr="gte")
    created_before = Filter(field_name="created_at", lookup_expr="lt")
    updated_after = Filter(field_name="updated_at", lookup_expr="gte")
    updated_before = Filter(field_name="updated_at", lookup_expr="lt")
    expires_after = Filter(field_name="expires_at", lookup_expr="gte")
    expires_before = Filter(field_name="expires_at", lookup_expr="lt")
    review_before = Filter(field_name="review_by", lookup_expr="lt")
    min_importance = Filter(field_name="importance", lookup_expr="gte")
    max_importance = Filter(field_name="importance", lookup_expr="lte")

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
