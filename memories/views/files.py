"""A team's files, to go through and to read: folders, searches, texts, their versions, and what was deleted."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import content_disposition_header

from memories import archives, diffs, folders, paging
from memories.fields import clean
from memories.models import FILE_BYTES, FileVersion, TeamFile, TeamFileQuerySet, octets
from memories.recall import snippets
from memories.recall.snippets import Snippet
from memoryhub.errors import Forbidden, Invalid, NotFound
from teams.place import Place, in_team

QUESTION = 200  # characters of a search
FOUND = 20  # files on a page of a search
VERSIONS = 30  # on a page of a history
DELETED = 50  # on a page
LINES, CHARACTERS = 5_000, 200_000  # of a text that are shown; all of it can be downloaded
MARKDOWN = (".md", ".markdown")


# Folders


@in_team
def page(request: HttpRequest, place: Place, folder: str = "") -> HttpResponse:
    """A folder, or what is found in it."""
    asked = request.GET.get("q", "").replace("\0", "").strip()[:QUESTION]
    here = place.to("folder", folder) if folder else place.to("files")
    shown = {"section": "files", "folder": folder, "here": here, "crumbs": crumbs(folder), "name": last(folder)}
    shown |= {"asked": asked}
    if asked:
        hits = found(place, asked, folder=cleaned(folder))
        return render(request, "memories/files.html", shown | {"hits": hits.hits, "more": hits.more})
    inside = folders.contents(
        readable(place).listed(), cleaned(folder), beyond=request.GET.get("beyond", "").replace("\0", "")
    )
    if folder and not len(inside):
        raise NotFound(f"There is no folder {folder!r}.")
    return render(request, "memories/files.html", shown | {"inside": inside, "entries": _entries(inside)})


def readable(place: Place) -> TeamFileQuerySet:
    return TeamFile.objects.visible_to(place.here).filter(team=place.team.pk)


def _entries(inside: folders.Contents) -> dict[str, Sequence[object]]:
    """Folders and files, each by name as people sort them."""
    return {
        "folders": [inside.folders[name] for name in sorted(inside.folders, key=str.casefold)],
        "files": [(name, inside.files[name]) for name in sorted(inside.files, key=str.casefold)],
    }


@dataclass(frozen=True, slots=True)
class Found:
    hits: list[tuple[TeamFile, Snippet]]
    more: bool  # than these


def found(place: Place, asked: str, *, folder: str = "") -> Found:
    """The files that have these words, the last changed first, each with the part that has them."""
    rows = readable(place).filter(folders.saying(asked))
    rows = rows.below(folder) if folder else rows
    files = list(rows.with_beginning(characters=snippets.INDEXED).order_by("-updated_at", "-id")[: FOUND + 1])
    texts = {file.pk: file.beginning for file in files[:FOUND]}
    parts = snippets.in_files(organization_id=place.team.organization_id, texts=texts, words=asked)
    return Found([(file, parts[file.pk]) for file in files[:FOUND]], more=len(files) > FOUND)


# One file


@dataclass(frozen=True, slots=True)
class Crumb:
    name: str
    path: str


def crumbs(path: str) -> list[Crumb]:
    """The folders that it is in, from the outermost."""
    parts = [part for part in path.split("/")[:-1] if part]
    return [Crumb(name, "/".join(parts[: number + 1])) for number, name in enumerate(parts)]


def last(path: str) -> str:
    return path.rpartition("/")[2]


def cleaned(path: str) -> str:
    """As an address of ours has it; what no path can be is nowhere."""
    try:
        return str(clean({"path": path}, now=timezone.now())["path"]) if path else ""
    except Invalid as error:
        raise NotFound("There is no such file.") from error


def one(place: Place, path: str) -> TeamFile:
    file = readable(place).at(cleaned(path)).defer("search").first()
    if file is None:
        raise NotFound(f"There is no file {path!r}. It may have been moved or deleted.")
    return file


def require_writing(place: Place) -> None:
    if not place.may_write:
        raise Forbidden("You may read this team's files, but not change them.")


@in_team
def read(request: HttpRequest, place: Place, path: str) -> HttpResponse:
    file = one(place, path)
    version = version_of(file, request.GET.get("version", ""))
    plain = not path.lower().endswith(MARKDOWN) or request.GET.get("as") == "text"
    shown = {
        "version": version,
        "size": len(version.content.encode()),
        "old": version.version != file.version,
        "plain": plain,
        "lines": _lines(version.content) if plain else [],
        "cut": _is_cut(version.content, plain=plain),
        "talk": path.removeprefix(f"{archives.FOLDER}/") if path.startswith(f"{archives.FOLDER}/") else "",
    }
    return render(request, "memories/file.html", about(file) | shown)


def about(file: TeamFile) -> dict[str, object]:
    """What every page of a file says of it."""
    known = {"section": "files", "file": file, "name": last(file.path), "crumbs": crumbs(file.path)}
    markdown = file.path.lower().endswith(MARKDOWN)
    return known | {"size": len(file.content.encode()), "most": FILE_BYTES, "markdown": markdown}


def version_of(file: TeamFile, said: str) -> FileVersion:
    """The one that is asked for, or the newest."""
    wanted = _number(said) if said else file.version
    rows = FileVersion.objects.filter(organization=file.organization_id, file=file, version=wanted)
    found = rows.select_related("agent", "user").first()
    if found is None:
        raise NotFound("There is no such version of this file.")
    return found


def _lines(content: str) -> list[str]:
    lines = content[:CHARACTERS].split("\n")[: LINES + 1]
    return (lines if lines[-1] else lines[:-1])[:LINES]


def _is_cut(content: str, *, plain: bool) -> bool:
    return len(content) > CHARACTERS or (plain and content.count("\n") > LINES)


@in_team
def download(request: HttpRequest, place: Place, path: str) -> HttpResponse:
    """Never as anything that a browser would run."""
    version = version_of(one(place, path), request.GET.get("version", ""))
    headers = {
        "Content-Disposition": content_disposition_header(as_attachment=True, filename=last(path)) or "attachment",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'; sandbox",
    }
    return HttpResponse(version.content, content_type="text/plain; charset=utf-8", headers=headers)


@in_team
def history(request: HttpRequest, place: Place, path: str) -> HttpResponse:
    """The versions, and what one of them changed."""
    file = one(place, path)
    chosen = version_of(file, request.GET.get("version", ""))
    before = version_of(file, str(chosen.version - 1)) if chosen.version > 1 else None
    rows = FileVersion.objects.filter(organization=file.organization_id, file=file, version__lte=_newest(request, file))
    rows = rows.select_related("agent", "user").annotate(size=octets("content")).defer("content")
    versions = list(rows.order_by("-version")[: VERSIONS + 1])
    shown = {
        "chosen": chosen,
        "before": before,
        "changes": diffs.shortened(diffs.diff(before.content if before else "", chosen.content)),
        "versions": versions[:VERSIONS],
        "older": versions[VERSIONS].version if len(versions) > VERSIONS else None,
        "newest": _newest(request, file),
    }
    return render(request, "memories/file_history.html", about(file) | shown)


def _newest(request: HttpRequest, file: TeamFile) -> int:
    """The first version of the list: of its later pages an older one."""
    return min(file.version, _number(request.GET.get("to", "")) or file.version)


def _number(said: str) -> int:
    """Of a version; 0 if it is none."""
    return int(said) if re.fullmatch(r"[0-9]{1,9}", said) else 0


# What was deleted


@in_team
def deleted(request: HttpRequest, place: Place) -> HttpResponse:
    require_writing(place)
    rows = TeamFile.objects.restorable_by(place.here).filter(team=place.team.pk)
    gone = paging.page(rows.listed(), order="-deleted_at", limit=DELETED, cursor=request.GET.get("cursor"))
    shown = {"section": "files", "files": list(_signed(place, gone.rows)), "next": gone.next}
    return render(request, "memories/files_deleted.html", shown)


def _signed(place: Place, files: Sequence[TeamFile]) -> Iterator[tuple[TeamFile, str]]:
    """Each with who deleted it."""
    rows = FileVersion.objects.filter(
        organization=place.team.organization_id, file__in=files, version=F("file__version")
    )
    names = {row.file_id: row.byline for row in rows.select_related("agent", "user").defer("content")}
    return ((file, names.get(file.pk, "")) for file in files)
