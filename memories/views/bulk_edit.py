"""Bulk edits of memories: preview the effect, apply it, and undo it."""

import re
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme

from memories.models import SUMMARY_LENGTH, Batch, BulkActionKind
from memories.operations import bulk_edit
from memories.views import lists
from memories.views.list_filters import MemoryFilterForm
from memoryhub.errors import Conflict, Invalid, NotFound
from memoryhub.flash import notify
from memoryhub.forms import MomentField, WordsField, add_refusal
from memoryhub.ids import parse_uuid
from teams.team_page import ActionResult, TeamPage, in_team, redirect_back, team_action

BULK_ACTION_LABELS = {
    BulkActionKind.PIN: "Pin",
    BulkActionKind.UNPIN: "Unpin",
    BulkActionKind.TAG: "Add tags to",
    BulkActionKind.UNTAG: "Remove tags from",
    BulkActionKind.EXPIRE: "Set the expiry of",
    BulkActionKind.FORGET: "Forget",
    BulkActionKind.RESTORE: "Restore",
}
BULK_ACTION_DONE_LABELS = {
    BulkActionKind.PIN: "Pinned",
    BulkActionKind.UNPIN: "Unpinned",
    BulkActionKind.TAG: "Added tags to",
    BulkActionKind.UNTAG: "Removed tags from",
    BulkActionKind.EXPIRE: "Set the expiry of",
    BulkActionKind.FORGET: "Forgot",
    BulkActionKind.RESTORE: "Restored",
}
REQUIRED_FIELDS = {
    BulkActionKind.TAG: "tags",
    BulkActionKind.UNTAG: "tags",
    BulkActionKind.EXPIRE: "expires_at",
}  # must be filled in before there is a preview

BATCHES_LISTED = 50
VERSION_PATTERN = re.compile("[0-9]{1,10}")


class BulkEditForm(forms.Form):
    kind = forms.ChoiceField(choices=BulkActionKind.choices, widget=forms.HiddenInput)
    tags = WordsField(label="Tags", help_text="Separate tags with commas.")
    expires_at = MomentField(label="Expires", help_text="In UTC. Leave it empty to let them stay.")
    reason = forms.CharField(
        required=False,
        max_length=SUMMARY_LENGTH,
        help_text="Optional, for whoever looks at the history.",
        widget=forms.TextInput(attrs={"placeholder": "Why?"}),
    )

    @property
    def required_field(self) -> forms.BoundField | None:
        """Return the field that this kind of edit cannot do without."""
        name = REQUIRED_FIELDS.get(BulkActionKind(self["kind"].value()))
        return self[name] if name else None

    @property
    def is_complete(self) -> bool:
        """Return True once the required field was submitted, even if empty."""
        return self.required_field is None or self.required_field.name in self.data

    def wish(self) -> bulk_edit.BulkEdit:
        if not self.is_valid():
            raise Invalid({})
        return bulk_edit.build_bulk_edit(**self.cleaned_data)


