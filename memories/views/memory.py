"""The page of one memory."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from memories.forms import audience_choices
from memories.models import Asset, Memory, Rating, Source, Status
from memories.queries.attachment_previews import AttachmentPreview, build_previews
from memories.queries.feedback import summarize_ratings
from memories.queries.links import ARROW_TIP_OFFSETS, lay_out_neighbours, list_neighbours, view_box
from memories.queries.lookup import find_memory_or_forgotten, list_key_timeline
from memories.queries.who_can_see import list_readers
from memories.rules import access
from memories.rules.importance import importance_at
from teams.actor import Actor
from teams.team_page import TeamPage, in_team

ATTACHMENTS_LISTED = 50  # at most, of attachments, of sources and of links


@in_team
def show_memory(request: HttpRequest, team_page: TeamPage, memory_id: UUID) -> HttpResponse:
    memory = find_memory_or_forgotten(actor=team_page.actor, memory_id=memory_id)
    editable = access.may_write(team_page.actor, memory.audience)
    context: dict[str, Any] = {"section": "memories", "memory": memory, "gone": gone_reason(memory)}
    context |= {
        "editable": editable and not context["gone"],
        "restorable": editable,
        "now_important": _importance_now(memory),
    }
    context |= _period_context(team_page.actor, memory) | _feedback_context(team_page.actor, memory)
    context |= {"owned": access.may_own(team_page.actor, memory.audience), "readers": list_readers(memory)}
    context |= {"audiences": audience_choices(team_page, author=memory.agent_id or memory.pk) if editable else []}
    context |= {"audience": f"{memory.scope}:{memory.audience}"}
    return render(request, "memories/memory.html", context | _attachments_context(team_page.actor, memory))


def _period_context(actor: Actor, memory: Memory) -> dict[str, Any]:
    """Return when the memory holds, what has replaced it, and what else its key has said."""
    others = list_key_timeline(actor=actor, key=memory.key, scope=memory.scope) if memory.key else []
    timeline = [other for other in others if other.audience == memory.audience]
    visible = Memory.objects.visible_to(actor).defer("search")
    successor = visible.filter(pk=memory.superseded_by).first() if memory.superseded_by else None
    return {
        "period_note": _describe_period(memory),
        "successor": successor,
        "timeline": timeline if len(timeline) > 1 else [],
    }


def _feedback_context(actor: Actor, memory: Memory) -> dict[str, Any]:
    """Return how readers rated the memory as it is, and what this one said."""
    summary = summarize_ratings(actor, memory)
    said = [(Rating(rating).label, count) for rating, count in summary.counts.items() if count]
    return {"ratings": said, "own_rating": summary.own.rating if summary.own else ""}


def _describe_period(memory: Memory) -> str:
    """Return why the memory is not among what holds now for everybody; empty if it is."""
    if memory.status == Status.PROPOSED:
        return "proposed"
    if memory.valid_until and memory.valid_until <= timezone.now():
        return "over"
    return "later" if memory.valid_from and memory.valid_from > timezone.now() else ""


def _attachments_context(actor: Actor, memory: Memory) -> dict[str, Any]:
    links = list_neighbours(actor=actor, memory=memory)
    sources = Source.objects.of_memory(memory).select_related("session", "agent", "user").newest()
    return {
        "links": links[:ATTACHMENTS_LISTED],
        "nodes": lay_out_neighbours(links),
        "frame": view_box(lay_out_neighbours(links)),
        "tips": ARROW_TIP_OFFSETS.items(),
        "sources": list(sources[:ATTACHMENTS_LISTED]),
        "assets": _asset_previews(memory),
    }


def _asset_previews(memory: Memory) -> list[AttachmentPreview]:
    assets = Asset.objects.of_memory(memory).with_authors().newest()
    return list(build_previews(assets[:ATTACHMENTS_LISTED]))


def _importance_now(memory: Memory) -> float:
    """Return the importance as it counts today."""
    return importance_at(
        importance=memory.importance,
        type=memory.type,
        pinned=memory.pinned,
        updated_at=memory.updated_at,
        last_accessed_at=memory.last_accessed_at,
        access_count=memory.access_count,
        now=timezone.now(),
    )


def gone_reason(memory: Memory) -> str:
    """Return `forgotten` or `expired`; empty while the memory is active."""
    if memory.forgotten_at:
        return "forgotten"
    return "expired" if memory.expires_at and memory.expires_at <= timezone.now() else ""
