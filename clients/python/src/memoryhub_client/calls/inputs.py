"""The types of request parameters."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, TypedDict

from memoryhub_client.calls.call import Id
from memoryhub_client.shapes import JSON

Scope = Literal["team", "global", "project", "agent"]
Mode = Literal["hybrid", "keyword", "semantic", "recent", "important", "typed"]
Format = Literal["openai", "anthropic", "mcp"]
Rating = Literal["helpful", "not-helpful", "wrong", "outdated"]
ProposalState = Literal["open", "approved", "rejected", "withdrawn", "expired"]
Confidence = float | Literal["auto"]  # that hits need; auto: the hub's own floor


class KeyedFields(TypedDict, total=False):
    """The fields of a memory besides its key and content. None clears a field."""

    summary: str | None
    type: str
    category: str | None
    tags: Sequence[str] | None
    importance: float
    pinned: bool
    expires_at: datetime | None
    source: str | None
    metadata: JSON | None
    review_by: datetime | None
    valid_from: datetime | None
    valid_until: datetime | None


class Fields(KeyedFields, total=False):
    key: str | None


class Draft(Fields, total=False):
    scope: Scope
    dedupe: Literal["update", "create", "refuse"]


class WholeDraft(Draft, total=False):
    content: str


class Changes(Fields, total=False):
    content: str


class Filters(TypedDict, total=False):
    type: str
    category: str
    tags: Sequence[str]
    any_tags: Sequence[str]
    scope: Scope
    project_id: Id
    agent_id: Id
    person_id: Id
    session_id: Id
    channel_id: str
    source: str
    pinned: bool
    created_after: datetime
    created_before: datetime
    updated_after: datetime
    updated_before: datetime
    expires_after: datetime
    expires_before: datetime
    review_before: datetime
    min_importance: float
    max_importance: float


class ListFilters(Filters, total=False):
    text: str
    forgotten: bool
    as_of: datetime
    known_at: datetime
    order: Literal["-created_at", "created_at", "-updated_at", "updated_at", "-importance", "importance"]
    limit: int
    cursor: str


class Question(Filters, total=False):
    mode: Mode
    limit: int
    sort_by: Literal["recent", "importance", "most_accessed"]
    min_confidence: Confidence
    as_of: datetime
    known_at: datetime
    explain: bool
    snippets: bool


class Message(TypedDict, total=False):
    role: str
    content: str
    name: str
    at: datetime
    id: str
