"""Every version of a memory, what each changed, and the way back."""

from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from memories import histories
from memories.models import Memory, Revision
from memories.views.acting import LARGEST, number
from memories.views.memory import gone, seen
from memoryhub.errors import NotFound
from teams.place import Place, in_team

LISTED = 20


@in_team
def page(request: HttpRequest, place: Place, memory_id: UUID) -> HttpResponse:
    """The newest first; those below `before`, or one `version` alone."""
    memory = seen(place.actor, memory_id)
    version = number(request, "version")
    shown = {
        "section": "memories",
        "memory": memory,
        "editable": place.may_change(memory.audience) and not gone(memory),
    }
    if version is not None:
        return render(request, "memories/memory_version.html", shown | _one(memory, version))
    return render(request, "memories/memory_history.html", shown | _some(memory, number(request, "before") or LARGEST))


def versions(memory: Memory) -> QuerySet[Revision]:
    """Those that were written for another audience stay with them."""
    within = {"organization": memory.organization_id, "audience": memory.audience}
    return (
        Revision.objects.filter(**within, memory=memory.pk)
        .select_related("agent", "user", "token")
        .order_by("-version")
    )


def _some(memory: Memory, before: int) -> dict[str, object]:
    rows = list(versions(memory).filter(version__lt=before)[: LISTED + 1])
    told = histories.steps(rows)[:LISTED]
    return {"steps": told, "next": told[-1].revision.version if len(rows) > LISTED else None}


def _one(memory: Memory, version: int) -> dict[str, object]:
    rows = list(versions(memory).filter(version__lte=version)[:2])
    if not rows or rows[0].version != version:
        raise NotFound(f"There is no version {version} of this memory.")
    return {"step": histories.steps(rows)[0], "previous": rows[1].version if len(rows) > 1 else None}
