"""The admin pages of organizations, teams, agents, projects and people."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import F, Func, Q, QuerySet, Value
from django.http import HttpRequest
from django.urls import reverse
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display
from unfold.enums import ActionVariant

from memoryhub.admin import GrowingTableAdmin, KeptAdmin, ListAdmin, OperatedAdmin, ReadOnlyInline, RowFilter
from teams.admin.access import operator_of
from teams.models import Agent, Level, Membership, Organization, Person, Project, Team, Token, Workspace
from teams.operations import agents, ensure_organization, projects

MAX_ORGANIZATIONS = 1_000  # organizations in which a handle is looked for


def _find_login_ids(term: str) -> QuerySet[Any]:
    """Return the ids of the logins with exactly that name or address; several may share one."""
    return User.objects.filter(Q(username=term) | Q(email__iexact=term)).values_list("pk", flat=True)[
        :MAX_ORGANIZATIONS
    ]


class ExportableAdmin(ListAdmin):
    """Adds a link to an export, for operators who may export."""

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any) -> Any:
        row = context.get("original")
        if row and request.user.has_perm("teams.export_organization"):
            path = reverse("admin:memories_export", args=[self.opts.model_name, row.pk])
            link = {"title": "Export", "icon": "download", "variant": ActionVariant.DEFAULT, "path": path}
            context["actions_detail"] = [link]
        return super().render_change_form(request, context, *args, **options)


class TeamInline(ReadOnlyInline):
    model = Team
    fields = readonly_fields = ("name", "slug", "parent", "created_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.select_related("parent")


class MemberInline(ReadOnlyInline):
    model = Membership
    verbose_name_plural = "members"
    fields = readonly_fields = ("user", "role", "created_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.select_related("user", "team")


class AgentInline(ReadOnlyInline):
    model = Agent
    fields = readonly_fields = ("slug", "name", "level", "created_at")


class ProjectInline(ReadOnlyInline):
    model = Project
    fields = readonly_fields = ("name", "slug", "created_at")


class TokenInline(ReadOnlyInline):
    model = Token
    fields = readonly_fields = ("prefix", "label", "may_name", "verbs", "last_used_at", "expires_at", "revoked_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.select_related("person")

    @display(description="May name")
    def may_name(self, token: Token) -> str:
        return token.naming


@admin.register(Organization)
class OrganizationAdmin(ExportableAdmin):
    list_display = ("name", "slug", "workspaces_enabled", "created_at")
    search_fields = ("name", "slug")
    inlines = (TeamInline,)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Create a new organization together with its root team."""
        if not change:
            obj.pk, obj._state.adding = ensure_organization(slug=obj.slug, name=obj.name).pk, False
        super().save_model(request, obj, form, change)


@admin.register(Workspace)
class WorkspaceAdmin(KeptAdmin):
    list_display = ("name", "slug", "organization")
    list_select_related = ("organization",)
    list_filter = (("organization", RowFilter),)
    search_fields = ("name", "slug")


@admin.register(Team)
class TeamAdmin(KeptAdmin, ExportableAdmin):
    list_display = ("name", "slug", "parent", "organization", "created_at")
    inlines = (MemberInline, AgentInline, ProjectInline)
    list_select_related = ("parent", "organization")
    list_filter = (("organization", RowFilter),)
    search_fields = ("name", "slug")


@admin.register(Agent)
class AgentAdmin(KeptAdmin, OperatedAdmin):
    list_display = ("slug", "name", "team", "level", "created_at")
    list_select_related = ("team",)
    list_filter = (("team", RowFilter), ("level", ChoicesDropdownFilter))
    search_fields = ("slug", "name", "team__name")
    immutable_fields = ("team", "slug")
    inlines = (TokenInline,)

    def add_one(self, request: HttpRequest, row: Agent) -> Agent:
        actor = operator_of(request, row.team)
        return agents.create_agent(actor=actor, slug=row.slug, name=row.name, level=Level(row.level))

    def change_one(self, request: HttpRequest, row: Agent) -> None:
        agents.change_agent(
            actor=operator_of(request, row.team), agent_id=row.pk, name=row.name, level=Level(row.level)
        )


@admin.register(Project)
class ProjectAdmin(KeptAdmin, OperatedAdmin):
    list_display = ("name", "slug", "team", "created_at")
    list_select_related = ("team",)
    list_filter = (("team", RowFilter),)
    search_fields = ("name", "slug", "team__name")
    immutable_fields = ("team", "slug")

    def add_one(self, request: HttpRequest, row: Project) -> Project:
        return projects.create_project(actor=operator_of(request, row.team), slug=row.slug, name=row.name)

    def change_one(self, request: HttpRequest, row: Project) -> None:
        projects.rename_project(actor=operator_of(request, row.team), project_id=row.pk, name=row.name)


@admin.register(Person)
class PersonAdmin(KeptAdmin, GrowingTableAdmin):
    list_display = ("handle", "name", "user", "organization", "created_at")
    list_filter = (("organization", RowFilter),)
    list_select_related = ("user", "organization")
    search_fields = ("handle", "name")
    search_help_text = "A whole handle, a login's name or e-mail address, or an id; part of a recent handle or name"

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Rename the person in the tokens that list their old handle: somebody else may take it."""
        super().save_model(request, obj, form, change)
        if change and "handle" in form.changed_data:
            renamed = Func(F("persons"), Value(form.initial["handle"]), Value(obj.handle), function="array_replace")
            listing = Token.objects.filter(organization=obj.organization_id, persons__contains=[form.initial["handle"]])
            listing.update(persons=renamed)

    def find_exact(self, request: HttpRequest, term: str) -> list[Any] | None:
        """Find people by handle or login. Index: person_handle_is_unique_in_organization, which starts with the
        organization."""
        organizations = list(Organization.objects.values_list("pk", flat=True)[:MAX_ORGANIZATIONS])
        by_handle = Person.objects.filter(organization__in=organizations, handle=term)
        by_login = Person.objects.filter(user__in=list(_find_login_ids(term)))
        ids = [pk for rows in (by_handle, by_login) for pk in rows.values_list("pk", flat=True)[:MAX_ORGANIZATIONS]]
        return ids or super().find_exact(request, term)
