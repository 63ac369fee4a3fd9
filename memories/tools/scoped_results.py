"""Results of the scoped dialect: its representations of a memory, its assets and its sources, and their schemas."""

from datetime import datetime

from memories.models import Asset, Memory, Scope, Source
from memories.tools.held_status import HELD_STATUS, describe_held_status
from memories.tools.tool import Result
from memoryhub.json_schema import (
    Schema,
    flag,
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

TENTHS = 10  # importance is counted from 1 to 10


def memory(row: Memory) -> Result:
    return {
        "id": str(row.pk),
        "key": row.key or None,
        "value": row.content,
        "summary": row.summary or None,
        "category": row.category,
        "tags": row.tags,
        "importance": max(1, round(row.importance * TENTHS)),
        "pinned": row.pinned,
        "expiresAt": _iso(row.expires_at),
        "source": row.source,
        "scope": row.scope,
        "userId": row.person.handle if row.person else None,
        "projectId": row.project.slug if row.project else None,
        "agentId": row.agent.slug if row.agent else None,
        "sessionId": row.session.name if row.session else None,
        "workspaceId": row.workspace.slug if row.workspace else None,
        "version": row.version,
        "createdAt": _iso(row.created_at),
        "updatedAt": _iso(row.updated_at),
        **describe_held_status(row),
    }


def asset(row: Asset) -> Result:
    return {
        "id": str(row.pk),
        "name": row.name,
        "contentType": row.content_type,
        "size": row.size,
        "sha256": row.sha256,
        "url": f"/api/v1/memories/{row.memory_id}/assets/{row.pk}",
    }


def source(row: Source) -> Result:
    return {
        "id": str(row.pk),
        "session": row.session.name if row.session else None,
        "messageId": row.message_id or None,
        "url": row.url or None,
        "quote": row.quote or None,
        "createdAt": _iso(row.created_at),
    }


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


CITED = record(
    {
        "session": text(longest=200, description="Your own id of the conversation."),
        "messageId": text(longest=200),
        "url": text(longest=2000),
        "quote": text(longest=5000, description="The words it was learnt from."),
    }
)
VERSION = {"type": "integer", "minimum": 1}
MEMORY: dict[str, Schema] = {
    "id": identity(),
    "key": nullable(text()),
    "value": text(),
    "summary": nullable(text()),
    "category": text(),
    "tags": list_of(text()),
    "importance": whole(least=1, most=TENTHS),
    "pinned": flag(),
    "expiresAt": nullable(moment()),
    "source": text(),
    "scope": one_of(Scope),
    **{name: nullable(text()) for name in ("userId", "projectId", "agentId", "sessionId", "workspaceId")},
    "version": VERSION,
    "createdAt": moment(),
    "updatedAt": moment(),
    **HELD_STATUS,
}
ASSET = whole_record(
    {
        "id": identity(),
        "name": text(),
        "contentType": text(),
        "size": {"type": "integer", "minimum": 0},
        "sha256": text(),
        "url": text(description="Where its bytes are, with the same token."),
    }
)
SOURCE = whole_record(
    {"id": identity(), **{name: nullable(text()) for name in CITED["properties"]}, "createdAt": moment()}
)
