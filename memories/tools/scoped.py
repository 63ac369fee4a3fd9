"""The scoped dialect: labelled memories of a person, a project or an agent, with their assets and sources."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from django.db.models import prefetch_related_objects
from django.utils import timezone

from memories import operations
from memories.contract import inputs
from memories.models import (
    CONTENT_BYTES,
    KEY_LENGTH,
    LABEL_LENGTH,
    SUMMARY_LENGTH,
    TAG_COUNT,
    Asset,
    Memory,
    MemoryQuerySet,
    Scope,
    Source,
    Status,
)
from memories.queries.lookup import clean_key
from memories.recall import MOST, Filters, Mode, recall
from memories.rules.access import AUDIENCE_COLUMN
from memories.rules.fields import UNSET
from memories.tools import scoped_results as shapes
from memories.tools.held_status import HELD_STATUS, describe_held_status
from memories.tools.scoped_results import ASSET, CITED, MEMORY, SOURCE, TENTHS, VERSION
from memories.tools.tool import Arguments, Result, Tool
from memoryhub.errors import Invalid
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
from teams.actor import Actor
from teams.call_context import CONTEXT_LENGTHS
from teams.models import Verb

SCOPES = (Scope.GLOBAL, Scope.PROJECT, Scope.AGENT)
DEDUPES = (operations.Dedupe.UPDATE, operations.Dedupe.CREATE)
# The circumstances of a call, and how a memory tells of its own: in the names that the agents use.
CONTEXT = {"userId": "user", "projectId": "project", "sessionId": "session", "workspaceId": "workspace"}
PLACES = ("person", "project", "agent", "session", "workspace")
NEEDED = {Scope.GLOBAL: "userId", Scope.PROJECT: "projectId"}
SOURCES = 20  # with one save
FIRST = ("-pinned", "-importance", "-updated_at", "-id")


def save(actor: Actor, arguments: Arguments) -> Result:
    """Save all or nothing. An active key in its scope and context gets a new version, unless a new row is asked for."""
    _require_context(actor, Scope(arguments["scope"]))
    draft = operations.Draft(
        content=arguments["value"],
        summary=arguments.get("summary", ""),
        expires_at=arguments.get("expiresAt", UNSET),
        importance=arguments["importance"] / TENTHS if "importance" in arguments else UNSET,
        scope=arguments["scope"],
        dedupe=arguments["dedupe"],
        **{name: arguments.get(name, UNSET) for name in ("key", "category", "tags", "pinned", "source")},
    )
    with transaction.atomic():
        with _translate_fields({"content": "value", "expires_at": "expiresAt"}):
            memory = operations.save_memory(actor=actor, draft=draft)
        for place, source in enumerate(arguments["sources"]):
            with _translate_fields(_source_field_names(place)):
                _cite(actor, memory, source)
    is_new = memory.version == 1 and not memory.duplicate and not _is_held_change(memory)
    created = {"created": is_new}
    if not actor.may(Verb.READ):
        return {"id": str(memory.pk), "version": memory.version} | created | describe_held_status(memory)
    prefetch_related_objects([memory], *PLACES)
    return shapes.memory(memory) | created


def recall_(actor: Actor, arguments: Arguments) -> Result:
    found = recall(
        actor=actor,
        query=arguments["query"],
        mode=Mode.KEYWORD,
        limit=arguments["limit"],
        filters=Filters(**_pick_filters(arguments)),
        min_confidence=arguments.get("minConfidence"),
        fold=False,
    )
    prefetch_related_objects([hit.memory for hit in found.hits], *PLACES)
    memories = [shapes.memory(hit.memory) | {"score": round(hit.relevance, 4)} for hit in found.hits]
    return {"memories": memories, "total": found.total, "totalIsBound": found.bounded}


def list_(actor: Actor, arguments: Arguments) -> Result:
    now, start, limit = timezone.now(), arguments["offset"], arguments["limit"]
    rule = Filters(**_pick_filters(arguments)).q(now=now)
    rows = Memory.objects.visible_to(actor, now=now).holding(now).filter(rule).order_by(*FIRST)
    page = list(_whole(rows)[start : start + limit + 1])
    following = start + limit if len(page) > limit else None
    return {"memories": [shapes.memory(memory) for memory in page[:limit]], "nextOffset": following}


def get(actor: Actor, arguments: Arguments) -> Result:
    _require_a_name(arguments)
    memory = _one(actor, arguments, Memory.objects.visible_to(actor))
    assets = Asset.objects.of_memory(memory).order_by("created_at", "id")
    sources = Source.objects.of_memory(memory).select_related("session").order_by("created_at", "id")
    return shapes.memory(memory) | {
        "assets": [shapes.asset(asset) for asset in assets],
        "sources": [shapes.source(source) for source in sources],
    }


def delete(actor: Actor, arguments: Arguments) -> Result:
    _require_a_name(arguments)
    own = Memory.objects.writable_by(actor)  # whoever may not read may still forget
    memory_id = arguments["id"] if "id" in arguments else _one(actor, arguments, own).pk
    gone = operations.forget_memory(actor=actor, memory_id=memory_id, reason=arguments["reason"])
    return {"deleted": gone.proposal_id is None, "id": str(gone.pk), **describe_held_status(gone)}


def _is_held_change(memory: Memory) -> bool:
    """Tell whether a save waits that would change this memory."""
    return memory.proposal_id is not None and memory.status == Status.ACTIVE


def _require_context(actor: Actor, scope: Scope) -> None:
    """Refuse a call without the context that its scope needs, and say what to add: the general refusal only says what
    is missing."""
    if scope in NEEDED and getattr(actor, AUDIENCE_COLUMN[scope]) is None:
        argument, others = NEEDED[scope], " or ".join(other for other in SCOPES if other is not scope)
        header = f"X-Memory-{CONTEXT[argument].title()}"
        sentence = f"Scope {scope} needs this: name it here or in the header {header}, or choose scope {others}."
        raise Invalid({argument: sentence})


@contextmanager
def _translate_fields(names: Mapping[str, str]) -> Iterator[None]:
    """Rename the fields in refusals to the names that they have in this dialect."""
    try:
        yield
    except Invalid as error:
        fields = {names.get(name, name): sentence for name, sentence in error.fields.items()}
        raise type(error)(fields, more=error.more) from error


def _source_field_names(place: int) -> dict[str, str]:
    fields = {name: name for name in ("session", "url", "quote")} | {"message_id": "messageId"}
    return {"source": f"sources.{place}"} | {ours: f"sources.{place}.{theirs}" for ours, theirs in fields.items()}


def _cite(actor: Actor, memory: Memory, citation: Mapping[str, str]) -> None:
    """Add the source once: saving a key again from the same place adds nothing. The save keeps the memory locked
    meanwhile."""
    session, message_id, url, quote = (
        citation.get(name, "").strip() for name in ("session", "messageId", "url", "quote")
    )
    known = Source.objects.of_memory(memory)
    known = (
        known.filter(session__name=session, session__agent=actor.agent_id) if session else known.filter(session=None)
    )
    if not known.filter(message_id=message_id, url=url, quote=quote).exists():
        operations.add_citation(
            actor=actor, memory_id=memory.pk, session=session, message_id=message_id, url=url, quote=quote
        )


def _pick_filters(arguments: Arguments) -> dict[str, Any]:
    return {name: arguments[name] for name in ("category", "tags", "scope", "source", "pinned") if name in arguments}


def _one(actor: Actor, arguments: Arguments, among: MemoryQuerySet) -> Memory:
    """Return the memory by its id, or by its key within the call's context."""
    seen = _whole(among)
    rows = seen.filter(pk=arguments["id"]) if "id" in arguments else _find_by_key(actor, seen, arguments)
    return rows.require_first()


