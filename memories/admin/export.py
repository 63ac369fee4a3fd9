"""Export of an organization or a team as one archive, with a count of its contents first."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import path

from memories import transfer
from memories.models import Asset, Memory, RecallLog, Revision, TeamFile
from memories.transfer import downloads
from memoryhub import counts
from memoryhub.admin import MAX_LIST_ROWS
from teams.models import Organization, Team

TEAM_TABLES: dict[str, Any] = {"memories": Memory, "recalls": RecallLog, "files": TeamFile}
MEMORY_TABLES: dict[str, Any] = {"revisions": Revision, "attachments": Asset}


def export_page(request: HttpRequest, kind: str, pk: Any) -> HttpResponseBase:
    """Show how much there is to export; a POST streams the archive."""
    if not request.user.is_authenticated or not request.user.has_perm("teams.export_organization"):
        raise PermissionDenied
    selection = get_selection(kind, pk)
    row = selection.team or selection.organization
    if request.method == "POST":
        LogEntry.objects.log_actions(request.user.pk, [row], CHANGE, "Exported.")
        return downloads.stream_archive(selection)
    context = {
        **admin.site.each_context(request),
        "title": f"Export {row}",
        "model_admin": admin.site._registry[type(row)],
        "row": row,
        "held": count_contents(selection),
    }
    return TemplateResponse(request, "admin/memories/export.html", context)


def get_selection(kind: str, pk: Any) -> transfer.Selection:
    if kind == "organization":
        return transfer.Selection(organization=get_object_or_404(Organization, pk=pk))
    if kind != "team":
        raise Http404
    team = get_object_or_404(Team.objects.select_related("organization"), pk=pk)
    return transfer.Selection(organization=team.organization, team=team)


def count_contents(selection: transfer.Selection) -> dict[str, counts.EstimatedCount]:
    """Count rows up to the limit of lists; beyond it, take Postgres's estimate."""
    within: dict[str, Any] = {"organization": selection.organization.pk}
    of_team = {"team": selection.team.pk} if selection.team else {}
    of_memory = {f"memory__{name}": value for name, value in of_team.items()}
    rows = {name: model._default_manager.filter(**within, **of_team) for name, model in TEAM_TABLES.items()}
    rows |= {name: model._default_manager.filter(**within, **of_memory) for name, model in MEMORY_TABLES.items()}
    return {name: counts.estimate_count(queryset, up_to=MAX_LIST_ROWS) for name, queryset in rows.items()}


export_url_pattern = path("export/<slug:kind>/<uuid:pk>/", admin.site.admin_view(export_page), name="memories_export")
