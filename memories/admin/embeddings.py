"""Admin of embedding models, their vectors, and memories still without one."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from memories.models import Embedding, EmbeddingModel, Unembedded
from memoryhub.admin import LogAdmin, ReadOnlyAdmin


@admin.register(EmbeddingModel)
class EmbeddingModelAdmin(ReadOnlyAdmin):
    list_display = ("name", "dimension", "queued_at", "covered_at", "failed_at", "error")
    ordering = ("-created_at",)


class MemoryVectorAdmin(LogAdmin):
    search_link = "memory"
    search_fields = ("model",)
    search_help_text = "A memory's id, or the model of the newest"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.select_related("organization", "memory").defer("memory__search")


@admin.register(Embedding)
class EmbeddingAdmin(MemoryVectorAdmin):
    list_display = ("memory", "model", "dimension", "memory_version", "created_at")
    exclude = ("vector",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).defer("vector")


@admin.register(Unembedded)
class UnembeddedAdmin(MemoryVectorAdmin):
    list_display = ("memory", "model", "memory_version", "attempts")
