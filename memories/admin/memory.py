"""Admin of memories and their versions: searched by index, changed only through the operations."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import URLPattern, reverse
from django.utils import timezone
from unfold.contrib.filters.admin import BooleanRadioFilter, ChoicesDropdownFilter, DropdownFilter
from unfold.decorators import display
from unfold.enums import ActionVariant
from unfold.views import ChangeList

from memories.admin import action_forms, export, search
from memories.admin.attachments import AssetInline, IncomingLinkInline, OutgoingLinkInline, SourceInline
from memories.admin.token_activity import TokenActivityAdmin
from memories.models import Memory, Revision, Type, Usage
from memoryhub.admin import NewestChangeList, ReadOnlyInline, RowFilter, shorten_text
from memoryhub.ids import parse_uuid
from teams.models import Membership, Team

MEMORY_STATE_COLORS = {"living": "success", "expired": "warning", "forgotten": "warning", "purged": "danger"}


class StateFilter(DropdownFilter):
    title, parameter_name = "state", "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        return tuple(search.STATE_LABELS.items())

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Filter the newest by `living`; an index finds the other states."""
        return queryset.filter(forgotten_at=None) if self.value() == search.LIVING else queryset


class TeamFilter(RowFilter):
    """Filter by a team's own memories, found by index. Those of its projects and agents are found by words."""

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset


class IndexedChangeList(NewestChangeList):
    """Change list that combines search and filters into index lookups."""

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[Any]:
        rows = super().get_queryset(request, exclude_parameters)
        memory_search = read_search(request, self.query)
        return rows.filter(pk__in=search.find_memory_ids(memory_search)) if memory_search.has_index else rows


def read_search(request: HttpRequest, words: str) -> search.MemorySearch:
    params = request.GET
    team_id = parse_uuid(params.get("team__id__exact", ""))
    team = Team.objects.filter(pk=team_id).values_list("organization_id", "pk").first() if team_id else None
    return search.MemorySearch(
        words=words.strip(),
        team=team,
        state=params["state"] if params.get("state") in search.STATE_LABELS else "",
        type=params["type__exact"] if params.get("type__exact") in Type.values else "",
        pinned=params.get("pinned__exact") == "1",
    )


class RevisionInline(ReadOnlyInline):
    model = Revision
    ordering = ("-version",)
    fields = readonly_fields = ("version", "change", "byline", "token", "created_at", "content_excerpt")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.select_related("agent", "user", "token")

    @display(description="By")
    def byline(self, revision: Revision) -> str:
        return revision.byline

    @display(description="Content")
    def content_excerpt(self, revision: Revision) -> str:
        return shorten_text(revision.content)


