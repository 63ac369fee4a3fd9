"""Core memory: what every agent of a team reads before anything else."""

from typing import Any
from uuid import UUID

from django import forms
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from memories import context, merging, operations
from memories.models import CONTENT_BYTES, Memory, MemoryQuerySet, Revision, Scope
from memories.operations import Dedupe, Draft
from memories.views.acting import unsaving
from memoryhub.errors import Conflict, Forbidden, NotFound, Trouble
from memoryhub.forms import TextField, refuse
from memoryhub.notices import notify
from teams.place import Done, Place, action, in_team

CATEGORY = "core"
FILED = Q(category=CATEGORY)
OTHERS = 30  # of the category, in a list; agents of the group dialect file most things there
VERSIONS = 50  # in a list of the history
EXAMPLE = """\
## Who we are
We build scheduling software for small clinics. Our customers are practice managers.

## How we write
Plain words, short sentences, no jargon. We say *appointment*, never *slot*.

## Always
- Ask before you send anything to a customer.
- Times are in the clinic's own time zone.
"""


class Core(forms.Form):
    content = TextField(label="Text", required=False)
    version = forms.IntegerField(required=False, widget=forms.HiddenInput)


@in_team
def page(request: HttpRequest, place: Place) -> HttpResponse:
    core = the_core(place)
    others = cores(place).exclude(pk=core.pk) if core else cores(place)
    found = {"others": others.order_by("-updated_at")[:OTHERS], "example": EXAMPLE}
    return render(request, "memories/core.html", shown(core) | found | {"memory": core})


def the_core(place: Place) -> Memory | None:
    """The one that prompts begin with, as `memories.context` chooses it."""
    return cores(place, Q(key=context.CORE_KEY, owns_key=True)).first()


def cores(place: Place, which: Q = FILED) -> MemoryQuerySet:
    """The team's own. Hopes for the index memory_core."""
    own = Memory.objects.visible_to(place.actor).filter(which, audience=place.team.pk, scope=Scope.TEAM)
    return own.with_authors().defer("search")


def shown(memory: Memory | None, content: str | None = None) -> dict[str, Any]:
    """What a page says of a core memory, as it is or as it is being written."""
    text = content if content is not None else memory.content if memory else ""
    size = len(text.encode())
    return {
        "section": "core",
        "text": text,
        "size": size,
        "most": CONTENT_BYTES,
        "over": max(0, size - CONTENT_BYTES),
        "budget": context.BUDGET,
        "told": bool(memory and memory.summary),
    }


# Writing


@in_team
def write(request: HttpRequest, place: Place) -> HttpResponse:
    """The first one of a team."""
    if not place.may_write:
        raise Forbidden("You may read this team's memories, but not write any.")
    if (there := the_core(place)) and request.method != "POST":
        return HttpResponseRedirect(place.to("core-edit", there.pk))
    begun = EXAMPLE if "example" in request.GET else ""
    return _edited(request, place, memory=None, begun=begun)


@in_team
def edit(request: HttpRequest, place: Place, memory_id: UUID) -> HttpResponse:
    memory = _one(place, memory_id)
    if not place.may_change(memory.audience):
        raise Forbidden("You may read this memory, but not change it.")
    return _edited(request, place, memory=memory, begun=memory.content)


def _one(place: Place, memory_id: UUID) -> Memory:
    which = FILED | Q(key=context.CORE_KEY)
    found = cores(place, which).filter(pk=memory_id).first()
    # Somebody may be writing still what was just forgotten: what they wrote is not lost.
    found = found or Memory.objects.restorable_by(place.actor).filter(which, pk=memory_id).first()
    if found is None:
        raise NotFound("There is no such core memory.")
    return found


