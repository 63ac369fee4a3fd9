"""Filters that narrow a list or a recall of memories, beyond what the caller may see."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q

from memories.models import MemoryFields, Scope, Type
from memories.rules.fields import clean_fields
from memoryhub.errors import Invalid

# What each filter asks of a memory, in recall as in lists.
LOOKUPS = {
    "type": "type",
    "category": "category",
    "tags": "tags__contains",
    "any_tags": "tags__overlap",
    "scope": "scope",
    "project_id": "project_id",
    "agent_id": "agent_id",
    "person_id": "person_id",
    "session_id": "session_id",
    "channel_id": "channel_id",
    "source": "source",
    "pinned": "pinned",
    "created_after": "created_at__gte",
    "created_before": "created_at__lt",
    "updated_after": "updated_at__gte",
    "updated_before": "updated_at__lt",
    "expires_after": "expires_at__gte",
    "expires_before": "expires_at__lt",
    "review_before": "review_by__lt",
    "min_importance": "importance__gte",
    "max_importance": "importance__lte",
}
FIELDS_OF_VERSIONS = frozenset(
    name
    for name, lookup in LOOKUPS.items()
    if lookup.partition("__")[0] in {"updated_at", *(field.name for field in MemoryFields._meta.local_fields)}
)
OPEN: tuple[object, ...] = ("", (), [], None)  # narrows nothing


def clean_filter(name: str, value: object, *, now: datetime) -> object:
    """Return the value that a filter compares with: tags and importance are normalized as in a stored memory."""
    field = LOOKUPS[name].partition("__")[0]
    return clean_fields({field: value}, now=now)[field] if field in ("tags", "importance") else value


@dataclass(frozen=True, kw_only=True, slots=True)
class Filters:
    type: str = ""
    category: str = ""
    tags: Sequence[str] = ()  # all of them
    any_tags: Sequence[str] = ()  # at least one
    scope: str = ""
    project_id: UUID | None = None
    agent_id: UUID | None = None
    person_id: UUID | None = None
    session_id: UUID | None = None
    channel_id: str = ""
    source: str = ""
    pinned: bool | None = None
    created_after: datetime | None = None
    created_before: datetime | None = None
    updated_after: datetime | None = None
    updated_before: datetime | None = None
    expires_after: datetime | None = None
    expires_before: datetime | None = None
    review_before: datetime | None = None
    min_importance: float | None = None
    max_importance: float | None = None

    def __post_init__(self) -> None:
        wrong = {}
        if self.type and self.type not in Type.values:
            wrong["type"] = f"This must be one of {', '.join(Type)}."
        if self.scope and self.scope not in Scope.values:
            wrong["scope"] = f"This must be one of {', '.join(Scope)}."
        if wrong:
            raise Invalid(wrong)

    def set_values(self) -> dict[str, Any]:
        """Return the filters that are set, with values that JSON can hold."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        narrowing = {name: value for name, value in values.items() if value not in OPEN}
        return {name: str(value) if isinstance(value, UUID | datetime) else value for name, value in narrowing.items()}

    def q(self, *, now: datetime) -> Q:
        """Return the filters as a condition on memories."""
        return self.match_lasting(now=now) & self._match(FIELDS_OF_VERSIONS, now=now)

    def match_lasting(self, *, now: datetime) -> Q:
        """Return the filters by what stays the same from version to version, as a condition on memories."""
        return self._match(LOOKUPS.keys() - FIELDS_OF_VERSIONS, now=now)

    def match_versions(self, *, now: datetime) -> Q:
        """Return the other filters as a condition on versions, which were made when the memory was changed."""
        return self._match(FIELDS_OF_VERSIONS, now=now, saved_at="created_at")

    def _match(self, names: Iterable[str], *, now: datetime, saved_at: str = "updated_at") -> Q:
        values = {name: value for name in sorted(names) if (value := getattr(self, name)) not in OPEN}
        cleaned = {LOOKUPS[name]: clean_filter(name, value, now=now) for name, value in values.items()}
        return Q(**{lookup.replace("updated_at", saved_at): value for lookup, value in cleaned.items()})
