"""Read-only admin of attachments, links and sources. Attachments are only ever sent as downloads."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import FileResponse, Http404, HttpRequest
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display

from memories.models import Asset, Association, Source
from memoryhub.admin import LogAdmin, ReadOnlyInline, shorten_text

DOWNLOAD_CSP = "sandbox; default-src 'none'"


class SourceInline(ReadOnlyInline):
    model = Source
    fields = readonly_fields = ("url", "file_path", "state", "message_id", "session", "quote_excerpt", "created_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.select_related("session")

    @display(description="Quote")
    def quote_excerpt(self, source: Source) -> str:
        return shorten_text(source.quote)


class AssetInline(ReadOnlyInline):
    model = Asset
    fields = readonly_fields = ("name", "content_type", "size", "sha256", "created_at")


class LinkInline(ReadOnlyInline):
    model = Association

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.select_related("origin", "target").defer("origin__search", "target__search")


class OutgoingLinkInline(LinkInline):
    fk_name = "origin"
    verbose_name_plural = "links to others"
    fields = readonly_fields = ("relation", "target", "weight", "created_at")


class IncomingLinkInline(LinkInline):
    fk_name = "target"
    verbose_name_plural = "links from others"
    fields = readonly_fields = ("origin", "relation", "weight", "created_at")


class MemoryAttachmentAdmin(LogAdmin):
    search_link = "memory"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.select_related("organization", "memory", "agent", "user").defer("memory__search")

    @display(description="By")
    def byline(self, row: Any) -> str:
        return str(row.byline)


@admin.register(Association)
class AssociationAdmin(LogAdmin):
    list_display = ("origin", "relation", "target", "weight", "updated_at")
    list_filter = (("relation", ChoicesDropdownFilter),)
    search_fields = ("relation",)
    search_help_text = "The id of a memory that links to others"
    search_link = "origin"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        related = rows.select_related("organization", "origin", "target", "agent", "user")
        return related.defer("origin__search", "target__search")


@admin.register(Source)
class SourceAdmin(MemoryAttachmentAdmin):
    list_display = ("memory", "url", "place", "state", "message_id", "session", "byline", "created_at")
    list_filter = (("state", ChoicesDropdownFilter),)
    fields = (
        *("organization", "memory", "url", "message_id", "session", "quote", "agent", "user", "created_at"),
        *("repository", "file_path", "first_line", "last_line", "commit", "sha256", "state", "checked_at"),
    )
    search_fields = ("url", "message_id", "quote", "file_path")
    search_help_text = "A memory's id, or words of the newest"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related("session")

    @display(description="Anchor")
    def place(self, row: Source) -> str:
        return row.place if row.file_path else ""


@admin.register(Asset)
class AssetAdmin(MemoryAttachmentAdmin):
    list_display = ("name", "content_type", "size", "memory", "byline", "created_at")
    search_fields = ("name", "=sha256")
    search_help_text = "A memory's id, or a name or SHA-256 of the newest"
    exclude = ("file",)
    readonly_fields = ("download",)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.send_file)
        return [path("<uuid:asset_id>/file/", view, name="memories_asset_file"), *super().get_urls()]

    @display(description="File")
    def download(self, asset: Asset) -> str:
        return format_html('<a href="{}">Download</a>', reverse("admin:memories_asset_file", args=[asset.pk]))

    def send_file(self, request: HttpRequest, asset_id: Any) -> FileResponse:
        """Send the file as a download; its content never runs within this origin."""
        asset = self.get_object(request, str(asset_id)) if self.has_view_permission(request) else None
        if asset is None:
            raise Http404
        response = FileResponse(asset.file.open("rb"), as_attachment=True, filename=asset.name)
        response["Content-Type"] = "application/octet-stream"
        response["X-Content-Type-Options"] = "nosniff"
        response["Content-Security-Policy"] = DOWNLOAD_CSP
        return response
