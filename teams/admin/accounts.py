"""The admin pages of logins, roles and the log. Only superusers grant rights."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.admin import GroupAdmin as PlainGroupAdmin
from django.contrib.auth.admin import UserAdmin as PlainUserAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest
from unfold.contrib.filters.admin import BooleanRadioFilter
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from memoryhub.admin import ListAdmin, LogAdmin

PRIVILEGE_FIELDS = ("is_staff", "is_superuser", "groups")

admin.site.unregister((User, Group))


@admin.register(User)
class UserAdmin(PlainUserAdmin, ListAdmin):  # type: ignore[misc]
    """Manages logins. A login is deactivated rather than deleted: its name stays with the memories that it wrote."""

    form, add_form, change_password_form = UserChangeForm, UserCreationForm, AdminPasswordChangeForm
    list_display = ("username", "email", "first_name", "last_name", "is_active", "is_staff", "last_login")
    list_filter = (
        ("is_active", BooleanRadioFilter),
        ("is_staff", BooleanRadioFilter),
        ("is_superuser", BooleanRadioFilter),
    )
    search_fields = ("username", "email", "first_name", "last_name")
    search_help_text = "Part of the user name, name or e-mail address"
    autocomplete_fields = ("groups",)
    filter_horizontal = ()
    readonly_fields = ("last_login", "date_joined")
    fieldsets = (
        (None, {"fields": ("username", "password", "is_active")}),
        ("Personal info", {"fields": ("first_name", "last_name", "email")}),
        ("Permissions", {"fields": PRIVILEGE_FIELDS}),
        ("Important dates", {"fields": ("last_login", "date_joined")}),
    )

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Show rights as read-only to operators: whoever could grant rights could grant themselves all of them."""
        own = super().get_readonly_fields(request, obj)
        return own if request.user.is_superuser else (*own, *PRIVILEGE_FIELDS)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Keep operators from changing the password of anybody who has as many rights as they, or more."""
        powerful = obj is not None and (obj.is_staff or obj.is_superuser)
        return super().has_change_permission(request, obj) and (request.user.is_superuser or not powerful)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Group)
class GroupAdmin(PlainGroupAdmin, ListAdmin):  # type: ignore[misc]
    """Manages roles. Only superusers decide what a role may do."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_superuser)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_superuser)

    has_delete_permission = has_change_permission


@admin.register(LogEntry)
class LogEntryAdmin(LogAdmin):
    list_display = ("action_time", "user", "content_type", "object_repr", "change_message")
    list_select_related = ("user", "content_type")
    search_fields = ("user__username", "user__email", "object_repr")
    search_help_text = "A login's name or e-mail address, or the name of a recently changed object"
