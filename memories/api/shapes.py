"""How things look in JSON. Plain dicts: building them costs a hundredth of what serializer classes do."""

from typing import Any

from memories.models import Asset, Association, FileVersion, Memory, Revision, Source, TeamFile
from memories.presence import Presence
from memories.recall import Hit, Recalled, Verdict
from memories.recalls import Given, Version, versions_of
from memories.recalls import Recalled as PastRecall
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
        "verified_by": row.verified_by or None,
        "review_by": row.review_by,
        "access_count": row.access_count,
        "last_accessed_at": row.last_accessed_at,
    }


def forgotten(row: Memory) -> dict[str, Any]:
    gone = {"forgotten_at": row.forgotten_at, "forgotten_by": row.forgotten_by, "forget_reason": row.forget_reason}
    return memory(row) | gone


def saved(row: Memory) -> dict[str, Any]:
    """The memory, and what it nearly repeats."""
    similar = [{"id": other.memory_id, "similarity": round(other.similarity, 4)} for other in row.similar]
    return memory(row) | {"similar": similar}


def recalled(result: Recalled, *, mode: str, explain: bool) -> dict[str, Any]:
    """Best first. With `explain`, each hit says what put it there."""
    memories = [
        memory(hit.memory)
        | {"relevance_score": round(hit.relevance, 4)}
        | ({"explain": reasons(hit)} if explain else {})
        | ({"snippet": {"text": hit.snippet.text, "marks": hit.snippet.marks}} if hit.snippet else {})
        for hit in result.hits
    ]
    found = {"total_found": result.total, "total_is_bound": result.bounded, "mode": mode}
    return {"memories": memories, **found, **({"note": result.note} if result.note else {})}


def reasons(hit: Hit) -> dict[str, Any] | None:
    row = hit.scored
    if row is None:
        return None
    return {
        "rank_by_words": row.words_rank,
        "rank_by_meaning": row.meaning_rank,
        "rank_by_links": row.links_rank,
        "matched_words": hit.matched,
        "words": round(row.words, 4),
        "meaning": None if row.meaning is None else round(row.meaning, 4),
        "begins_with_an_asked_word": row.lead,
        "has_an_asked_identifier": row.exact > 0,
        "importance_now": round(row.importance, 4),
        "added_by_importance": round(row.added_by_importance, 4),
        "added_by_pin": row.added_by_pin if hit.memory.pinned else 0.0,
        "reciprocal_rank_score": round(row.reciprocal, 6),
    }


def past_recall(row: PastRecall) -> dict[str, Any]:
    """What was asked once. Of what came back, the text of what is still there for whoever looks."""
    here = {Version(one.memory_id, one.version): one for one in row.given}
    return {
        "id": row.log.pk,
        "query": row.log.query,
        "mode": row.log.mode,
        "filters": row.log.filters,
        "session": row.log.session.name if row.log.session else None,
        "created_at": row.log.created_at,
        "total_found": row.log.total_found,
        "memories": [_given(version, here.get(version)) for version in versions_of(row.log)],
    }


def _given(version: Version, known: Given | None) -> dict[str, Any]:
    told = known if known and known.presence is Presence.HERE else None
    return {
        "id": version.memory_id,
        "version": version.version,
        "presence": known.presence if known else Presence.GONE,
        "key": (told.key or None) if told else None,
        "type": told.type if told else None,
        "text": told.text if told else None,
    }


def verdict(found: Verdict) -> dict[str, Any]:
    return {"rank": found.rank, "reason": found.reason}


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


VERSION_FIELDS = (
    *("version", "change", "created_at", "content", "type", "category", "tags", "importance", "pinned", "expires_at"),
    *("source", "scope", "metadata", "verified_at", "review_by", "forgotten_at"),
)
VERSION_TEXTS = ("key", "summary", "verified_by", "forgotten_by", "forget_reason")


def version(row: Revision) -> dict[str, Any]:
    """A version in full, and who made it."""
    shape = {name: getattr(row, name) for name in VERSION_FIELDS}
    return shape | {name: getattr(row, name) or None for name in VERSION_TEXTS} | {"by": row.byline}


def association(row: Association) -> dict[str, Any]:
    return {
        "id": row.pk,
        "origin_id": row.origin_id,
        "target_id": row.target_id,
        "relation": row.relation,
        "weight": row.weight,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
    }


def asset(row: Asset) -> dict[str, Any]:
    return {
        "id": row.pk,
        "memory_id": row.memory_id,
        "name": row.name,
        "content_type": row.content_type,
        "size": row.size,
        "sha256": row.sha256,
        "created_at": row.created_at,
    }


def source(row: Source) -> dict[str, Any]:
    return {
        "id": row.pk,
        "memory_id": row.memory_id,
        "session_id": row.session_id,
        "message_id": row.message_id or None,
        "url": row.url or None,
        "quote": row.quote or None,
        "created_at": row.created_at,
    }


def listed_file(row: TeamFile) -> dict[str, Any]:
    """Without its text. A queryset that lists files has counted their bytes."""
    counted: int | None = getattr(row, "size", None)
    return {
        "id": row.pk,
        "path": row.path,
        "team_id": row.team_id,
        "workspace_id": row.workspace_id,
        "version": row.version,
        "size": len(row.content.encode()) if counted is None else counted,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
        "deleted_at": row.deleted_at,
    }


def file(row: TeamFile) -> dict[str, Any]:
    return listed_file(row) | {"content": row.content}


def file_receipt(row: TeamFile) -> dict[str, Any]:
    return {"id": row.pk, "path": row.path, "version": row.version}


def file_version(row: FileVersion) -> dict[str, Any]:
    """Without its text, too."""
    return {
        "version": row.version,
        "path": row.path,
        "size": getattr(row, "size", 0),
        "change": row.change,
        "by": row.byline,
        "created_at": row.created_at,
    }
