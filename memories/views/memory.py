"""One memory."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from memories import scopes
from memories.assets import Preview, previews
from memories.forms import audiences
from memories.importance import importance_at
from memories.models import Asset, Memory, Source
from memories.neighbours import TIPS, drawn, frame, neighbours
from memories.readers import readers
from memoryhub.errors import NotFound
from teams.actor import Actor
from teams.place import Place, in_team

LISTED = 50  # attachments, sources or links at most
RELATED = ("agent__team", "user", "team", "project__team", "person", "workspace", "session")


@in_team
def page(request: HttpRequest, place: Place, memory_id: UUID) -> HttpResponse:
    memory = seen(place.actor, memory_id)
    editable = place.may_change(memory.audience)
    shown: dict[str, Any] = {"section": "memories", "memory": memory, "gone": gone(memory)}
    shown |= {"editable": editable and not shown["gone"], "restorable": editable, "now_important": _importance(memory)}
    shown |= {"owned": memory.audience in place.actor.owns, "readers": readers(memory)}
    shown |= {"audiences": audiences(place, author=memory.agent_id or memory.pk) if editable else []}
    shown |= {"audience": f"{memory.scope}:{memory.audience}"}
    return render(request, "memories/memory.html", shown | _attached(place.actor, memory))


def _attached(actor: Actor, memory: Memory) -> dict[str, Any]:
    within = {"organization": memory.organization_id, "memory": memory.pk}
    links = neighbours(actor=actor, memory=memory)
    sources = Source.objects.filter(**within).select_related("session", "agent", "user").order_by("-created_at")
    return {
        "links": links[:LISTED],
        "nodes": drawn(links),
        "frame": frame(drawn(links)),
        "tips": TIPS.items(),
        "sources": list(sources[:LISTED]),
        "assets": _assets(within),
    }


def _assets(within: dict[str, Any]) -> list[Preview]:
    assets = Asset.objects.filter(**within).select_related("agent", "user").order_by("-created_at")
    return list(previews(assets[:LISTED]))


def _importance(memory: Memory) -> float:
    """As it counts today."""
    return importance_at(
        importance=memory.importance,
        type=memory.type,
        pinned=memory.pinned,
        updated_at=memory.updated_at,
        last_accessed_at=memory.last_accessed_at,
        access_count=memory.access_count,
        now=timezone.now(),
    )


def seen(actor: Actor, memory_id: UUID) -> Memory:
    """The memory, if the actor sees it; what is forgotten or expired is there for those who may restore it."""
    reachable = Memory.objects.filter(scopes.readable(actor), purged_at=None).with_usage().select_related(*RELATED)
    memory = reachable.defer("search").filter(pk=memory_id).first()
    if memory is None or (gone(memory) and memory.audience not in actor.writes):
        raise NotFound("There is no such memory.")
    return memory


def gone(memory: Memory) -> str:
    """Why it is not to be found any more, in a word; nothing while it lives."""
    if memory.forgotten_at:
        return "forgotten"
    return "expired" if memory.expires_at and memory.expires_at <= timezone.now() else ""
