"""Many memories at once: the effect is shown first, then one button does it, and another takes it back."""

import re
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme

from memories.models import SUMMARY_LENGTH, Batch, Deed
from memories.operations import batches
from memories.views import lists
from memories.views.narrowing import Narrowing
from memoryhub.errors import Conflict, Invalid, NotFound
from memoryhub.forms import MomentField, WordsField, refuse
from memoryhub.ids import as_uuid
from memoryhub.notices import notify
from teams.place import Done, Place, action, back, in_team

DOING = {
    Deed.PIN: "Pin",
    Deed.UNPIN: "Unpin",
    Deed.TAG: "Add tags to",
    Deed.UNTAG: "Remove tags from",
    Deed.EXPIRE: "Set the expiry of",
    Deed.FORGET: "Forget",
    Deed.RESTORE: "Restore",
}
DONE = {
    Deed.PIN: "Pinned",
    Deed.UNPIN: "Unpinned",
    Deed.TAG: "Added tags to",
    Deed.UNTAG: "Removed tags from",
    Deed.EXPIRE: "Set the expiry of",
    Deed.FORGET: "Forgot",
    Deed.RESTORE: "Restored",
}
ASKING = {
    Deed.TAG: "tags",
    Deed.UNTAG: "tags",
    Deed.EXPIRE: "expires_at",
}  # what must be said before one sees an effect

LATEST = 50
VERSION = re.compile("[0-9]{1,10}")


class Wished(forms.Form):
    deed = forms.ChoiceField(choices=Deed.choices, widget=forms.HiddenInput)
    tags = WordsField(label="Tags", help_text="One, or several with commas between them.")
    expires_at = MomentField(label="Expires", help_text="In UTC. Leave it empty to let them stay.")
    reason = forms.CharField(
        required=False,
        max_length=SUMMARY_LENGTH,
        help_text="Optional, for whoever looks at the history.",
        widget=forms.TextInput(attrs={"placeholder": "Why?"}),
    )

    @property
    def asking(self) -> forms.BoundField | None:
        """The field that the deed cannot do without."""
        name = ASKING.get(Deed(self["deed"].value()))
        return self[name] if name else None

    @property
    def asked(self) -> bool:
        """Whether it was filled in, if only with nothing."""
        return self.asking is None or self.asking.name in self.data

    def wish(self) -> batches.Wish:
        if not self.is_valid():
            raise Invalid({})
        return batches.wish(**self.cleaned_data)


@in_team
def preview(request: HttpRequest, place: Place) -> HttpResponse:
    if request.method != "POST":
        return HttpResponseRedirect(place.to("memories"))
    return shown(request, place, ids=selected(request.POST, place=place))


@in_team
def page(request: HttpRequest, place: Place) -> HttpResponse:
    """The latest of them; sent to, it does one more."""
    if request.method == "POST":
        return _apply(request, place)
    latest = Batch.objects.visible_to(place.actor).filter(team=place.team).select_related("agent", "user")
    done = [(batch, said(batch)) for batch in latest.order_by("-created_at")[:LATEST]]
    return render(request, "memories/batches.html", {"section": "memories", "batches": done})


def _apply(request: HttpRequest, place: Place) -> HttpResponse:
    seen, form = read(request.POST.get("seen", "")), Wished(request.POST)
    try:
        batch = batches.apply(actor=place.actor, seen=seen, wish=form.wish())
    except (Conflict, Invalid) as refusal:
        return shown(request, place, ids=list(seen), refusal=refusal)
    notify(request, f"{said(batch)}.", undo=place.to("memories-batch-undo", batch.pk))
    return back(request, place)


@in_team
def one(request: HttpRequest, place: Place, batch_id: UUID) -> HttpResponse:
    batch = Batch.objects.visible_to(place.actor).select_related("agent", "user").filter(pk=batch_id).first()
    if batch is None:
        raise NotFound("There is no such batch.")
    found = batches.known(actor=place.actor, memory_ids=batch.memory_ids)
    lines = [(found.get(pk), _standing(batch, pk, found)) for pk in batch.memory_ids]
    return render(
        request, "memories/batch.html", {"section": "memories", "batch": batch, "title": said(batch), "lines": lines}
    )


@action
def undo(request: HttpRequest, place: Place, batch_id: UUID) -> Done:
    batch = batches.undo(actor=place.actor, batch_id=batch_id)
    left = len(batch.left_ids)
    text = f"Undone: {counted(len(batch.memory_ids) - left)} as before."
    if not left:
        return Done(text)
    return Done(f"{text} {left} changed meanwhile and left alone.", to=place.to("memories-batch", batch.pk))


def shown(
    request: HttpRequest, place: Place, *, ids: Sequence[UUID], refusal: Conflict | Invalid | None = None
) -> HttpResponse:
    """The effect of what is wished, or first the question what that is."""
    form = Wished(request.POST)
    if not ids or form["deed"].value() not in Deed.values:
        raise Invalid({"memories": "Select some memories first, and what to do with them."})
    deed, effect = Deed(form["deed"].value()), None
    if form.asked:
        try:
            effect = batches.foresee(actor=place.actor, memory_ids=ids, wish=form.wish())
        except Invalid as invalid:
            refuse(form, invalid)
    context: dict[str, Any] = {"section": "memories", "form": form, "deed": deed, "effect": effect, "ids": ids}
    context |= {"doing": DOING[deed], "next": way_back(request, place), "refusal": refusal}
    if effect:
        context["seen"] = " ".join(f"{pk}:{version}" for pk, version in effect.seen.items())
        context["title"] = f"{DOING[deed]} {counted(len(effect.changing))}"
    else:
        context["title"] = f"{DOING[deed]} {counted(len(ids))}"
        context["chosen"] = list(batches.known(actor=place.actor, memory_ids=ids).values())
    wrong = 409 if isinstance(refusal, Conflict) else 400 if form.asked and not effect else 200
    return render(request, "memories/batch_preview.html", context, status=wrong)


def selected(said: QueryDict, *, place: Place) -> list[UUID]:
    """Those that are ticked; with `all`, the first of the list that its address names."""
    ids = [pk for pk in map(as_uuid, said.getlist("memory")) if pk]
    if "all" in said:
        ids = lists.matching(Narrowing(QueryDict(said.get("all")), place=place), limit=batches.MOST)
    return ids


def read(seen: str) -> dict[UUID, int]:
    """`id:version` of each, with spaces between them."""
    pairs = [pair.partition(":") for pair in seen.split()]
    return {pk: int(version) for text, _, version in pairs if (pk := as_uuid(text)) and VERSION.fullmatch(version)}


def way_back(request: HttpRequest, place: Place) -> str:
    wanted = request.POST.get("next", "")
    return wanted if url_has_allowed_host_and_scheme(wanted, allowed_hosts=None) else place.to("memories")


def said(batch: Batch) -> str:
    return f"{DONE[Deed(batch.deed)]} {counted(len(batch.memory_ids))}"


def counted(number: int) -> str:
    return "1 memory" if number == 1 else f"{number} memories"


def _standing(batch: Batch, pk: UUID, found: dict[UUID, Any]) -> str:
    """How a memory of the batch stands now."""
    if pk in batch.left_ids:
        return "left alone: it was changed before the undo"
    if pk not in found:
        return "gone, or no longer yours to see"
    if batch.undone_at:
        return "undone"
    return "" if found[pk].version == batch.after[pk] else "changed since: an undo leaves it alone"
