"""What callers send, as JSON schemas."""

from memories.api.versions import LARGEST
from memories.models import (
    KEY_LENGTH,
    LABEL_LENGTH,
    PATH_LENGTH,
    SUMMARY_LENGTH,
    TAG_COUNT,
    Relation,
    Scope,
    Type,
)
from memories.operations import BATCH_LIMIT, Dedupe
from memories.recall import DEFAULT_LIMIT, MOST, QUERY_LENGTH, SORTS, Mode
from memories.schemas import (
    Schema,
    anything,
    flag,
    fraction,
    identity,
    listed,
    moment,
    nullable,
    one_of,
    record,
    text,
    whole,
)

VERSION = whole(least=1, most=LARGEST, description="The version you saw; if it is another by now, nothing changes.")
TAGS = listed(text(longest=LABEL_LENGTH), most=TAG_COUNT)
REASON = text(longest=SUMMARY_LENGTH, description="Why, for whoever looks at the history.")
SCOPE = one_of(Scope, description="Whose it is: the team's, a person's (global), a project's or the agent's own.")

# What a memory says. Null empties a field.
FIELDS: dict[str, Schema] = {
    "content": text(shortest=1, description="What to remember: up to 50,000 bytes of UTF-8."),
    "key": nullable(text(longest=KEY_LENGTH, description="A label; at most one living memory of an audience owns it.")),
    "summary": nullable(
        text(longest=SUMMARY_LENGTH, description="A shorter form, for prompts, of this content alone.")
    ),
    "type": one_of(Type),
    "category": nullable(text(longest=LABEL_LENGTH)),
    "tags": nullable(TAGS),
    "importance": fraction(description="If it is left out, the type says."),
    "pinned": flag(),
    "expires_at": nullable(moment(description="When it vanishes; in the future.")),
    "source": nullable(text(longest=LABEL_LENGTH, description="manual, auto, or a label of your own.")),
    "metadata": nullable(anything(description="Up to 8 KiB of your own.")),
    "review_by": nullable(moment(description="When somebody should check that it is still true.")),
}
DRAFT = record(
    FIELDS
    | {
        "scope": SCOPE | {"default": Scope.TEAM.value},
        "dedupe": one_of(
            Dedupe,
            default=Dedupe.UPDATE.value,
            description="What saving a key that lives already does: a new version of it, another memory, or a refusal.",
        ),
    },
    required=["content"],
    title="NewMemory",
)
SAVE = record(DRAFT["properties"] | {"version": VERSION}, required=["content"], title="MemoryToSave")
DRAFTS = record({"memories": listed(DRAFT)})
BATCH = record(
    {
        "memories": listed({"type": "object", "anyOf": [DRAFT, {}]}, least=1, most=BATCH_LIMIT),
        "each": flag(default=False, description="Each by itself: what is refused leaves the others."),
    },
    required=["memories"],
)
CHANGE = record(FIELDS | {"version": VERSION}, title="MemoryChange")
KEYED = record(
    {name: schema for name, schema in FIELDS.items() if name != "key"} | {"version": VERSION},
    required=["content"],
    title="MemoryOfAKey",
)
APPEND = record({"text": text(shortest=1), "version": VERSION}, required=["text"])
PIN = record({"pinned": flag(), "version": VERSION}, required=["pinned"])
TAG = record({"add": TAGS, "remove": TAGS, "version": VERSION})
EXPIRE = record({"expires_at": FIELDS["expires_at"], "version": VERSION}, required=["expires_at"])
MOVE = record({"scope": SCOPE, "version": VERSION}, required=["scope"])
VERIFY = record({"review_by": nullable(moment()), "version": VERSION})
REVERT = record(
    {"to_version": whole(least=1, most=LARGEST, description="The version to say again."), "version": VERSION},
    required=["to_version"],
)
ASSOCIATE = record(
    {
        "target_id": identity(),
        "relation": one_of(Relation, default=Relation.RELATED_TO.value),
        "weight": fraction(default=0.5),
    },
    required=["target_id"],
)
CITE = record(
    {
        "session": text(longest=200, description="Your own id of the conversation."),
        "message_id": text(longest=200),
        "url": text(longest=2_000),
        "quote": text(longest=5_000),
    }
)
UPLOAD = record(
    {
        "file": {"type": "string", "format": "binary"},
        "name": {"description": "If it is left out, the file's own."},  # in a form, whatever is said is text
    },
    required=["file"],
)
WRITE = record({"content": text(description="Up to 1 MiB of UTF-8."), "version": VERSION}, required=["content"])
RENAME = record({"path": text(shortest=1, longest=PATH_LENGTH), "version": VERSION}, required=["path"])

