"""Read-only admin of logs: recalls, settled and golden questions, proposals, pairs, feedback, bulk edits and
idempotency records."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.contrib.filters.admin import ChoicesDropdownFilter, DropdownFilter
from unfold.decorators import display

from memories.admin.token_activity import TokenLogAdmin
from memories.models import (
    FIRST_HASH,
    Answer,
    AuditEntry,
    Batch,
    Erasure,
    Feedback,
    GoldenQuestion,
    GoldenRun,
    Pair,
    Proposal,
    RecallLog,
    SettledQuestion,
    Vocabulary,
)
from memories.recall import Mode
from memoryhub.admin import LogAdmin, ReadOnlyAdmin, RowFilter, shorten_text


class TeamLogAdmin(LogAdmin):
    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.select_related("organization", "team", "agent", "user")

    @display(description="By")
    def byline(self, row: Any) -> str:
        return str(row.byline)


class ModeFilter(DropdownFilter):
    title, parameter_name = "mode", "mode"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        return tuple((mode.value, mode.value.capitalize()) for mode in Mode)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(mode=self.value()) if self.value() else queryset


class AnswerFilter(DropdownFilter):
    title, parameter_name = "answer", "answer"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        return (("some", "Found something"), ("none", "Found nothing"))

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        match self.value():
            case "some":
                return queryset.filter(total_found__gt=0)
            case "none":
                return queryset.filter(total_found=0)
        return queryset


@admin.register(RecallLog)
class RecallLogAdmin(TokenLogAdmin):
    list_display = (
        "question_excerpt",
        "mode",
        "team",
        "byline",
        "token",
        "total_found",
        "confidence",
        "took",
        "created_at",
    )
    list_filter = (ModeFilter, AnswerFilter, ("team", RowFilter))
    search_fields = ("query",)
    search_help_text = "A token or its beginning, an id, or words of the newest questions"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related("team", "session")

    @display(description="Took")
    def took(self, recall: RecallLog) -> str:
        return "" if recall.took_ms is None else f"{recall.took_ms:,.1f} ms"

    @display(description="Question")
    def question_excerpt(self, recall: RecallLog) -> str:
        return shorten_text(recall.query) or f"({recall.mode})"


@admin.register(SettledQuestion)
class SettledQuestionAdmin(TeamLogAdmin):
    list_display = ("question", "team", "memory", "byline", "created_at")
    search_fields = ("question",)
    search_help_text = "Words of the newest questions, or an id"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related("memory").defer("memory__search")


@admin.register(GoldenQuestion)
class GoldenQuestionAdmin(TeamLogAdmin):
    list_display = ("query", "team", "memory_id", "byline", "created_at", "removed_at")
    search_fields = ("query",)
    search_help_text = "Words of the newest questions, or the id of a question or of a memory"
    search_link = "memory"


@admin.register(GoldenRun)
class GoldenRunAdmin(LogAdmin):
    list_display = ("__str__", "team", "created_at", "asked", "found", "returned")
    search_fields = ()
    list_select_related = ("organization", "team")


@admin.register(Proposal)
class ProposalAdmin(LogAdmin):
    """List proposals without the held text, which only those see who decide about it."""

    list_display = ("operation", "memory_id", "state", "cause", "byline", "created_at", "decided_by")
    list_filter = (("state", ChoicesDropdownFilter), ("cause", ChoicesDropdownFilter))
    search_fields = ("reason",)
    search_help_text = "The id of a memory or a proposal, or words of the reason of the newest"
    search_link = "memory"
    exclude = ("arguments",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.select_related("organization", "agent", "user", "decided_by")

    @display(description="By")
    def byline(self, row: Proposal) -> str:
        return str(row.byline)


@admin.register(Pair)
class PairAdmin(LogAdmin):
    """List pairs without the texts of their memories."""

    list_display = ("kind", "older_id", "newer_id", "state", "decision", "byline", "created_at")
    list_filter = (("kind", ChoicesDropdownFilter), ("state", ChoicesDropdownFilter))
    search_fields = ("reason",)
    search_help_text = "The id of a pair or of its older memory, or words of the reason of the newest"
    search_link = "older"
    exclude = ("undo",)
    list_select_related = ("agent", "user")

    @display(description="Settled by")
    def byline(self, row: Pair) -> str:
        return row.settled_by


@admin.register(Feedback)
class FeedbackAdmin(LogAdmin):
    """List what readers say about memories, without the memories' texts."""

    list_display = ("rating", "memory_id", "reason", "byline", "created_at", "settled_at")
    list_filter = (("rating", ChoicesDropdownFilter),)
    search_fields = ("reason",)
    search_help_text = "The id of a memory, or words of the reason of the newest"
    search_link = "memory"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.select_related("organization", "agent", "user")

    @display(description="By")
    def byline(self, row: Feedback) -> str:
        return str(row.byline)


@admin.register(Batch)
class BatchAdmin(TeamLogAdmin):
    list_display = ("__str__", "team", "byline", "created_at", "undone_at", "undone_by")
    list_filter = (("kind", ChoicesDropdownFilter),)


@admin.register(Answer)
class AnswerAdmin(LogAdmin):
    """List idempotency records without the stored answer, which may hold whole memories."""

    list_display = ("key", "caller", "organization", "created_at")
    list_select_related = ("organization",)
    search_fields = ("key", "caller")
    search_help_text = "Idempotency key or caller of the newest, or an id"
    exclude = ("answer",)


@admin.register(Vocabulary)
class VocabularyAdmin(ReadOnlyAdmin):
    list_display = ("audience", "organization", "memories", "mean_bytes", "counted_at")
    list_select_related = ("organization",)
    search_fields = ("=audience",)
    search_help_text = "The id of a team, project, agent or person"


@admin.register(Erasure)
class ErasureAdmin(LogAdmin):
    """List the people who were erased, by id, with their receipts."""

    list_display = ("person_id", "organization", "erased_by", "erased_at")
    list_select_related = ("organization", "erased_by")
    search_fields = ("person_id",)
    search_help_text = "An id"


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    """List the chain, and whether each entry still carries its own hash and that of the one before."""

    list_display = ("number", "place", "row_id", "short_hash", "is_intact", "sealed_at")
    search_fields = ("=number",)
    search_help_text = "A number"

    @display(description="Hash")
    def short_hash(self, entry: AuditEntry) -> str:
        return entry.hex_hash[:16]

    @display(description="Intact", boolean=True)
    def is_intact(self, entry: AuditEntry) -> bool:
        before = AuditEntry.objects.filter(number=entry.number - 1).first()
        previous = before.hash if before else FIRST_HASH
        return entry.compute_hash() == bytes(entry.hash) and bytes(entry.previous) == bytes(previous)