@in_team
def preview_bulk_edit(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    if request.method != "POST":
        return HttpResponseRedirect(team_page.url("memories"))
    return render_preview(request, team_page, ids=read_selection(request.POST, team_page=team_page))


@in_team
def show_batches(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    """List the latest bulk edits; a POST applies another one."""
    if request.method == "POST":
        return _apply_bulk_edit(request, team_page)
    latest = Batch.objects.visible_to(team_page.actor).filter(team=team_page.team).with_authors()
    batches = [(batch, describe_batch(batch)) for batch in latest.order_by("-created_at")[:BATCHES_LISTED]]
    return render(request, "memories/bulk_edits.html", {"section": "memories", "batches": batches})


def _apply_bulk_edit(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    seen, form = parse_seen_versions(request.POST.get("seen", "")), BulkEditForm(request.POST)
    try:
        batch = bulk_edit.apply_bulk_edit(actor=team_page.actor, seen=seen, wish=form.wish())
    except (Conflict, Invalid) as refusal:
        return render_preview(request, team_page, ids=list(seen), refusal=refusal)
    notify(request, f"{describe_batch(batch)}.", undo=team_page.url("memories-batch-undo", batch.pk))
    return redirect_back(request, team_page)


@in_team
def show_batch(request: HttpRequest, team_page: TeamPage, batch_id: UUID) -> HttpResponse:
    batch = Batch.objects.visible_to(team_page.actor).with_authors().filter(pk=batch_id).first()
    if batch is None:
        raise NotFound("There is no such batch.")
    memories = bulk_edit.find_selectable(actor=team_page.actor, memory_ids=batch.memory_ids)
    lines = [(memories.get(pk), _describe_memory_state(batch, pk, memories)) for pk in batch.memory_ids]
    return render(
        request,
        "memories/bulk_edit.html",
        {"section": "memories", "batch": batch, "title": describe_batch(batch), "lines": lines},
    )


@team_action
def undo_batch(request: HttpRequest, team_page: TeamPage, batch_id: UUID) -> ActionResult:
    batch = bulk_edit.undo_bulk_edit(actor=team_page.actor, batch_id=batch_id)
    left = len(batch.left_ids)
    text = f"Undone: {pluralize_memories(len(batch.memory_ids) - left)} as before."
    if not left:
        return ActionResult(text)
    return ActionResult(
        f"{text} {left} changed meanwhile and left alone.", to=team_page.url("memories-batch", batch.pk)
    )


def render_preview(
    request: HttpRequest, team_page: TeamPage, *, ids: Sequence[UUID], refusal: Conflict | Invalid | None = None
) -> HttpResponse:
    """Render the effect of a bulk edit, or first ask for the field that it requires."""
    form = BulkEditForm(request.POST)
    if not ids or form["kind"].value() not in BulkActionKind.values:
        raise Invalid({"memories": "Select some memories first, and what to do with them."})
    kind, effect = BulkActionKind(form["kind"].value()), None
    if form.is_complete:
        try:
            effect = bulk_edit.preview_effects(actor=team_page.actor, memory_ids=ids, wish=form.wish())
        except Invalid as invalid:
            add_refusal(form, invalid)
    context: dict[str, Any] = {"section": "memories", "form": form, "kind": kind, "effect": effect, "ids": ids}
    context |= {"doing": BULK_ACTION_LABELS[kind], "next": return_url(request, team_page), "refusal": refusal}
    if effect:
        context["seen"] = " ".join(f"{pk}:{version}" for pk, version in effect.versions.items())
        context["title"] = f"{BULK_ACTION_LABELS[kind]} {pluralize_memories(len(effect.changing))}"
    else:
        context["title"] = f"{BULK_ACTION_LABELS[kind]} {pluralize_memories(len(ids))}"
        context["chosen"] = list(bulk_edit.find_selectable(actor=team_page.actor, memory_ids=ids).values())
    status = 409 if isinstance(refusal, Conflict) else 400 if form.is_complete and not effect else 200
    return render(request, "memories/bulk_edit_preview.html", context, status=status)


def read_selection(params: QueryDict, *, team_page: TeamPage) -> list[UUID]:
    """Return the ids of the ticked memories; with `all`, the first ones of the filtered list in that query string."""
    ids = [pk for pk in map(parse_uuid, params.getlist("memory")) if pk]
    if "all" in params:
        ids = lists.matching_ids(
            MemoryFilterForm(QueryDict(params.get("all")), team_page=team_page), limit=bulk_edit.MAX_BULK_MEMORIES
        )
    return ids


def parse_seen_versions(seen: str) -> dict[UUID, int]:
    """Parse `id:version` pairs separated by spaces."""
    pairs = [pair.partition(":") for pair in seen.split()]
    return {
        pk: int(version)
        for text, _, version in pairs
        if (pk := parse_uuid(text)) and VERSION_PATTERN.fullmatch(version)
    }


def return_url(request: HttpRequest, team_page: TeamPage) -> str:
    address = request.POST.get("next", "")
    return address if url_has_allowed_host_and_scheme(address, allowed_hosts=None) else team_page.url("memories")


def describe_batch(batch: Batch) -> str:
    return f"{BULK_ACTION_DONE_LABELS[BulkActionKind(batch.kind)]} {pluralize_memories(len(batch.memory_ids))}"


def pluralize_memories(number: int) -> str:
    return "1 memory" if number == 1 else f"{number} memories"


def _describe_memory_state(batch: Batch, pk: UUID, memories: dict[UUID, Any]) -> str:
    """Describe the present state of a memory of the batch."""
    if pk in batch.left_ids:
        return "left alone: it was changed before the undo"
    if pk not in memories:
        return "gone, or no longer yours to see"
    if batch.undone_at:
        return "undone"
    return "" if memories[pk].version == batch.after[pk] else "changed since: an undo leaves it alone"
