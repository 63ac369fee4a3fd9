"""Uploading text files into a team's folder. Existing files are replaced only on request."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone

from memories import operations
from memories.models import FILE_BYTES, PATH_LENGTH, TeamFile
from memories.rules.fields import clean_fields
from memories.views.file_edit import undo_write_url
from memories.views.files import clean_path, folder_crumbs, readable_files, require_write_access
from memoryhub.errors import Invalid, KeyTaken, Trouble
from memoryhub.flash import notify
from teams.team_page import TeamPage, in_team


class UploadForm(forms.Form):
    folder = forms.CharField(
        required=False,
        max_length=PATH_LENGTH,
        help_text="Leave it empty for none.",
        widget=forms.TextInput(attrs={"class": "mono-field", "autocomplete": "off", "spellcheck": "false"}),
    )
    replace = forms.BooleanField(required=False, label="Replace files that are there already")


@dataclass(frozen=True, slots=True)
class UploadOutcome:
    """Result of one uploaded file."""

    path: str
    refusal: str = ""
    existing: TeamFile | None = None  # the file that has this path already
    text: str = ""  # the upload that would replace it
    file: TeamFile | None = None  # the file as written

    @property
    def is_written(self) -> bool:
        return not self.refusal and not self.existing


@in_team
def upload_files_view(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    require_write_access(team_page)
    folder = clean_path(request.GET.get("folder", "").strip("/"))
    form = UploadForm(request.POST or None, initial={"folder": folder})
    uploads = request.FILES.getlist("files")
    context: dict[str, object] = {
        "section": "files",
        "form": form,
        "crumbs": folder_crumbs(f"{folder}/"),
        "most": FILE_BYTES,
    }
    if request.method != "POST" or not form.is_valid():
        return render(request, "memories/file_upload.html", context, status=400 if form.errors else 200)
    if not uploads:
        return render(request, "memories/file_upload.html", context | {"nothing": True}, status=400)
    target_folder = form.cleaned_data["folder"].strip("/")
    outcomes = [_upload_file(team_page, target_folder, file, replace=form.cleaned_data["replace"]) for file in uploads]
    if all(outcome.is_written for outcome in outcomes):
        return _redirect_after_upload(request, team_page, outcomes, target_folder)
    status = 400 if any(outcome.refusal for outcome in outcomes) else 409
    return render(request, "memories/file_upload.html", context | {"outcomes": outcomes}, status=status)


def _upload_file(team_page: TeamPage, folder: str, upload: "UploadedFile[Any]", *, replace: bool) -> UploadOutcome:
    path = f"{folder}/{upload.name}" if folder else f"{upload.name}"
    try:
        path = clean_fields({"path": path}, now=timezone.now())["path"]
        return _write_upload(team_page, path, _decode_upload(upload), replace=replace)
    except Invalid as refusal:
        return UploadOutcome(path, " ".join(refusal.fields.values()))
    except Trouble as refusal:
        return UploadOutcome(path, refusal.message)


def _write_upload(team_page: TeamPage, path: str, text: str, *, replace: bool) -> UploadOutcome:
    try:
        return UploadOutcome(
            path, file=operations.folders.create_file(actor=team_page.team_only_actor, path=path, content=text)
        )
    except KeyTaken:
        present = readable_files(team_page).at(path).defer("search").first()
        if present is None:
            raise
        if not replace and present.content != text:
            return UploadOutcome(path, existing=present, text=text)
        if present.content == text:
            return UploadOutcome(path)
        return UploadOutcome(
            path, file=operations.files.write_file(actor=team_page.team_only_actor, path=path, content=text)
        )


def _decode_upload(upload: "UploadedFile[Any]") -> str:
    if (upload.size or 0) > FILE_BYTES:
        raise Invalid({"file": f"It is larger than {FILE_BYTES:,} bytes."})
    try:
        return bytes(upload.read()).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Invalid({"file": "It is not text in UTF-8. Files here are text; attach others to a memory."}) from error


def _redirect_after_upload(
    request: HttpRequest, team_page: TeamPage, outcomes: Sequence[UploadOutcome], folder: str
) -> HttpResponse:
    one = outcomes[0].path if len(outcomes) == 1 else ""
    undo = undo_write_url(team_page, outcomes[0].file) if one and outcomes[0].file else ""
    notify(request, f"{one} is uploaded." if one else f"{len(outcomes)} files are uploaded.", undo=undo)
    return HttpResponseRedirect(team_page.url("file", one) if one else _folder_url(team_page, folder))


def _folder_url(team_page: TeamPage, folder: str) -> str:
    return team_page.url("folder", folder) if folder else team_page.url("files")
