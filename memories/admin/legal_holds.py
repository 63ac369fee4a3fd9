"""Admin of legal holds: operators place and release them; nobody changes or deletes one."""

from typing import Any

from django.contrib import admin, messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.decorators import action, display

from memories.models import LegalHold
from memories.operations import place_hold, release_hold
from memoryhub.admin import MAX_LIST_ROWS, KeptAdmin, OperatedAdmin, RowFilter, shorten_text


@admin.register(LegalHold)
class LegalHoldAdmin(KeptAdmin, OperatedAdmin):
    actions = ("release",)
    list_display = ("covers", "organization", "reason_excerpt", "created_by", "created_at", "is_active", "released_by")
    list_select_related = ("organization", "team", "person", "created_by", "released_by")
    list_filter = (("organization", RowFilter),)
    search_fields = ("reason", "category", "key_prefix", "person__handle")
    search_help_text = "Words of the reason, a category, a key, or a person's handle"
    fields = ("organization", "team", "person", "category", "key_prefix", "reason")
    autocomplete_fields = ("organization", "team", "person")

    def get_autocomplete_fields(self, request: HttpRequest) -> list[str]:
        return list(self.autocomplete_fields)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_release_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("memories.release_legalhold")

    def add_one(self, request: HttpRequest, row: LegalHold) -> LegalHold:
        assert request.user.is_authenticated
        names = ("organization", "team", "person", "category", "key_prefix", "reason")
        return place_hold(user=request.user, **{name: getattr(row, name) for name in names})

    @action(description="Release", permissions=["release"])
    @transaction.atomic
    def release(self, request: HttpRequest, queryset: QuerySet[LegalHold]) -> None:
        """Release those of the selected holds that are active, with an entry in the audit log for each."""
        assert request.user.is_authenticated
        holds = list(queryset.filter(released_at=None)[:MAX_LIST_ROWS])
        for hold in holds:
            release_hold(user=request.user, hold_id=hold.pk)
            self.log_change(request, hold, "Released.")
        messages.success(request, f"Released {len(holds)}.")

    @display(description="Covers")
    def covers(self, hold: LegalHold) -> str:
        return str(hold)

    @display(description="Reason")
    def reason_excerpt(self, hold: LegalHold) -> str:
        return shorten_text(hold.reason)

    @display(description="Active", boolean=True)
    def is_active(self, hold: LegalHold) -> bool:
        return hold.released_at is None
