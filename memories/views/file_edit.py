"""Editing a team's files: create, edit, move, delete, restore and revert."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone

from memories import operations
from memories.models import PATH_LENGTH, FileVersion, TeamFile
from memories.rules.fields import clean_fields
from memories.rules.preconditions import ExpectedVersion, tail_of_id
from memories.views.edit_flow import EditFlow, merge_text_context
from memories.views.files import (
    clean_path,
    file_name,
    file_page_context,
    folder_crumbs,
    get_file,
    readable_files,
    require_write_access,
)
from memoryhub.errors import Conflict, NotFound, Trouble
from memoryhub.flash import notify
from memoryhub.forms import TextField, add_refusal
from teams.team_page import ActionResult, TeamPage, in_team, team_action


class FilePathForm(forms.Form):
    path = forms.CharField(
        max_length=PATH_LENGTH,
        help_text="Folders come with the path: notes/today.md.",
        widget=forms.TextInput(attrs={"class": "mono-field", "autocomplete": "off", "spellcheck": "false"}),
    )


class FileTextForm(forms.Form):
    """The text of a file (`file`, as the operations call it), and the version that its writer has seen."""

    file = TextField(
        label="Text",
        required=False,
        widget=forms.Textarea(attrs={"class": "mono-field", "rows": 24, "spellcheck": "false", "data-draft": ""}),
    )
    version = forms.IntegerField(min_value=1, required=False, widget=forms.HiddenInput)
    file_id = forms.UUIDField(required=False, widget=forms.HiddenInput)

    @classmethod
    def for_file(cls, file: TeamFile, text: str) -> "FileTextForm":
        return cls(initial={"file": text, "version": file.version, "file_id": file.pk})

    @property
    def expected_version(self) -> ExpectedVersion | int:
        """Return the version that must still be current; ABSENT if the file was already gone."""
        version, file_id = self.cleaned_data["version"], self.cleaned_data["file_id"]
        return ExpectedVersion(version, tail_of_id(file_id)) if version and file_id else operations.files.ABSENT


class NewFileForm(FilePathForm, FileTextForm):
    field_order = ("path", "file")


# Writing


@in_team
def create_file_view(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    require_write_access(team_page)
    folder = clean_path(request.GET.get("folder", "").strip("/"))
    form = NewFileForm(request.POST or None, initial={"path": f"{folder}/" if folder else ""})
    if form.is_valid():
        try:
            path = clean_fields({"path": form.cleaned_data["path"]}, now=timezone.now())["path"]
            file = operations.folders.create_file(
                actor=team_page.team_only_actor, path=path, content=form.cleaned_data["file"]
            )
        except Trouble as refusal:
            _refuse_path(form, refusal)
        else:
            notify(request, f"{file.path} is written.", undo=undo_write_url(team_page, file))
            return HttpResponseRedirect(team_page.url("file", file.path))
    context = {"section": "files", "form": form, "crumbs": folder_crumbs(f"{folder}/"), "unsaved": form.is_bound}
    context |= {"action": request.get_full_path(), "cancel_url": team_page.url("files")}
    return render(request, "memories/file_new.html", context, status=400 if form.errors else 200)


def _refuse_path(form: forms.Form, refusal: Trouble) -> None:
    """Attach the error to the path field if the path is taken."""
    if isinstance(refusal, Conflict):
        return form.add_error("path", refusal.message)
    return add_refusal(form, refusal)


@in_team
def edit_file_view(request: HttpRequest, team_page: TeamPage, path: str) -> HttpResponse:
    require_write_access(team_page)
    return FileEdit(request, team_page, clean_path(path)).respond()


class FileEdit(EditFlow[FileTextForm]):
    """Edits the text of a file. One that was moved or deleted meanwhile is made again."""

    editor_template = "memories/file_edit.html"
    merge_template = "memories/file_merge.html"

    def __init__(self, request: HttpRequest, team_page: TeamPage, path: str) -> None:
        super().__init__(request, team_page)
        self.path = path

    def build_form(self) -> FileTextForm:
        file = get_file(self.team_page, self.path)
        return FileTextForm.for_file(file, file.content)

    def read_form(self) -> FileTextForm:
        return FileTextForm(self.request.POST)

    def save(self, form: FileTextForm) -> ActionResult:
        text, version = self._text_to_save(form), form.expected_version
        saved = operations.files.write_file(
            actor=self.team_page.team_only_actor, path=self.path, content=text, version=version
        )
        undo = undo_write_url(self.team_page, saved)
        return ActionResult(f"{file_name(self.path)} is saved.", undo, self.team_page.url("file", self.path))

    def _text_to_save(self, form: FileTextForm) -> str:
        """Return the text with the line ends that the file has, which no text area keeps."""
        text = str(form.cleaned_data["file"])
        present = readable_files(self.team_page).at(self.path).defer("search").first()
        return text.replace("\n", "\r\n") if present and "\r\n" in present.content else text

    def respond_to_refusal(self, form: FileTextForm, refusal: Trouble) -> HttpResponse:
        if not isinstance(refusal, NotFound):
            return super().respond_to_refusal(form, refusal)
        text = FileTextForm(initial={"file": form.cleaned_data["file"]})
        return self.render_editor(text, status=409, gone=True, unsaved=True, cancel_url=self.team_page.url("files"))

    def merge(self, form: FileTextForm, conflict: Conflict) -> dict[str, Any]:
        theirs = get_file(self.team_page, self.path)
        versions, values = FileVersion.objects.of_file(theirs), form.cleaned_data
        base = versions.filter(file=values["file_id"], version=values["version"]).first()
        merging = merge_text_context(
            base=base.content if base else None, theirs=theirs.content, yours=self._text_to_save(form)
        )
        return (
            file_page_context(theirs)
            | merging
            | {
                "form": FileTextForm.for_file(theirs, merging["merged"].together),
                "version": theirs.version,
                "by": versions.filter(version=theirs.version).with_authors().defer("content").get(),
            }
        )

    def page_context(self) -> dict[str, Any]:
        return {
            "section": "files",
            "name": file_name(self.path),
            "crumbs": folder_crumbs(self.path),
            "action": self.team_page.url("file-edit", self.path),
            "cancel_url": self.team_page.url("file", self.path),
        }


# Moving


@in_team
def move_file_view(request: HttpRequest, team_page: TeamPage, path: str) -> HttpResponse:
    """Move a file, or a folder with all its files. An undo link names the destination in its query string."""
    require_write_access(team_page)
    path = clean_path(path)
    undo_data = {"path": request.GET["to"]} if "to" in request.GET and request.method == "POST" else None
    form = FilePathForm(undo_data or request.POST or None, initial={"path": path})
    if form.is_valid():
        try:
            to = clean_fields({"path": form.cleaned_data["path"]}, now=timezone.now())["path"]
            operations.folders.move_path(actor=team_page.team_only_actor, path=path, to=to)
        except NotFound:
            raise
        except Trouble as refusal:
            _refuse_path(form, refusal)
        else:
            return _redirect_after_move(request, team_page, path, to)
    elif not readable_files(team_page).at(path).exists() and not readable_files(team_page).below(path).exists():
        raise NotFound(f"There is no file or folder {path!r}.")
    context = {"section": "files", "form": form, "path": path, "name": file_name(path), "crumbs": folder_crumbs(path)}
    return render(request, "memories/file_move.html", context, status=400 if form.errors else 200)


def _redirect_after_move(request: HttpRequest, team_page: TeamPage, path: str, to: str) -> HttpResponse:
    undo = f"{team_page.url('file-move', to)}?{urlencode({'to': path})}"
    notify(request, f"{file_name(path)} is now {to}.", undo=undo)
    is_file = readable_files(team_page).at(to).exists()
    return HttpResponseRedirect(team_page.url("file" if is_file else "folder", to))


# Deleting and undoing


def _guard_undo_url(undo: str, file: TeamFile) -> str:
    """Limit an undo to the state in which the change left the file."""
    return f"{undo}?{urlencode({'version': file.version, 'file_id': file.pk})}"


def undo_write_url(team_page: TeamPage, written: TeamFile) -> str:
    """Return the address that goes back to the version before, or deletes a new file."""
    before = written.version - 1
    to = team_page.url("file-revert", before, written.path) if before else team_page.url("file-delete", written.path)
    return _guard_undo_url(to, written)


def _read_expected_version(request: HttpRequest) -> ExpectedVersion | None:
    form = FileTextForm(request.GET)
    form.full_clean()
    version, file_id = form.cleaned_data.get("version"), form.cleaned_data.get("file_id")
    return ExpectedVersion(version, tail_of_id(file_id)) if version and file_id else None


@team_action
def delete_file_view(request: HttpRequest, team_page: TeamPage, path: str) -> ActionResult:
    deleted = operations.files.delete_file(
        actor=team_page.team_only_actor, path=path, version=_read_expected_version(request)
    )
    folder = path.rpartition("/")[0]
    folder_remains = folder and readable_files(team_page).below(folder).exists()
    to = team_page.url("folder", folder) if folder_remains else team_page.url("files")
    return ActionResult(f"{file_name(path)} is deleted.", undo=team_page.url("file-restore", deleted.pk), to=to)


@team_action
def restore_file_view(request: HttpRequest, team_page: TeamPage, file_id: UUID) -> ActionResult:
    file = operations.files.restore_file(actor=team_page.team_only_actor, file_id=file_id)
    return ActionResult(f"{file.path} is back.", undo=_guard_undo_url(team_page.url("file-delete", file.path), file))


@team_action
def revert_file_view(request: HttpRequest, team_page: TeamPage, version: int, path: str) -> ActionResult:
    before = get_file(team_page, path).version
    reverted = operations.files.revert_file(
        actor=team_page.team_only_actor, path=path, to_version=version, version=_read_expected_version(request)
    )
    undo = _guard_undo_url(team_page.url("file-revert", before, path), reverted)
    return ActionResult(
        f"{file_name(path)} says again what version {version} said.", undo=undo, to=team_page.url("file", path)
    )
