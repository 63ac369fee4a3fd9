"""What, for operators: to look at. Changes go through the operations, which keep the history."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from procrastinate.contrib.django.models import ProcrastinateJob

from memories.models import EmbeddingModel, Memory

admin.site.unregister(ProcrastinateJob)  # its list reads every event; `manage.py job` says how the jobs fare


class ReadOnly(admin.ModelAdmin):
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(EmbeddingModel)
class EmbeddingModelAdmin(ReadOnly):
    list_display = ("name", "covered_at", "failed_at", "error")
    ordering = ("created_at",)


@admin.register(Memory)
class MemoryAdmin(ReadOnly):
    list_display = ("__str__", "type", "scope", "team", "version", "updated_at", "forgotten_at")
    list_select_related = ("team",)
    list_filter = ("type", "scope", "pinned")
    search_fields = ("=id", "=key")
    ordering = ("-id",)
    show_full_result_count = False
    exclude = ("search",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Memory]:
        return super().get_queryset(request).defer("search")