# What a list or a recall is narrowed to.
FILTERS: dict[str, Schema] = {
    "type": one_of(Type),
    "category": text(longest=LABEL_LENGTH),
    "tags": listed(text(longest=LABEL_LENGTH), most=TAG_COUNT, description="All of them."),
    "any_tags": listed(text(longest=LABEL_LENGTH), most=TAG_COUNT, description="At least one of them."),
    "scope": one_of(Scope),
    "project_id": identity(),
    "agent_id": identity(description="Its author."),
    "person_id": identity(),
    "session_id": identity(),
    "channel_id": text(longest=200),
    "source": text(longest=LABEL_LENGTH),
    "pinned": flag(),
    "created_after": moment(),
    "created_before": moment(),
    "updated_after": moment(),
    "updated_before": moment(),
    "expires_after": moment(),
    "expires_before": moment(),
    "review_before": moment(description="When somebody should check that it is still true."),
    "min_importance": fraction(),
    "max_importance": fraction(),
}
LIMITS = f"{DEFAULT_LIMIT[Mode.HYBRID]} if it is left out; by keyword {DEFAULT_LIMIT[Mode.KEYWORD]}."
ASKED: dict[str, Schema] = {
    "query": text(longest=QUERY_LENGTH, description="Any text: words, a question, an identifier."),
    "mode": one_of(Mode),
    "limit": whole(least=1, most=MOST, description=LIMITS),
    "sort_by": one_of(SORTS, description="How mode typed is ordered."),
    **FILTERS,
}
RECALL = record(
    {name: nullable(schema) for name, schema in ASKED.items()}
    | {
        "explain": nullable(flag(description="Each hit says what put it there.")),
        "snippets": nullable(flag(description="Each hit has the part that answers.")),
    },
    title="Question",
)
WHY_NOT = record(
    {"memory_id": identity(), "query": ASKED["query"]}
    | {name: nullable(schema) for name, schema in ASKED.items() if name != "query"},
    required=["memory_id", "query"],
)

# Lists, by the query string.
PAGE: dict[str, Schema] = {
    "limit": whole(least=1, most=200, default=50),
    "cursor": text(shortest=1, longest=2_000, description="The `next` of the page before."),
}
ORDERS = [f"{sign}{field}" for field in ("created_at", "updated_at", "importance") for sign in ("-", "")]
LIST: dict[str, Schema] = (
    FILTERS
    | {
        "text": text(longest=1_000, description="Words that it has, all of them."),
        "forgotten": flag(default=False, description="What was forgotten and you may restore, instead of what lives."),
        "order": one_of(ORDERS, default=ORDERS[0]),
    }
    | PAGE
)
RECALLS: dict[str, Schema] = {
    "since": moment(description="From then on."),
    "until": moment(description="Before then."),
    "query": text(longest=1_000, description="A part of what was asked, in capitals or not."),
    "session": text(longest=200, description="Your own id of the conversation."),
    "found_nothing": flag(description="Only those without an answer; false: only those with one."),
} | PAGE
FILES: dict[str, Schema] = {
    "prefix": text(longest=PATH_LENGTH, description="What the path begins with, like `notes/`."),
    "text": text(longest=1_000, description="Words that it has, all of them."),
    "deleted": flag(default=False, description="What was deleted and you may bring back, instead of what lives."),
} | PAGE