def _whole(rows: MemoryQuerySet) -> MemoryQuerySet:
    return rows.select_related(*PLACES).defer("search")


def _require_a_name(arguments: Arguments) -> None:
    if ("id" in arguments) == ("key" in arguments):
        raise Invalid({"id": "Send either the id or the key."})


def _find_by_key(actor: Actor, seen: MemoryQuerySet, arguments: Arguments) -> MemoryQuerySet:
    key, scopes = clean_key(arguments["key"]), [arguments["scope"]] if "scope" in arguments else Scope.values
    audiences = [getattr(actor, AUDIENCE_COLUMN[scope]) for scope in scopes]
    rows = seen.with_key(key).filter(audience__in=[audience for audience in audiences if audience])
    living = sorted(set(rows.values_list("scope", flat=True)))
    if len(living) > 1:
        raise Invalid({"scope": f"The key {key!r} exists in the scopes {', '.join(living)}. Say which one."})
    return rows


WITHIN: dict[str, Schema] = {
    argument: text(
        longest=CONTEXT_LENGTHS[name], description=f"The {name} of this call. By default the one that the header names."
    )
    for argument, name in CONTEXT.items()
}
KEY = text(longest=KEY_LENGTH, shortest=1)
NARROWING: dict[str, Schema] = {
    "scope": one_of(Scope, description="Only memories of this scope."),
    "category": text(longest=LABEL_LENGTH),
    "tags": list_of(text(longest=LABEL_LENGTH), most=TAG_COUNT, description="Only memories with all of these tags."),
    "source": text(longest=LABEL_LENGTH),
    "pinned": flag(),
}
NAMING: dict[str, Schema] = {
    "id": identity(),
    "key": KEY | {"description": "Instead of the id."},
    "scope": one_of(Scope, description="The scope of the key, if it exists in several."),
}

