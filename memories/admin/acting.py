"""How operators are asked what to do to memories: by the list's own form or by a button, then on a page if something is
to be said."""

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

from memories.admin import deeds
from memories.models import Memory
from memoryhub.admin import INLINE, Ledger
from memoryhub.errors import Trouble
from memoryhub.forms import refuse
from memoryhub.ids import as_uuid


class Acting(Ledger):
    """A list of memories, on which those who may can act."""

    def get_urls(self) -> list[URLPattern]:
        act = path("act/<slug:name>/", self.admin_site.admin_view(self.act), name="memories_memory_act")
        return [act, *super().get_urls()]

    def kinds(self, request: HttpRequest) -> dict[str, deeds.Kind]:
        """What this operator may do."""
        may = request.user.has_perm
        return {name: kind for name, kind in deeds.KINDS.items() if may(f"memories.{kind.permission}_memory")}

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        if "_popup" in request.GET:
            return {}
        return {name: (partial(chosen, name), name, kind.label) for name, kind in self.kinds(request).items()}

    def act(self, request: HttpRequest, name: str) -> HttpResponse:
        """The page of one kind of deed, for the memories that it is told the ids of."""
        if name not in deeds.KINDS:
            raise Http404
        if name not in self.kinds(request):
            raise PermissionDenied
        said = request.POST if request.method == "POST" else request.GET
        ids = [known for text in said.get("ids", "").split() if (known := as_uuid(text))]
        return self.ask(request, name, ids, done="done" in request.POST)

    def ask(self, request: HttpRequest, name: str, ids: Sequence[UUID], *, done: bool) -> HttpResponse:
        """Does it if all is said; asks for what is missing otherwise."""
        kind, there = deeds.KINDS[name], reverse("admin:memories_memory_changelist")
        if not ids or len(ids) > kind.most:
            few = f"At most {kind.most:,} memories at once; these are more. Narrow the list first."
            messages.error(request, few if ids else "Choose some memories first.")
            return HttpResponseRedirect(there)
        form = kind.form(request.POST if done else None)
        memories = list(_loaded(ids))
        if done and form.is_valid():
            try:
                self.carry_out(request, kind, memories, **form.cleaned_data)
                return HttpResponseRedirect(_back(memories) if len(ids) == 1 and memories else there)
            except Trouble as refusal:
                refuse(form, refusal)
        shown = {
            **self.admin_site.each_context(request),
            "title": kind.label,
            "model_admin": self,
            "kind": kind,
            "name": name,
            "form": form,
            "ids": " ".join(map(str, ids)),
            "memories": memories[:INLINE],
            "more": max(0, len(memories) - INLINE),
            "count": len(memories),
        }
        return TemplateResponse(request, "admin/memories/act.html", shown)

    def carry_out(self, request: HttpRequest, kind: deeds.Kind, memories: Sequence[Memory], **said: Any) -> None:
        assert request.user.is_authenticated
        outcome = kind.do(user=request.user, memories=memories, **said)
        if kind.noted and outcome.done_to:
            LogEntry.objects.log_actions(request.user.pk, outcome.done_to, CHANGE, kind.noted)
        if outcome.done:
            messages.success(request, f"{kind.done} {counted(outcome.done)}.")
        for why, count in outcome.staying.items():
            if count:
                messages.warning(request, f"{counted(count)} left as before: {why}")


def chosen(name: str, model_admin: Acting, request: HttpRequest, queryset: QuerySet[Memory]) -> HttpResponse:
    """An action of the list: at once if there is nothing to say, else by its page."""
    kind = deeds.KINDS[name]
    ids = list(queryset.values_list("pk", flat=True)[: kind.most + 1])
    return model_admin.ask(request, name, ids, done=kind.form is deeds.Nothing)


def _loaded(ids: Sequence[UUID]) -> QuerySet[Memory]:
    return Memory.objects.filter(pk__in=ids).select_related("team__organization").defer("search").order_by("pk")


def _back(memories: Sequence[Memory]) -> str:
    return reverse("admin:memories_memory_change", args=[memories[0].pk])


def counted(count: int) -> str:
    return "1 memory" if count == 1 else f"{count:,} memories"
