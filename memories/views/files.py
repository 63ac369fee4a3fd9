"""A team's files: folders, search, contents, versions, and deleted files."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import content_disposition_header

from memories.conversations import transcript
from memories.models import FILE_BYTES, FileVersion, TeamFile, TeamFileQuerySet
from memories.queries import folders, paging
from memories.recall import snippets
from memories.recall.snippets import Snippet
from memories.rules.fields import clean_fields
from memories.text import diff
from memoryhub.errors import Forbidden, Invalid, NotFound
from teams.team_page import TeamPage, in_team

MAX_FILE_QUERY = 200  # characters
FILE_HITS_PER_PAGE = 20  # files on a page of a search
FILE_VERSIONS_PER_PAGE = 30  # on a page of a history
DELETED_PER_PAGE = 50  # on a page
LINES, CHARACTERS = 5_000, 200_000  # shown of a text; the download has all of it
MARKDOWN_SUFFIXES = (".md", ".markdown")


# Folders


@in_team
def show_folder(request: HttpRequest, team_page: TeamPage, folder: str = "") -> HttpResponse:
    """Show a folder, or search in it."""
    query = request.GET.get("q", "").replace("\0", "").strip()[:MAX_FILE_QUERY]
    here = team_page.url("folder", folder) if folder else team_page.url("files")
    context = {
        "section": "files",
        "folder": folder,
        "here": here,
        "crumbs": folder_crumbs(folder),
        "name": file_name(folder),
    }
    context |= {"query": query}
    if query:
        result = search_team_files(team_page, query, folder=clean_path(folder))
        return render(request, "memories/files.html", context | {"hits": result.hits, "more": result.more})
    inside = folders.list_folder(
        readable_files(team_page).with_size(),
        clean_path(folder),
        beyond=request.GET.get("beyond", "").replace("\0", ""),
    )
    if folder and not len(inside):
        raise NotFound(f"There is no folder {folder!r}.")
    return render(request, "memories/files.html", context | {"inside": inside, "entries": _sort_entries(inside)})


def readable_files(team_page: TeamPage) -> TeamFileQuerySet:
    return TeamFile.objects.visible_to(team_page.team_only_actor).of_team(team_page.team.pk)


def _sort_entries(inside: folders.FolderContents) -> dict[str, Sequence[object]]:
    """Sort folders and files by name, ignoring case."""
    return {
        "folders": [inside.folders[name] for name in sorted(inside.folders, key=str.casefold)],
        "files": [(name, inside.files[name]) for name in sorted(inside.files, key=str.casefold)],
    }


@dataclass(frozen=True, slots=True)
class FileSearchResult:
    hits: list[tuple[TeamFile, Snippet]]
    more: bool  # than these hits


def search_team_files(team_page: TeamPage, query: str, *, folder: str = "") -> FileSearchResult:
    """Find the files that contain the words of a query, last changed first, each with a snippet."""
    rows = readable_files(team_page).filter(folders.file_words_filter(query))
    rows = rows.below(folder) if folder else rows
    files = list(
        rows.with_beginning(characters=snippets.INDEXED).order_by("-updated_at", "-id")[: FILE_HITS_PER_PAGE + 1]
    )
    texts = {file.pk: file.beginning for file in files[:FILE_HITS_PER_PAGE]}
    parts = snippets.in_files(organization_id=team_page.team.organization_id, texts=texts, words=query)
    return FileSearchResult(
        [(file, parts[file.pk]) for file in files[:FILE_HITS_PER_PAGE]], more=len(files) > FILE_HITS_PER_PAGE
    )


# One file


@dataclass(frozen=True, slots=True)
class FolderCrumb:
    name: str
    path: str


def folder_crumbs(path: str) -> list[FolderCrumb]:
    """List the folders that contain a path, outermost first."""
    parts = [part for part in path.split("/")[:-1] if part]
    return [FolderCrumb(name, "/".join(parts[: number + 1])) for number, name in enumerate(parts)]


def file_name(path: str) -> str:
    return path.rpartition("/")[2]


def clean_path(path: str) -> str:
    """Normalize a path from an address; raise NotFound if no file can have it."""
    try:
        return str(clean_fields({"path": path}, now=timezone.now())["path"]) if path else ""
    except Invalid as error:
        raise NotFound("There is no such file.") from error


def get_file(team_page: TeamPage, path: str) -> TeamFile:
    file = readable_files(team_page).at(clean_path(path)).defer("search").first()
    if file is None:
        raise NotFound(f"There is no file {path!r}. It may have been moved or deleted.")
    return file


def require_write_access(team_page: TeamPage) -> None:
    if not team_page.may_write:
        raise Forbidden("You may read this team's files, but not change them.")


@in_team
def show_file(request: HttpRequest, team_page: TeamPage, path: str) -> HttpResponse:
    file = get_file(team_page, path)
    version = get_file_version(file, request.GET.get("version", ""))
    plain = not path.lower().endswith(MARKDOWN_SUFFIXES) or request.GET.get("as") == "text"
    context = {
        "version": version,
        "size": len(version.content.encode()),
        "old": version.version != file.version,
        "plain": plain,
        "lines": _split_lines(version.content) if plain else [],
        "cut": _is_cut(version.content, plain=plain),
        "talk": path.removeprefix(f"{transcript.ARCHIVE_FOLDER}/")
        if path.startswith(f"{transcript.ARCHIVE_FOLDER}/")
        else "",
    }
    return render(request, "memories/file.html", file_page_context(file) | context)


def file_page_context(file: TeamFile) -> dict[str, object]:
    """Build the template context that all pages of a file share."""
    context = {"section": "files", "file": file, "name": file_name(file.path), "crumbs": folder_crumbs(file.path)}
    markdown = file.path.lower().endswith(MARKDOWN_SUFFIXES)
    return context | {"size": len(file.content.encode()), "most": FILE_BYTES, "markdown": markdown}


def get_file_version(file: TeamFile, requested: str) -> FileVersion:
    """Return the requested version of a file, or the newest."""
    number = _parse_version(requested) if requested else file.version
    version = FileVersion.objects.of_file(file).filter(version=number).with_authors().first()
    if version is None:
        raise NotFound("There is no such version of this file.")
    return version


def _split_lines(content: str) -> list[str]:
    lines = content[:CHARACTERS].split("\n")[: LINES + 1]
    return (lines if lines[-1] else lines[:-1])[:LINES]


def _is_cut(content: str, *, plain: bool) -> bool:
    return len(content) > CHARACTERS or (plain and content.count("\n") > LINES)


@in_team
def download_file(request: HttpRequest, team_page: TeamPage, path: str) -> HttpResponse:
    """Send a version as a download that no browser runs."""
    version = get_file_version(get_file(team_page, path), request.GET.get("version", ""))
    headers = {
        "Content-Disposition": content_disposition_header(as_attachment=True, filename=file_name(path)) or "attachment",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'; sandbox",
    }
    return HttpResponse(version.content, content_type="text/plain; charset=utf-8", headers=headers)


@in_team
def show_file_history(request: HttpRequest, team_page: TeamPage, path: str) -> HttpResponse:
    """List the versions of a file, and show the changes of one."""
    file = get_file(team_page, path)
    chosen = get_file_version(file, request.GET.get("version", ""))
    before = get_file_version(file, str(chosen.version - 1)) if chosen.version > 1 else None
    rows = FileVersion.objects.of_file(file).filter(version__lte=_newest_listed_version(request, file))
    versions = list(rows.with_size().with_authors().latest_first()[: FILE_VERSIONS_PER_PAGE + 1])
    context = {
        "chosen": chosen,
        "before": before,
        "changes": diff.shorten_diff_parts(diff.diff_texts(before.content if before else "", chosen.content)),
        "versions": versions[:FILE_VERSIONS_PER_PAGE],
        "older": versions[FILE_VERSIONS_PER_PAGE].version if len(versions) > FILE_VERSIONS_PER_PAGE else None,
        "newest": _newest_listed_version(request, file),
    }
    return render(request, "memories/file_history.html", file_page_context(file) | context)


def _newest_listed_version(request: HttpRequest, file: TeamFile) -> int:
    """Return the first version of this page of the list."""
    return min(file.version, _parse_version(request.GET.get("to", "")) or file.version)


def _parse_version(text: str) -> int:
    """Parse a version number; 0 if it is invalid."""
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else 0


# Deleted files


@in_team
def show_deleted_files(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    require_write_access(team_page)
    rows = TeamFile.objects.restorable_by(team_page.team_only_actor).of_team(team_page.team.pk)
    deleted = paging.fetch_page(
        rows.with_size(), order="-deleted_at", limit=DELETED_PER_PAGE, cursor=request.GET.get("cursor")
    )
    context = {"section": "files", "files": list(_with_deleted_by(team_page, deleted.rows)), "next": deleted.next}
    return render(request, "memories/files_deleted.html", context)


def _with_deleted_by(team_page: TeamPage, files: Sequence[TeamFile]) -> Iterator[tuple[TeamFile, str]]:
    """Pair each file with the name of whoever deleted it."""
    rows = FileVersion.objects.in_organization(team_page.team.organization_id).latest_of(files)
    names = {row.file_id: row.byline for row in rows.with_authors().defer("content")}
    return ((file, names.get(file.pk, "")) for file in files)
