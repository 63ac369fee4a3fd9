"""History of a memory: its versions, the changes of each, and the way back."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from memories.forms import MAX_VERSION
from memories.models import Memory, Revision, RevisionQuerySet
from memories.queries import revision_diff
from memories.queries.lookup import find_memory_or_forgotten
from memories.rules import access
from memories.views.actions import read_number
from memories.views.memory import gone_reason
from memoryhub.errors import NotFound
from teams.team_page import TeamPage, in_team

REVISIONS_PER_PAGE = 20


@in_team
def show_history(request: HttpRequest, team_page: TeamPage, memory_id: UUID) -> HttpResponse:
    """List versions, newest first: those below `before`, or a single `version`."""
    memory = find_memory_or_forgotten(actor=team_page.actor, memory_id=memory_id)
    version = read_number(request, "version")
    context = {
        "section": "memories",
        "memory": memory,
        "editable": access.may_write(team_page.actor, memory.audience) and not gone_reason(memory),
    }
    if version is not None:
        return render(request, "memories/memory_version.html", context | _single_version_context(memory, version))
    return render(
        request,
        "memories/memory_history.html",
        context | _history_page_context(memory, read_number(request, "before") or MAX_VERSION),
    )


def memory_versions(memory: Memory) -> RevisionQuerySet:
    return Revision.objects.of_memory(memory).with_callers().latest_first()


def _history_page_context(memory: Memory, before: int) -> dict[str, object]:
    rows = list(memory_versions(memory).filter(version__lt=before)[: REVISIONS_PER_PAGE + 1])
    steps = revision_diff.diff_revisions(rows)[:REVISIONS_PER_PAGE]
    return {"steps": steps, "next": steps[-1].revision.version if len(rows) > REVISIONS_PER_PAGE else None}


def _single_version_context(memory: Memory, version: int) -> dict[str, object]:
    rows = list(memory_versions(memory).filter(version__lte=version)[:2])
    if not rows or rows[0].version != version:
        raise NotFound(f"There is no version {version} of this memory.")
    return {"step": revision_diff.diff_revisions(rows)[0], "previous": rows[1].version if len(rows) > 1 else None}
