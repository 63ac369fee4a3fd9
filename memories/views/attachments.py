"""Attachments of a memory, its links to other memories, and its sources."""

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
from memories.forms import LinkForm, SourceForm
from memories.models import Asset, Memory, Source
from memories.queries.attachment_previews import is_picture, is_text
from memories.queries.lookup import find_memory_or_forgotten
from memories.rules import access
from memories.views.actions import read_param
from memoryhub.errors import Forbidden, Invalid, NotFound, Trouble
from memoryhub.flash import notify
from memoryhub.forms import add_refusal
from memoryhub.ids import parse_uuid
from teams.team_page import ActionResult, TeamPage, in_team, team_action

LINK_CANDIDATES = 8
ATTACHMENT_CSP = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"


@team_action
def attach_files(request: HttpRequest, team_page: TeamPage, memory_id: UUID) -> ActionResult:
    files: list[UploadedFile[bytes]] = request.FILES.getlist("file")
    if not files:
        raise Invalid({"file": "Choose a file first."})
    uploads = [operations.FileUpload(file, file.name or "", file.content_type or "") for file in files]
    assets = operations.attach_all(actor=team_page.actor, memory_id=memory_id, files=uploads)
    return ActionResult(f"Attached {_describe_assets(assets)}.", _detach_url(team_page, assets))


def _detach_url(team_page: TeamPage, assets: list[Asset]) -> str:
    address = team_page.url("memory-detach", assets[0].memory_id, assets[0].pk)
    return f"{address}?together=1" if len(assets) > 1 else address


def _describe_assets(assets: list[Asset]) -> str:
    return assets[0].name if len(assets) == 1 else f"{len(assets)} files"


@team_action
def detach_files(request: HttpRequest, team_page: TeamPage, memory_id: UUID, asset_id: UUID) -> ActionResult:
    """Remove one attachment; with `together`, all that the same user attached at the same moment."""
    asset, now = _get_asset(team_page, memory_id, asset_id), timezone.now()
    siblings = Asset.objects.in_organization(asset.organization_id).filter(
        memory=memory_id, created_at=asset.created_at
    )
    assets = list(siblings.filter(user=team_page.actor.user_id)) if read_param(request, "together") else [asset]
    with transaction.atomic():
        for each in assets:
            operations.detach_file(actor=team_page.actor, asset_id=each.pk, now=now)
    return ActionResult(f"Removed {_describe_assets(assets)}.", team_page.url("memory-reattach", memory_id, asset_id))


@team_action
def reattach_files(request: HttpRequest, team_page: TeamPage, memory_id: UUID, asset_id: UUID) -> ActionResult:
    assets = operations.reattach_file(actor=team_page.actor, memory_id=memory_id, asset_id=asset_id)
    return ActionResult(f"Put back {_describe_assets(assets)}.", _detach_url(team_page, assets))


@require_safe
@in_team
def show_asset(request: HttpRequest, team_page: TeamPage, memory_id: UUID, asset_id: UUID) -> HttpResponse:
    """Show pictures and texts, send anything else as a download. No content runs within this origin."""
    asset = _get_asset(team_page, memory_id, asset_id)
    inline = "download" not in request.GET and (is_picture(asset) or is_text(asset))
    content_type = "text/plain; charset=utf-8" if inline and is_text(asset) else asset.content_type
    response: HttpResponseBase = FileResponse(
        asset.file.open("rb"), as_attachment=not inline, filename=asset.name, content_type=content_type
    )
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = ATTACHMENT_CSP
    response["Cache-Control"] = "private, no-store"
    return response  # type: ignore[return-value]


def _get_asset(team_page: TeamPage, memory_id: UUID, asset_id: UUID) -> Asset:
    memory = find_memory_or_forgotten(actor=team_page.actor, memory_id=memory_id)
    asset = Asset.objects.of_memory(memory).filter(pk=asset_id).first()
    if asset is None:
        raise NotFound("There is no such attachment.")
    return asset


@in_team
def link_memory_view(request: HttpRequest, team_page: TeamPage, memory_id: UUID) -> HttpResponse:
    """Search for another memory, and link to it."""
    memory = get_changeable_memory(team_page, memory_id)
    if request.method != "POST":
        return _render_link_form(
            request, team_page, memory, LinkForm(initial={"supersede": "supersede" in request.GET})
        )
    form = LinkForm({name: read_param(request, name) for name in LinkForm.base_fields})
    if not form.is_valid():
        return _render_link_form(request, team_page, memory, form, status=400)
    values = dict(form.cleaned_data)
    try:
        if values.pop("supersede"):
            return _replace_other(request, team_page, memory_id, other_id=values["target_id"])
        link = operations.associate(actor=team_page.actor, origin_id=memory_id, **values)
    except Trouble as refusal:
        form.add_error("target_id", refusal.message)
        return _render_link_form(request, team_page, memory, form, status=refusal.status)
    undo = urlencode({"target": str(link.target_id), "relation": link.relation})
    notify(request, "Linked.", undo=f"{team_page.url('memory-unlink', memory_id)}?{undo}")
    return HttpResponseRedirect(team_page.url("memory", memory_id))


