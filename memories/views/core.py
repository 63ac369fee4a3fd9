"""Core memory: the text that every agent of a team reads first."""

from typing import Any
from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from memories import operations
from memories.models import (
    CONTENT_BYTES,
    CORE_CATEGORY,
    CORE_KEY,
    Memory,
    MemoryQuerySet,
    Revision,
    RevisionQuerySet,
)
from memories.operations import Dedupe, Draft
from memories.prompts import context
from memories.queries.lookup import find_core
from memories.rules import access
from memories.views.actions import undo_save_url
from memories.views.edit_flow import EditFlow, merge_text_context
from memoryhub.errors import Conflict, Forbidden, NotFound
from memoryhub.forms import TextField
from teams.team_page import ActionResult, TeamPage, in_team, team_action

OTHER_CORES_LISTED = 30  # in a list; agents that use the group dialect put most memories into this category
CORE_VERSIONS_LISTED = 50  # in a list of the history
CORE_EXAMPLE = """\
## Who we are
We build scheduling software for small clinics. Our customers are practice managers.

## How we write
Plain words, short sentences, no jargon. We say *appointment*, never *slot*.

## Always
- Ask before you send anything to a customer.
- Times are in the clinic's own time zone.
"""


class CoreForm(forms.Form):
    content = TextField(label="Text", required=False)
    version = forms.IntegerField(required=False, widget=forms.HiddenInput)


