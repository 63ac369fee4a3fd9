"""Who, for operators."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from teams.models import Admission, Agent, Membership, Organization, Person, Project, Team, Token, Workspace


class KeptAdmin(admin.ModelAdmin):
    """Whoever may have signed history is kept, and stays in its organization."""

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return (*super().get_readonly_fields(request, obj), *(["organization"] if obj else []))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Organization)
class OrganizationAdmin(admin.ModelAdmin):
    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    list_display = ("name", "slug", "workspaces_enabled", "created_at")
    search_fields = ("name", "slug")


@admin.register(Workspace)
class WorkspaceAdmin(KeptAdmin):
    list_display = ("name", "slug", "organization")
    list_select_related = ("organization",)
    search_fields = ("name", "slug")
    autocomplete_fields = ("organization",)


@admin.register(Team)
class TeamAdmin(KeptAdmin):
    list_display = ("name", "slug", "parent", "organization")
    list_select_related = ("parent", "organization")
    search_fields = ("name", "slug")
    autocomplete_fields = ("organization", "parent")


@admin.register(Membership)
class MembershipAdmin(admin.ModelAdmin):
    list_display = ("user", "team", "role")
    list_select_related = ("user", "team")
    list_filter = ("role",)
    search_fields = ("user__username", "user__email", "team__name")
    autocomplete_fields = ("organization", "team", "user")


@admin.register(Person)
class PersonAdmin(KeptAdmin):
    list_display = ("handle", "name", "user", "organization")
    list_select_related = ("user", "organization")
    search_fields = ("handle", "name", "user__username")
    autocomplete_fields = ("organization", "user")


@admin.register(Agent)
class AgentAdmin(KeptAdmin):
    list_display = ("slug", "name", "team", "level")
    list_select_related = ("team",)
    list_filter = ("level",)
    search_fields = ("slug", "name", "team__name")
    autocomplete_fields = ("organization", "team")


@admin.register(Token)
class TokenAdmin(admin.ModelAdmin):
    """Tokens are made by `create_token`, which alone can show them; here they are watched and revoked."""

    list_display = ("prefix", "agent", "label", "expires_at", "revoked_at", "last_used_at")
    list_select_related = ("agent",)
    search_fields = ("prefix", "label", "agent__slug")
    readonly_fields = ("organization", "agent", "prefix", "created_at", "last_used_at")

    def has_add_permission(self, request: object) -> bool:
        return False


@admin.register(Project)
class ProjectAdmin(KeptAdmin):
    list_display = ("name", "slug", "team")
    list_select_related = ("team",)
    search_fields = ("name", "slug", "team__name")
    autocomplete_fields = ("organization", "team")


@admin.register(Admission)
class AdmissionAdmin(admin.ModelAdmin):
    list_display = ("project", "agent", "person")
    list_select_related = ("project", "agent", "person")
    autocomplete_fields = ("organization", "project", "agent", "person")
