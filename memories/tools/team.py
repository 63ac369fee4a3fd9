"""The team dialect: decisions, lessons and facts of a team. Directors also search the teams above."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.db.models import prefetch_related_objects

from memories import operations
from memories.models import Memory, Type
from memories.recall import MOST, Filters, Mode, recall
from memories.rules.fields import UNSET
from memories.tools.held_status import HELD_STATUS, describe_held_status
from memories.tools.tool import Arguments, Result, Tool
from memoryhub.json_schema import identity, list_of, one_of, record, text, whole_record
from teams.actor import Actor

TYPES = (Type.DECISION, Type.LESSON, Type.FACT)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def save_memory(actor: Actor, arguments: Arguments) -> Result:
    tags = arguments["tags"].split(",") if "tags" in arguments else UNSET
    draft = operations.Draft(content=arguments["content"], type=arguments["type"], tags=tags)
    memory = operations.save_memory(actor=actor, draft=draft)
    text = "Waits for a person's approval:" if memory.proposal_id else "Saved to team memory:"
    return _memory(memory) | {"text": f"{text} {_line(memory)}"}


def search_memory(actor: Actor, arguments: Arguments) -> Result:
    """Search the teams one by one, so that what they know separately never mixes."""
    limit = min(arguments["limit"], MOST)
    found: list[Memory] = []
    for team_id in reversed(actor.readable_team_ids):
        own = _of_team(actor, team_id, query=arguments["query"], type=arguments.get("type", ""), limit=limit)
        found = _before(own, found, limit=limit)
    prefetch_related_objects(found, "agent", "user")
    lines = "\n".join(_line(memory) for memory in found)
    return {"memories": [_memory(memory) for memory in found], "text": lines or "No memories found."}


def _of_team(actor: Actor, team_id: UUID, *, query: str, type: str, limit: int) -> list[Memory]:
    alone = replace(actor, reads=actor.reads & {team_id})
    found = recall(actor=alone, query=query, mode=Mode.KEYWORD, limit=limit, filters=Filters(type=type), fold=False)
    return [hit.memory for hit in found.hits]


def _before(own: Sequence[Memory], above: Sequence[Memory], *, limit: int) -> list[Memory]:
    """Return the team's own memories first, then as many of the teams above as there is room for: up to half of the
    limit is kept for them."""
    kept = max(limit - len(above), (limit + 1) // 2)
    return [*own[:kept], *above][:limit]


def _memory(memory: Memory) -> Result:
    return {
        "id": str(memory.pk),
        "agentId": memory.byline,
        "type": memory.type,
        "content": memory.content,
        "tags": _tags(memory),
        "createdAt": _milliseconds(memory.created_at),
        "updatedAt": _milliseconds(memory.updated_at),
        **describe_held_status(memory),
    }


def _tags(memory: Memory) -> str:
    return ",".join(memory.tags)


def _milliseconds(moment: datetime) -> int:
    return (moment - EPOCH) // timedelta(milliseconds=1)


def _line(memory: Memory) -> str:
    """Return the memory on one line, so that it cannot pass for another one."""
    tags = f" (tags: {_tags(memory)})" if memory.tags else ""
    return f"[{memory.type}][{memory.byline}] {' '.join(memory.content.split())}{tags}"


MILLISECONDS = {"type": "integer", "minimum": 0, "description": "Milliseconds since 1970."}
MEMORY = {
    "id": identity(),
    "agentId": text(description="The agent that saved it."),
    "type": one_of(Type),
    "content": text(),
    "tags": text(description="Separated by commas."),
    "createdAt": MILLISECONDS,
    "updatedAt": MILLISECONDS,
    **HELD_STATUS,
}
TEXT = text(description="The same as text, with a line for each memory.")
LESSON = {"type": "lesson", "content": "GitHub allows 60 requests an hour.", "tags": "api,github"}
FOUND = {
    "id": "01a8c2f0-3b1e-7d64-9a55-0f6b1c2d3e4f",
    "agentId": "builder",
    **LESSON,
    "createdAt": 1793607300000,
    "updatedAt": 1793607300000,
}
LINE = "[lesson][builder] GitHub allows 60 requests an hour. (tags: api,github)"

TOOLS = (
    Tool(
        name="save_memory",
        title="Save to team memory",
        description="Save a lesson, decision, or fact to team memory for future reference",
        parameters=record(
            {
                "type": one_of(TYPES),
                "content": text(shortest=1),
                "tags": text(description="comma-separated tags, e.g. 'api,github,rate-limits'"),
            },
            required=["type", "content"],
        ),
        act=save_memory,
        gives=whole_record(MEMORY | {"text": TEXT}, optional=tuple(HELD_STATUS)),
        example=LESSON,
        answer=FOUND | {"text": f"Saved to team memory: {LINE}"},
    ),
    Tool(
        name="search_memory",
        title="Search team memory",
        description="Search team memory for relevant knowledge before acting",
        parameters=record(
            {
                "query": text(shortest=1),
                "type": one_of(TYPES),
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "default": 10,
                    "description": f"At most {MOST} are returned.",
                },
            },
            required=["query"],
        ),
        act=search_memory,
        gives=whole_record({"memories": list_of(whole_record(MEMORY, optional=tuple(HELD_STATUS))), "text": TEXT}),
        reads=True,
        example={"query": "github rate limit"},
        answer={"memories": [FOUND], "text": LINE},
    ),
)
