"""JSON representations of models, as plain dicts: building them costs a hundredth of what serializer classes do."""

from collections.abc import Sequence
from typing import Any

from memories.models import (
    PLACE_FIELDS,
    AnchorState,
    Asset,
    Association,
    Feedback,
    FileVersion,
    GoldenQuestion,
    Memory,
    MemoryFields,
    Pair,
    PairKind,
    Proposal,
    Revision,
    Source,
    TeamFile,
)
from memories.prompts import context
from memories.queries.feedback import FeedbackSummary
from memories.queries.golden import GoldenReport
from memories.queries.pairs import find_pair_differences
from memories.queries.presence import Presence
from memories.queries.proposed_change import ChangePreview
from memories.queries.recall_log import GivenMemory, MemoryVersion, given_versions
from memories.queries.recall_log import RecallEntry as PastRecall
from memories.queries.review import ReviewItem
from memories.recall import Hit, Recalled, Verdict
from memories.recall.adjustments import find_anchor_factor, find_feedback_factor
from memories.recall.confidence import describe_confidence
from memories.recall.hybrid import SCORE_PARTS
from memories.rules.trust import label_trust
from memories.text.time_words import Period
from teams.actor import Actor
from teams.models import Session


def render_memory(row: Memory) -> dict[str, Any]:
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
        "valid_from": row.valid_from,
        "valid_until": row.valid_until,
        "superseded_by": row.superseded_by,
        "status": "proposed" if row.proposal_id else row.status,
        **({"proposal_id": row.proposal_id} if row.proposal_id else {}),
        **({"duplicate": True} if row.duplicate else {}),
        **_screening(row),
        "provenance": row.provenance,
        "disputed": row.disputed,
        **_trust(row),
        "access_count": row.access_count,
        "last_accessed_at": row.last_accessed_at,
    }


def _trust(row: Memory) -> dict[str, Any]:
    """Return what a reader should know before relying on it, if there is something."""
    label = label_trust(row.provenance, verified=row.verified_at is not None)
    anchor = {"anchor_state": row.anchor_state} if row.anchor_state else {}
    return ({"trust": label} if label else {}) | anchor


def _screening(row: Memory | TeamFile | Source) -> dict[str, Any]:
    """Return what screening did to a write, if it found something."""
    return {"screening": list(row.screening)} if row.screening else {}


def render_forgotten(row: Memory) -> dict[str, Any]:
    gone = {"forgotten_at": row.forgotten_at, "forgotten_by": row.forgotten_by, "forget_reason": row.forget_reason}
    return render_memory(row) | gone


def render_saved(row: Memory) -> dict[str, Any]:
    """Return the saved memory, the memories that it nearly repeats, and those that it contradicts."""
    similar = [{"id": other.memory_id, "similarity": round(other.similarity, 4)} for other in row.similar]
    conflicts = [
        {
            "id": other.memory_id,
            "similarity": round(other.similarity, 4),
            "differences": [
                {"kind": part.kind, "saved": part.first, "other": part.second} for part in other.differences
            ],
        }
        for other in row.conflicts
    ]
    return render_memory(row) | {"similar": similar, "conflicts": conflicts}


def render_recalled(result: Recalled, *, mode: str, explain: bool) -> dict[str, Any]:
    """Return the result of a recall, best hits first. With `explain`, each hit says what put it there."""
    memories = [
        render_memory(hit.memory)
        | {"relevance_score": round(hit.relevance, 4), "confidence": round(hit.confidence, 4)}
        | ({"explain": render_reasons(hit, floor=result.floor)} if explain else {})
        | ({"snippet": {"text": hit.snippet.text, "marks": hit.snippet.marks}} if hit.snippet else {})
        for hit in result.hits
    ]
    found = {"total_found": result.total, "total_is_bound": result.bounded, "mode": mode}
    nothing = NOTHING_RELEVANT if result.floor and not result.hits else ""
    note = " ".join(filter(None, (nothing, result.note)))
    more = {"min_confidence": result.floor, "folded": result.folded, "note": note}
    return {"memories": memories, **found, **{name: value for name, value in more.items() if value}}


def _period(period: Period) -> dict[str, Any]:
    return {"start": period.start, "end": period.end, "words": period.words}


def render_reasons(hit: Hit, *, floor: float) -> dict[str, Any] | None:
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
        "feedback": round(row.feedback, 4),
        "feedback_factor": round(find_feedback_factor(row.feedback), 4),
        "anchor_factor": round(find_anchor_factor(hit.memory.anchor_state), 4),
        "period": _period(hit.time.period) if hit.time else None,
        "time_factor": round(hit.time_factor, 4),
        "reranker": None if hit.reranked is None else round(hit.reranked, 4),
        "reciprocal_rank_score": round(row.reciprocal, 6),
        "score_parts": {name: round(row.parts.get(name, 0.0), 4) for name in SCORE_PARTS},
        "confidence": {
            "points": {name: round(points, 4) for name, points in hit.certainty.parts.items()},
            "in_words": describe_confidence(hit.certainty, floor=floor),
        },
    }


