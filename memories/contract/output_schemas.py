"""JSON schemas of what callers get, with an example of each; `memories.contract.outputs` builds the answers."""

from typing import Any

from memories.contract.inputs import SESSION_BINDINGS
from memories.contract.memory_fields import ANSWERED_FIELDS, FIELD_EXAMPLES
from memories.models import (
    FAILED_STATES,
    AnchorState,
    Change,
    PairDecision,
    PairKind,
    PairState,
    ProposalCause,
    ProposalState,
    ProposedOperation,
    Provenance,
    Rating,
    Relation,
    Scope,
    Status,
)
from memories.prompts import context
from memories.queries.review import MOST_COUNTED, REVIEW_KINDS
from memories.rules.anchors import LAST_LINE
from memories.rules.screening_settings import ScreeningAction
from memories.screening.findings import FindingGroup
from memoryhub.errors import MOST_FIELDS
from memoryhub.json_schema import (
    Schema,
    common_record,
    flag,
    fraction,
    identity,
    list_of,
    moment,
    nullable,
    one_of,
    record,
    text,
    whole,
    whole_record,
)
from teams.models import Verb

COUNT = {"type": "integer", "minimum": 0}
VERSION = {"type": "integer", "minimum": 1}


def page(name: str, of: Schema, *, title: str = "") -> Schema:
    """Return the schema of a page of a list, by default with the title of its rows."""
    following = nullable(text(description="Send it as `cursor` to get the next page."))
    return whole_record({name: list_of(of), "next": following}, title=title or f"{of['title']}Page")


