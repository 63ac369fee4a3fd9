"""Uploading text files into a team's folder. What is there already is replaced only when that is asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone

from memories import folders, operations
from memories.fields import clean
from memories.models import FILE_BYTES, PATH_LENGTH, TeamFile
from memories.views.file_changes import unwriting
from memories.views.files import cleaned, crumbs, readable, require_writing
from memoryhub.errors import Invalid, KeyTaken, Trouble
from memoryhub.notices import notify
from teams.place import Place, in_team


class UploadForm(forms.Form):
    folder = forms.CharField(
        required=False,
        max_length=PATH_LENGTH,
        help_text="Leave it empty for none.",
        widget=forms.TextInput(attrs={"class": "mono-field", "autocomplete": "off", "spellcheck": "false"}),
    )
    replace = forms.BooleanField(required=False, label="Replace files that are there already")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one of the files."""

    path: str
    refusal: str = ""
    taken: TeamFile | None = None  # what is there already
    text: str = ""  # that would replace it
    file: TeamFile | None = None  # what was written

    @property
    def written(self) -> bool:
        return not self.refusal and not self.taken


@in_team
def page(request: HttpRequest, place: Place) -> HttpResponse:
    require_writing(place)
    folder = cleaned(request.GET.get("folder", "").strip("/"))
    form = UploadForm(request.POST or None, initial={"folder": folder})
    sent = request.FILES.getlist("files")
    shown: dict[str, object] = {"section": "files", "form": form, "crumbs": crumbs(f"{folder}/"), "most": FILE_BYTES}
    if request.method != "POST" or not form.is_valid():
        return render(request, "memories/file_upload.html", shown, status=400 if form.errors else 200)
    if not sent:
        return render(request, "memories/file_upload.html", shown | {"nothing": True}, status=400)
    within = form.cleaned_data["folder"].strip("/")
    outcomes = [_put(place, within, file, replace=form.cleaned_data["replace"]) for file in sent]
    if all(outcome.written for outcome in outcomes):
        return _done(request, place, outcomes, within)
    status = 400 if any(outcome.refusal for outcome in outcomes) else 409
    return render(request, "memories/file_upload.html", shown | {"outcomes": outcomes}, status=status)


def _put(place: Place, folder: str, sent: "UploadedFile[Any]", *, replace: bool) -> Outcome:
    path = f"{folder}/{sent.name}" if folder else f"{sent.name}"
    try:
        path = clean({"path": path}, now=timezone.now())["path"]
        return _written(place, path, _text(sent), replace=replace)
    except Invalid as refusal:
        return Outcome(path, " ".join(refusal.fields.values()))
    except Trouble as refusal:
        return Outcome(path, refusal.message)


def _written(place: Place, path: str, text: str, *, replace: bool) -> Outcome:
    try:
        return Outcome(path, file=folders.make(actor=place.here, path=path, content=text))
    except KeyTaken:
        present = readable(place).at(path).defer("search").first()
        if present is None:
            raise
        if not replace and present.content != text:
            return Outcome(path, taken=present, text=text)
        if present.content == text:
            return Outcome(path)
        return Outcome(path, file=operations.files.write(actor=place.here, path=path, content=text))


def _text(sent: "UploadedFile[Any]") -> str:
    if (sent.size or 0) > FILE_BYTES:
        raise Invalid({"file": f"It is larger than {FILE_BYTES:,} bytes."})
    try:
        return bytes(sent.read()).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Invalid({"file": "It is not text in UTF-8. Files here are text; attach others to a memory."}) from error


def _done(request: HttpRequest, place: Place, outcomes: Sequence[Outcome], folder: str) -> HttpResponse:
    one = outcomes[0].path if len(outcomes) == 1 else ""
    undo = unwriting(place, outcomes[0].file) if one and outcomes[0].file else ""
    notify(request, f"{one} is uploaded." if one else f"{len(outcomes)} files are uploaded.", undo=undo)
    return HttpResponseRedirect(place.to("file", one) if one else _folder(place, folder))


def _folder(place: Place, folder: str) -> str:
    return place.to("folder", folder) if folder else place.to("files")
