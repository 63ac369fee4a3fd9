"""JSON schemas of what callers send."""

from memories.contract.memory_fields import SENT_FIELDS, TAGS
from memories.conversations.transcript import CONVERSATION_NAME_LENGTH
from memories.models import (
    LABEL_LENGTH,
    LINE_HASH_LENGTH,
    MOST_HASHED_LINES,
    PATH_LENGTH,
    QUESTION_LENGTH,
    REPOSITORY_LENGTH,
    SUMMARY_LENGTH,
    TAG_COUNT,
    PairDecision,
    PairKind,
    PairState,
    ProposalState,
    Provenance,
    Rating,
    Relation,
    Scope,
    Type,
)
from memories.operations import BATCH_BYTES, BATCH_LIMIT, Dedupe
from memories.prompts import context
from memories.queries.review import REVIEW_KINDS
from memories.recall import AUTO, DEFAULT_LIMIT, MOST, QUERY_LENGTH, SORTS, Mode
from memories.rules.anchors import LAST_LINE
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

LARGEST_VERSION = 2**31 - 1  # largest integer of a column
VERSION = whole(least=1, most=LARGEST_VERSION, description="Refused unless this is the latest version.")
REASON = text(longest=SUMMARY_LENGTH, description="The reason, for the history.")
SCOPE = one_of(Scope, description="Who it belongs to: the team, a person (global), a project or the agent.")
PROVENANCE = {
    "provenance": one_of(Provenance, description="Where the text comes from, if it is less trusted than you.")
}

