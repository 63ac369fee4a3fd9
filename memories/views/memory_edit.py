"""Creating and editing a memory, field by field."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from memories import operations
from memories.forms import (
    EditMemoryForm,
    MemoryForm,
    NewMemoryForm,
    form_values,
)
from memories.models import Type
from memories.views.actions import notify_saved, undo_change_url
from memories.views.attachments import get_changeable_memory
from memories.views.memory import gone_reason
from memories.views.memory_merge import MemoryFieldsEdit
from memoryhub.errors import Forbidden, KeyTaken, Trouble
from memoryhub.forms import add_refusal
from teams.team_page import ActionResult, TeamPage, in_team

PREFILLED_FIELDS = ("content", "key", "summary", "category", "tags", "audience")  # by parameters of a link to the page


@in_team
def create_memory_view(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    if not team_page.may_write:
        raise Forbidden("You may read here, but not write.")
    if request.method != "POST":
        prefilled = {name: request.GET[name] for name in PREFILLED_FIELDS if name in request.GET}
        initial = {"type": request.GET.get("type", Type.FACT), **prefilled}
        return _render_new_memory(request, team_page, NewMemoryForm(initial=initial, team_page=team_page))
    form = NewMemoryForm(request.POST, team_page=team_page)
    if not form.is_valid():
        return _render_new_memory(request, team_page, form, status=400)
    try:
        memory = operations.save_memory(
            actor=team_page.actor, draft=operations.Draft(**form.cleaned_data, dedupe="refuse")
        )
    except Trouble as refusal:
        _add_memory_refusal(form, refusal)
        return _render_new_memory(request, team_page, form, status=refusal.status)
    notify_saved(request, team_page, memory)
    return HttpResponseRedirect(team_page.url("memory", memory.pk))


def _render_new_memory(
    request: HttpRequest, team_page: TeamPage, form: MemoryForm, *, status: int = 200
) -> HttpResponse:
    context = {"section": "memories", "form": form, "unsaved": form.is_bound}
    context |= {"action": team_page.url("memory-new"), "cancel_url": team_page.url("memories")}
    return render(request, "memories/memory_new.html", context, status=status)


def _add_memory_refusal(form: MemoryForm, refusal: Trouble) -> None:
    if isinstance(refusal, KeyTaken):
        form.add_error("key", "Another memory has this key already. Choose another one, or change that memory.")
    else:
        add_refusal(form, refusal)


@in_team
def edit_memory_view(request: HttpRequest, team_page: TeamPage, memory_id: UUID) -> HttpResponse:
    memory = get_changeable_memory(team_page, memory_id)
    if request.method != "POST" and gone_reason(memory):
        return HttpResponseRedirect(team_page.url("memory", memory_id))
    return MemoryEdit(request, team_page, memory).respond()


class MemoryEdit(MemoryFieldsEdit):
    editor_template = "memories/memory_edit.html"
    merge_template = "memories/memory_merge.html"

    def build_form(self) -> EditMemoryForm:
        return EditMemoryForm(initial={**form_values(self.memory), "version": self.memory.version})

    def save(self, form: EditMemoryForm) -> ActionResult:
        """Save the fields that were changed since the version that the user read, and only on top of that version."""
        changed, to = self.find_changes(form), self.team_page.url("memory", self.memory.pk)
        if "content" in changed:
            changed["summary"] = form.values["summary"]  # it was on screen beside the content
        if not changed:
            return ActionResult("Nothing was changed.", to=to)
        saved = operations.update_memory(
            actor=self.team_page.actor, memory_id=self.memory.pk, version=form.seen_version, **changed
        )
        return ActionResult("Saved.", undo_change_url(self.team_page, saved), to)

    def page_context(self) -> dict[str, Any]:
        return {
            "section": "memories",
            "memory": self.memory,
            "action": self.team_page.url("memory-edit", self.memory.pk),
            "cancel_url": self.team_page.url("memory", self.memory.pk),
        }

    def add_refusal(self, form: EditMemoryForm, refusal: Trouble) -> None:
        _add_memory_refusal(form, refusal)