def _edited(request: HttpRequest, place: Place, *, memory: Memory | None, begun: str) -> HttpResponse:
    if request.method != "POST":
        form = Core(initial={"content": begun, "version": memory.version if memory else None})
        return _editor(request, form, memory=memory, content=begun)
    form = Core(request.POST)
    form.full_clean()
    content = form.cleaned_data.get("content", "")
    if "HX-Request" in request.headers:
        return render(request, "memories/_core_preview.html", shown(memory, content))
    if "preview" in request.POST or not form.is_valid():
        return _editor(request, form, memory=memory, content=content)
    try:
        saved = _saved(place, memory=memory, content=content, version=form.cleaned_data["version"])
    except Conflict as refusal:
        return _merging(request, place, form, refusal=refusal, memory=memory, content=content)
    except Trouble as refusal:
        refuse(form, refusal)
        return _editor(request, form, memory=memory, content=content, status=refusal.status)
    undo = _way_back(place, saved) if memory else unsaving(place, saved)
    notify(request, f"Saved as version {saved.version}.", undo=undo)
    return HttpResponseRedirect(place.to("core"))


def _editor(
    request: HttpRequest, form: Core, *, memory: Memory | None, content: str, status: int = 200
) -> HttpResponse:
    return render(
        request, "memories/core_edit.html", shown(memory, content) | {"form": form, "memory": memory}, status=status
    )


def _saved(place: Place, *, memory: Memory | None, content: str, version: int | None) -> Memory:
    if memory:
        return operations.update(actor=place.actor, memory_id=memory.pk, content=content, version=version)
    draft = Draft(key=context.CORE_KEY, category=CATEGORY, content=content, dedupe=Dedupe.REFUSE)
    return operations.save(actor=place.actor, draft=draft)


def _way_back(place: Place, memory: Memory) -> str:
    """The address that says again what the version before said, if nobody has written since."""
    return f"{place.to('core-revert', memory.pk, memory.version - 1)}?seen={memory.version}"


def _merging(
    request: HttpRequest, place: Place, form: Core, *, refusal: Conflict, memory: Memory | None, content: str
) -> HttpResponse:
    """Somebody was faster: what they wrote, what you wrote, and what both began with."""
    theirs = cores(place, Q(pk=refusal.current.pk)).first() if refusal.current else the_core(place)
    if theirs is None:
        refuse(form, refusal)
        return _editor(request, form, memory=memory, content=content, status=refusal.status)
    base = _version(theirs, form.cleaned_data["version"])
    merged = merging.of_text(base=base.content if base else "", theirs=theirs.content, yours=content)
    again = Core(initial={"content": merged.together, "version": theirs.version})
    told = {"form": again, "memory": theirs, "merged": merged, "by": _version(theirs, theirs.version)}
    return render(request, "memories/core_merge.html", shown(theirs, merged.together) | told, status=refusal.status)


# What was


@in_team
def history(request: HttpRequest, place: Place, memory_id: UUID) -> HttpResponse:
    """Its versions, and what one of them changed: the newest, unless another one is chosen."""
    memory = _one(place, memory_id)
    versions = list(_versions(memory).defer("metadata").order_by("-version")[:VERSIONS])
    wanted = request.GET.get("version", "")
    chosen = _version(memory, int(wanted)) if wanted.isdecimal() and len(wanted) < 9 else versions[0]
    if chosen is None:
        raise NotFound(f"There is no version {wanted} of this memory.")
    before = _versions(memory).filter(version__lt=chosen.version).order_by("-version").first()
    found = {"memory": memory, "versions": versions, "chosen": chosen, "before": before, "most_versions": VERSIONS}
    return render(request, "memories/core_history.html", shown(memory) | found)


def _versions(memory: Memory) -> Any:
    """Those that were written for its audience. Hopes for memory_has_each_version_once."""
    rows = Revision.objects.filter(organization=memory.organization_id, memory=memory.pk, audience=memory.audience)
    return rows.select_related("agent", "user")


def _version(memory: Memory, number: int | None) -> Revision | None:
    found: Revision | None = _versions(memory).filter(version=number).first() if number else None
    return found


@action
def revert(request: HttpRequest, place: Place, memory_id: UUID, version: int) -> Done:
    """Says again what a version said, if the memory is still as it was seen."""
    memory = _one(place, memory_id)
    seen = request.GET.get("seen", "")
    reverted = operations.revert(
        actor=place.actor,
        memory_id=memory.pk,
        to_version=version,
        version=int(seen) if seen.isdecimal() and len(seen) < 9 else None,
    )
    return Done(f"It says again what version {version} said.", undo=_way_back(place, reverted))