DRAFT = record(
    SENT_FIELDS
    | {
        "scope": SCOPE | {"default": Scope.TEAM.value},
        "dedupe": one_of(
            Dedupe,
            default=Dedupe.UPDATE.value,
            description="What to do if the key exists: make a new version, create another memory, or refuse. "
            "create also saves a text that is there already.",
        ),
        **PROVENANCE,
    },
    required=["content"],
    title="NewMemory",
)
SAVE = record(DRAFT["properties"] | {"version": VERSION}, required=["content"], title="MemoryToSave")
DRAFTS = record({"memories": list_of(DRAFT)})
BATCH_SIZE = f"Up to {BATCH_BYTES:,} bytes of content in all."
EACH = flag(default=False, description="Save each memory by itself, so that a refused one does not affect the others.")
BATCH = record(
    {"memories": list_of(DRAFT, least=1, most=BATCH_LIMIT, description=BATCH_SIZE), "each": EACH},
    required=["memories"],
    title="NewMemories",
)
# A batch before its memories are checked: with `each`, they are refused one by one.
UNCHECKED_BATCH = record(
    {"memories": list_of(anything(), least=1, most=BATCH_LIMIT), "each": EACH}, required=["memories"]
)
CHANGE = record(SENT_FIELDS | PROVENANCE | {"version": VERSION}, title="MemoryChange")
SAVE_UNDER_KEY = record(
    {name: schema for name, schema in SENT_FIELDS.items() if name != "key"} | PROVENANCE | {"version": VERSION},
    required=["content"],
    title="MemoryOfAKey",
)
APPEND = record({"text": text(shortest=1), **PROVENANCE, "version": VERSION}, required=["text"], title="Addition")
PIN = record({"pinned": flag(), "version": VERSION}, required=["pinned"], title="PinChange")
TAG = record({"add": TAGS, "remove": TAGS, "version": VERSION}, title="TagChange")
EXPIRE = record(
    {"expires_at": SENT_FIELDS["expires_at"], "version": VERSION}, required=["expires_at"], title="ExpiryChange"
)
MOVE = record({"scope": SCOPE, "version": VERSION}, required=["scope"], title="ScopeChange")
VERIFY = record({"review_by": nullable(moment()), "version": VERSION}, title="Verification")
REVERT = record(
    {"to_version": whole(least=1, most=LARGEST_VERSION, description="The version to go back to."), "version": VERSION},
    required=["to_version"],
    title="Reversion",
)
SUPERSEDE = record(
    {
        "by": identity(description="The memory that replaces it."),
        "at": moment(
            description="When the replacement took effect. By default when that memory's validity begins, or when it "
            "was saved."
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
        "supersede": flag(
            default=False, description="With the relation updates: also replace the target, which no longer holds."
        ),
    },
    required=["target_id"],
    title="NewAssociation",
)
SENT_PLACE: dict[str, Schema] = {
    "sha256": text(longest=64, description="Of the salt and the lines, each of them with a line feed at its end."),
    "line_hashes": text(
        longest=MOST_HASHED_LINES * LINE_HASH_LENGTH,
        description=f"The first {LINE_HASH_LENGTH} hexadecimal digits of the same hash of each line alone, joined.",
    ),
    "first_line": whole(least=1, most=LAST_LINE),
    "last_line": whole(least=1, most=LAST_LINE),
}
COMMIT_ID = text(longest=64, description="The commit at which it was so.")
NEW_ANCHOR = record(
    {
        "repository": text(longest=REPOSITORY_LENGTH, description="Such as git.example.org/acme/berths."),
        "path": text(longest=PATH_LENGTH, description="The file, from the top of the repository."),
        "commit": COMMIT_ID,
        "salt": text(longest=64, description="Hexadecimal; hashed in front of everything."),
        **SENT_PLACE,
    },
    required=["sha256"],
    title="NewAnchor",
    description="A hash by which a check can say whether the file, some of its lines, or what is at the URL is as it "
    "was.",
)
CITE = record(
    {
        "session": text(longest=200, description="Your own id of the conversation."),
        "message_id": text(longest=200),
        "url": text(longest=2_000),
        "quote": text(longest=5_000),
        "anchor": NEW_ANCHOR,
    },
    title="NewSource",
)
ACCEPT_ANCHOR = record(
    {"sha256": nullable(text(longest=64, description="The hash that was found, as you saw it; null if it is gone."))},
    title="AcceptedAnchor",
)
REPORT_ANCHORS = record(
    {
        "commit": COMMIT_ID | {"description": "The commit that was checked."},
        "anchors": list_of(
            record(
                {
                    "id": identity(),
                    "present": nullable(
                        record(
                            SENT_PLACE,
                            required=["sha256"],
                            title="HashedPlace",
                            description="What is there now; null if the file or the lines are gone.",
                        )
                    ),
                },
                required=["id", "present"],
                title="CheckedAnchor",
            ),
            least=1,
            most=500,
        ),
    },
    required=["anchors"],
    title="AnchorReport",
)
UPLOAD = record(
    {
        "file": {"type": "string", "format": "binary"},
        "name": {"description": "By default, the name of the uploaded file."},  # form fields are always text
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

# Filters of lists and of recall.
FILTERS: dict[str, Schema] = {
    "type": one_of(Type),
    "category": text(longest=LABEL_LENGTH),
    "tags": list_of(text(longest=LABEL_LENGTH), most=TAG_COUNT, description="All of these tags."),
    "any_tags": list_of(text(longest=LABEL_LENGTH), most=TAG_COUNT, description="At least one of these tags."),
    "scope": one_of(Scope),
    "project_id": identity(),
    "agent_id": identity(description="The author."),
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
    "review_before": moment(description="Due for review before this time."),
    "min_importance": fraction(),
    "max_importance": fraction(),
}
LIMITS = f"By default {DEFAULT_LIMIT[Mode.HYBRID]}, and {DEFAULT_LIMIT[Mode.KEYWORD]} in the mode keyword."
CERTAIN = "The minimum confidence of a hit; auto is the hub's own floor."
MIN_CONFIDENCE = fraction_or(AUTO, description=CERTAIN)
AS_OF = moment(description="Return what held at this time.")
KNOWN_AT = moment(description="Return what the hub knew at this time.")
QUERY_FIELDS: dict[str, Schema] = {
    "query": text(longest=QUERY_LENGTH, description="Any text: words, a question or an identifier."),
    "mode": one_of(Mode),
    "limit": whole(least=1, most=MOST, description=LIMITS),
    "sort_by": one_of(SORTS, description="The order in the mode typed."),
    "min_confidence": MIN_CONFIDENCE | {"description": f"{CERTAIN} By default there is none."},
    "as_of": AS_OF,
    **FILTERS,
}
RECALL = record(
    {name: nullable(schema) for name, schema in QUERY_FIELDS.items()}
    | {
        "known_at": nullable(KNOWN_AT),
        "explain": nullable(flag(description="Explain the rank of each hit.")),
        "snippets": nullable(flag(description="Add the part of each hit that answers the query.")),
    },
    title="RecallQuery",
)
WHY_NOT = record(
    {"memory_id": identity(), "query": QUERY_FIELDS["query"]}
    | {name: nullable(schema) for name, schema in QUERY_FIELDS.items() if name != "query"},
    required=["memory_id", "query"],
    title="WhyNotQuery",
)

# Lists, by the query string.
PAGE: dict[str, Schema] = {
    "limit": whole(least=1, most=200, default=50),
    "cursor": text(shortest=1, longest=2_000, description="The `next` of the previous page."),
}
ORDERS = [f"{sign}{field}" for field in ("created_at", "updated_at", "importance") for sign in ("-", "")]
LIST: dict[str, Schema] = (
    FILTERS
    | {
        "text": text(longest=1_000, description="Words, all of which it must contain."),
        "forgotten": flag(
            default=False, description="List forgotten memories that you may restore, instead of active ones."
        ),
        "order": one_of(ORDERS, default=ORDERS[0]),
        "as_of": AS_OF,
        "known_at": KNOWN_AT,
    }
    | PAGE
)
PROPOSALS: dict[str, Schema] = {"state": one_of(ProposalState, description="Only proposals in this state.")} | PAGE
ANCHORS: dict[str, Schema] = {
    "repository": text(longest=REPOSITORY_LENGTH, description="Only of this repository; if empty, only of URLs.")
} | PAGE
PAIRS: dict[str, Schema] = {
    "state": one_of(
        PairState, default=PairState.OPEN.value, description="Pairs that await a decision, or decided ones."
    ),
    "kind": one_of(PairKind, description="Only pairs of this kind."),
    "memory_id": identity(description="Only pairs with this memory."),
} | PAGE
SETTLE_PAIR = record(
    {
        "decision": one_of(
            PairDecision,
            description="keep: forget the other. supersede: one replaces the other. merge: one memory of both. "
            "both-hold: both stay, for a reason. not-duplicate: both stay.",
        ),
        "keep": identity(description="The memory that stays. By default the newer one."),
        "reason": REASON,
        "content": text(shortest=1, description="With merge: the joined text."),
    },
    required=["decision"],
    title="Settlement",
)
RATE = record(
    {
        "rating": one_of(Rating),
        "reason": text(longest=SUMMARY_LENGTH, description="Why, for those who may change the memory."),
    },
    required=["rating"],
    title="NewRating",
)
REVIEW: dict[str, Schema] = {
    "kind": one_of(REVIEW_KINDS, description="Only what is of this kind."),
    "limit": whole(least=1, most=50, default=20),
    "cursor": text(longest=2_000, description="The `next` of the previous page."),
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
GOLDEN_QUESTION = record(
    {
        "query": text(shortest=1, longest=QUESTION_LENGTH, description="The question, as an agent would ask it."),
        "memory_id": identity(description="The memory that should be among the first five answers."),
        "audience": identity(
            description="The team, project or person in whose context it is asked. By default the memory's own."
        ),
    },
    required=["query", "memory_id"],
    title="NewGoldenQuestion",
)
RUN_GOLDEN = record({}, title="NewGoldenRun")
RECALLS: dict[str, Schema] = {
    "since": moment(description="Only from this time on."),
    "until": moment(description="Only before this time."),
    "query": text(longest=1_000, description="A part of the query, in upper or lower case."),
    "session": text(longest=200, description="Your own id of the conversation."),
    "found_nothing": flag(description="true: only recalls that found nothing; false: only those that found something."),
} | PAGE
FILES: dict[str, Schema] = {
    "prefix": text(longest=PATH_LENGTH, description="The beginning of the path, such as `notes/`."),
    "text": text(longest=1_000, description="Words, all of which it must contain."),
    "deleted": flag(default=False, description="List deleted files that you may restore, instead of existing ones."),
} | PAGE

# The prompt context and sessions.
PRESENT_CONTEXT: dict[str, Schema] = {
    "query": text(longest=QUERY_LENGTH, description="What the agent is working on. Adds the relevant memories."),
    "budget": whole(
        least=context.MIN_BUDGET,
        most=context.MAX_BUDGET,
        default=context.DEFAULT_BUDGET,
        description="The maximum number of tokens of the text.",
    ),
    "min_confidence": MIN_CONFIDENCE
    | {"default": AUTO, "description": "The minimum confidence of relevant memories; auto is the hub's own floor."},
    "sections": list_of(
        one_of(context.ALL_SECTIONS), description="The sections to return, in any order. By default all of them."
    ),
}
CONTEXT = PRESENT_CONTEXT | {"as_of": AS_OF, "known_at": KNOWN_AT}
TIMELINE: dict[str, Schema] = {"scope": SCOPE | {"default": Scope.TEAM.value}, "known_at": KNOWN_AT}
SESSION_BINDINGS = ("project", "user", "workspace", "channel")
REGISTER_SESSION = record(
    {name: text(longest=CONTEXT_LENGTHS[name], description=f"The session's {name}.") for name in SESSION_BINDINGS},
    title="NewSession",
)
MESSAGES = list_of(
    record(
        {
            "role": text(shortest=1, longest=32, description="Such as user or assistant."),
            "content": text(),
            "name": text(longest=CONVERSATION_NAME_LENGTH, description="The speaker's name."),
            "at": moment(),
            "id": text(
                longest=200,
                description="Your own id of the message, recorded as the source of memories extracted from it.",
            ),
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
            description="The name of the file. By default the session's name.",
        ),
        "messages": MESSAGES | {"description": "The file made of them may have up to 1 MiB."},
        "summary": text(longest=10_000, description="The content of the memory. By default a digest of the messages."),
    },
    required=["messages"],
    title="NewArchive",
)
EXTRACT = record(
    {
        "messages": MESSAGES
        | {"description": "The messages to read, up to 1 MiB. By default those of the session's newest archive."},
        "scope": one_of(Scope.values, default=Scope.TEAM.value, description="Who the memories will belong to."),
        "hold": flag(description="Make them proposals that people review. With `EXTRACTION_HOLD` they always are."),
    },
    title="NewExtraction",
)