CREATED = {"created": flag(description="Whether the memory is new. If not, an existing key was updated.")}
RECEIPT = whole_record(
    {"id": identity(), "version": VERSION, **CREATED, **HELD_STATUS},
    optional=tuple(HELD_STATUS),
    description="For a token that may not read.",
)
RECALLED = whole_record(
    {
        "memories": list_of(whole_record(MEMORY | {"score": fraction()}, optional=tuple(HELD_STATUS))),
        "total": {"type": "integer", "minimum": 0, "description": "How many there are in all, before the limit."},
        "totalIsBound": flag(description="Whether there may be more than the total."),
    }
)
LIST = whole_record(
    {
        "memories": list_of(whole_record(MEMORY, optional=tuple(HELD_STATUS))),
        "nextOffset": nullable({"type": "integer", "minimum": 1, "description": "The offset of the next page."}),
    }
)
FREEZE: dict[str, Any] = {
    "key": "deploy-freeze",
    "value": "Deploys are frozen from Friday noon.",
    "category": "policy",
    "tags": ["release"],
    "importance": 8,
    "scope": "agent",
}
FROZEN: dict[str, Any] = {
    "id": "01a8c2f0-3b1e-7d64-9a55-0f6b1c2d3e4f",
    **FREEZE,
    "summary": None,
    "pinned": False,
    "expiresAt": None,
    "source": "manual",
    "userId": None,
    "projectId": None,
    "agentId": "builder",
    "sessionId": None,
    "workspaceId": None,
    "version": 1,
    "createdAt": "2026-11-02T08:15:00+00:00",
    "updatedAt": "2026-11-02T08:15:00+00:00",
}

TOOLS = (
    Tool(
        name="save",
        title="Save a memory",
        description="Saves a memory. If the key exists in the same scope and context, it is updated in place.",
        parameters=record(
            {
                "key": KEY | {"description": "A short label to look it up by."},
                "value": text(shortest=1, description=f"What to remember: at most {CONTENT_BYTES:,} bytes of UTF-8."),
                "summary": text(longest=SUMMARY_LENGTH, description="A shorter form for prompts."),
                "category": text(longest=LABEL_LENGTH, description="Any label. By default fact."),
                "tags": list_of(text(longest=LABEL_LENGTH), most=TAG_COUNT),
                "importance": whole(least=1, most=TENTHS, description="More important memories come first."),
                "pinned": flag(description="Pinned memories come before others."),
                "expiresAt": moment(description="When the memory expires."),
                "source": text(longest=LABEL_LENGTH, description="manual, auto or a label of your own."),
                "scope": one_of(
                    SCOPES,
                    default=Scope.GLOBAL.value,
                    description="Who sees it: the user everywhere, everybody in the project, or only this agent.",
                ),
                "dedupe": one_of(DEDUPES, default=DEDUPES[0].value, description="create always makes a new memory."),
                "sources": list_of(CITED, most=SOURCES, default=[], description="Where it was learnt."),
                **WITHIN,
            },
            required=["value"],
        ),
        act=save,
        gives=common_record(whole_record(MEMORY | CREATED, optional=tuple(HELD_STATUS)), RECEIPT),
        context=CONTEXT,
        example=FREEZE,
        answer=FROZEN | {"created": True},
    ),
    Tool(
        name="recall",
        title="Recall memories",
        description="Finds memories by the words of a query: the best matches first, then pinned, important and "
        "recent ones.",
        parameters=record(
            {
                "query": text(shortest=1),
                "limit": whole(least=1, most=MOST, default=5),
                "minConfidence": inputs.MIN_CONFIDENCE,
                **NARROWING,
                **WITHIN,
            },
            required=["query"],
        ),
        act=recall_,
        gives=RECALLED,
        context=CONTEXT,
        reads=True,
        example={"query": "when are deploys frozen?"},
        answer={"memories": [FROZEN | {"score": 0.8312}], "total": 1, "totalIsBound": False},
    ),
    Tool(
        name="list",
        title="List memories",
        description="Lists memories: pinned ones first, then by importance, then the last changed.",
        parameters=record(
            {
                "limit": whole(least=1, most=MOST, default=20),
                "offset": whole(least=0, most=1_000_000, default=0),
                **NARROWING,
                **WITHIN,
            }
        ),
        act=list_,
        gives=LIST,
        context=CONTEXT,
        reads=True,
        example={"category": "policy"},
        answer={"memories": [FROZEN], "nextOffset": None},
    ),
    Tool(
        name="get",
        title="Read a memory",
        description="Reads one memory by its id or key, with its assets and sources.",
        parameters=record(NAMING | WITHIN),
        act=get,
        gives=whole_record(
            MEMORY | {"assets": list_of(ASSET), "sources": list_of(SOURCE)}, optional=tuple(HELD_STATUS)
        ),
        context=CONTEXT,
        reads=True,
        example={"key": "deploy-freeze"},
        answer=FROZEN | {"assets": [], "sources": []},
    ),
    Tool(
        name="delete",
        title="Forget a memory",
        description="Forgets one memory by its id or key. It is kept for audit and can be restored.",
        parameters=record(NAMING | {"reason": text(longest=SUMMARY_LENGTH, default="")} | WITHIN),
        act=delete,
        gives=whole_record({"deleted": flag(), "id": identity(), **HELD_STATUS}, optional=tuple(HELD_STATUS)),
        context=CONTEXT,
        destroys=True,
        example={"key": "deploy-freeze", "reason": "The release is out."},
        answer={"deleted": True, "id": FROZEN["id"]},
    ),
)
