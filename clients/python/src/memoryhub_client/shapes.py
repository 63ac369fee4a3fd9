"""The hub's responses as frozen values. Unknown fields are ignored, so that newer hubs keep working."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import datetime
from functools import cache
from types import UnionType
from typing import Any, Generic, TypeVar, Union, cast, get_args, get_origin, get_type_hints

Shape = TypeVar("Shape")
JSON = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Similar:
    id: str
    similarity: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Memory:
    """A memory. A token that may not read receives only `id`, `key` and `version`; the rest is empty."""

    id: str
    version: int
    key: str | None = None
    content: str = ""
    summary: str | None = None
    type: str = "fact"
    category: str = "fact"
    tags: list[str] = field(default_factory=list)
    importance: float = 0.5
    pinned: bool = False
    expires_at: datetime | None = None
    source: str = "manual"
    scope: str = "team"
    metadata: JSON = field(default_factory=dict)
    team_id: str | None = None
    agent_id: str | None = None
    person_id: str | None = None
    project_id: str | None = None
    session_id: str | None = None
    workspace_id: str | None = None
    channel_id: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    verified_at: datetime | None = None
    verified_by: str | None = None
    review_by: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    superseded_by: str | None = None
    status: str = "active"  # or proposed: the write waits for a person
    proposal_id: str | None = None
    provenance: str = "agent"  # the least trusted source of the text
    anchor_state: str | None = None  # changed or gone, if that became of a file that it is anchored to
    access_count: int = 0
    last_accessed_at: datetime | None = None
    forgotten_at: datetime | None = None
    forgotten_by: str | None = None
    forget_reason: str | None = None
    similar: list[Similar] = field(default_factory=list)  # in the response to a save: memories that say nearly the same


@dataclass(frozen=True, kw_only=True, slots=True)
class Timeline:
    memories: list[Memory]  # newest first


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnRating:
    rating: str
    created_at: datetime
    reason: str | None = None
    dismissed: bool = False  # a person has looked at the report, and the memory is right


@dataclass(frozen=True, kw_only=True, slots=True)
class Ratings:
    """How many say what about a memory, and what this agent says itself."""

    memory_id: str
    counts: JSON
    own: OwnRating | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Proposal:
    """A write that waits for a person, or that one has decided about."""

    id: str
    memory_id: str
    operation: str
    state: str
    reason: str
    created_at: datetime
    expires_at: datetime
    arguments: JSON = field(default_factory=dict)
    base_version: int = 1
    cause: str = "policy"
    by: str = ""
    decided_at: datetime | None = None
    decided_by: str | None = None
    decision_note: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit(Memory):
    relevance_score: float = 0.0
    confidence: float = 1.0  # how sure it is that this answers, from 0 to 1
    explain: JSON | None = None
    snippet: JSON | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Recalled:
    memories: list[Hit]  # best first
    total_found: int
    total_is_bound: bool = False
    mode: str = "hybrid"
    min_confidence: float = 0.0  # the floor; hits below it were left out
    folded: int = 0  # hits that repeat a better one and were left out
    note: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RecalledVersion:
    """A memory version returned by a past recall; only its id, if the token may no longer read it."""

    id: str
    version: int
    presence: str  # here, forgotten or gone
    key: str | None = None
    type: str | None = None
    text: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class PastRecall:
    id: str
    query: str
    mode: str
    created_at: datetime
    total_found: int
    memories: list[RecalledVersion]
    filters: JSON = field(default_factory=dict)
    session: str | None = None
    min_confidence: float | None = None
    best_confidence: float | None = None  # of the surest hit, even if it was left out


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    rank: int | None
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    name: str
    text: str
    tokens: int
    memory_ids: list[str]
    omitted: list[str]
    cut: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Context:
    text: str
    tokens: int
    sections: list[Section]


@dataclass(frozen=True, kw_only=True, slots=True)
class Version:
    """One version of a memory, with its author and kind of change."""

    version: int
    change: str
    by: str
    created_at: datetime
    content: str = ""
    key: str | None = None
    summary: str | None = None
    type: str = "fact"
    category: str = "fact"
    tags: list[str] = field(default_factory=list)
    importance: float = 0.5
    pinned: bool = False
    expires_at: datetime | None = None
    metadata: JSON = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Association:
    id: str
    origin_id: str
    target_id: str
    relation: str
    weight: float


@dataclass(frozen=True, kw_only=True, slots=True)
class HashedPlace:
    """The hash of some lines, a short one of each of them, and where they are; no lines: a whole file."""

    sha256: str
    line_hashes: str | None = None
    first_line: int | None = None
    last_line: int | None = None
    commit: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Anchor(HashedPlace):
    """A place in a file of a repository, or a URL, with the hash of what was there."""

    repository: str | None = None
    path: str | None = None
    salt: str | None = None
    state: str = "unchecked"  # or holds, changed, gone
    checked_at: datetime | None = None
    failed_at: datetime | None = None
    present: HashedPlace | None = None  # what a check found, if it has changed


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    id: str
    memory_id: str
    session_id: str | None = None
    message_id: str | None = None
    url: str | None = None
    quote: str | None = None
    anchor: Anchor | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportedAnchors:
    """The anchors with their states after a report, and the ids of those that are not this agent's to report about."""

    anchors: list[Source]
    skipped: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True, slots=True)
class Asset:
    id: str
    memory_id: str
    name: str
    content_type: str
    size: int
    sha256: str
    created_at: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class File:
    """A team file; lists omit its content."""

    id: str
    path: str
    version: int
    content: str = ""
    size: int = 0
    team_id: str | None = None
    workspace_id: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    deleted_at: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class FileVersion:
    version: int
    path: str
    size: int
    change: str
    by: str
    created_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Session:
    id: str
    name: str
    project: str | None = None
    user: str | None = None
    workspace: str | None = None
    channel: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Archive:
    file: JSON
    memory: Memory


@dataclass(frozen=True, kw_only=True, slots=True)
class Extraction:
    saved: list[Memory]
    held: list[Memory]
    known: list[JSON]
    by: str
    note: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Me:
    name: str
    agent_id: str
    organization_id: str
    team_id: str
    readable_team_ids: list[str]
    verbs: list[str]
    project_id: str | None = None
    person_id: str | None = None
    session_id: str | None = None
    workspace_id: str | None = None
    channel_id: str | None = None


@dataclass(frozen=True, slots=True)
class Page(Generic[Shape]):
    items: Sequence[Shape]
    next: str | None  # the cursor of the page that follows


def parse_shape(kind: type[Shape], body: Mapping[str, Any]) -> Shape:
    readers = _readers(cast(Any, kind))  # a type, and so hashable
    return kind(**{name: readers[name](value) for name, value in body.items() if name in readers})


@cache
def _readers(kind: type[Any]) -> dict[str, Callable[[Any], Any]]:
    hints = get_type_hints(kind)
    return {part.name: _reader(hints[part.name]) for part in fields(kind)}


def _reader(hint: Any) -> Callable[[Any], Any]:
    """Return a function that converts JSON to a value of this type."""
    if get_origin(hint) in (UnionType, Union):  # always with None
        (inner,) = (part for part in get_args(hint) if part is not type(None))
        read = _reader(inner)
        return lambda value: None if value is None else read(value)
    if get_origin(hint) is list:
        read = _reader(get_args(hint)[0])
        return lambda values: [read(value) for value in values]
    if hint is datetime:
        return datetime.fromisoformat
    if is_dataclass(hint) and isinstance(hint, type):
        return lambda value: parse_shape(hint, value)
    return lambda value: value
