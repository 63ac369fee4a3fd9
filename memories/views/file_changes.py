"""Changing a team's files: writing, moving, deleting, and taking all of it back."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone

from memories import diffs, folders, merging, operations
from memories.fields import clean
from memories.models import PATH_LENGTH, FileVersion, TeamFile
from memories.operations.seeing import Seen, tail
from memories.views.files import about, cleaned, crumbs, last, one, readable, require_writing
from memoryhub.errors import Conflict, NotFound, Trouble
from memoryhub.forms import refuse
from memoryhub.notices import notify
from teams.place import Done, Place, action, in_team


class PathForm(forms.Form):
    path = forms.CharField(
        max_length=PATH_LENGTH,
        help_text="Folders come with the path: notes/today.md.",
        widget=forms.TextInput(attrs={"class": "mono-field", "autocomplete": "off", "spellcheck": "false"}),
    )


class TextForm(forms.Form):
    """The text of a file (`file`, as the operations call it), and what of it its writer has seen."""

    file = forms.CharField(
        label="Text",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"class": "mono-field", "rows": 24, "spellcheck": "false", "data-draft": ""}),
    )
    version = forms.IntegerField(min_value=1, required=False, widget=forms.HiddenInput)
    file_id = forms.UUIDField(required=False, widget=forms.HiddenInput)

    @classmethod
    def showing(cls, file: TeamFile, text: str) -> "TextForm":
        return cls(initial={"file": text, "version": file.version, "file_id": file.pk})

    def clean_file(self) -> str:
        """Browsers send every end of a line as two characters."""
        return str(self.cleaned_data["file"]).replace("\r\n", "\n")

    @property
    def seen(self) -> Seen | int:
        """What must still be there; nothing, if it was gone already."""
        version, file_id = self.cleaned_data["version"], self.cleaned_data["file_id"]
        return Seen(version, tail(file_id)) if version and file_id else operations.files.ABSENT


class NewForm(PathForm, TextForm):
    field_order = ("path", "file")


# Writing


@in_team
def new(request: HttpRequest, place: Place) -> HttpResponse:
    require_writing(place)
    folder = cleaned(request.GET.get("folder", "").strip("/"))
    form = NewForm(request.POST or None, initial={"path": f"{folder}/" if folder else ""})
    if form.is_valid():
        try:
            path = clean({"path": form.cleaned_data["path"]}, now=timezone.now())["path"]
            made = folders.make(actor=place.here, path=path, content=form.cleaned_data["file"])
        except Trouble as refusal:
            _refuse_path(form, refusal)
        else:
            notify(request, f"{made.path} is written.", undo=unwriting(place, made))
            return HttpResponseRedirect(place.to("file", made.path))
    shown = {"section": "files", "form": form, "crumbs": crumbs(f"{folder}/")}
    return render(request, "memories/file_new.html", shown, status=400 if form.errors else 200)


def _refuse_path(form: forms.Form, refusal: Trouble) -> None:
    """That a path is taken is said beside it."""
    if isinstance(refusal, Conflict):
        return form.add_error("path", refusal.message)
    return refuse(form, refusal)


@in_team
def edit(request: HttpRequest, place: Place, path: str) -> HttpResponse:
    require_writing(place)
    path = cleaned(path)
    if request.method != "POST":
        file = one(place, path)
        return _editor(request, path, TextForm.showing(file, file.content))
    form = TextForm(request.POST)
    if not form.is_valid():
        return _editor(request, path, form, status=400)
    text = _ended_alike(form.cleaned_data["file"], readable(place).at(path).defer("search").first())
    try:
        saved = operations.files.write(actor=place.here, path=path, content=text, version=form.seen)
    except Conflict as race:
        return _race(request, place, path, text, form, race)
    except NotFound:
        return _gone(request, path, text)
    except Trouble as refusal:
        refuse(form, refusal)
        return _editor(request, path, form, status=refusal.status)
    notify(request, f"{last(path)} is saved.", undo=unwriting(place, saved))
    return HttpResponseRedirect(place.to("file", path))


def _ended_alike(text: str, present: TeamFile | None) -> str:
    """With the ends of lines that the file has, which no text area keeps."""
    return text.replace("\n", "\r\n") if present and "\r\n" in present.content else text


def _editor(request: HttpRequest, path: str, form: forms.Form, *, status: int = 200, **more: Any) -> HttpResponse:
    shown = {"section": "files", "form": form, "path": path, "name": last(path), "crumbs": crumbs(path)}
    return render(request, "memories/file_edit.html", shown | more, status=status)


def _gone(request: HttpRequest, path: str, text: str) -> HttpResponse:
    """What was written is not lost with the file."""
    form = TextForm(initial={"file": text})
    return _editor(request, path, form, status=409, gone=True)


def _race(request: HttpRequest, place: Place, path: str, text: str, form: TextForm, race: Conflict) -> HttpResponse:
    """What somebody else made of it meanwhile, what you made of it, and both together."""
    theirs = one(place, path)
    base = FileVersion.objects.filter(
        organization=theirs.organization_id,
        file=theirs,
        file_id=form.cleaned_data["file_id"],
        version=form.cleaned_data["version"],
    ).first()
    by = FileVersion.objects.filter(organization=theirs.organization_id, file=theirs, version=theirs.version)
    merged = merging.of_text(base=base.content if base else "", theirs=theirs.content, yours=text)
    shown = about(theirs) | {
        "merged": merged,
        "theirs": diffs.shortened(diffs.diff(merged.base, merged.theirs)),
        "yours": diffs.shortened(diffs.diff(merged.base, merged.yours)),
        "base": base,
        "by": by.select_related("agent", "user").defer("content").get(),
        "form": TextForm.showing(theirs, merged.together),
    }
    return render(request, "memories/file_merge.html", shown, status=race.status)


# Moving


@in_team
def move(request: HttpRequest, place: Place, path: str) -> HttpResponse:
    """A file, or a folder with all that is in it. An undo says in the address where it goes."""
    require_writing(place)
    path = cleaned(path)
    back = {"path": request.GET["to"]} if "to" in request.GET and request.method == "POST" else None
    form = PathForm(back or request.POST or None, initial={"path": path})
    if form.is_valid():
        try:
            to = clean({"path": form.cleaned_data["path"]}, now=timezone.now())["path"]
            folders.move(actor=place.here, path=path, to=to)
        except NotFound:
            raise
        except Trouble as refusal:
            _refuse_path(form, refusal)
        else:
            return _moved(request, place, path, to)
    elif not readable(place).at(path).exists() and not readable(place).below(path).exists():
        raise NotFound(f"There is no file or folder {path!r}.")
    shown = {"section": "files", "form": form, "path": path, "name": last(path), "crumbs": crumbs(path)}
    return render(request, "memories/file_move.html", shown, status=400 if form.errors else 200)


def _moved(request: HttpRequest, place: Place, path: str, to: str) -> HttpResponse:
    undo = f"{place.to('file-move', to)}?{urlencode({'to': path})}"
    notify(request, f"{last(path)} is now {to}.", undo=undo)
    is_file = readable(place).at(to).exists()
    return HttpResponseRedirect(place.to("file" if is_file else "folder", to))


# Deleting, and taking back


def _as_seen(undo: str, file: TeamFile) -> str:
    """Takes a change back only while the file is as the change left it."""
    return f"{undo}?{urlencode({'version': file.version, 'file_id': file.pk})}"


def unwriting(place: Place, written: TeamFile) -> str:
    """Back to the version before, or to no file if it is the first."""
    before = written.version - 1
    to = place.to("file-revert", before, written.path) if before else place.to("file-delete", written.path)
    return _as_seen(to, written)


def _seen(request: HttpRequest) -> Seen | None:
    form = TextForm(request.GET)
    form.full_clean()
    version, file_id = form.cleaned_data.get("version"), form.cleaned_data.get("file_id")
    return Seen(version, tail(file_id)) if version and file_id else None


@action
def delete(request: HttpRequest, place: Place, path: str) -> Done:
    gone = operations.files.delete(actor=place.here, path=path, version=_seen(request))
    folder = path.rpartition("/")[0]
    left = folder and readable(place).below(folder).exists()
    to = place.to("folder", folder) if left else place.to("files")
    return Done(f"{last(path)} is deleted.", undo=place.to("file-restore", gone.pk), to=to)


@action
def restore(request: HttpRequest, place: Place, file_id: UUID) -> Done:
    file = operations.files.restore(actor=place.here, file_id=file_id)
    return Done(f"{file.path} is back.", undo=_as_seen(place.to("file-delete", file.path), file))


@action
def revert(request: HttpRequest, place: Place, version: int, path: str) -> Done:
    before = one(place, path).version
    reverted = operations.files.revert(actor=place.here, path=path, to_version=version, version=_seen(request))
    undo = _as_seen(place.to("file-revert", before, path), reverted)
    return Done(f"{last(path)} says again what version {version} said.", undo=undo, to=place.to("file", path))
