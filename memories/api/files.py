"""Endpoints of a team's files: texts, each under a path."""

from collections.abc import Mapping
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api import etags
from memories.api.framework import actor_of
from memories.api.openapi import IF_MATCH, IF_NONE_MATCH, ONLY_NEW, endpoint
from memories.api.responses import file_response
from memories.contract import inputs, output_schemas
from memories.contract.use_cases import files as use_cases
from teams.models import Verb

FIRST_VERSION = {
    "version": 1,
    "path": output_schemas.FILE_EXAMPLE["path"],
    "size": output_schemas.FILE_EXAMPLE["size"],
    "change": "created",
    "by": "harbour-bot",
    "created_at": output_schemas.FILE_EXAMPLE["created_at"],
}
RECEIPT = {name: output_schemas.FILE_EXAMPLE[name] for name in ("id", "path", "version")}


class Files(APIView):
    @endpoint(
        operation="listFiles",
        summary="List files",
        query=inputs.FILES,
        response=output_schemas.page("files", output_schemas.LISTED_FILE),
        answer={"files": [output_schemas.LISTED_FILE_EXAMPLE], "next": None},
    )
    def get(self, request: Request, params: Mapping[str, Any]) -> Response:
        """Returns the team's files by path, without their text. Directors also get those of the teams above."""
        return Response(use_cases.list_files(actor_of(request), params))


class OneFile(APIView):
    @endpoint(
        operation="readFile",
        summary="Read a file",
        query={"version": inputs.VERSION | {"description": "An older version."}},
        response=output_schemas.FILE,
        parameters=[IF_NONE_MATCH],
        answer=output_schemas.FILE_EXAMPLE,
    )
    def get(self, request: Request, path: str, params: Mapping[str, Any]) -> Response:
        """The `ETag` identifies this version. Directors also find files of the teams above; their own team comes
        first."""
        file = use_cases.read_file(actor_of(request), {"path": path, "at_version": params.get("version")})
        return etags.answer_conditionally(request, file)

    @endpoint(
        operation="writeFile",
        summary="Write a file",
        body=inputs.WRITE,
        response=output_schemas.WRITTEN_FILE,
        status=(201, 200),
        parameters=[IF_MATCH, ONLY_NEW],
        example={"content": output_schemas.FILE_EXAMPLE["content"]},
        answer=output_schemas.FILE_EXAMPLE,
        writes=True,
    )
    def put(self, request: Request, path: str, body: dict[str, Any]) -> Response:
        """Creates the file or overwrites it. Every version is kept."""
        arguments = body | {"path": path, "only_new": etags.only_new(request)}
        file = use_cases.write_file(actor_of(request), arguments)
        return file_response(file, created=file["version"] == 1)

    @endpoint(
        operation="appendToFile",
        summary="Add to a file",
        body=inputs.APPEND,
        response=output_schemas.WRITTEN_FILE,
        parameters=[IF_MATCH],
        example={"text": "8: open"},
        answer=output_schemas.FILE_EXAMPLE | {"version": 2, "size": 28, "content": "# Berths\n\n7: closed\n8: open"},
        writes=True,
    )
    def post(self, request: Request, path: str, body: dict[str, Any]) -> Response:
        """Appends a line to the file. What others append at the same time is kept too."""
        return file_response(use_cases.append_to_file(actor_of(request), body | {"path": path}))

    @endpoint(
        operation="renameFile",
        summary="Rename a file",
        body=inputs.RENAME,
        response=output_schemas.WRITTEN_FILE,
        parameters=[IF_MATCH],
        example={"path": "archive/berths.md"},
        answer=output_schemas.FILE_EXAMPLE | {"version": 2, "path": "archive/berths.md"},
        writes=True,
    )
    def patch(self, request: Request, path: str, body: dict[str, Any]) -> Response:
        return file_response(use_cases.rename_file(actor_of(request), body | {"path": path, "to": body["path"]}))

    @endpoint(
        operation="deleteFile",
        summary="Delete a file",
        response=output_schemas.FILE_RECEIPT,
        parameters=[IF_MATCH],
        answer=RECEIPT | {"version": 2},
        writes=True,
        verbs=(Verb.FORGET,),
    )
    def delete(self, request: Request, path: str, body: dict[str, Any]) -> Response:
        """The file disappears from every read. Its versions are kept, and reverting to one of them restores it."""
        return file_response(use_cases.delete_file(actor_of(request), body | {"path": path}))


class FileHistory(APIView):
    """The history of a file, with an address beside the files: below them, it would be a path like any other."""

    @endpoint(
        operation="listFileVersions",
        summary="List the versions of a file",
        query=inputs.PAGE,
        response=output_schemas.page("versions", output_schemas.FILE_VERSION),
        answer={"versions": [FIRST_VERSION], "next": None},
    )
    def get(self, request: Request, path: str, params: Mapping[str, Any]) -> Response:
        """Returns every version, the newest first, without the text (`GET /files/{path}?version=…` returns it). Those
        who may restore a deleted file also get its versions."""
        return Response(use_cases.list_file_versions(actor_of(request), {**params, "path": path}))

    @endpoint(
        operation="revertFile",
        summary="Revert a file",
        body=inputs.REVERT,
        response=output_schemas.WRITTEN_FILE,
        parameters=[IF_MATCH],
        example={"to_version": 1},
        answer=output_schemas.FILE_EXAMPLE | {"version": 3},
        writes=True,
    )
    def post(self, request: Request, path: str, body: dict[str, Any]) -> Response:
        """Creates a new version with the text of an old one. This also restores a deleted file."""
        return file_response(use_cases.revert_file(actor_of(request), body | {"path": path}))
