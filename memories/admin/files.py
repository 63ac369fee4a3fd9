"""A team's files and their versions, to look at."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display

from memories.admin import finding
from memories.admin.tracing import Traced
from memories.models import FileVersion, TeamFile
from memoryhub.admin import Hanging, Ledger
from memoryhub.ids import as_uuid


class Versions(Hanging):
    model = FileVersion
    ordering = ("-version",)
    fields = readonly_fields = ("version", "change", "path", "byline", "created_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.select_related("agent", "user").defer("content")

    @display(description="By")
    def byline(self, version: FileVersion) -> str:
        return version.byline


@admin.register(TeamFile)
class TeamFileAdmin(Ledger):
    list_display = ("path", "team", "version", "byline", "updated_at", "deleted_at")
    search_fields = ("path",)
    search_help_text = "Words of a living file's path or text, or an id"
    exclude = ("search",)
    inlines = (Versions,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.select_related("organization", "team", "workspace", "agent", "user").defer("content", "search")

    def found(self, request: HttpRequest, term: str) -> list[Any] | None:
        return super().found(request, term) if as_uuid(term) else finding.files(term)

    @display(description="By")
    def byline(self, file: TeamFile) -> str:
        return file.byline


@admin.register(FileVersion)
class FileVersionAdmin(Traced):
    list_display = ("path", "version", "change", "byline", "token", "created_at")
    list_filter = (("change", ChoicesDropdownFilter),)
    search_fields = ("path",)
    search_help_text = "A file's id, a token or its beginning, or a part of the path among the newest"
    hangs_on = "file"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related("file").defer("file__content", "file__search")
