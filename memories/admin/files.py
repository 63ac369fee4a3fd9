"""Read-only admin of a team's files and their versions."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display

from memories.admin import search
from memories.admin.token_activity import TokenLogAdmin
from memories.models import FileVersion, TeamFile
from memoryhub.admin import LogAdmin, ReadOnlyInline
from memoryhub.ids import parse_uuid


class FileVersionInline(ReadOnlyInline):
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
class TeamFileAdmin(LogAdmin):
    list_display = ("path", "team", "version", "byline", "updated_at", "deleted_at")
    search_fields = ("path",)
    search_help_text = "Words of a living file's path or text, or an id"
    exclude = ("search",)
    inlines = (FileVersionInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.select_related("organization", "team", "workspace", "agent", "user").defer("content", "search")

    def find_exact(self, request: HttpRequest, term: str) -> list[Any] | None:
        return super().find_exact(request, term) if parse_uuid(term) else search.find_file_ids(term)

    @display(description="By")
    def byline(self, file: TeamFile) -> str:
        return file.byline


@admin.register(FileVersion)
class FileVersionAdmin(TokenLogAdmin):
    list_display = ("path", "version", "change", "byline", "token", "created_at")
    list_filter = (("change", ChoicesDropdownFilter),)
    search_fields = ("path",)
    search_help_text = "A file's id, a token or its beginning, or a part of the path among the newest"
    search_link = "file"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related("file").defer("file__content", "file__search")
