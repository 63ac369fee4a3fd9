"""An organization or a team as one archive, for operators: what it holds is said before it is fetched."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import path

from memories import downloads, moving
from memories.models import Asset, Memory, RecallLog, Revision, TeamFile
from memoryhub import counts
from memoryhub.admin import LOOK
from teams.models import Organization, Team

CARRIED: dict[str, Any] = {"memories": Memory, "recalls": RecallLog, "files": TeamFile}
HANGING: dict[str, Any] = {"revisions": Revision, "attachments": Asset}


def page(request: HttpRequest, kind: str, pk: Any) -> HttpResponseBase:
    """Says how much there is; the button on it sends the archive, as it is made."""
    if not request.user.is_authenticated or not request.user.has_perm("teams.export_organization"):
        raise PermissionDenied
    chosen = selection(kind, pk)
    row = chosen.team or chosen.organization
    if request.method == "POST":
        LogEntry.objects.log_actions(request.user.pk, [row], CHANGE, "Exported.")
        return downloads.archive(chosen)
    shown = {
        **admin.site.each_context(request),
        "title": f"Export {row}",
        "model_admin": admin.site._registry[type(row)],
        "row": row,
        "held": held(chosen),
    }
    return TemplateResponse(request, "admin/memories/export.html", shown)


def selection(kind: str, pk: Any) -> moving.Selection:
    if kind == "organization":
        return moving.Selection(organization=get_object_or_404(Organization, pk=pk))
    if kind != "team":
        raise Http404
    team = get_object_or_404(Team.objects.select_related("organization"), pk=pk)
    return moving.Selection(organization=team.organization, team=team)


def held(chosen: moving.Selection) -> dict[str, counts.Count]:
    """Counted as far as lists go, else as many as Postgres expects."""
    within: dict[str, Any] = {"organization": chosen.organization.pk}
    of_team = {"team": chosen.team.pk} if chosen.team else {}
    of_memory = {f"memory__{name}": value for name, value in of_team.items()}
    rows = {name: model._default_manager.filter(**within, **of_team) for name, model in CARRIED.items()}
    rows |= {name: model._default_manager.filter(**within, **of_memory) for name, model in HANGING.items()}
    return {name: counts.about(some, up_to=LOOK) for name, some in rows.items()}


address = path("export/<slug:kind>/<uuid:pk>/", admin.site.admin_view(page), name="memories_export")
