"""Logins and what they may here. Only superusers give anybody more than they have themselves."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.admin import GroupAdmin as PlainGroupAdmin
from django.contrib.auth.admin import UserAdmin as PlainUserAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest
from unfold.contrib.filters.admin import BooleanRadioFilter
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from memoryhub.admin import Ledger, Listed

POWERS = ("is_staff", "is_superuser", "groups")

admin.site.unregister((User, Group))


@admin.register(User)
class UserAdmin(PlainUserAdmin, Listed):  # type: ignore[misc]
    """A login is switched off rather than deleted: its name stays under what it wrote."""

    form, add_form, change_password_form = UserChangeForm, UserCreationForm, AdminPasswordChangeForm
    list_display = ("username", "email", "first_name", "last_name", "is_active", "is_staff", "last_login")
    list_filter = (
        ("is_active", BooleanRadioFilter),
        ("is_staff", BooleanRadioFilter),
        ("is_superuser", BooleanRadioFilter),
    )
    search_fields = ("username", "email", "first_name", "last_name")
    search_help_text = "A part of the user name, name or e-mail address"
    autocomplete_fields = ("groups",)
    filter_horizontal = ()
    readonly_fields = ("last_login", "date_joined")
    fieldsets = (
        (None, {"fields": ("username", "password", "is_active")}),
        ("Who", {"fields": ("first_name", "last_name", "email")}),
        ("What they may here", {"fields": POWERS}),
        ("When", {"fields": ("last_login", "date_joined")}),
    )

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """An operator who could give powers could take all of them."""
        own = super().get_readonly_fields(request, obj)
        return own if request.user.is_superuser else (*own, *POWERS)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nor may operators change the password of whoever may more, or as much."""
        powerful = obj is not None and (obj.is_staff or obj.is_superuser)
        return super().has_change_permission(request, obj) and (request.user.is_superuser or not powerful)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Group)
class GroupAdmin(PlainGroupAdmin, Listed):  # type: ignore[misc]
    """Superusers alone decide what a role may."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_superuser)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_superuser)

    has_delete_permission = has_change_permission


@admin.register(LogEntry)
class LogEntryAdmin(Ledger):
    list_display = ("action_time", "user", "content_type", "object_repr", "change_message")
    list_select_related = ("user", "content_type")
    search_fields = ("user__username", "user__email", "object_repr")
    search_help_text = "A login's name or e-mail address, or the name of what was changed, among the newest"