@in_team
def show_core(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    core = find_team_core(team_page)
    others = _team_memories(team_page).in_core_category_of(team_page.team.pk).order_by("-updated_at")
    others = others.exclude(pk=core.pk) if core else others
    extra = {"others": others[:OTHER_CORES_LISTED], "example": CORE_EXAMPLE}
    return render(request, "memories/core.html", core_page_context(core) | extra | {"memory": core})


def find_team_core(team_page: TeamPage) -> Memory | None:
    return find_core(actor=team_page.actor, team_id=team_page.team.pk)


def _team_memories(team_page: TeamPage) -> MemoryQuerySet:
    return Memory.objects.visible_to(team_page.actor).with_authors().defer("search")


def core_page_context(memory: Memory | None, content: str | None = None) -> dict[str, Any]:
    """Build the template context of a core memory, as saved or as being edited."""
    text = content if content is not None else memory.content if memory else ""
    size = len(text.encode())
    return {
        "section": "core",
        "text": text,
        "size": size,
        "most": CONTENT_BYTES,
        "over": max(0, size - CONTENT_BYTES),
        "budget": context.DEFAULT_BUDGET,
        "has_summary": bool(memory and memory.summary),
    }


# Writing


@in_team
def write_core(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    """Write the first core memory of a team."""
    if not team_page.may_write:
        raise Forbidden("You may read this team's memories, but not write any.")
    if (existing := find_team_core(team_page)) and request.method != "POST":
        return HttpResponseRedirect(team_page.url("core-edit", existing.pk))
    return CoreEdit(request, team_page, memory=None).respond()


@in_team
def edit_core(request: HttpRequest, team_page: TeamPage, memory_id: UUID) -> HttpResponse:
    memory = _get_core_memory(team_page, memory_id)
    if not access.may_write(team_page.actor, memory.audience):
        raise Forbidden("You may read this memory, but not change it.")
    return CoreEdit(request, team_page, memory=memory).respond()


def _get_core_memory(team_page: TeamPage, memory_id: UUID) -> Memory:
    rows = (_team_memories(team_page), Memory.objects.restorable_by(team_page.actor))
    # It may have been forgotten while somebody still edits it: their text is not lost.
    found = (each.editable_as_core_of(team_page.team.pk).filter(pk=memory_id).first() for each in rows)
    memory = next(filter(None, found), None)
    if memory is None:
        raise NotFound("There is no such core memory.")
    return memory


class CoreEdit(EditFlow[CoreForm]):
    """Edits a core memory, or writes the first one. While somebody types, a preview is rendered."""

    editor_template = "memories/core_edit.html"
    merge_template = "memories/core_merge.html"

    def __init__(self, request: HttpRequest, team_page: TeamPage, *, memory: Memory | None) -> None:
        super().__init__(request, team_page)
        self.memory = memory

    def respond(self) -> HttpResponse:
        is_typing = "HX-Request" in self.request.headers and "HX-Boosted" not in self.request.headers
        if self.request.method != "POST" or not (is_typing or "preview" in self.request.POST):
            return super().respond()
        form = self.read_form()
        form.full_clean()
        if is_typing:
            context = core_page_context(self.memory, form.cleaned_data.get("content", ""))
            return render(self.request, "memories/_core_preview.html", context)
        return self.render_editor(form)

    def build_form(self) -> CoreForm:
        if self.memory:
            return CoreForm(initial={"content": self.memory.content, "version": self.memory.version})
        return CoreForm(initial={"content": CORE_EXAMPLE if "example" in self.request.GET else ""})

    def read_form(self) -> CoreForm:
        return CoreForm(self.request.POST)

    def save(self, form: CoreForm) -> ActionResult:
        content, actor = form.cleaned_data["content"], self.team_page.actor
        if self.memory:
            version = form.cleaned_data["version"]
            saved = operations.update_memory(actor=actor, memory_id=self.memory.pk, content=content, version=version)
            undo = _core_revert_url(self.team_page, saved)
        else:
            draft = Draft(key=CORE_KEY, category=CORE_CATEGORY, content=content, dedupe=Dedupe.REFUSE)
            saved = operations.save_memory(actor=actor, draft=draft)
            undo = undo_save_url(self.team_page, saved)
        return ActionResult(f"Saved as version {saved.version}.", undo, self.team_page.url("core"))

    def merge(self, form: CoreForm, conflict: Conflict) -> dict[str, Any] | None:
        current = conflict.current.pk if conflict.current else None
        theirs = (
            _team_memories(self.team_page).filter(pk=current).first() if current else find_team_core(self.team_page)
        )
        if theirs is None:
            return None
        base = _core_version(theirs, form.cleaned_data["version"])
        merging = merge_text_context(
            base=base.content if base else None, theirs=theirs.content, yours=form.cleaned_data["content"]
        )
        together = merging["merged"].together
        return (
            core_page_context(theirs, together)
            | merging
            | {
                "memory": theirs,
                "action": self.team_page.url("core-edit", theirs.pk),
                "form": CoreForm(initial={"content": together, "version": theirs.version}),
                "version": theirs.version,
                "by": _core_version(theirs, theirs.version),
            }
        )

    def page_context(self) -> dict[str, Any]:
        address = self.team_page.url("core-edit", self.memory.pk) if self.memory else self.team_page.url("core-write")
        return {"section": "core", "memory": self.memory, "action": address, "cancel_url": self.team_page.url("core")}

    def render_editor(self, form: CoreForm, *, status: int = 200, **extra: Any) -> HttpResponse:
        preview = core_page_context(self.memory, str(form["content"].value() or ""))
        return super().render_editor(form, status=status, **preview, **extra)


def _core_revert_url(team_page: TeamPage, memory: Memory) -> str:
    """Return the address that reverts to the version before, if nobody has changed it since."""
    return f"{team_page.url('core-revert', memory.pk, memory.version - 1)}?seen={memory.version}"


# History


@in_team
def show_core_history(request: HttpRequest, team_page: TeamPage, memory_id: UUID) -> HttpResponse:
    """List its versions, and show the changes of one: the newest, unless another one is chosen."""
    memory = _get_core_memory(team_page, memory_id)
    versions = list(_core_versions(memory).defer("metadata").order_by("-version")[:CORE_VERSIONS_LISTED])
    requested = request.GET.get("version", "")
    chosen = _core_version(memory, int(requested)) if requested.isdecimal() and len(requested) < 9 else versions[0]
    if chosen is None:
        raise NotFound(f"There is no version {requested} of this memory.")
    before = _core_versions(memory).filter(version__lt=chosen.version).order_by("-version").first()
    extra = {
        "memory": memory,
        "versions": versions,
        "chosen": chosen,
        "before": before,
        "most_versions": CORE_VERSIONS_LISTED,
    }
    return render(request, "memories/core_history.html", core_page_context(memory) | extra)


def _core_versions(memory: Memory) -> RevisionQuerySet:
    return Revision.objects.of_memory(memory).with_authors()


def _core_version(memory: Memory, number: int | None) -> Revision | None:
    return _core_versions(memory).filter(version=number).first() if number else None


@team_action
def revert_core(request: HttpRequest, team_page: TeamPage, memory_id: UUID, version: int) -> ActionResult:
    """Revert to a version, if the memory is still at the version that the user saw."""
    memory = _get_core_memory(team_page, memory_id)
    seen = request.GET.get("seen", "")
    reverted = operations.revert_memory(
        actor=team_page.actor,
        memory_id=memory.pk,
        to_version=version,
        version=int(seen) if seen.isdecimal() and len(seen) < 9 else None,
    )
    return ActionResult(f"It says again what version {version} said.", undo=_core_revert_url(team_page, reverted))
