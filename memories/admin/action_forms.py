"""Forms of bulk actions on memories: started from the list or by a button, with a page if the action needs input."""

from collections.abc import Sequence
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from memories.admin import bulk_actions
from memories.models import Memory
from memoryhub.admin import MAX_INLINE_ROWS, LogAdmin
from memoryhub.errors import Trouble
from memoryhub.forms import add_refusal
from memoryhub.ids import parse_uuid


class BulkActionAdmin(LogAdmin):
    """A list of memories with bulk actions for operators who have the permission."""

    def get_urls(self) -> list[URLPattern]:
        act = path("act/<slug:name>/", self.admin_site.admin_view(self.action_page), name="memories_memory_act")
        return [act, *super().get_urls()]

    def allowed_actions(self, request: HttpRequest) -> dict[str, bulk_actions.ActionKind]:
        """Return the actions that this operator may run."""
        may = request.user.has_perm
        return {
            name: kind for name, kind in bulk_actions.ACTION_KINDS.items() if may(f"memories.{kind.permission}_memory")
        }

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        if "_popup" in request.GET:
            return {}
        return {
            name: (partial(run_list_action, name), name, kind.label)
            for name, kind in self.allowed_actions(request).items()
        }

    def action_page(self, request: HttpRequest, name: str) -> HttpResponse:
        """Show the page of one action, for the memories whose ids are given."""
        if name not in bulk_actions.ACTION_KINDS:
            raise Http404
        if name not in self.allowed_actions(request):
            raise PermissionDenied
        params = request.POST if request.method == "POST" else request.GET
        ids = [pk for text in params.get("ids", "").split() if (pk := parse_uuid(text))]
        return self.confirm_or_run(request, name, ids, done="done" in request.POST)

    def confirm_or_run(self, request: HttpRequest, name: str, ids: Sequence[UUID], *, done: bool) -> HttpResponse:
        """Run the action if its form is complete; ask for what is missing otherwise."""
        kind, list_url = bulk_actions.ACTION_KINDS[name], reverse("admin:memories_memory_changelist")
        if not ids or len(ids) > kind.limit:
            too_many = f"At most {kind.limit:,} memories at once; these are more. Narrow the list first."
            messages.error(request, too_many if ids else "Choose some memories first.")
            return HttpResponseRedirect(list_url)
        form = kind.form(request.POST if done else None)
        memories = list(_load_memories(ids))
        if done and form.is_valid():
            try:
                self.carry_out(request, kind, memories, **form.cleaned_data)
                return HttpResponseRedirect(_change_page_url(memories) if len(ids) == 1 and memories else list_url)
            except Trouble as refusal:
                add_refusal(form, refusal)
        context = {
            **self.admin_site.each_context(request),
            "title": kind.label,
            "model_admin": self,
            "kind": kind,
            "name": name,
            "form": form,
            "ids": " ".join(map(str, ids)),
            "memories": memories[:MAX_INLINE_ROWS],
            "more": max(0, len(memories) - MAX_INLINE_ROWS),
            "count": len(memories),
        }
        return TemplateResponse(request, "admin/memories/act.html", context)

    def carry_out(
        self, request: HttpRequest, kind: bulk_actions.ActionKind, memories: Sequence[Memory], **fields: Any
    ) -> None:
        assert request.user.is_authenticated
        outcome = kind.run(user=request.user, memories=memories, **fields)
        if kind.log_message and outcome.done_to:
            LogEntry.objects.log_actions(request.user.pk, outcome.done_to, CHANGE, kind.log_message)
        if outcome.done:
            messages.success(request, f"{kind.done_label} {format_memory_count(outcome.done)}.")
        for reason, count in outcome.skipped.items():
            if count:
                messages.warning(request, f"{format_memory_count(count)} left as before: {reason}")


def run_list_action(
    name: str, model_admin: BulkActionAdmin, request: HttpRequest, queryset: QuerySet[Memory]
) -> HttpResponse:
    """Run an action of the list: at once if it needs no input, else by its page."""
    kind = bulk_actions.ACTION_KINDS[name]
    ids = list(queryset.values_list("pk", flat=True)[: kind.limit + 1])
    return model_admin.confirm_or_run(request, name, ids, done=kind.form is bulk_actions.NoInputForm)


def _load_memories(ids: Sequence[UUID]) -> QuerySet[Memory]:
    return Memory.objects.filter(pk__in=ids).select_related("team__organization").defer("search").order_by("pk")


def _change_page_url(memories: Sequence[Memory]) -> str:
    return reverse("admin:memories_memory_change", args=[memories[0].pk])


def format_memory_count(count: int) -> str:
    return "1 memory" if count == 1 else f"{count:,} memories"