def render_past_recall(row: PastRecall) -> dict[str, Any]:
    """Return a past recall: its query, and the memories that came back, with the text of those the reader can still
    see."""
    here = {MemoryVersion(one.memory_id, one.version): one for one in row.given}
    return {
        "id": row.log.pk,
        "query": row.log.query,
        "mode": row.log.mode,
        "filters": row.log.filters,
        "session": row.log.session.name if row.log.session else None,
        "created_at": row.log.created_at,
        "total_found": row.log.total_found,
        "min_confidence": row.log.floor,
        "best_confidence": None if row.log.confidence is None else round(row.log.confidence, 4),
        "memories": [_given_memory(version, here.get(version)) for version in given_versions(row.log)],
    }


def _given_memory(version: MemoryVersion, known: GivenMemory | None) -> dict[str, Any]:
    told = known if known and known.presence is Presence.HERE else None
    return {
        "id": version.memory_id,
        "version": version.version,
        "presence": known.presence if known else Presence.GONE,
        "key": (told.key or None) if told else None,
        "type": told.type if told else None,
        "text": told.text if told else None,
    }


def render_verdict(result: Verdict) -> dict[str, Any]:
    return {"rank": result.rank, "reason": result.reason}


def render_receipt(row: Memory) -> dict[str, Any]:
    """Return a receipt for a token that may write but not read: the memory that owns the key may contain what others
    wrote."""
    proposed = {"proposal_id": row.proposal_id} if row.proposal_id else {}
    status = "proposed" if row.proposal_id else row.status
    return {
        "id": row.pk,
        "key": row.key or None,
        "version": row.version,
        "status": status,
        **proposed,
        **({"duplicate": True} if row.duplicate else {}),
        **_screening(row),
    }


def render_me(actor: Actor) -> dict[str, Any]:
    return {
        "name": actor.name,
        "agent_id": actor.agent_id,
        "organization_id": actor.organization_id,
        "team_id": actor.team_id,
        "readable_team_ids": actor.readable_team_ids,
        "verbs": sorted(actor.verbs),
        "any_person": actor.persons is None,
        "persons": actor.persons or (),
        "project_id": actor.project_id,
        "person_id": actor.person_id,
        "session_id": actor.session_id,
        "workspace_id": actor.workspace_id,
        "channel_id": actor.channel_id or None,
    }


NOTHING_RELEVANT = "Nothing relevant."
OPTIONAL_TEXTS = frozenset({"key", "summary", "verified_by", "forgotten_by", "forget_reason"})  # null if they are empty
VERSION_FIELDS = (*(field.name for field in MemoryFields._meta.local_fields), "change", "created_at")


def render_version(row: Revision) -> dict[str, Any]:
    """Return a version of a memory in full, with its author."""
    shape = {name: getattr(row, name) for name in VERSION_FIELDS}
    return shape | {name: shape[name] or None for name in OPTIONAL_TEXTS} | {"by": row.byline}


def render_proposal(row: Proposal) -> dict[str, Any]:
    """Return a proposal with the change that it would make."""
    return {
        "id": row.pk,
        "memory_id": row.memory_id,
        "operation": row.operation,
        "arguments": row.arguments,
        "base_version": row.base_version,
        "state": row.state,
        "cause": row.cause,
        "reason": row.reason,
        "by": row.byline,
        "created_at": row.created_at,
        "expires_at": row.expires_at,
        "decided_at": row.decided_at,
        "decided_by": row.decided_by.get_username() if row.decided_by else None,
        "decision_note": row.decision_note or None,
    }


def render_pair(row: Pair) -> dict[str, Any]:
    """Return a pair with both memories, and the words in which they contradict each other."""
    differences = find_pair_differences(row) if row.kind == PairKind.CONTRADICTION else ()
    return {
        "id": row.pk,
        "kind": row.kind,
        "state": row.state,
        "similarity": round(row.similarity, 4),
        "differences": [{"kind": part.kind, "older": part.first, "newer": part.second} for part in differences],
        "older": _paired_memory(row.older),
        "newer": _paired_memory(row.newer),
        "decision": row.decision or None,
        "reason": row.reason or None,
        "kept": row.kept,
        "settled_by": row.settled_by or None,
        "settled_at": row.settled_at,
        "created_at": row.created_at,
    }


def _paired_memory(row: Memory) -> dict[str, Any]:
    return {
        "id": row.pk,
        "key": row.key or None,
        "content": row.content,
        "type": row.type,
        "version": row.version,
        "by": row.byline,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
        "valid_from": row.valid_from,
        "valid_until": row.valid_until,
    }


def render_ratings(summary: FeedbackSummary) -> dict[str, Any]:
    """Return how a memory was rated, and what the caller itself said."""
    own = summary.own
    said = own and {
        "rating": own.rating,
        "reason": own.reason or None,
        "created_at": own.created_at,
        "dismissed": own.settled_at is not None,
    }
    return {"memory_id": summary.memory.pk, "counts": dict(summary.counts), "own": said}


