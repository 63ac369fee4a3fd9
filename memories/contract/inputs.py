"""JSON schemas of what callers send."""

from memories.contract.memory_fields import SENT_FIELDS, TAGS
from memories.conversations.transcript import CONVERSATION_NAME_LENGTH
from memories.models import (
    LABEL_LENGTH,
    PATH_LENGTH,
    SUMMARY_LENGTH,
    TAG_COUNT,
    PairDecision,
    PairKind,
    PairState,
    ProposalState,
    Provenance,
    Relation,
    Scope,
    Type,
)
from memories.operations import BATCH_BYTES, BATCH_LIMIT, Dedupe
from memories.prompts import context
from memories.queries.review import REVIEW_KINDS
from memories.recall import AUTO, DEFAULT_LIMIT, MOST, QUERY_LENGTH, SORTS, Mode
from memoryhub.json_schema import (
    Schema,
    anything,
    flag,
    fraction,
    fraction_or,
    identity,
    list_of,
    moment,
    nullable,
    one_of,
    record,
    text,
    whole,
)
from teams.call_context import CONTEXT_LENGTHS

LARGEST_VERSION = 2**31 - 1  # of a column
VERSION = whole(
    least=1, most=LARGEST_VERSION, description="The version you saw; if it is another by now, nothing changes."
)
REASON = text(longest=SUMMARY_LENGTH, description="Why, for whoever looks at the history.")
SCOPE = one_of(Scope, description="Whose it is: the team's, a person's (global), a project's or the agent's own.")

DRAFT = record(
    SENT_FIELDS
    | {
        "scope": SCOPE | {"default": Scope.TEAM.value},
        "dedupe": one_of(
            Dedupe,
            default=Dedupe.UPDATE.value,
            description="What saving a key that lives already does: a new version of it, another memory, or a refusal.",
        ),
        "provenance": one_of(
            Provenance,
            description="Where the text comes from, if that is less trusted than you: a tool's output, for example.",
        ),
    },
    required=["content"],
    title="NewMemory",
)
SAVE = record(DRAFT["properties"] | {"version": VERSION}, required=["content"], title="MemoryToSave")
DRAFTS = record({"memories": list_of(DRAFT)})
BATCH_SIZE = f"Up to {BATCH_BYTES:,} bytes of content in all."
EACH = flag(default=False, description="Each by itself: what is refused leaves the others.")
BATCH = record(
    {"memories": list_of(DRAFT, least=1, most=BATCH_LIMIT, description=BATCH_SIZE), "each": EACH},
    required=["memories"],
    title="NewMemories",
)
# A batch before its memories are checked: with `each`, they are refused one by one.
UNCHECKED_BATCH = record(
    {"memories": list_of(anything(), least=1, most=BATCH_LIMIT), "each": EACH}, required=["memories"]
)
CHANGE = record(SENT_FIELDS | {"version": VERSION}, title="MemoryChange")
KEYED = record(
    {name: schema for name, schema in SENT_FIELDS.items() if name != "key"} | {"version": VERSION},
    required=["content"],
    title="MemoryOfAKey",
)
APPEND = record({"text": text(shortest=1), "version": VERSION}, required=["text"], title="Addition")
PIN = record({"pinned": flag(), "version": VERSION}, required=["pinned"], title="PinChange")
TAG = record({"add": TAGS, "remove": TAGS, "version": VERSION}, title="TagChange")
EXPIRE = record(
    {"expires_at": SENT_FIELDS["expires_at"], "version": VERSION}, required=["expires_at"], title="ExpiryChange"
)
MOVE = record({"scope": SCOPE, "version": VERSION}, required=["scope"], title="ScopeChange")
VERIFY = record({"review_by": nullable(moment()), "version": VERSION}, title="Verification")
REVERT = record(
    {"to_version": whole(least=1, most=LARGEST_VERSION, description="The version to say again."), "version": VERSION},
    required=["to_version"],
    title="Reversion",
)
SUPERSEDE = record(
    {
        "by": identity(description="The memory that holds instead."),
        "at": moment(
            description="From when on. By default from the start of that memory's validity, or since it was saved."
        ),
        "version": VERSION,
    },
    required=["by"],
    title="Replacement",
)
REINSTATE = record({"version": VERSION}, title="Reinstatement")
ASSOCIATE = record(
    {
        "target_id": identity(),
        "relation": one_of(Relation, default=Relation.RELATED_TO.value),
        "weight": fraction(default=0.5),
        "supersede": flag(default=False, description="With updates: the target no longer holds, and is replaced."),
    },
    required=["target_id"],
    title="NewAssociation",
)
CITE = record(
    {
        "session": text(longest=200, description="Your own id of the conversation."),
        "message_id": text(longest=200),
        "url": text(longest=2_000),
        "quote": text(longest=5_000),
    },
    title="NewSource",
)
UPLOAD = record(
    {
        "file": {"type": "string", "format": "binary"},
        "name": {"description": "If it is left out, the file's own."},  # in a form, whatever is said is text
    },
    required=["file"],
    title="NewAsset",
)
WRITE = record(
    {"content": text(description="Up to 1 MiB of UTF-8."), "version": VERSION}, required=["content"], title="FileText"
)
RENAME = record(
    {"path": text(shortest=1, longest=PATH_LENGTH), "version": VERSION}, required=["path"], title="FileRename"
)

