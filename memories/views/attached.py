"""What hangs on a memory: attachments, links to others, and where it came from."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories import operations, recall
from memories.assets import is_picture, is_text
from memories.forms import LinkForm, SourceForm
from memories.models import Asset, Memory, Source
from memories.views.acting import said
from memories.views.memory import seen
from memoryhub.errors import Forbidden, Invalid, NotFound, Trouble
from memoryhub.forms import refuse
from memoryhub.ids import as_uuid
from memoryhub.notices import notify
from teams.place import Done, Place, action, in_team

FOUND = 8
LOCKED_IN = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"


@action
def attach(request: HttpRequest, place: Place, memory_id: UUID) -> Done:
    files: list[UploadedFile[bytes]] = request.FILES.getlist("file")
    if not files:
        raise Invalid({"file": "Choose a file first."})
    sent = [operations.Sent(file, file.name or "", file.content_type or "") for file in files]
    kept = operations.attach_all(actor=place.actor, memory_id=memory_id, files=sent)
    return Done(f"Attached {_named(kept)}.", _detaching(place, kept))


def _detaching(place: Place, assets: list[Asset]) -> str:
    address = place.to("memory-detach", assets[0].memory_id, assets[0].pk)
    return f"{address}?together=1" if len(assets) > 1 else address


def _named(assets: list[Asset]) -> str:
    return assets[0].name if len(assets) == 1 else f"{len(assets)} files"


@action
def detach(request: HttpRequest, place: Place, memory_id: UUID, asset_id: UUID) -> Done:
    """One attachment; `together` with it, all that one attached at the same moment."""
    asset, now = _asset(place, memory_id, asset_id), timezone.now()
    beside = Asset.objects.filter(organization=asset.organization_id, memory=memory_id, user=place.actor.user_id)
    assets = list(beside.filter(created_at=asset.created_at)) if said(request, "together") else [asset]
    with transaction.atomic():
        for one in assets:
            operations.detach(actor=place.actor, asset_id=one.pk, now=now)
    return Done(f"Removed {_named(assets)}.", place.to("memory-reattach", memory_id, asset_id))


@action
def reattach(request: HttpRequest, place: Place, memory_id: UUID, asset_id: UUID) -> Done:
    assets = operations.reattach(actor=place.actor, memory_id=memory_id, asset_id=asset_id)
    return Done(f"Put back {_named(assets)}.", _detaching(place, assets))


@require_safe
@in_team
def asset(request: HttpRequest, place: Place, memory_id: UUID, asset_id: UUID) -> HttpResponse:
    """Pictures and texts to look at, all else to download. Whatever it is, it runs nowhere near this origin."""
    found = _asset(place, memory_id, asset_id)
    shown = "download" not in request.GET and (is_picture(found) or is_text(found))
    kind = "text/plain; charset=utf-8" if shown and is_text(found) else found.content_type
    response: HttpResponseBase = FileResponse(
        found.file.open("rb"), as_attachment=not shown, filename=found.name, content_type=kind
    )
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = LOCKED_IN
    response["Cache-Control"] = "private, no-store"
    return response  # type: ignore[return-value]


def _asset(place: Place, memory_id: UUID, asset_id: UUID) -> Asset:
    memory = seen(place.actor, memory_id)
    found = Asset.objects.filter(organization=memory.organization_id, memory=memory.pk, pk=asset_id).first()
    if found is None:
        raise NotFound("There is no such attachment.")
    return found


@in_team
def link(request: HttpRequest, place: Place, memory_id: UUID) -> HttpResponse:
    """Looks for the other memory, and links to it."""
    memory = changeable(place, memory_id)
    if request.method != "POST":
        return _link(request, place, memory, LinkForm())
    form = LinkForm({name: said(request, name) for name in LinkForm.base_fields})
    if not form.is_valid():
        return _link(request, place, memory, form, status=400)
    try:
        drawn = operations.associate(actor=place.actor, origin_id=memory_id, **form.cleaned_data)
    except Trouble as refusal:
        form.add_error("target_id", refusal.message)
        return _link(request, place, memory, form, status=refusal.status)
    undo = urlencode({"target": str(drawn.target_id), "relation": drawn.relation})
    notify(request, "Linked.", undo=f"{place.to('memory-unlink', memory_id)}?{undo}")
    return HttpResponseRedirect(place.to("memory", memory_id))


def _link(request: HttpRequest, place: Place, memory: Memory, form: LinkForm, *, status: int = 200) -> HttpResponse:
    find = said(request, "find").strip()[: recall.QUERY_LENGTH]
    others = [other for other in _found(place, find) if other.pk != memory.pk]
    shown: dict[str, Any] = {"section": "memories", "memory": memory, "form": form, "find": find, "others": others}
    return render(request, "memories/memory_link.html", shown, status=status)


def _found(place: Place, find: str) -> list[Memory]:
    """By its id, or by what it says and is called."""
    if memory_id := as_uuid(find):
        return list(Memory.objects.visible_to(place.actor).filter(pk=memory_id))
    asked = recall.recall(actor=place.actor, query=find, limit=FOUND + 1, noted=False).hits if find else []
    return [hit.memory for hit in asked]


@action
def unlink(request: HttpRequest, place: Place, memory_id: UUID) -> Done:
    """From this memory to a `target`, or from an `origin` to it."""
    origin, target = as_uuid(said(request, "origin")) or memory_id, as_uuid(said(request, "target")) or memory_id
    relation = said(request, "relation")
    operations.dissociate(actor=place.actor, origin_id=origin, target_id=target, relation=relation)
    again = urlencode({"target_id": str(target), "relation": relation, "weight": said(request, "weight") or "0.5"})
    return Done("Link removed.", f"{place.to('memory-link', origin)}?{again}")


@in_team
def cite(request: HttpRequest, place: Place, memory_id: UUID) -> HttpResponse:
    memory = changeable(place, memory_id)
    if request.method != "POST":
        return _cite(request, memory, SourceForm())
    form = SourceForm(request.POST)
    if not form.is_valid():
        return _cite(request, memory, form, status=400)
    try:
        source = _noted(place, memory_id, **form.cleaned_data)
    except Trouble as refusal:
        refuse(form, refusal)
        return _cite(request, memory, form, status=refusal.status)
    notify(request, "Source added.", undo=place.to("memory-uncite", memory_id, source.pk))
    return HttpResponseRedirect(place.to("memory", memory_id))


@transaction.atomic
def _noted(place: Place, memory_id: UUID, *, session: str, **said: Any) -> Source:
    """A session that a person names must be there already."""
    source = operations.cite(actor=place.actor, memory_id=memory_id, session=session, **said)
    if session and not source.session_id:
        raise Invalid({"session": "There is no such session, or it is not for you."})
    return source


def _cite(request: HttpRequest, memory: Memory, form: SourceForm, *, status: int = 200) -> HttpResponse:
    shown = {"section": "memories", "memory": memory, "form": form}
    return render(request, "memories/memory_cite.html", shown, status=status)


@action
def uncite(request: HttpRequest, place: Place, memory_id: UUID, source_id: UUID) -> Done:
    memory = seen(place.actor, memory_id)
    if not Source.objects.filter(organization=memory.organization_id, memory=memory.pk, pk=source_id).exists():
        raise NotFound("There is no such source.")
    operations.uncite(actor=place.actor, source_id=source_id)
    return Done("Source removed.", place.to("memory-recite", memory_id, source_id))


@action
def recite(request: HttpRequest, place: Place, memory_id: UUID, source_id: UUID) -> Done:
    operations.recite(actor=place.actor, memory_id=memory_id, source_id=source_id)
    return Done("Source put back.", place.to("memory-uncite", memory_id, source_id))


def changeable(place: Place, memory_id: UUID) -> Memory:
    memory = seen(place.actor, memory_id)
    if not place.may_change(memory.audience):
        raise Forbidden("You may read this memory, but not change it.")
    return memory
