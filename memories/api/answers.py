"""What callers get, as JSON schemas, and an example of each: `shapes` makes them."""

from typing import Any

from memories.models import Change, Relation, Scope, Type
from memories.presence import Presence
from memories.recall import Mode
from memories.schemas import (
    Schema,
    anything,
    either,
    flag,
    fraction,
    identity,
    listed,
    moment,
    nullable,
    one_of,
    text,
    whole_record,
)
from teams.models import Verb

COUNT = {"type": "integer", "minimum": 0}
VERSION = {"type": "integer", "minimum": 1}


def page(name: str, of: Schema) -> Schema:
    return whole_record({name: listed(of), "next": nullable(text(description="Send it as `cursor` for what follows."))})


SAID: dict[str, Schema] = {
    "key": nullable(text()),
    "content": text(),
    "summary": nullable(text()),
    "type": one_of(Type),
    "category": text(),
    "tags": listed(text()),
    "importance": fraction(),
    "pinned": flag(),
    "expires_at": nullable(moment()),
    "source": text(),
    "scope": one_of(Scope),
    "metadata": anything(),
    "version": VERSION,
    "verified_at": nullable(moment()),
    "verified_by": nullable(text()),
    "review_by": nullable(moment()),
}
PLACES: dict[str, Schema] = {
    "team_id": identity(),
    "agent_id": nullable(identity(description="Its author, unless a person wrote it.")),
    "person_id": nullable(identity()),
    "project_id": nullable(identity()),
    "session_id": nullable(identity()),
    "workspace_id": nullable(identity()),
    "channel_id": nullable(text()),
}
PROPERTIES: dict[str, Schema] = {
    "id": identity(),
    **SAID,
    **PLACES,
    "created_at": moment(),
    "updated_at": moment(),
    "access_count": COUNT,
    "last_accessed_at": nullable(moment()),
}
GONE = {"forgotten_at": nullable(moment()), "forgotten_by": nullable(text()), "forget_reason": nullable(text())}
MEMORY = whole_record(PROPERTIES | GONE, optional=tuple(GONE), title="Memory")
SIMILAR = whole_record({"id": identity(), "similarity": fraction()})
SAVED = whole_record(PROPERTIES | {"similar": listed(SIMILAR)}, title="SavedMemory")
RECEIPT = whole_record(
    {"id": identity(), "key": nullable(text()), "version": VERSION},
    title="Receipt",
    description="For a token that may not read.",
)
WRITTEN = either(MEMORY, RECEIPT)
SAVED_OR_RECEIPT = either(SAVED, RECEIPT)
PROBLEM: Schema = {"type": "object", "description": "As a refusal of that one memory alone would be."}
BATCH = either(
    whole_record({"memories": listed(WRITTEN)}),
    whole_record({"results": listed(either(whole_record({"memory": WRITTEN}), whole_record({"problem": PROBLEM})))}),
)
REVISION = whole_record(SAID | GONE | {"change": one_of(Change), "by": text(), "created_at": moment()}, title="Version")
ASSOCIATION = whole_record(
    {
        "id": identity(),
        "origin_id": identity(),
        "target_id": identity(),
        "relation": one_of(Relation),
        "weight": fraction(),
        "created_at": moment(),
        "updated_at": moment(),
    },
    title="Association",
)
ASSET = whole_record(
    {
        "id": identity(),
        "memory_id": identity(),
        "name": text(),
        "content_type": text(),
        "size": COUNT,
        "sha256": text(),
        "created_at": moment(),
    },
    title="Asset",
)
SOURCE = whole_record(
    {
        "id": identity(),
        "memory_id": identity(),
        "session_id": nullable(identity()),
        "message_id": nullable(text()),
        "url": nullable(text()),
        "quote": nullable(text()),
        "created_at": moment(),
    },
    title="Source",
)
LISTED_FILE = whole_record(
    {
        "id": identity(),
        "path": text(),
        "team_id": identity(),
        "workspace_id": nullable(identity()),
        "version": VERSION,
        "size": COUNT,
        "created_at": moment(),
        "updated_at": moment(),
        "deleted_at": nullable(moment()),
    },
    title="ListedFile",
)
FILE = whole_record(LISTED_FILE["properties"] | {"content": text()}, title="File")
FILE_RECEIPT = whole_record({"id": identity(), "path": text(), "version": VERSION}, title="FileReceipt")
WRITTEN_FILE = either(FILE, FILE_RECEIPT)
FILE_VERSION = whole_record(
    {
        "version": VERSION,
        "path": text(),
        "size": COUNT,
        "change": one_of(Change),
        "by": text(),
        "created_at": moment(),
    },
    title="FileVersion",
)
REASONS = whole_record(
    {
        "rank_by_words": nullable(COUNT),
        "rank_by_meaning": nullable(COUNT),
        "rank_by_links": nullable(COUNT),
        "matched_words": listed(text()),
        "words": {"type": "number"},
        "meaning": nullable({"type": "number"}),
        "begins_with_an_asked_word": flag(),
        "has_an_asked_identifier": flag(),
        "importance_now": {"type": "number"},
        "added_by_importance": {"type": "number"},
        "added_by_pin": {"type": "number"},
        "reciprocal_rank_score": {"type": "number"},
    },
    title="Reasons",
)
SNIPPET = whole_record({"text": text(), "marks": listed(listed({"type": "integer"}))})
HIT = whole_record(
    PROPERTIES | {"relevance_score": fraction(), "explain": nullable(REASONS), "snippet": SNIPPET},
    optional=("explain", "snippet"),
    title="Hit",
)
RECALLED = whole_record(
    {
        "memories": listed(HIT),
        "total_found": COUNT,
        "total_is_bound": flag(description="There may be more than the total."),
        "mode": one_of(Mode),
        "note": text(description="What was not as asked."),
    },
    optional=("note",),
)
GIVEN = whole_record(
    {
        "id": identity(),
        "version": VERSION,
        "presence": one_of(
            Presence, description="Whether it is here, forgotten and yours to restore, or gone for you."
        ),
        "key": nullable(text()),
        "type": nullable(one_of(Type)),
        "text": nullable(text(description="How that version began: its summary, or else its content.")),
    },
    description="A memory in the version that came back. What you do not see any more is an id alone.",
    title="Given",
)
RECALL = whole_record(
    {
        "id": identity(),
        "query": text(),
        "mode": text(),
        "filters": anything(),
        "session": nullable(text()),
        "created_at": moment(),
        "total_found": COUNT,
        "memories": listed(GIVEN),
    },
    title="Recall",
)
VERDICT = whole_record({"rank": nullable(VERSION), "reason": text()})
ME = whole_record(
    {
        "name": text(),
        "agent_id": identity(),
        "organization_id": identity(),
        **PLACES,
        "readable_team_ids": listed(identity()),
        "verbs": listed(one_of(Verb)),
    }
)