def render_report(row: Feedback) -> dict[str, Any]:
    return {"rating": row.rating, "reason": row.reason or None, "by": row.byline, "created_at": row.created_at}


def render_review_item(
    item: ReviewItem, preview: ChangePreview | None, reports: Sequence[Feedback] = ()
) -> dict[str, Any]:
    """Return an item of the review queue, with what an approval of a proposal would change, or who reported it."""
    about = {"kind": item.kind, "id": item.row.pk, "since": item.since}
    if isinstance(item.row, Feedback):
        return about | {"memory": render_memory(item.row.memory), "reports": [render_report(row) for row in reports]}
    if isinstance(item.row, Source):
        return about | {"memory": render_memory(item.row.memory), "source": render_source(item.row)}
    if isinstance(item.row, Pair):
        return about | {"memory": render_memory(item.row.newer), "pair": render_pair(item.row)}
    if preview is None:
        return about | {"memory": render_memory(item.row)}
    changes = [{"field": one.name, "old": one.old, "new": one.new} for one in preview.changes]
    proposed = {"memory": render_memory(item.row.memory), "proposal": render_proposal(item.row)}
    return about | proposed | {"changes": changes, "conflict": preview.conflict}


def render_golden_question(row: GoldenQuestion) -> dict[str, Any]:
    return {
        "id": row.pk,
        "query": row.query,
        "audience": row.audience,
        "memory_id": row.memory_id,
        "by": row.byline,
        "created_at": row.created_at,
    }


def render_golden_report(report: GoldenReport) -> dict[str, Any]:
    """Return the golden questions with the places of what they expect, and the figures of the last runs."""
    return {
        "results": [
            {
                "question": render_golden_question(result.question),
                "memory": result.memory and render_memory(result.memory),
                "place": result.place,
                "places": list(result.places),
                "is_regression": result.is_regression,
            }
            for result in report.results
        ],
        "asked": report.asked,
        "found": report.found,
        "recall_at_5": report.recall,
        "precision_at_5": report.precision,
        "regressions": len(report.regressions),
        "run_at": report.run_at,
    }


def render_association(row: Association) -> dict[str, Any]:
    return {
        "id": row.pk,
        "origin_id": row.origin_id,
        "target_id": row.target_id,
        "relation": row.relation,
        "weight": row.weight,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
    }


def render_asset(row: Asset) -> dict[str, Any]:
    return {
        "id": row.pk,
        "memory_id": row.memory_id,
        "name": row.name,
        "content_type": row.content_type,
        "size": row.size,
        "sha256": row.sha256,
        "created_at": row.created_at,
    }


def render_source(row: Source) -> dict[str, Any]:
    return {
        "id": row.pk,
        "memory_id": row.memory_id,
        "session_id": row.session_id,
        "message_id": row.message_id or None,
        "url": row.url or None,
        "quote": row.quote or None,
        "anchor": _anchor(row) if row.is_anchor else None,
        "created_at": row.created_at,
        **_screening(row),
    }


def _anchor(row: Source) -> dict[str, Any]:
    return {
        "repository": row.repository or None,
        "path": row.file_path or None,
        "salt": row.salt or None,
        **{name: getattr(row, name) or None for name in PLACE_FIELDS},
        "state": row.state,
        "checked_at": row.checked_at,
        "failed_at": row.failed_at,
        "present": {name: getattr(row, f"found_{name}") or None for name in PLACE_FIELDS}
        if row.state == AnchorState.CHANGED
        else None,
    }


def render_listed_file(row: TeamFile) -> dict[str, Any]:
    """Return a file without its text. Querysets that list files have counted the bytes already."""
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


def render_file(row: TeamFile) -> dict[str, Any]:
    return render_listed_file(row) | {"content": row.content} | _screening(row)


def render_file_receipt(row: TeamFile) -> dict[str, Any]:
    return {"id": row.pk, "path": row.path, "version": row.version, **_screening(row)}


def render_file_version(row: FileVersion) -> dict[str, Any]:
    """Return a version of a file without its text."""
    return {
        "version": row.version,
        "path": row.path,
        "size": getattr(row, "size", 0),
        "change": row.change,
        "by": row.byline,
        "created_at": row.created_at,
    }


def render_prompt_context(made: context.PromptContext) -> dict[str, Any]:
    return {
        "text": made.text,
        "tokens": context.estimate_tokens(made.text),
        "sections": [
            {
                "name": section.name,
                "text": section.text,
                "tokens": context.estimate_tokens(section.text),
                "memory_ids": section.memory_ids,
                "omitted": section.omitted,
                "cut": section.cut,
            }
            for section in made.sections
        ],
    }


def render_session(row: Session) -> dict[str, Any]:
    return {
        "id": row.pk,
        "name": row.name,
        "agent_id": row.agent_id,
        "project": row.project.slug if row.project else None,
        "user": row.person.handle if row.person else None,
        "workspace": row.workspace.slug if row.workspace else None,
        "channel": row.channel_id or None,
        "created_at": row.created_at,
    }
