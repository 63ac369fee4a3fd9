"""Who, for operators."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from teams.forms import AdminLogIn
from teams.models import Admission, Agent, Invitation, Membership, Organization, Person, Project, Team, Token, Workspace

admin.site.login_form = AdminLogIn


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


@admin.register(Invitation)
class InvitationAdmin(admin.ModelAdmin):
    """Links are made by owners, who alone are shown them; here they are watched and revoked."""

    list_display = ("team", "role", "made_by", "created_at", "expires_at", "used_by", "used_at", "revoked_at")
    list_select_related = ("team", "made_by", "used_by")
    search_fields = ("team__name", "made_by__username", "used_by__username")
    readonly_fields = ("organization", "team", "role", "made_by", "created_at", "used_by", "used_at")

    def has_add_permission(self, request: object) -> bool:
        return False


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
