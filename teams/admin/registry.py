"""Organizations and who is in them."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.enums import ActionVariant

from memoryhub.admin import Chosen, Growing, Hanging, Kept, Listed, Operated
from teams.admin.access import operator
from teams.models import Agent, Level, Membership, Organization, Person, Project, Team, Token, Workspace
from teams.operations import agents, ensure_organization, projects

MOST = 1_000  # organizations in which a handle is looked for


def _logins(term: str) -> QuerySet[Any]:
    """Those of exactly that name or address, as many as one might share."""
    return User.objects.filter(Q(username=term) | Q(email__iexact=term)).values_list("pk", flat=True)[:MOST]


class Exported(Listed):
    """Its page leads to an archive of it, for those who may carry one away."""

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any) -> Any:
        row = context.get("original")
        if row and request.user.has_perm("teams.export_organization"):
            path = reverse("admin:memories_export", args=[self.opts.model_name, row.pk])
            way = {"title": "Export", "icon": "download", "variant": ActionVariant.DEFAULT, "path": path}
            context["actions_detail"] = [way]
        return super().render_change_form(request, context, *args, **options)


class Teams(Hanging):
    model = Team
    fields = readonly_fields = ("name", "slug", "parent", "created_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.select_related("parent")


class Members(Hanging):
    model = Membership
    verbose_name_plural = "members"
    fields = readonly_fields = ("user", "role", "created_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.select_related("user", "team")


class Agents(Hanging):
    model = Agent
    fields = readonly_fields = ("slug", "name", "level", "created_at")


class Projects(Hanging):
    model = Project
    fields = readonly_fields = ("name", "slug", "created_at")


class Tokens(Hanging):
    model = Token
    fields = readonly_fields = ("prefix", "label", "verbs", "last_used_at", "expires_at", "revoked_at")


@admin.register(Organization)
class OrganizationAdmin(Exported):
    list_display = ("name", "slug", "workspaces_enabled", "created_at")
    search_fields = ("name", "slug")
    inlines = (Teams,)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """A new one has its root team from the start."""
        if not change:
            obj.pk, obj._state.adding = ensure_organization(slug=obj.slug, name=obj.name).pk, False
        super().save_model(request, obj, form, change)


@admin.register(Workspace)
class WorkspaceAdmin(Kept):
    list_display = ("name", "slug", "organization")
    list_select_related = ("organization",)
    list_filter = (("organization", Chosen),)
    search_fields = ("name", "slug")


@admin.register(Team)
class TeamAdmin(Kept, Exported):
    list_display = ("name", "slug", "parent", "organization", "created_at")
    inlines = (Members, Agents, Projects)
    list_select_related = ("parent", "organization")
    list_filter = (("organization", Chosen),)
    search_fields = ("name", "slug")


@admin.register(Agent)
class AgentAdmin(Kept, Operated):
    list_display = ("slug", "name", "team", "level", "created_at")
    list_select_related = ("team",)
    list_filter = (("team", Chosen), ("level", ChoicesDropdownFilter))
    search_fields = ("slug", "name", "team__name")
    settled = ("team", "slug")
    inlines = (Tokens,)

    def add_one(self, request: HttpRequest, row: Agent) -> Agent:
        actor = operator(request, row.team)
        return agents.create(actor=actor, slug=row.slug, name=row.name, level=Level(row.level))

    def change_one(self, request: HttpRequest, row: Agent) -> None:
        agents.change(actor=operator(request, row.team), agent_id=row.pk, name=row.name, level=Level(row.level))


@admin.register(Project)
class ProjectAdmin(Kept, Operated):
    list_display = ("name", "slug", "team", "created_at")
    list_select_related = ("team",)
    list_filter = (("team", Chosen),)
    search_fields = ("name", "slug", "team__name")
    settled = ("team", "slug")

    def add_one(self, request: HttpRequest, row: Project) -> Project:
        return projects.create(actor=operator(request, row.team), slug=row.slug, name=row.name)

    def change_one(self, request: HttpRequest, row: Project) -> None:
        projects.rename(actor=operator(request, row.team), project_id=row.pk, name=row.name)


@admin.register(Person)
class PersonAdmin(Kept, Growing):
    list_display = ("handle", "name", "user", "organization", "created_at")
    list_filter = (("organization", Chosen),)
    list_select_related = ("user", "organization")
    search_fields = ("handle", "name")
    search_help_text = "A whole handle, a login's name or e-mail address, or an id; a part of the newest"

    def found(self, request: HttpRequest, term: str) -> list[Any] | None:
        """Hopes for person_handle_is_unique_in_organization, which begins with the organization."""
        organizations = list(Organization.objects.values_list("pk", flat=True)[:MOST])
        by_handle = Person.objects.filter(organization__in=organizations, handle=term)
        by_login = Person.objects.filter(user__in=list(_logins(term)))
        ids = [pk for rows in (by_handle, by_login) for pk in rows.values_list("pk", flat=True)[:MOST]]
        return ids or super().found(request, term)
