"""Writing a memory: a new one, or another version of one, together with whoever writes at the same time."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.forms import BoundField
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render

from memories import merging, operations
from memories.forms import FIELDS, MemoryForm, NewMemoryForm, sent, values_of
from memories.histories import label
from memories.models import Memory, Revision, Type
from memories.views.acting import number, undoing, unsaving
from memories.views.attached import changeable
from memories.views.history import versions
from memories.views.memory import gone
from memoryhub.errors import Conflict, Forbidden, KeyTaken, NotFound, Trouble
from memoryhub.forms import refuse
from memoryhub.notices import notify
from teams.place import Place, in_team

GIVEN = ("content", "key", "summary", "category", "tags", "audience")  # what a link to the page may fill in


@in_team
def new(request: HttpRequest, place: Place) -> HttpResponse:
    if not place.may_write:
        raise Forbidden("You may read here, but not write.")
    if request.method != "POST":
        given = {name: request.GET[name] for name in GIVEN if name in request.GET}
        return _new(request, NewMemoryForm(initial={"type": request.GET.get("type", Type.FACT), **given}, place=place))
    form = NewMemoryForm(request.POST, place=place)
    if not form.is_valid():
        return _new(request, form, status=400)
    try:
        memory = operations.save(actor=place.actor, draft=operations.Draft(**form.cleaned_data, dedupe="refuse"))
    except Trouble as refusal:
        _refuse(form, refusal)
        return _new(request, form, status=refusal.status)
    notify(request, "Saved.", undo=unsaving(place, memory))
    return HttpResponseRedirect(place.to("memory", memory.pk))


def _new(request: HttpRequest, form: MemoryForm, *, status: int = 200) -> HttpResponse:
    return render(request, "memories/memory_new.html", {"section": "memories", "form": form}, status=status)


@in_team
def edit(request: HttpRequest, place: Place, memory_id: UUID) -> HttpResponse:
    memory = changeable(place, memory_id)
    if request.method == "POST":
        return _save(request, place, memory)
    if gone(memory):
        return HttpResponseRedirect(place.to("memory", memory_id))
    return _edit(request, memory, MemoryForm(initial=values_of(memory)), version=memory.version)


def _save(request: HttpRequest, place: Place, memory: Memory) -> HttpResponse:
    """Only what was changed since the version that was seen, and only on top of that."""
    form, version = MemoryForm(chosen(request.POST)), number(request, "version") or 0
    if not form.is_valid():
        return _edit(request, memory, form, version=version, status=400)
    base = values_of(versions(memory).filter(version=version).first() or memory)
    changed = {name: value for name, value in form.cleaned_data.items() if value != base[name]}
    if "content" in changed:
        changed["summary"] = form.cleaned_data["summary"]  # which one saw beside it
    if not changed:
        notify(request, "Nothing was changed.")
        return HttpResponseRedirect(place.to("memory", memory.pk))
    try:
        saved = operations.update(actor=place.actor, memory_id=memory.pk, version=version, **changed)
    except Conflict as conflict:
        if isinstance(conflict.current, Memory) and not gone(conflict.current):
            return _merge(request, conflict.current, base=base, yours=form.cleaned_data)
        return _refused(request, memory, form, version, conflict)
    except Trouble as refusal:
        return _refused(request, memory, form, version, refusal)
    notify(request, "Saved.", undo=undoing(place, saved))
    return HttpResponseRedirect(place.to("memory", memory.pk))


def _refused(request: HttpRequest, memory: Memory, form: MemoryForm, version: int, refusal: Trouble) -> HttpResponse:
    if isinstance(refusal, NotFound):
        raise refusal
    _refuse(form, refusal)
    return _edit(request, memory, form, version=version, status=refusal.status)


def _refuse(form: MemoryForm, refusal: Trouble) -> None:
    if isinstance(refusal, KeyTaken):
        form.add_error("key", "Another memory has this key already. Choose another one, or change that memory.")
    else:
        refuse(form, refusal)


def _edit(request: HttpRequest, memory: Memory, form: MemoryForm, *, version: int, status: int = 200) -> HttpResponse:
    shown: dict[str, Any] = {"section": "memories", "memory": memory, "form": form, "version": version}
    return render(request, "memories/memory_edit.html", shown, status=status)


@dataclass(frozen=True, slots=True)
class Side:
    """A field that two made different things of, as a browser sends and shows it."""

    name: str
    base: str
    theirs: str
    yours: str
    conflict: bool
    together: BoundField

    @property
    def label(self) -> str:
        return label(self.name)

    @property
    def joined(self) -> bool:
        """Both changed it, and both changes fit."""
        return not self.conflict and self.base not in (self.theirs, self.yours)


MERGES: dict[str, Any] = {"content": merging.of_text, "summary": merging.of_text, "tags": merging.of_tags}


def _merge(request: HttpRequest, memory: Memory, *, base: dict[str, Any], yours: dict[str, Any]) -> HttpResponse:
    """Theirs, yours, and what both began with; saved on top of theirs."""
    theirs = values_of(memory)
    merges = {
        name: MERGES.get(name, merging.of_value)(base=base[name], theirs=theirs[name], yours=yours[name])
        for name in FIELDS
    }
    form = MemoryForm(initial={name: merged.together for name, merged in merges.items()})
    began, stands, wrote = sent(base), sent(theirs), sent(yours)
    sides = [
        Side(name, began[name], stands[name], wrote[name], merges[name].conflict, form[name])
        for name in FIELDS
        if not merges[name].same
    ]
    same = [form[name] for name in FIELDS if merges[name].same]
    shown = {"section": "memories", "memory": memory, "sides": sides, "same": same, "latest": _latest(memory)}
    return render(request, "memories/memory_merge.html", shown, status=Conflict.status)


def _latest(memory: Memory) -> Revision | None:
    return versions(memory).filter(version=memory.version).first()


def chosen(form: QueryDict) -> QueryDict:
    """On the merge screen, one may take a field as they or as oneself wrote it."""
    resolved = form.copy()
    for name in FIELDS:
        choice = form.get(f"choice-{name}", "")
        if choice in ("theirs", "yours"):
            resolved[name] = form.get(f"{choice}-{name}", "")
    return resolved
