"""The editing flow of a memory, a core memory and a file: edit, save on top of the version that was read, and merge
when somebody else has saved meanwhile.

What was typed is never lost: whatever refuses the form, the page that comes back has its text.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Generic, TypeVar

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from memories.text import diff, merge
from memoryhub.errors import Conflict, Trouble
from memoryhub.flash import notify
from memoryhub.forms import add_refusal
from teams.team_page import ActionResult, TeamPage

EditForm = TypeVar("EditForm", bound=forms.Form)


class EditFlow(ABC, Generic[EditForm]):
    """An editing page. Its templates extend `memories/editor.html`."""

    editor_template: ClassVar[str]
    merge_template: ClassVar[str]

    def __init__(self, request: HttpRequest, team_page: TeamPage) -> None:
        self.request = request
        self.team_page = team_page

    def respond(self) -> HttpResponse:
        if self.request.method != "POST":
            return self.render_editor(self.build_form())
        form = self.read_form()
        if not form.is_valid():
            return self.render_editor(form, status=400)
        try:
            result = self.save(form)
        except Conflict as conflict:
            return self._respond_to_conflict(form, conflict)
        except Trouble as refusal:
            return self.respond_to_refusal(form, refusal)
        notify(self.request, result.text, undo=result.undo)
        return HttpResponseRedirect(result.to)

    @abstractmethod
    def build_form(self) -> EditForm:
        """Return the form with the present values."""

    @abstractmethod
    def read_form(self) -> EditForm:
        """Return the form as it was submitted."""

    @abstractmethod
    def save(self, form: EditForm) -> ActionResult:
        """Save the form on top of the version that its writer has read; raise Conflict if that is not the latest."""

    @abstractmethod
    def merge(self, form: EditForm, conflict: Conflict) -> dict[str, Any] | None:
        """Return the template context of the merge screen, or None if there is nothing to merge with."""

    @abstractmethod
    def page_context(self) -> dict[str, Any]:
        """Return the template context of the editor and the merge screen: at least `section`, `action` (where the form
        is sent) and `cancel_url`."""

    def add_refusal(self, form: EditForm, refusal: Trouble) -> None:
        add_refusal(form, refusal)

    def respond_to_refusal(self, form: EditForm, refusal: Trouble) -> HttpResponse:
        self.add_refusal(form, refusal)
        return self.render_editor(form, status=refusal.status)

    def _respond_to_conflict(self, form: EditForm, conflict: Conflict) -> HttpResponse:
        context = self.merge(form, conflict)
        if context is None:
            return self.respond_to_refusal(form, conflict)
        merging = self.page_context() | context | {"unsaved": True}
        return render(self.request, self.merge_template, merging, status=conflict.status)

    def render_editor(self, form: EditForm, *, status: int = 200, **extra: Any) -> HttpResponse:
        context = self.page_context() | {"form": form, "unsaved": form.is_bound} | extra
        return render(self.request, self.editor_template, context, status=status)


def merge_text_context(*, base: str | None, theirs: str, yours: str) -> dict[str, Any]:
    """Return what the merge screen shows of one text: the result, and what each side changed."""
    budget = diff.DiffBudget()
    merged = merge.merge_text(base=base or "", theirs=theirs, yours=yours, budget=budget)
    return {
        "merged": merged,
        "had_base": base is not None,
        "theirs": diff.shorten_diff_parts(diff.diff_texts(merged.base, theirs, budget=budget)),
        "yours": diff.shorten_diff_parts(diff.diff_texts(merged.base, yours, budget=budget)),
    }
