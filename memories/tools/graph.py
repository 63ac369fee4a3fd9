"""The graph dialect: typed memories with links between them, recalled by words, meaning and links."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db import transaction

from memories import operations
from memories.contract import inputs
from memories.models import CONTENT_BYTES, LABEL_LENGTH, SUMMARY_LENGTH, Memory, Relation, Type
from memories.recall import Filters, Hit, Mode, recall
from memories.rules.fields import UNSET, Unset
from memories.tools.held_status import HELD_STATUS, describe_held_status
from memories.tools.tool import Arguments, Result, Tool
from memoryhub.errors import Conflict, Invalid, NotFound
from memoryhub.ids import parse_uuid
from memoryhub.json_schema import (
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
from memoryhub.text import line_problem, normalize_text
from teams.actor import Actor
from teams.models import Verb

TYPES = [kind for kind in Type if kind is not Type.LESSON]
MODES = (Mode.HYBRID, Mode.RECENT, Mode.IMPORTANT, Mode.TYPED)
SORTED_BY: Mapping[str, Callable[[Hit], float]] = {
    "importance": lambda hit: hit.memory.importance,
    "most_accessed": lambda hit: hit.memory.access_count,
}
LINKS = 50  # with one save
SOURCE_LENGTH = 1_000  # fits into the metadata, however it is written there
SAVED_MESSAGE = "Memory saved successfully"
PROPOSED = "Memory proposed: it waits for a person's approval"
NOT_REPLACED = "What it replaces still holds, until a person approves that."
WAITING = "The memory stays until a person approves that it is forgotten."
SUMMARIZED = 500  # characters of each memory in a summary
PREVIEWED = 100


def memory_save(actor: Actor, arguments: Arguments) -> Result:
    """Save the memory with its links, all or nothing: if a link has no target, nothing is saved."""
    label, metadata = _source(arguments.get("source"))
    draft = operations.Draft(
        content=arguments["content"],
        type=arguments["memory_type"],
        importance=arguments.get("importance", UNSET),
        source=label,
        metadata=metadata,
    )
    with transaction.atomic():
        memory = operations.save_memory(actor=_in_channel(actor, arguments.get("channel_id")), draft=draft)
        status, message = describe_held_status(memory), PROPOSED if memory.proposal_id else SAVED_MESSAGE
        if arguments["associations"]:
            _associate(actor, memory, arguments["associations"])
            if held := _replace_targets(actor, memory, arguments["associations"]):
                status, message = describe_held_status(held), f"{message}. {NOT_REPLACED}"
    return {"memory_id": str(memory.pk), "success": True, "message": message, **status}


def memory_recall(actor: Actor, arguments: Arguments) -> Result:
    mode, kind, order = arguments["mode"], arguments.get("memory_type", ""), arguments["sort_by"]
    if mode == Mode.TYPED and not kind:
        raise Invalid({"memory_type": "Mode typed needs a memory_type."})
    found = recall(
        actor=actor,
        query=arguments["query"] if mode == Mode.HYBRID else "",
        mode=mode,
        limit=arguments["max_results"],
        filters=Filters(type=kind),
        sort_by=order,
        min_confidence=arguments.get("min_confidence"),
        fold=False,
    )
    hits = found.hits
    if mode in (Mode.RECENT, Mode.IMPORTANT) and order in SORTED_BY:
        hits = sorted(hits, key=SORTED_BY[order], reverse=True)
    return {
        "memories": [_render_hit(hit) for hit in hits],
        "total_found": found.total,
        "total_is_bound": found.bounded,
        "summary": _summary(hits),
    }


def memory_delete(actor: Actor, arguments: Arguments) -> Result:
    """Forget the memory. If it is not found or already forgotten, the answer says so; neither is an error."""
    memory_id = parse_uuid(arguments["memory_id"])
    missing = {"forgotten": False, "message": f"Memory not found: {arguments['memory_id']}"}
    if memory_id is None:
        return missing
    try:
        gone = operations.forget_memory(actor=actor, memory_id=memory_id, reason=arguments["reason"])
    except NotFound:
        return missing
    except Conflict:
        if not Memory.objects.restorable_by(actor).filter(pk=memory_id).exists():
            raise
        return {"forgotten": False, "message": f"Memory {memory_id} is already forgotten."}
    if gone.proposal_id:
        return {"forgotten": False, "message": WAITING, **describe_held_status(gone)}
    preview = f": {_line(gone.content, PREVIEWED)}" if actor.may(Verb.READ) else "."
    return {"forgotten": True, "message": f"Memory forgotten [{gone.type}]{preview}"}


def _source(source: str | None) -> tuple[str | Unset, dict[str, Any] | Unset]:
    """Return the label of a source, and the whole source as metadata if it is more than a label can hold."""
    if source is None:
        return UNSET, UNSET
    return _label(source), UNSET if _label(source) == source else {"source": source}


def _label(source: str) -> str:
    printable = "".join(character if character.isprintable() else " " for character in source)
    return normalize_text(" ".join(printable.split()))[:LABEL_LENGTH].rstrip()


def _whole_source(memory: Memory) -> str:
    """Return the source as it was given, unless the memory got another one since."""
    whole = memory.metadata.get("source")
    return whole if isinstance(whole, str) and _label(whole) == memory.source else memory.source


def _in_channel(actor: Actor, channel_id: str | None) -> Actor:
    if not channel_id:
        return actor
    channel = normalize_text(channel_id)
    if found := line_problem(channel, longest=200):
        raise Invalid({"channel_id": found})
    return replace(actor, channel_id=channel)


def _associate(actor: Actor, memory: Memory, links: Sequence[Mapping[str, Any]]) -> None:
    drawn = [operations.Link(link["target_id"], link["relation_type"], link["weight"]) for link in links]
    try:
        operations.associate_all(actor=actor, origin_id=memory.pk, links=drawn)
    except operations.LinkTargetNotFound as error:
        sentence = f"There is no memory {drawn[error.position].target_id}; nothing was saved."
        raise Invalid({f"associations.{error.position}.target_id": sentence}) from error


def _replace_targets(actor: Actor, memory: Memory, links: Sequence[Mapping[str, Any]]) -> Memory | None:
    """Let the memory replace the targets for which that is asked. Returns a memory that waits for approval first: the
    new one, or else one of the targets."""
    waiting = None
    for position, link in enumerate(links):
        if not link["supersede"]:
            continue
        place = f"associations.{position}"
        if link["relation_type"] != Relation.UPDATES:
            raise Invalid({f"{place}.supersede": "Only a memory that updates another one can replace it."})
        if memory.proposal_id:
            return memory
        try:
            closed = operations.supersede_memory(actor=actor, memory_id=link["target_id"], by=memory.pk)
        except Invalid as error:
            raise Invalid({f"{place}.target_id": " ".join(error.fields.values())}) from error
        waiting = closed if closed.proposal_id else waiting
    return waiting


def _render_hit(hit: Hit) -> Result:
    memory = hit.memory
    return {
        "id": str(memory.pk),
        "content": memory.content,
        "memory_type": memory.type,
        "importance": memory.importance,
        "created_at": memory.created_at.isoformat(),
        "relevance_score": round(hit.relevance, 4),
        "rrf_score": round(hit.scored.reciprocal, 6) if hit.scored else None,
        "source": _whole_source(memory),
        "channel_id": memory.channel_id or None,
        **describe_held_status(memory),
    }


def _summary(hits: Sequence[Hit]) -> str:
    if not hits:
        return "No memories found."
    lines = [
        f"{number}. **[{hit.memory.type}]** {_line(hit.memory.summary or hit.memory.content, SUMMARIZED)}"
        f" (importance {hit.memory.importance:.2f}, relevance {hit.relevance:.2f}, id {hit.memory.pk})"
        for number, hit in enumerate(hits, start=1)
    ]
    return "\n".join(["## Recalled memories", "", *lines])


def _line(content: str, longest: int) -> str:
    """Return the content on one line, so that a memory cannot pass for another entry."""
    flat = " ".join(content.split())
    return flat if len(flat) <= longest else f"{flat[: longest - 1]}…"


LINK = record(
    {
        "target_id": identity(description="The memory to link to."),
        "relation_type": one_of(Relation, default=Relation.RELATED_TO.value),
        "weight": fraction(default=0.5, description="How strong the link is."),
        "supersede": flag(
            default=False,
            description="With the relation updates: also replace the target, which no longer holds.",
        ),
    },
    required=["target_id"],
)

SAVED = whole_record(
    {"memory_id": identity(), "success": flag(), "message": text(), **HELD_STATUS}, optional=tuple(HELD_STATUS)
)
RECALLED = whole_record(
    {
        "id": identity(),
        "content": text(),
        "memory_type": one_of(Type),
        "importance": fraction(),
        "created_at": moment(),
        "relevance_score": fraction(description="Relevance to the query."),
        "rrf_score": nullable({"type": "number", "description": "The sum of 1/(60 + rank); null without a ranking."}),
        "source": text(),
        "channel_id": nullable(text()),
        **HELD_STATUS,
    },
    optional=tuple(HELD_STATUS),
)
FOUND = whole_record(
    {
        "memories": list_of(RECALLED),
        "total_found": {"type": "integer", "minimum": 0, "description": "How many there are, before max_results."},
        "total_is_bound": flag(description="Whether there may be more than total_found."),
        "summary": text(description="The memories in markdown."),
    }
)
FORGOTTEN = whole_record({"forgotten": flag(), "message": text(), **HELD_STATUS}, optional=tuple(HELD_STATUS))
EXAMPLE_ID = "01a8c2f0-3b1e-7d64-9a55-0f6b1c2d3e4f"
EXAMPLE = {"content": "We ship on Tuesdays.", "memory_type": "decision", "importance": 0.8}

TOOLS = (
    Tool(
        name="memory_save",
        title="Save a memory",
        description="Saves a memory. It is indexed for search by words and by meaning, and linked to memories that say "
        "nearly the same.",
        parameters=record(
            {
                "content": text(shortest=1, description=f"What to remember: at most {CONTENT_BYTES:,} bytes of UTF-8."),
                "memory_type": one_of(TYPES, default=Type.FACT.value),
                "importance": fraction(description="By default it depends on the type."),
                "source": text(longest=SOURCE_LENGTH, description="Where this was learnt."),
                "channel_id": text(longest=200, description="The conversation it came from."),
                "associations": list_of(LINK, most=LINKS, default=[], description="Links to other memories."),
            },
            required=["content"],
        ),
        act=memory_save,
        gives=SAVED,
        example=EXAMPLE,
        answer={"memory_id": EXAMPLE_ID, "success": True, "message": "Memory saved successfully"},
    ),
    Tool(
        name="memory_recall",
        title="Recall memories",
        description="Finds memories: by words, meaning and links together (hybrid), or the most recent, the most "
        "important, or those of one type.",
        parameters=record(
            {
                "query": text(default="", description="What to look for; mode hybrid needs it, the others ignore it."),
                "max_results": whole(least=1, most=50, default=10),
                "memory_type": one_of(TYPES, description="Only this type; mode typed needs it."),
                "mode": one_of(MODES, default=Mode.HYBRID.value),
                "min_confidence": inputs.MIN_CONFIDENCE,
                "sort_by": one_of(
                    ("recent", *SORTED_BY), default="recent", description="The order in the modes other than hybrid."
                ),
            }
        ),
        act=memory_recall,
        gives=FOUND,
        reads=True,
        example={"query": "When do we ship?"},
        answer={
            "memories": [
                {
                    "id": EXAMPLE_ID,
                    **EXAMPLE,
                    "created_at": "2026-11-02T08:15:00+00:00",
                    "relevance_score": 0.8312,
                    "rrf_score": 0.032787,
                    "source": "manual",
                    "channel_id": None,
                }
            ],
            "total_found": 1,
            "total_is_bound": False,
            "summary": "## Recalled memories\n\n1. **[decision]** We ship on Tuesdays. "
            f"(importance 0.80, relevance 0.83, id {EXAMPLE_ID})",
        },
    ),
    Tool(
        name="memory_delete",
        title="Forget a memory",
        description="Forgets a memory. It disappears from every search and recall, and is kept for audit.",
        parameters=record(
            {
                "memory_id": text(shortest=1, description="The id that memory_recall returned."),
                "reason": text(longest=SUMMARY_LENGTH, default="", description="The reason, for the audit."),
            },
            required=["memory_id"],
        ),
        act=memory_delete,
        gives=FORGOTTEN,
        destroys=True,
        repeats=True,
        example={"memory_id": EXAMPLE_ID, "reason": "We ship daily now."},
        answer={"forgotten": True, "message": "Memory forgotten [decision]: We ship on Tuesdays."},
    ),
)
