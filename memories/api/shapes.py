"""How things look in JSON. Plain dicts: building them costs a hundredth of what serializer classes do."""

from typing import Any

from memories.models import Memory
from teams.actor import Actor


def memory(row: Memory) -> dict[str, Any]:
    return {
        "id": row.pk,
        "key": row.key or None,
        "content": row.content,
        "summary": row.summary or None,
        "type": row.type,
        "category": row.category,
        "tags": row.tags,
        "importance": row.importance,
        "pinned": row.pinned,
        "expires_at": row.expires_at,
        "source": row.source,
        "scope": row.scope,
        "team_id": row.team_id,
        "agent_id": row.agent_id,
        "person_id": row.person_id,
        "project_id": row.project_id,
        "session_id": row.session_id,
        "workspace_id": row.workspace_id,
        "channel_id": row.channel_id or None,
        "metadata": row.metadata,
        "version": row.version,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
        "verified_at": row.verified_at,
        "review_by": row.review_by,
        "access_count": row.access_count,
        "last_accessed_at": row.last_accessed_at,
    }


def receipt(row: Memory) -> dict[str, Any]:
    """For a token that may write but not read: the key's owner may hold what others wrote."""
    return {"id": row.pk, "key": row.key or None, "version": row.version}


def me(actor: Actor) -> dict[str, Any]:
    return {
        "name": actor.name,
        "agent_id": actor.agent_id,
        "organization_id": actor.organization_id,
        "team_id": actor.team_id,
        "readable_team_ids": actor.readable_team_ids,
        "verbs": sorted(actor.verbs),
        "project_id": actor.project_id,
        "person_id": actor.person_id,
        "session_id": actor.session_id,
        "workspace_id": actor.workspace_id,
        "channel_id": actor.channel_id or None,
    }
