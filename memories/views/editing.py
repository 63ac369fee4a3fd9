"""Writing a memory: a new one, or another version of one."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from memories import operations
from memories.forms import MemoryForm, values_of
from memories.models import Memory, Type
from memories.views.memory import seen
from memoryhub.errors import NotFound, Trouble
from memoryhub.forms import refuse
from memoryhub.notices import notify
from teams.place import Place, in_team


@in_team
def new(request: HttpRequest, place: Place) -> HttpResponse:
    if request.method != "POST":
        given = {name: request.GET.get(name, "") for name in ("key", "content", "category", "tags")}
        given |= {"type": request.GET.get("type", Type.FACT)}
        return _new(request, MemoryForm(initial=given))
    form = MemoryForm(request.POST)
    if not form.is_valid():
        return _new(request, form, status=400)
    try:
        memory = operations.save(actor=place.actor, draft=operations.Draft(**form.cleaned_data))
    except Trouble as refusal:
        refuse(form, refusal)
        return _new(request, form, status=refusal.status)
    notify(request, "Saved.", undo=place.to("memory-forget", memory.pk) if memory.version == 1 else "")
    return HttpResponseRedirect(place.to("memory", memory.pk))


def _new(request: HttpRequest, form: MemoryForm, *, status: int = 200) -> HttpResponse:
    return render(request, "memories/memory_new.html", {"section": "memories", "form": form}, status=status)


@in_team
def edit(request: HttpRequest, place: Place, memory_id: UUID) -> HttpResponse:
    memory = seen(place.actor, memory_id)
    if request.method != "POST":
        return _edit(request, memory, MemoryForm(initial=values_of(memory)), version=memory.version)
    form, version = MemoryForm(request.POST), _version(request)
    if not form.is_valid():
        return _edit(request, memory, form, version=version, status=400)
    before = values_of(memory)
    changed = {name: value for name, value in form.cleaned_data.items() if value != before[name]}
    try:
        if changed:
            memory = operations.update(actor=place.actor, memory_id=memory_id, version=version, **changed)
    except NotFound:
        raise
    except Trouble as refusal:
        refuse(form, refusal)
        return _edit(request, memory, form, version=version, status=refusal.status)
    notify(request, "Saved." if changed else "Nothing was changed.")
    return HttpResponseRedirect(place.to("memory", memory_id))


def _edit(
    request: HttpRequest, memory: Memory, form: MemoryForm, *, version: int | None, status: int = 200
) -> HttpResponse:
    shown: dict[str, Any] = {"section": "memories", "memory": memory, "form": form, "version": version}
    return render(request, "memories/memory_edit.html", shown, status=status)


def _version(request: HttpRequest) -> int | None:
    said = request.POST.get("version", "")
    return int(said) if said.isdecimal() and len(said) < 10 else None