MEMORY_EXAMPLE: dict[str, Any] = {
    "id": "01a8c2f0-3b1e-7d64-9a55-0f6b1c2d3e4f",
    "key": "berth-7",
    "content": "Berth 7 is closed until the crane is repaired.",
    "summary": None,
    "type": "event",
    "category": "fact",
    "tags": ["berths"],
    "importance": 0.5,
    "pinned": False,
    "expires_at": None,
    "source": "manual",
    "scope": "team",
    "team_id": "01a8c2ef-77aa-7c01-8b9e-5d4c3b2a1f00",
    "agent_id": "01a8c2ef-9c3d-7e12-8f70-6a5b4c3d2e1f",
    "person_id": None,
    "project_id": None,
    "session_id": None,
    "workspace_id": None,
    "channel_id": None,
    "metadata": {},
    "version": 1,
    "created_at": "2026-11-02T08:15:00Z",
    "updated_at": "2026-11-02T08:15:00Z",
    "verified_at": None,
    "verified_by": None,
    "review_by": None,
    "access_count": 0,
    "last_accessed_at": None,
}
RECALL_EXAMPLE: dict[str, Any] = {
    "id": "01a8c2f6-4444-7555-8666-777788889999",
    "query": "Which berths are closed?",
    "mode": "hybrid",
    "filters": {"tags": ["berths"]},
    "session": "harbour-17",
    "created_at": "2026-11-02T09:00:00Z",
    "total_found": 1,
    "memories": [
        {name: MEMORY_EXAMPLE[name] for name in ("id", "version", "key", "type")}
        | {"presence": "here", "text": MEMORY_EXAMPLE["content"]}
    ],
}
OTHER_ID = "01a8c2f1-0a2b-7c3d-8e4f-102938475610"
REVISION_EXAMPLE = {
    **{name: MEMORY_EXAMPLE[name] for name in SAID},
    **dict.fromkeys(GONE),
    "change": "created",
    "by": "harbour-bot",
    "created_at": "2026-11-02T08:15:00Z",
}
ASSOCIATION_EXAMPLE = {
    "id": "01a8c2f2-5e6f-7a8b-9c0d-1e2f3a4b5c6d",
    "origin_id": MEMORY_EXAMPLE["id"],
    "target_id": OTHER_ID,
    "relation": "caused_by",
    "weight": 0.8,
    "created_at": "2026-11-02T08:20:00Z",
    "updated_at": "2026-11-02T08:20:00Z",
}
ASSET_EXAMPLE = {
    "id": "01a8c2f3-1111-7222-8333-444455556666",
    "memory_id": MEMORY_EXAMPLE["id"],
    "name": "crane.jpg",
    "content_type": "image/jpeg",
    "size": 48213,
    "sha256": "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
    "created_at": "2026-11-02T08:21:00Z",
}
SOURCE_EXAMPLE = {
    "id": "01a8c2f4-2222-7333-8444-555566667777",
    "memory_id": MEMORY_EXAMPLE["id"],
    "session_id": None,
    "message_id": "m-17",
    "url": "https://chat.example.org/harbour/17",
    "quote": "The crane at 7 is broken.",
    "created_at": "2026-11-02T08:22:00Z",
}
LISTED_FILE_EXAMPLE = {
    "id": "01a8c2f5-3333-7444-8555-666677778888",
    "path": "notes/berths.md",
    "team_id": MEMORY_EXAMPLE["team_id"],
    "workspace_id": None,
    "version": 1,
    "size": 20,
    "created_at": "2026-11-02T08:30:00Z",
    "updated_at": "2026-11-02T08:30:00Z",
    "deleted_at": None,
}
FILE_EXAMPLE = LISTED_FILE_EXAMPLE | {"content": "# Berths\n\n7: closed\n"}
PLACE_EXAMPLES = {  # in addresses
    "memory_id": MEMORY_EXAMPLE["id"],
    "target_id": OTHER_ID,
    "asset_id": ASSET_EXAMPLE["id"],
    "source_id": SOURCE_EXAMPLE["id"],
    "key": MEMORY_EXAMPLE["key"],
    "path": FILE_EXAMPLE["path"],
    "name": RECALL_EXAMPLE["session"],
}
