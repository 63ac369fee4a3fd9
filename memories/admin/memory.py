"""Memories and their versions: found by what people remember of them, changed through the operations alone."""

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

from memories.admin import acting, exporting, finding
from memories.admin.attached import Assets, LinksIn, LinksOut, Sources
from memories.admin.tracing import Telling
from memories.models import Memory, Revision, Type, Usage
from memoryhub.admin import Chosen, Hanging, Newest, beginning
from memoryhub.ids import as_uuid
from teams.models import Membership, Team

STANDING = {"living": "success", "expired": "warning", "forgotten": "warning", "purged": "danger"}


class InState(DropdownFilter):
    title, parameter_name = "state", "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        return tuple(finding.STATES.items())

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Of the newest, those that live; what is in another state an index finds."""
        return queryset.filter(forgotten_at=None) if self.value() == finding.LIVING else queryset


class OfTeam(Chosen):
    """What a team itself reads and writes: an index finds it. Its projects' and agents' own is found by words."""

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset


class Found(Newest):
    """What the indexes find for all that narrows the list, taken together."""

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[Any]:
        rows = super().get_queryset(request, exclude_parameters)
        asked = asked_by(request, self.query)
        return rows.filter(pk__in=finding.found(asked)) if asked.by_index else rows


def asked_by(request: HttpRequest, words: str) -> finding.Asked:
    said = request.GET
    known = as_uuid(said.get("team__id__exact", ""))
    team = Team.objects.filter(pk=known).values_list("organization_id", "pk").first() if known else None
    return finding.Asked(
        words=words.strip(),
        team=team,
        state=said["state"] if said.get("state") in finding.STATES else "",
        type=said["type__exact"] if said.get("type__exact") in Type.values else "",
        pinned=said.get("pinned__exact") == "1",
    )


class Revisions(Hanging):
    model = Revision
    ordering = ("-version",)
    fields = readonly_fields = ("version", "change", "byline", "token", "created_at", "said")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.select_related("agent", "user", "token")

    @display(description="By")
    def byline(self, revision: Revision) -> str:
        return revision.byline

    @display(description="Content")
    def said(self, revision: Revision) -> str:
        return beginning(revision.content)


@admin.register(Memory)
class MemoryAdmin(acting.Acting):
    shows_history = True  # of what leaves no revision
    list_display = ("title", "type", "scope", "team", "byline", "version", "updated_at", "standing")
    list_filter = (
        InState,
        ("team", OfTeam),
        ("type", ChoicesDropdownFilter),
        ("pinned", BooleanRadioFilter),
        ("scope", ChoicesDropdownFilter),
    )
    search_fields = ("content",)  # so that there is something to type into: the indexes say what is found
    search_help_text = "Words of its key, tags, summary or content, or its id"
    inlines = (Revisions, Sources, Assets, LinksOut, LinksIn)
    readonly_fields = ("byline", "recalled", "standing")
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
                    *("standing", "version", "created_at", "updated_at", "recalled", "expires_at", "review_by"),
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
        return [exporting.address, *super().get_urls()]

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[ChangeList]:
        return Found

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Any], search_term: str) -> Any:
        return queryset, False  # by `Found`, with all else that narrows

    def looks_back(self, request: HttpRequest, changes: ChangeList) -> bool:
        return super().looks_back(request, changes) and not asked_by(request, changes.query).by_index

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any) -> Any:
        memory: Memory = context["original"]
        ways = [*self.way_to_changes(memory), *self.way_to_team(request, memory)]
        context["actions_detail"] = [*self.buttons(request, memory), *ways]
        return super().render_change_form(request, context, *args, **options)

    def buttons(self, request: HttpRequest, memory: Memory) -> list[dict[str, Any]]:
        """What this operator may do to it as it is."""
        gone = memory.forgotten_at is not None
        fitting = {name: kind for name, kind in self.kinds(request).items() if kind.for_forgotten in (None, gone)}
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

    def way_to_changes(self, memory: Memory) -> list[dict[str, Any]]:
        path = f"{reverse('admin:memories_revision_changelist')}?q={memory.pk}"
        return [{"title": "Who changed this", "icon": "history", "variant": ActionVariant.DEFAULT, "path": path}]

    def way_to_team(self, request: HttpRequest, memory: Memory) -> list[dict[str, Any]]:
        """To the memory as its team sees it, for an operator who is in the team."""
        if not Membership.objects.filter(team=memory.team_id, user=request.user.pk).exists():
            return []
        path = reverse("memory", args=[memory.team.organization.slug, memory.team.slug, memory.pk])
        title = "Open in the team's pages"
        return [{"title": title, "icon": "open_in_new", "variant": ActionVariant.DEFAULT, "path": path}]

    @display(description="Memory")
    def title(self, memory: Memory) -> str:
        return beginning(memory.key or memory.content)

    @display(description="By")
    def byline(self, memory: Memory) -> str:
        return memory.byline

    @display(description="State", label=STANDING)
    def standing(self, memory: Memory) -> str:
        if memory.purged_at:
            return "purged"
        if memory.forgotten_at:
            return "forgotten"
        return "expired" if memory.expires_at and memory.expires_at <= timezone.now() else "living"

    @display(description="Recalled")
    def recalled(self, memory: Memory) -> str:
        usage = Usage.objects.filter(organization=memory.organization_id, memory=memory.pk).first()
        return f"{usage.access_count} times, last {usage.last_accessed_at:%Y-%m-%d %H:%M}" if usage else "never"


@admin.register(Revision)
class RevisionAdmin(Telling):
    list_display = ("title", "version", "change", "byline", "token", "created_at")
    list_filter = (("change", ChoicesDropdownFilter),)
    search_fields = ("key", "content")
    search_help_text = "A memory's id, a token or its beginning, or words of the newest"
    hangs_on = "memory"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Revision]:
        return super().get_queryset(request).select_related("memory").defer("memory__search")

    @display(description="Memory")
    def title(self, revision: Revision) -> str:
        return beginning(revision.key or revision.content)