# What a list or a recall is narrowed to.
FILTERS: dict[str, Schema] = {
    "type": one_of(Type),
    "category": text(longest=LABEL_LENGTH),
    "tags": list_of(text(longest=LABEL_LENGTH), most=TAG_COUNT, description="All of them."),
    "any_tags": list_of(text(longest=LABEL_LENGTH), most=TAG_COUNT, description="At least one of them."),
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
CERTAIN = "The confidence that a hit needs; auto: the hub's own floor."
MIN_CONFIDENCE = fraction_or(AUTO, description=CERTAIN)
AS_OF = moment(description="What held at that moment, instead of what holds now.")
ASKED: dict[str, Schema] = {
    "query": text(longest=QUERY_LENGTH, description="Any text: words, a question, an identifier."),
    "mode": one_of(Mode),
    "limit": whole(least=1, most=MOST, description=LIMITS),
    "sort_by": one_of(SORTS, description="How mode typed is ordered."),
    "min_confidence": MIN_CONFIDENCE | {"description": f"{CERTAIN} None unless said."},
    "as_of": AS_OF,
    **FILTERS,
}
RECALL = record(
    {name: nullable(schema) for name, schema in ASKED.items()}
    | {
        "explain": nullable(flag(description="Each hit says what put it there.")),
        "snippets": nullable(flag(description="Each hit has the part that answers.")),
    },
    title="RecallQuery",
)
WHY_NOT = record(
    {"memory_id": identity(), "query": ASKED["query"]}
    | {name: nullable(schema) for name, schema in ASKED.items() if name != "query"},
    required=["memory_id", "query"],
    title="WhyNotQuery",
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
        "as_of": AS_OF,
    }
    | PAGE
)
PROPOSALS: dict[str, Schema] = {"state": one_of(ProposalState, description="Only those in this state.")} | PAGE
PAIRS: dict[str, Schema] = {
    "state": one_of(PairState, default=PairState.OPEN.value, description="Those to decide about, or decided ones."),
    "kind": one_of(PairKind, description="Only those of this kind."),
    "memory_id": identity(description="Only those that this memory is in."),
} | PAGE
SETTLE_PAIR = record(
    {
        "decision": one_of(
            PairDecision,
            description="keep: forget the other. supersede: one replaces the other. merge: one memory of both. "
            "both-hold: both stay, for a reason. not-duplicate: both stay.",
        ),
        "keep": identity(description="The memory that stays; the newer one, if it is left out."),
        "reason": REASON,
        "content": text(shortest=1, description="With merge: the joined text."),
    },
    required=["decision"],
    title="Settlement",
)
REVIEW: dict[str, Schema] = {
    "kind": one_of(REVIEW_KINDS, description="Only what is of this kind."),
    "limit": whole(least=1, most=50, default=20),
    "cursor": text(longest=2_000, description="The `next` of the page before."),
}
APPROVE = record(
    {
        "edits": record(SENT_FIELDS, title="ProposalEdits", description="Fields to change before the approval."),
        "replaces": identity(description="The memory that the new one replaces."),
        "version": VERSION,
        "note": text(longest=SUMMARY_LENGTH),
    },
    title="Approval",
)
REJECT = record({"reason": text(longest=SUMMARY_LENGTH, description="The proposer reads it.")}, title="Rejection")
MERGE = record(
    {
        "target_id": identity(description="The memory that gets the text."),
        "content": text(shortest=1, description="The joined text."),
        "version": VERSION,
    },
    required=["target_id", "content"],
    title="MergedText",
)
REOPEN = record({}, title="Reopening")
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

# The prompt context and sessions.
CONTEXT: dict[str, Schema] = {
    "query": text(longest=QUERY_LENGTH, description="What is being worked on: adds the relevant memories."),
    "budget": whole(
        least=context.MIN_BUDGET,
        most=context.MAX_BUDGET,
        default=context.DEFAULT_BUDGET,
        description="Tokens that the text may have.",
    ),
    "min_confidence": MIN_CONFIDENCE
    | {"default": AUTO, "description": "The confidence that relevant memories need; auto: the hub's own floor."},
    "sections": list_of(one_of(context.ALL_SECTIONS), description="Some of them, in any order; all unless said."),
}
SESSION_BINDINGS = ("project", "user", "workspace", "channel")
REGISTER_SESSION = record(
    {name: text(longest=CONTEXT_LENGTHS[name], description=f"The session's {name}.") for name in SESSION_BINDINGS},
    title="NewSession",
)
MESSAGES = list_of(
    record(
        {
            "role": text(shortest=1, longest=32, description="A word like user or assistant."),
            "content": text(),
            "name": text(longest=CONVERSATION_NAME_LENGTH, description="Who spoke."),
            "at": moment(),
            "id": text(longest=200, description="Your own id of the message, kept as the source of what it brings."),
        },
        required=["role", "content"],
        title="Message",
    ),
    least=1,
    most=10_000,
)
ARCHIVE = record(
    {
        "name": text(
            longest=CONVERSATION_NAME_LENGTH,
            description="What the file is called after; the session's name unless said.",
        ),
        "messages": MESSAGES | {"description": "The file that they make has up to 1 MiB."},
        "summary": text(longest=10_000, description="The memory's content; without it, a digest is made."),
    },
    required=["messages"],
    title="NewArchive",
)
EXTRACT = record(
    {
        "messages": MESSAGES | {"description": "What to read, up to 1 MiB; the session's newest archive unless said."},
        "scope": one_of(Scope.values, default=Scope.TEAM.value, description="Whose memories they become."),
        "hold": flag(description="Hold them for review; EXTRACTION_HOLD unless said."),
    },
    title="NewExtraction",
)
