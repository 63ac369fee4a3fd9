"""What a recall is narrowed to, beyond what the caller may see."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q

from memories.fields import clean
from memories.models import Scope, Type
from memoryhub.errors import Invalid

TIMES = {
    "created_after": "created_at__gte",
    "created_before": "created_at__lt",
    "updated_after": "updated_at__gte",
    "updated_before": "updated_at__lt",
    "expires_before": "expires_at__lt",
    "review_before": "review_by__lt",
}


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

    def said(self) -> dict[str, Any]:
        """What of it narrows, as JSON can hold it."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        narrowing = {name: value for name, value in values.items() if value not in ("", (), [], None)}
        return {name: str(value) if isinstance(value, UUID | datetime) else value for name, value in narrowing.items()}

    def q(self, *, now: datetime) -> Q:
        """The same as a condition on memories."""
        rule = Q()
        for field in ("type", "category", "scope", "source", "channel_id"):
            if value := getattr(self, field):
                rule &= Q(**{field: value})
        for field in ("project_id", "agent_id", "person_id", "session_id", "pinned"):
            if (value := getattr(self, field)) is not None:
                rule &= Q(**{field: value})
        if self.tags:
            rule &= Q(tags__contains=clean({"tags": list(self.tags)}, now=now)["tags"])
        if self.any_tags:
            rule &= Q(tags__overlap=clean({"tags": list(self.any_tags)}, now=now)["tags"])
        for side, lookup in (("min", "gte"), ("max", "lte")):
            if (value := getattr(self, f"{side}_importance")) is not None:
                rule &= Q(**{f"importance__{lookup}": clean({"importance": value}, now=now)["importance"]})
        return rule & self._times()

    def _times(self) -> Q:
        rule = Q()
        for name, lookup in TIMES.items():
            if (value := getattr(self, name)) is not None:
                rule &= Q(**{lookup: value})
        return rule
