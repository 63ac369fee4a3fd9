"""A team's files: text under a path."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Q
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories import finding, folders
from memories.api import answers, bodies, shapes, versions
from memories.api.answering import made_or_changed, written_file
from memories.api.describing import IF_MATCH, IF_NONE_MATCH, ONLY_NEW, endpoint
from memories.api.door import actor_of
from memories.models import FileVersion, TeamFile, octets
from memories.operations import files
from memories.operations.recording import require
from memories.paging import Page, page
from teams.actor import Actor
from teams.models import Verb

FIRST_VERSION = {
    "version": 1,
    "path": answers.FILE_EXAMPLE["path"],
    "size": answers.FILE_EXAMPLE["size"],
    "change": "created",
    "by": "harbour-bot",
    "created_at": answers.FILE_EXAMPLE["created_at"],
}
RECEIPT = {name: answers.FILE_EXAMPLE[name] for name in ("id", "path", "version")}


class Files(APIView):
    @endpoint(
        summary="List files",
        asks=bodies.FILES,
        gives=answers.page("files", answers.LISTED_FILE),
        answer={"files": [answers.LISTED_FILE_EXAMPLE], "next": None},
    )
    def get(self, request: Request, asked: Mapping[str, Any]) -> Response:
        """By path, without their text: the team's, and for directors those of the teams above."""
        return Response(found(actor_of(request), asked).shaped("files", shapes.listed_file))


def found(actor: Actor, asked: Mapping[str, Any]) -> Page[TeamFile]:
    if asked["deleted"]:
        require(actor, Verb.READ)
        require(actor, Verb.WRITE)
    rows = TeamFile.objects.restorable_by(actor) if asked["deleted"] else TeamFile.objects.visible_to(actor)
    return page(
        rows.filter(_narrowed(asked)).listed(),
        order="path",
        limit=asked["limit"],
        cursor=asked.get("cursor"),
        parts=[Q(team=team_id) for team_id in actor.readable_team_ids],
    )


class OneFile(APIView):
    @endpoint(
        summary="Read a file",
        asks={"version": bodies.VERSION | {"description": "An older version."}},
        gives=answers.FILE,
        parameters=[IF_NONE_MATCH],
        answer=answers.FILE_EXAMPLE,
    )
    def get(self, request: Request, path: str, asked: Mapping[str, Any]) -> Response:
        """The ETag is of this version alone. Directors see the files of the teams above too, their own team's first."""
        file = finding.as_of(finding.file(actor=actor_of(request), path=path), asked.get("version"))
        return versions.answered(request, shapes.file(file), etag=versions.tag(file))

    @endpoint(
        summary="Write a file",
        takes=bodies.WRITE,
        gives=answers.WRITTEN_FILE,
        status=(201, 200),
        parameters=[IF_MATCH, ONLY_NEW],
        example={"content": answers.FILE_EXAMPLE["content"]},
        answer=answers.FILE_EXAMPLE,
        writes=True,
    )
    def put(self, request: Request, path: str, said: Mapping[str, Any]) -> Response:
        """Makes it, or overwrites all of it; every version is kept."""
        seen = versions.expected(request, said=said.get("version"))
        version = files.ABSENT if versions.only_new(request) else seen
        file = files.write(actor=actor_of(request), path=path, content=said["content"], version=version)
        return written_file(request, file, status=made_or_changed(file.version))

    @endpoint(
        summary="Add to a file",
        takes=bodies.APPEND,
        gives=answers.WRITTEN_FILE,
        parameters=[IF_MATCH],
        example={"text": "8: open"},
        answer=answers.FILE_EXAMPLE | {"version": 2, "size": 28, "content": "# Berths\n\n7: closed\n8: open"},
        writes=True,
    )
    def post(self, request: Request, path: str, said: Mapping[str, Any]) -> Response:
        """On a line of its own at the end, whatever others add meanwhile."""
        version = versions.expected(request, said=said.get("version"))
        file = files.append(actor=actor_of(request), path=path, text=said["text"], version=version)
        return written_file(request, file)

    @endpoint(
        summary="Rename a file",
        takes=bodies.RENAME,
        gives=answers.WRITTEN_FILE,
        parameters=[IF_MATCH],
        example={"path": "archive/berths.md"},
        answer=answers.FILE_EXAMPLE | {"version": 2, "path": "archive/berths.md"},
        writes=True,
    )
    def patch(self, request: Request, path: str, said: Mapping[str, Any]) -> Response:
        version = versions.expected(request, said=said.get("version"))
        file = files.rename(actor=actor_of(request), path=path, to=said["path"], version=version)
        return written_file(request, file)

    @endpoint(
        summary="Delete a file",
        gives=answers.FILE_RECEIPT,
        parameters=[IF_MATCH],
        answer=RECEIPT | {"version": 2},
        writes=True,
    )
    def delete(self, request: Request, path: str) -> Response:
        """Gone from every read; its versions are kept, and reverting to one brings it back."""
        gone = files.delete(actor=actor_of(request), path=path, version=versions.expected(request))
        return Response(shapes.file_receipt(gone), headers={"ETag": versions.tag(gone)})


class FileHistory(APIView):
    """Beside the files, not below them: there, it would be a path like any other."""

    @endpoint(
        summary="Every version of a file",
        asks=bodies.PAGE,
        gives=answers.page("versions", answers.FILE_VERSION),
        answer={"versions": [FIRST_VERSION], "next": None},
    )
    def get(self, request: Request, path: str, asked: Mapping[str, Any]) -> Response:
        """The newest first, without their text (`GET /files/{path}?version=…`); of a deleted file too, for those who
        may bring it back."""
        return Response(versions_of(actor_of(request), path, asked))

    @endpoint(
        summary="Make an old version the newest",
        takes=bodies.REVERT,
        gives=answers.WRITTEN_FILE,
        parameters=[IF_MATCH],
        example={"to_version": 1},
        answer=answers.FILE_EXAMPLE | {"version": 3},
        writes=True,
    )
    def post(self, request: Request, path: str, said: Mapping[str, Any]) -> Response:
        """A new version with the text of the old one. A deleted file comes back by it."""
        version = versions.expected(request, said=said.get("version"))
        to_version = said["to_version"]
        return written_file(
            request, files.revert(actor=actor_of(request), path=path, to_version=to_version, version=version)
        )


def versions_of(actor: Actor, path: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    file = finding.file(actor=actor, path=path, deleted=True)
    rows = FileVersion.objects.filter(organization=file.organization_id, file=file).annotate(size=octets("content"))
    kept = rows.select_related("agent", "user").defer("content")
    found = page(kept, order="-version", limit=asked["limit"], cursor=asked.get("cursor"))
    return found.shaped("versions", shapes.file_version)


def _narrowed(asked: Mapping[str, Any]) -> Q:
    rule = Q(path__startswith=asked["prefix"]) if "prefix" in asked else Q()
    words = asked.get("text", "").strip()
    return rule & folders.saying(words) if words else rule