VERSIONED: dict[str, Schema] = {
    **ANSWERED_FIELDS,
    "scope": one_of(Scope),
    "version": VERSION,
    "verified_at": nullable(moment()),
    "verified_by": nullable(text()),
    "superseded_by": nullable(identity(description="The memory that replaced it.")),
    "status": one_of(Status, description="active, or for a proposal: proposed until a person decides."),
    "provenance": one_of(Provenance, description="The least trusted source of the text."),
}
PLACES: dict[str, Schema] = {
    "team_id": identity(),
    "agent_id": nullable(identity(description="The author, unless a person wrote it.")),
    "person_id": nullable(identity()),
    "project_id": nullable(identity()),
    "session_id": nullable(identity()),
    "workspace_id": nullable(identity()),
    "channel_id": nullable(text()),
}
PROPERTIES: dict[str, Schema] = {
    "id": identity(),
    **VERSIONED,
    **PLACES,
    "created_at": moment(),
    "updated_at": moment(),
    "disputed": flag(description="Another memory that holds contradicts it, and nobody has settled that."),
    "access_count": COUNT,
    "last_accessed_at": nullable(moment()),
}
SCREENED = {
    "screening": list_of(
        whole_record(
            {
                "group": one_of(FindingGroup),
                "kind": text(description="Such as GitHub token."),
                "field": text(),
                "count": {"type": "integer", "minimum": 1},
                "action": one_of(ScreeningAction, description="What was done about it: redact or hold."),
            },
            title="Finding",
        ),
        description="What screening found in the text and changed or held, if it did. Never the words themselves.",
    )
}
TRUST = {
    "trust": text(description="unverified import, extraction or tool output: nobody has verified its text yet."),
    "anchor_state": one_of(FAILED_STATES, description="What became of a file or page that it is anchored to."),
}
PROPOSED = {
    "proposal_id": identity(description="The proposal that awaits a decision, if the write was held."),
    "duplicate": flag(description="Nothing was written: this memory has the text already."),
    **SCREENED,
}
GONE = {"forgotten_at": nullable(moment()), "forgotten_by": nullable(text()), "forget_reason": nullable(text())}
MEMORY = whole_record(PROPERTIES | TRUST | PROPOSED | GONE, optional=(*TRUST, *PROPOSED, *GONE), title="Memory")
SIMILAR = whole_record({"id": identity(), "similarity": fraction()}, title="SimilarMemory")
CONFLICT = whole_record(
    {
        "id": identity(),
        "similarity": fraction(),
        "differences": list_of(
            whole_record({"kind": text(), "saved": text(), "other": text()}, title="SavedDifference")
        ),
    },
    title="ConflictingMemory",
)
SAVED = whole_record(
    PROPERTIES
    | TRUST
    | PROPOSED
    | {
        "similar": list_of(SIMILAR, description="Memories that say nearly the same."),
        "conflicts": list_of(CONFLICT, description="Memories that cannot hold beside this one."),
    },
    optional=(*TRUST, *PROPOSED),
)
RECEIPT = whole_record(
    {"id": identity(), "key": nullable(text()), "version": VERSION, "status": one_of(Status), **PROPOSED},
    optional=tuple(PROPOSED),
    title="Receipt",
    description="The version that a write created.",
)
WRITTEN = common_record(
    *(MEMORY, SAVED, RECEIPT),
    title="WrittenMemory",
    description="The memory after the write. A token that may not read gets a receipt: id, key, version and status.",
)
PROBLEM = record(
    {
        "type": {"type": "string"},
        "title": {"type": "string", "description": "The name of the status."},
        "status": whole(least=400, most=599),
        "detail": {"type": "string", "description": "A sentence that says what is wrong."},
        "code": {"type": "string", "description": "A stable code for programs."},
        "fields": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "maxProperties": MOST_FIELDS,
            "description": "The first invalid fields, each with a sentence.",
        },
        "more_fields": {"type": "integer", "minimum": 1, "description": "How many more fields are invalid."},
        "current": {"type": "object", "description": "The present state, if somebody else was faster."},
    },
    required=["type", "title", "status", "detail", "code"],
    title="Problem",
)
BATCH_RESULT = record(
    {"memory": WRITTEN, "problem": PROBLEM},
    title="BatchResult",
    description="The saved memory, or the problem that prevented it from being saved.",
)
BATCH = record(
    {
        "memories": list_of(WRITTEN, description="The memories in the order of the request, unless it set `each`."),
        "results": list_of(
            BATCH_RESULT, description="With `each`: one result for each memory, in the order of the request."
        ),
    },
    title="SavedBatch",
)
KEY_TIMELINE = whole_record({"memories": list_of(MEMORY)}, title="Timeline")
REVISION = whole_record(
    VERSIONED | GONE | {"change": one_of(Change), "by": text(), "created_at": moment()}, title="Version"
)
PROPOSAL = whole_record(
    {
        "id": identity(),
        "memory_id": identity(description="The proposed memory, or the one to be changed."),
        "operation": one_of(ProposedOperation),
        "arguments": {
            "type": "object",
            "additionalProperties": True,
            "description": "What the held call would change.",
        },
        "base_version": VERSION,
        "state": one_of(ProposalState),
        "cause": one_of(ProposalCause),
        "reason": text(description="Why it needs a decision."),
        "by": text(),
        "created_at": moment(),
        "expires_at": moment(),
        "decided_at": nullable(moment()),
        "decided_by": nullable(text()),
        "decision_note": nullable(text()),
    },
    title="Proposal",
)
PAIRED_MEMORY = whole_record(
    {
        "id": identity(),
        "key": nullable(text()),
        "content": text(),
        "type": text(),
        "version": VERSION,
        "by": text(),
        "created_at": moment(),
        "updated_at": moment(),
        "valid_from": nullable(moment()),
        "valid_until": nullable(moment()),
    },
    title="PairedMemory",
)
PAIR = whole_record(
    {
        "id": identity(),
        "kind": one_of(PairKind),
        "state": one_of(PairState),
        "similarity": fraction(),
        "differences": list_of(
            whole_record({"kind": text(), "older": text(), "newer": text()}, title="PairDifference"),
            description="Of a contradiction: the words of the one, and those of the other.",
        ),
        "older": PAIRED_MEMORY,
        "newer": PAIRED_MEMORY,
        "decision": nullable(one_of(PairDecision)),
        "reason": nullable(text()),
        "kept": nullable(identity(description="The memory that stayed.")),
        "settled_by": nullable(text()),
        "settled_at": nullable(moment()),
        "created_at": moment(),
    },
    title="Pair",
)
RATINGS = whole_record(
    {
        "memory_id": identity(),
        "counts": whole_record(
            {rating.value: COUNT for rating in Rating},
            title="RatingCounts",
            description="How many say so about the text as it is.",
        ),
        "own": nullable(
            whole_record(
                {
                    "rating": one_of(Rating),
                    "reason": nullable(text()),
                    "created_at": moment(),
                    "dismissed": flag(description="A person has looked at your report, and the memory is right."),
                },
                title="OwnRating",
            )
        ),
    },
    title="Ratings",
)
REPORT = whole_record(
    {"rating": one_of(Rating), "reason": nullable(text()), "by": text(), "created_at": moment()}, title="Report"
)
ANCHORED_PLACE: dict[str, Schema] = {
    "sha256": text(),
    "line_hashes": nullable(text()),
    "first_line": nullable(whole(least=1, most=LAST_LINE)),
    "last_line": nullable(whole(least=1, most=LAST_LINE)),
    "commit": nullable(text()),
}
ANCHOR = whole_record(
    {
        "repository": nullable(text()),
        "path": nullable(text()),
        "salt": nullable(text()),
        **ANCHORED_PLACE,
        "state": one_of(AnchorState),
        "checked_at": nullable(moment()),
        "failed_at": nullable(moment(description="Since when it is changed or gone.")),
        "present": nullable(
            whole_record(ANCHORED_PLACE, title="PresentPlace", description="What a check found, if it has changed.")
        ),
    },
    title="Anchor",
)
SOURCE = whole_record(
    {
        "id": identity(),
        "memory_id": identity(),
        "session_id": nullable(identity()),
        "message_id": nullable(text()),
        "url": nullable(text()),
        "quote": nullable(text()),
        "anchor": nullable(ANCHOR),
        "created_at": moment(),
        **SCREENED,
    },
    optional=tuple(SCREENED),
    title="Source",
)
GOLDEN_QUESTION = whole_record(
    {
        "id": identity(),
        "query": text(),
        "audience": identity(description="The team, project or person in whose context it is asked."),
        "memory_id": identity(description="The memory that is expected."),
        "by": text(),
        "created_at": moment(),
    },
    title="GoldenQuestion",
)
PLACE_AMONG_HITS = nullable(
    COUNT | {"description": "1 for the first hit, 0 if it was not among the hits, null if nobody there can find it."}
)
GOLDEN_RESULT = whole_record(
    {
        "question": GOLDEN_QUESTION,
        "memory": nullable(MEMORY),
        "place": PLACE_AMONG_HITS,
        "places": list_of(PLACE_AMONG_HITS, description="Those of the last runs, the newest first."),
        "is_regression": flag(description="It was among the first five in the run before, and is no longer."),
    },
    title="GoldenResult",
)
SHARE_OR_NULL = nullable(fraction())
GOLDEN_REPORT = whole_record(
    {
        "results": list_of(GOLDEN_RESULT),
        "asked": COUNT,
        "found": COUNT | {"description": "Expected memories among the first five answers."},
        "recall_at_5": SHARE_OR_NULL,
        "precision_at_5": SHARE_OR_NULL,
        "regressions": COUNT,
        "run_at": nullable(moment()),
    },
    title="GoldenReport",
)
QUEUED_RUN = whole_record({"queued": flag(description="A worker asks the questions now.")}, title="QueuedRun")
FIELD_CHANGE = whole_record({"field": text(), "old": text(), "new": text()}, title="FieldChange")
REVIEW_ITEM = whole_record(
    {
        "kind": one_of(REVIEW_KINDS),
        "id": identity(description="The id of the proposal, pair, report or source; of what is due, the memory's."),
        "since": moment(description="Since when it waits."),
        "memory": MEMORY,
        "pair": PAIR,
        "source": SOURCE,
        "reports": list_of(REPORT, description="Who says that the memory is wrong or outdated, and why."),
        "proposal": PROPOSAL,
        "changes": list_of(FIELD_CHANGE, description="What an approval would change in the memory as it is now."),
        "conflict": flag(description="The memory has changed in the same place since: it takes `edits` to approve."),
    },
    optional=("pair", "source", "reports", "proposal", "changes", "conflict"),
    title="ReviewItem",
)
REVIEW = whole_record(
    {
        "items": list_of(REVIEW_ITEM, description="What has waited longest comes first."),
        "counts": whole_record(
            dict.fromkeys(REVIEW_KINDS, COUNT),
            title="ReviewCounts",
            description=f"How many of each kind wait for you; {MOST_COUNTED + 1}: more than {MOST_COUNTED}.",
        ),
        "next": nullable(text(description="Send it as `cursor` to get the next page.")),
    },
    title="ReviewQueue",
)
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
REPORTED_ANCHORS = whole_record(
    {
        "anchors": list_of(SOURCE),
        "skipped": list_of(identity(), description="Those that are not there, or not yours to report about."),
    },
    title="ReportedAnchors",
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
FILE = whole_record(LISTED_FILE["properties"] | {"content": text()} | SCREENED, optional=tuple(SCREENED), title="File")
FILE_RECEIPT = whole_record(
    {"id": identity(), "path": text(), "version": VERSION, **SCREENED}, optional=tuple(SCREENED), title="FileReceipt"
)
WRITTEN_FILE = common_record(
    *(FILE, FILE_RECEIPT),
    title="WrittenFile",
    description="The file after the write. A token that may not read gets a receipt: id, path and version.",
)
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
ME = whole_record(
    {
        "name": text(),
        "agent_id": identity(),
        "organization_id": identity(),
        **PLACES,
        "readable_team_ids": list_of(identity()),
        "verbs": list_of(one_of(Verb)),
        "any_person": flag(description="Whether calls may name any person as their user, known or new."),
        "persons": list_of(text(), description="The handles that calls may name, unless `any_person` is true."),
    },
    title="Me",
)
SECTION = record(
    {
        "name": one_of(context.SectionName),
        "text": text(description="The text of this section, exactly as in the whole text."),
        "tokens": whole(least=0, most=context.MAX_BUDGET),
        "memory_ids": list_of(identity()),
        "omitted": list_of(identity(), description="The memories that did not fit."),
        "cut": flag(description="Whether the core was cut because it did not fit."),
    },
    required=["name", "text", "tokens", "memory_ids", "omitted", "cut"],
    title="ContextSection",
)
CONTEXT = record(
    {
        "text": text(description="What an agent should read before it starts working."),
        "tokens": whole(
            least=0, most=context.MAX_BUDGET, description="An estimate: four bytes of UTF-8 are one token."
        ),
        "sections": list_of(SECTION),
    },
    required=["text", "tokens", "sections"],
    title="Context",
)
SESSION = record(
    {
        "id": identity(),
        "name": text(),
        "agent_id": identity(),
        **{name: nullable(text()) for name in SESSION_BINDINGS},
        "created_at": moment(),
    },
    required=["id", "name", "agent_id", *SESSION_BINDINGS, "created_at"],
    title="Session",
)
ARCHIVE_FILE = record({"path": text(), "version": VERSION}, required=["path", "version"], title="ArchivedFile")
ARCHIVED = record({"file": ARCHIVE_FILE, "memory": WRITTEN}, required=["file", "memory"], title="Archive")
KNOWN = record(
    {"content": text(), "type": text(), "memory_id": identity(), "similarity": fraction()},
    required=["content", "type", "memory_id", "similarity"],
    title="KnownMemory",
)
EXTRACTED = record(
    {
        "saved": list_of(WRITTEN),
        "held": list_of(WRITTEN, description="Proposals. Only you can see them until a person approves them."),
        "known": list_of(
            KNOWN, description="Memories that would say nothing new, and the existing ones that say the same."
        ),
        "by": text(description="The extractor that was used."),
        "note": text(description="Set if something was not done as requested."),
    },
    required=["saved", "held", "known", "by"],
    title="Extraction",
)

MEMORY_EXAMPLE: dict[str, Any] = {
    "id": "01a8c2f0-3b1e-7d64-9a55-0f6b1c2d3e4f",
    **FIELD_EXAMPLES,
    "scope": "team",
    "team_id": "01a8c2ef-77aa-7c01-8b9e-5d4c3b2a1f00",
    "agent_id": "01a8c2ef-9c3d-7e12-8f70-6a5b4c3d2e1f",
    "person_id": None,
    "project_id": None,
    "session_id": None,
    "workspace_id": None,
    "channel_id": None,
    "version": 1,
    "created_at": "2026-11-02T08:15:00Z",
    "updated_at": "2026-11-02T08:15:00Z",
    "verified_at": None,
    "verified_by": None,
    "superseded_by": None,
    "status": "active",
    "provenance": "agent",
    "disputed": False,
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
    "min_confidence": None,
    "best_confidence": 0.9127,
    "memories": [
        {name: MEMORY_EXAMPLE[name] for name in ("id", "version", "key", "type")}
        | {"presence": "here", "text": MEMORY_EXAMPLE["content"]}
    ],
}
OTHER_ID = "01a8c2f1-0a2b-7c3d-8e4f-102938475610"
REVISION_EXAMPLE = {
    **{name: MEMORY_EXAMPLE[name] for name in VERSIONED},
    **dict.fromkeys(GONE),
    "change": "created",
    "by": "harbour-bot",
    "created_at": "2026-11-02T08:15:00Z",
}
PROPOSAL_EXAMPLE = {
    "id": "01a8c2f7-5555-7666-8777-888899990000",
    "memory_id": MEMORY_EXAMPLE["id"],
    "operation": "update",
    "arguments": {"content": "Berth 7 is open again."},
    "base_version": 1,
    "state": "open",
    "cause": "policy",
    "reason": "Changes of agents to pinned memories need a person's approval.",
    "by": "harbour-bot",
    "created_at": "2026-11-02T08:25:00Z",
    "expires_at": "2026-12-02T08:25:00Z",
    "decided_at": None,
    "decided_by": None,
    "decision_note": None,
}
PAIRED_EXAMPLE = {
    "id": OTHER_ID,
    "key": None,
    "content": "Staging listens on port 8080.",
    "type": "fact",
    "version": 1,
    "by": "harbour-bot",
    "created_at": "2026-11-01T08:15:00Z",
    "updated_at": "2026-11-01T08:15:00Z",
    "valid_from": None,
    "valid_until": None,
}
PAIR_EXAMPLE: dict[str, Any] = {
    "id": "01a8c2f8-6666-7777-8888-99990000aaaa",
    "kind": "contradiction",
    "state": "open",
    "similarity": 0.9312,
    "differences": [{"kind": "number", "older": "8080", "newer": "1933"}],
    "older": PAIRED_EXAMPLE,
    "newer": PAIRED_EXAMPLE
    | {
        "id": MEMORY_EXAMPLE["id"],
        "content": "Staging listens on port 1933.",
        "created_at": "2026-11-02T08:15:00Z",
        "updated_at": "2026-11-02T08:15:00Z",
    },
    "decision": None,
    "reason": None,
    "kept": None,
    "settled_by": None,
    "settled_at": None,
    "created_at": "2026-11-02T08:15:00Z",
}
RATINGS_EXAMPLE: dict[str, Any] = {
    "memory_id": MEMORY_EXAMPLE["id"],
    "counts": {"helpful": 2, "not-helpful": 0, "wrong": 0, "outdated": 1},
    "own": {
        "rating": "outdated",
        "reason": "Berth 7 is open again.",
        "created_at": "2026-11-02T10:00:00Z",
        "dismissed": False,
    },
}
GOLDEN_QUESTION_EXAMPLE: dict[str, Any] = {
    "id": "01a8c2f2-7a8b-7c9d-8e1f-2a3b4c5d6e7f",
    "query": "When do we ship?",
    "audience": MEMORY_EXAMPLE["team_id"],
    "memory_id": MEMORY_EXAMPLE["id"],
    "by": "ana",
    "created_at": "2026-11-02T10:00:00Z",
}
GOLDEN_REPORT_EXAMPLE: dict[str, Any] = {
    "results": [
        {
            "question": GOLDEN_QUESTION_EXAMPLE,
            "memory": MEMORY_EXAMPLE,
            "place": 1,
            "places": [1, 2],
            "is_regression": False,
        }
    ],
    "asked": 1,
    "found": 1,
    "recall_at_5": 1.0,
    "precision_at_5": 0.25,
    "regressions": 0,
    "run_at": "2026-11-03T04:10:00Z",
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
    "anchor": None,
    "created_at": "2026-11-02T08:22:00Z",
}
PRESENT_EXAMPLE: dict[str, Any] = {
    "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "line_hashes": "a3f09c41",
    "first_line": 12,
    "last_line": 13,
}
ANCHORED_EXAMPLE: dict[str, Any] = SOURCE_EXAMPLE | {
    "message_id": None,
    "url": None,
    "quote": None,
    "anchor": {
        "repository": "git.example.org/acme/berths",
        "path": "config/cranes.toml",
        "salt": "6f1c2d3e4b5a69788796a5b4c3d2e1f0",
        **PRESENT_EXAMPLE,
        "commit": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        "state": "holds",
        "checked_at": "2026-11-02T10:00:00Z",
        "failed_at": None,
        "present": None,
    },
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
    "proposal_id": PROPOSAL_EXAMPLE["id"],
    "pair_id": PAIR_EXAMPLE["id"],
    "question_id": GOLDEN_QUESTION_EXAMPLE["id"],
    "asset_id": ASSET_EXAMPLE["id"],
    "source_id": SOURCE_EXAMPLE["id"],
    "key": MEMORY_EXAMPLE["key"],
    "path": FILE_EXAMPLE["path"],
    "name": RECALL_EXAMPLE["session"],
    "organization": "acme",
    "team": "ops",
}