@admin.register(Memory)
class MemoryAdmin(action_forms.BulkActionAdmin):
    shows_history = True  # for actions that leave no revision
    list_display = ("title", "type", "scope", "team", "byline", "version", "updated_at", "standing")
    list_filter = (
        StateFilter,
        ("team", TeamFilter),
        ("type", ChoicesDropdownFilter),
        ("pinned", BooleanRadioFilter),
        ("scope", ChoicesDropdownFilter),
    )
    search_fields = ("content",)  # shows the search box; the lookup itself goes by index
    search_help_text = "Words of its key, tags, summary or content, or its id"
    inlines = (RevisionInline, SourceInline, AssetInline, OutgoingLinkInline, IncomingLinkInline)
    readonly_fields = ("byline", "recall_count", "standing")
    fieldsets = (
        (None, {"fields": ("key", "content", "summary", "tags", "metadata")}),
        ("Kind", {"fields": ("type", "category", "importance", "pinned", "source")}),
        (
            "Where",
            {
                "fields": (
                    *("id", "scope", "organization", "team", "byline", "project", "person", "session"),
                    *("workspace", "channel_id"),
                )
            },
        ),
        (
            "When",
            {
                "fields": (
                    *("standing", "version", "created_at", "updated_at", "recall_count", "expires_at", "review_by"),
                    *("verified_at", "verified_by", "forgotten_at", "forgotten_by", "forget_reason", "purged_at"),
                )
            },
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Memory]:
        rows: QuerySet[Memory] = super().get_queryset(request)
        related = ("organization", "team__organization", "agent", "user", "project", "person", "session", "workspace")
        return rows.select_related(*related).defer("search", "opening")

    def get_urls(self) -> list[URLPattern]:
        return [export.export_url_pattern, *super().get_urls()]

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[ChangeList]:
        return IndexedChangeList

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Any], search_term: str) -> Any:
        return queryset, False  # `IndexedChangeList` searches, together with the filters

    def searches_newest_only(self, request: HttpRequest, changes: ChangeList) -> bool:
        return super().searches_newest_only(request, changes) and not read_search(request, changes.query).has_index

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any) -> Any:
        memory: Memory = context["original"]
        ways = [*self.history_link(memory), *self.team_page_link(request, memory)]
        context["actions_detail"] = [*self.action_buttons(request, memory), *ways]
        return super().render_change_form(request, context, *args, **options)

    def action_buttons(self, request: HttpRequest, memory: Memory) -> list[dict[str, Any]]:
        """Return the buttons of the actions that this operator may run on the memory in its present state."""
        gone = memory.forgotten_at is not None
        fitting = {
            name: kind for name, kind in self.allowed_actions(request).items() if kind.for_forgotten in (None, gone)
        }
        fitting.pop("pin" if memory.pinned else "unpin", None)
        if memory.purged_at:
            return []
        items = [
            {
                "title": kind.label,
                "icon": kind.icon,
                "variant": ActionVariant.DANGER if kind.variant == "danger" else ActionVariant.DEFAULT,
                "path": f"{reverse('admin:memories_memory_act', args=[name])}?ids={memory.pk}",
            }
            for name, kind in fitting.items()
        ]
        return [{"title": "Act", "icon": "bolt", "variant": ActionVariant.PRIMARY, "items": items}] if items else []

    def history_link(self, memory: Memory) -> list[dict[str, Any]]:
        path = f"{reverse('admin:memories_revision_changelist')}?q={memory.pk}"
        return [{"title": "Who changed this", "icon": "history", "variant": ActionVariant.DEFAULT, "path": path}]

    def team_page_link(self, request: HttpRequest, memory: Memory) -> list[dict[str, Any]]:
        """Link to the memory on the team's own pages, for an operator who is a member."""
        if not Membership.objects.filter(team=memory.team_id, user=request.user.pk).exists():
            return []
        path = reverse("memory", args=[memory.team.organization.slug, memory.team.slug, memory.pk])
        title = "Open in the team's pages"
        return [{"title": title, "icon": "open_in_new", "variant": ActionVariant.DEFAULT, "path": path}]

    @display(description="Memory")
    def title(self, memory: Memory) -> str:
        return shorten_text(memory.key or memory.content)

    @display(description="By")
    def byline(self, memory: Memory) -> str:
        return memory.byline

    @display(description="State", label=MEMORY_STATE_COLORS)
    def standing(self, memory: Memory) -> str:
        if memory.purged_at:
            return "purged"
        if memory.forgotten_at:
            return "forgotten"
        return "expired" if memory.expires_at and memory.expires_at <= timezone.now() else "living"

    @display(description="Recalled")
    def recall_count(self, memory: Memory) -> str:
        usage = Usage.objects.of_memory(memory).first()
        return f"{usage.access_count} times, last {usage.last_accessed_at:%Y-%m-%d %H:%M}" if usage else "never"


@admin.register(Revision)
class RevisionAdmin(TokenActivityAdmin):
    list_display = ("title", "version", "change", "byline", "token", "created_at")
    list_filter = (("change", ChoicesDropdownFilter),)
    search_fields = ("key", "content")
    search_help_text = "A memory's id, a token or its beginning, or words of the newest"
    search_link = "memory"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Revision]:
        return super().get_queryset(request).select_related("memory").defer("memory__search")

    @display(description="Memory")
    def title(self, revision: Revision) -> str:
        return shorten_text(revision.key or revision.content)