def _replace_other(request: HttpRequest, team_page: TeamPage, memory_id: UUID, *, other_id: UUID) -> HttpResponse:
    closed = operations.supersede_memory(actor=team_page.actor, memory_id=other_id, by=memory_id)
    if closed.proposal_id:
        notify(request, "The replacement waits for somebody else's approval.")
    else:
        notify(request, "Replaced.", undo=team_page.url("memory-reinstate", other_id))
    return HttpResponseRedirect(team_page.url("memory", memory_id))


def _render_link_form(
    request: HttpRequest, team_page: TeamPage, memory: Memory, form: LinkForm, *, status: int = 200
) -> HttpResponse:
    find = read_param(request, "find").strip()[: recall.QUERY_LENGTH]
    others = [other for other in _find_link_candidates(team_page, find) if other.pk != memory.pk]
    context: dict[str, Any] = {"section": "memories", "memory": memory, "form": form, "find": find, "others": others}
    return render(request, "memories/memory_link.html", context, status=status)


def _find_link_candidates(team_page: TeamPage, find: str) -> list[Memory]:
    """Find memories by id, or by their text and key."""
    if memory_id := parse_uuid(find):
        return list(Memory.objects.visible_to(team_page.actor).filter(pk=memory_id))
    hits = recall.recall(actor=team_page.actor, query=find, limit=LINK_CANDIDATES + 1, noted=False).hits if find else []
    return [hit.memory for hit in hits]


@team_action
def unlink_memory_view(request: HttpRequest, team_page: TeamPage, memory_id: UUID) -> ActionResult:
    """Remove the link from this memory to a `target`, or from an `origin` to it."""
    origin, target = (
        parse_uuid(read_param(request, "origin")) or memory_id,
        parse_uuid(read_param(request, "target")) or memory_id,
    )
    relation = read_param(request, "relation")
    operations.dissociate(actor=team_page.actor, origin_id=origin, target_id=target, relation=relation)
    again = urlencode(
        {"target_id": str(target), "relation": relation, "weight": read_param(request, "weight") or "0.5"}
    )
    return ActionResult("Link removed.", f"{team_page.url('memory-link', origin)}?{again}")


@in_team
def add_source(request: HttpRequest, team_page: TeamPage, memory_id: UUID) -> HttpResponse:
    memory = get_changeable_memory(team_page, memory_id)
    if request.method != "POST":
        return _render_source_form(request, memory, SourceForm())
    form = SourceForm(request.POST)
    if not form.is_valid():
        return _render_source_form(request, memory, form, status=400)
    try:
        source = _save_source(team_page, memory_id, anchor=form.take_anchor(), **form.cleaned_data)
    except Trouble as refusal:
        add_refusal(form, refusal)
        return _render_source_form(request, memory, form, status=refusal.status)
    notify(request, "Source added.", undo=team_page.url("memory-uncite", memory_id, source.pk))
    return HttpResponseRedirect(team_page.url("memory", memory_id))


@transaction.atomic
def _save_source(team_page: TeamPage, memory_id: UUID, *, session: str, **fields: Any) -> Source:
    """Save a source; a session that a person names must exist already."""
    source = operations.add_citation(actor=team_page.actor, memory_id=memory_id, session=session, **fields)
    if session and not source.session_id:
        raise Invalid({"session": "This session was deleted or is not visible to you."})
    return source


def _render_source_form(request: HttpRequest, memory: Memory, form: SourceForm, *, status: int = 200) -> HttpResponse:
    context = {"section": "memories", "memory": memory, "form": form}
    return render(request, "memories/memory_source.html", context, status=status)


@team_action
def remove_source(request: HttpRequest, team_page: TeamPage, memory_id: UUID, source_id: UUID) -> ActionResult:
    operations.remove_citation(actor=team_page.actor, memory_id=memory_id, source_id=source_id)
    return ActionResult("Source removed.", team_page.url("memory-recite", memory_id, source_id))


@team_action
def restore_source(request: HttpRequest, team_page: TeamPage, memory_id: UUID, source_id: UUID) -> ActionResult:
    operations.restore_citation(actor=team_page.actor, memory_id=memory_id, source_id=source_id)
    return ActionResult("Source put back.", team_page.url("memory-uncite", memory_id, source_id))


def get_changeable_memory(team_page: TeamPage, memory_id: UUID) -> Memory:
    """Return a memory that the user may change; raise Forbidden or NotFound otherwise."""
    memory = find_memory_or_forgotten(actor=team_page.actor, memory_id=memory_id)
    if not access.may_write(team_page.actor, memory.audience):
        raise Forbidden("You may read this memory, but not change it.")
    return memory
