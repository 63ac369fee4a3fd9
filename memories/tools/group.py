"""`group`: four tools over facts under keys that one group keeps for itself."""

from memories import operations
from memories.models import KEY_LENGTH
from memories.queries.lookup import clean_key
from memories.recall import DEFAULT_LIMIT, MOST, QUERY_LENGTH, Mode, recall
from memories.rules.access import require_verb
from memories.tools import keyed_entries
from memories.tools.held_status import HELD_STATUS
from memories.tools.tool import Arguments, Result, Tool
from memoryhub.errors import Conflict, NotFound
from memoryhub.json_schema import flag, list_of, moment, one_of, record, text, whole, whole_record
from teams.actor import Actor
from teams.models import Verb

CATEGORIES = ("core", "daily", "conversation")
LISTED = 10_000  # more keys than any agent reads


def save_memory(actor: Actor, arguments: Arguments) -> Result:
    key, category = clean_key(arguments["key"]), arguments["category"]
    draft = operations.Draft(key=key, content=arguments["content"], category=category)
    saved = operations.save_memory(actor=actor, draft=draft)
    status = "proposed" if saved.proposal_id else "created" if saved.version == 1 else "updated"
    return {"key": key, "category": category, "status": status}


def recall_memories(actor: Actor, arguments: Arguments) -> Result:
    found = recall(
        actor=keyed_entries.limit_to_own_team(actor),
        query=arguments["query"],
        mode=Mode.KEYWORD,
        limit=arguments["limit"],
        fold=False,
    )
    rows = [hit.memory for hit in found.hits]
    return {
        "memories": [
            {
                "key": keyed_entries.name_entry(id=row.pk, key=row.key, owns_key=row.owns_key),
                "content": row.content,
                "category": row.category,
                "updated_at": row.updated_at,
            }
            for row in rows
        ]
    }


def forget_memory(actor: Actor, arguments: Arguments) -> Result:
    """Forget everything under the key: if only its owner were forgotten, a namesake would inherit the key."""
    require_verb(actor, Verb.FORGET)
    removed = proposed = False
    for row in reversed(keyed_entries.filter_by_name(keyed_entries.select_writable(actor), arguments["key"])):
        try:
            gone = operations.forget_memory(actor=actor, memory_id=row.pk)
        except (Conflict, NotFound):  # somebody else forgot it meanwhile
            continue
        removed, proposed = removed or not gone.proposal_id, proposed or bool(gone.proposal_id)
    return {"removed": removed, **({"status": "proposed"} if proposed else {})}


def list_memories(actor: Actor, arguments: Arguments) -> Result:
    newest = keyed_entries.select_readable(actor).order_by("-updated_at", "-id")
    rows = newest.values_list("id", "key", "owns_key", "category", "updated_at")[: LISTED + 1]
    listed = [
        {
            "key": keyed_entries.name_entry(id=id, key=key, owns_key=owns_key),
            "category": category,
            "updated_at": updated_at,
        }
        for id, key, owns_key, category, updated_at in rows
    ]
    note = {"note": f"These are the newest {LISTED:,}; there are more."} if len(listed) > LISTED else {}
    return {"memories": listed[:LISTED], **note}


KEY = text(longest=KEY_LENGTH, shortest=1, description="The memory's unique name.")
NAMED = {"key": text(), "category": text(), "updated_at": moment()}
SAVED = whole_record({"key": text(), "category": text(), "status": one_of(("created", "updated", "proposed"))})
RECALLED = whole_record({"memories": list_of(whole_record(NAMED | {"content": text()}))})
LIST = whole_record(
    {"memories": list_of(whole_record(NAMED)), "note": text(description="Set if there are more than those listed.")},
    optional=["note"],
)
COLOUR = {"key": "favorite-color", "content": "The favorite color is blue."}
LISTED_COLOUR = {"key": "favorite-color", "category": "core", "updated_at": "2026-11-02T08:15:00Z"}

TOOLS = (
    Tool(
        name="save_memory",
        title="Save a memory",
        description=(
            "Stores a fact under a key, for every later conversation of the group. If the key exists, it is updated. "
            "Categories: core for permanent facts such as preferences, project details and recurring instructions; "
            "daily for notes on the current work; conversation for summaries of archived conversations."
        ),
        parameters=record(
            {
                "key": KEY,
                "content": text(description="What to remember, up to 50,000 bytes."),
                "category": one_of(CATEGORIES, default="core"),
            },
            required=["key", "content"],
        ),
        act=save_memory,
        gives=SAVED,
        example=COLOUR,
        answer={"key": "favorite-color", "category": "core", "status": "created"},
    ),
    Tool(
        name="recall_memories",
        title="Search memories",
        description=(
            "Searches the group's memories by keyword or in natural language, the best match first. If no word "
            "matches, it looks for the text as it is: a URL, a special character or a part of a word."
        ),
        parameters=record(
            {
                "query": text(longest=QUERY_LENGTH, shortest=1, description="Words, or any part of the text."),
                "limit": whole(least=1, most=MOST, default=DEFAULT_LIMIT[Mode.KEYWORD]),
            },
            required=["query"],
        ),
        act=recall_memories,
        gives=RECALLED,
        reads=True,
        example={"query": "Which color is the favorite?"},
        answer={"memories": [LISTED_COLOUR | COLOUR]},
    ),
    Tool(
        name="forget_memory",
        title="Forget a memory",
        description="Removes a memory by its key, and returns whether there was one.",
        parameters=record({"key": KEY}, required=["key"]),
        act=forget_memory,
        gives=whole_record({"removed": flag(), **HELD_STATUS}, optional=tuple(HELD_STATUS)),
        destroys=True,
        repeats=True,
        example={"key": "favorite-color"},
        answer={"removed": True},
    ),
    Tool(
        name="list_memories",
        title="List memories",
        description="Lists the keys of all saved memories with their categories, the last changed first.",
        parameters=record({}),
        act=list_memories,
        gives=LIST,
        reads=True,
        example={},
        answer={"memories": [LISTED_COLOUR]},
    ),
)
