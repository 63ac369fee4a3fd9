"""Endpoints for a memory's links to others, its attachments, and its sources."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import FileResponse
from django.http.response import HttpResponseBase
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api import etags
from memories.api.framework import Anything, actor_of
from memories.api.openapi import IF_NONE_MATCH, endpoint
from memories.api.responses import locate, write_response
from memories.contract import inputs, output_schemas
from memories.contract.use_cases import links as use_cases
from memories.models import Relation
from memories.queries.lookup import find_asset
from memoryhub.errors import Invalid, TooLarge
from teams.models import Verb

RELATION = inputs.ASSOCIATE["properties"]["relation"]
AROUND_A_FILE = 64 * 1024  # bytes of a form beside its file


class Associations(APIView):
    @endpoint(
        operation="listAssociations",
        summary="List the links of a memory",
        query=inputs.PAGE,
        response=output_schemas.page("associations", output_schemas.ASSOCIATION),
        answer={"associations": [output_schemas.ASSOCIATION_EXAMPLE], "next": None},
    )
    def get(self, request: Request, memory_id: UUID, params: Mapping[str, Any]) -> Response:
        """Returns the links from and to the memory, the newest first, without links to memories that the token may not
        see."""
        return Response(use_cases.list_memory_links(actor_of(request), {**params, "memory_id": memory_id}))

    @endpoint(
        operation="associateMemory",
        summary="Link a memory to another",
        body=inputs.ASSOCIATE,
        response=output_schemas.ASSOCIATION,
        status=(201, 200),
        example={"target_id": output_schemas.OTHER_ID, "relation": Relation.CAUSED_BY.value, "weight": 0.8},
        answer=output_schemas.ASSOCIATION_EXAMPLE,
        writes=True,
        verbs=(Verb.READ, Verb.WRITE),
    )
    def post(self, request: Request, memory_id: UUID, body: Mapping[str, Any]) -> Response:
        """Links a memory that the token may change to one that it may see. Linking them again changes the weight
        (200)."""
        link = use_cases.link_memories(actor_of(request), {**body, "memory_id": memory_id})
        address = locate("memories", memory_id, "associations", link["target_id"])
        return write_response(link, created_at=address if link["created_at"] == link["updated_at"] else None)


class OneAssociation(APIView):
    @endpoint(
        operation="dissociateMemory",
        summary="Remove a link",
        query={"relation": RELATION},
        response=None,
        status=(204,),
        writes=True,
        verbs=(Verb.FORGET,),
    )
    def delete(self, request: Request, memory_id: UUID, target_id: UUID, params: Mapping[str, Any]) -> Response:
        use_cases.unlink_memories(actor_of(request), {**params, "memory_id": memory_id, "target_id": target_id})
        return Response(status=204)


class UploadParser(MultiPartParser):
    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        """Refuse an upload that is too large before reading it."""
        most = settings.ASSET_MAX_BYTES
        size = int((parser_context or {})["request"].headers.get("Content-Length") or 0)
        if size > most + AROUND_A_FILE:
            raise TooLarge({"file": f"At most {most:,} bytes; these are {size:,}."})
        return super().parse(stream, media_type, parser_context)


class Assets(APIView):
    parser_classes = (UploadParser,)

    @endpoint(
        operation="listAssets",
        summary="List the attachments of a memory",
        query=inputs.PAGE,
        response=output_schemas.page("assets", output_schemas.ASSET),
        answer={"assets": [output_schemas.ASSET_EXAMPLE], "next": None},
    )
    def get(self, request: Request, memory_id: UUID, params: Mapping[str, Any]) -> Response:
        return Response(use_cases.list_memory_assets(actor_of(request), {**params, "memory_id": memory_id}))

    @endpoint(
        operation="attachAsset",
        summary="Attach a file",
        form=inputs.UPLOAD,
        response=output_schemas.ASSET,
        status=(201,),
        answer=output_schemas.ASSET_EXAMPLE,
        writes=True,
    )
    def post(self, request: Request, memory_id: UUID) -> Response:
        """Send the file as `multipart/form-data`."""
        file = _read_upload(request)
        upload = {
            "file": file,
            "name": request.POST.get("name") or file.name or "",
            "content_type": file.content_type or "",
        }
        asset = use_cases.attach_asset(actor_of(request), {**upload, "memory_id": memory_id})
        return write_response(asset, created_at=locate("memories", memory_id, "assets", asset["id"]))


class OneAsset(APIView):
    content_negotiation_class = Anything

    @endpoint(
        operation="downloadAsset",
        summary="Download an attachment",
        response={"type": "string", "format": "binary"},
        parameters=[IF_NONE_MATCH],
        answer="The berths from above, byte for byte as they came.",
        media="*/*",
    )
    def get(self, request: Request, memory_id: UUID, asset_id: UUID) -> HttpResponseBase:
        """Returns the file with the type it was uploaded with, always as a download, so that no browser runs it on this
        origin."""
        asset = find_asset(actor=actor_of(request), memory_id=memory_id, asset_id=asset_id)
        unchanged = etags.answer_conditionally(request, None, etag=f'"{asset.sha256}"')
        if unchanged.status_code == 304:
            return unchanged
        download = FileResponse(
            asset.file.open("rb"), as_attachment=True, filename=asset.name, content_type=asset.content_type
        )
        download["ETag"] = unchanged["ETag"]
        download["X-Content-Type-Options"] = "nosniff"
        download["Content-Security-Policy"] = "sandbox; default-src 'none'"
        return download

    @endpoint(
        operation="deleteAsset",
        summary="Remove an attachment",
        response=None,
        status=(204,),
        writes=True,
        verbs=(Verb.FORGET,),
    )
    def delete(self, request: Request, memory_id: UUID, asset_id: UUID) -> Response:
        use_cases.detach_asset(actor_of(request), {"memory_id": memory_id, "asset_id": asset_id})
        return Response(status=204)


class Sources(APIView):
    @endpoint(
        operation="listSources",
        summary="List the sources of a memory",
        query=inputs.PAGE,
        response=output_schemas.page("sources", output_schemas.SOURCE),
        answer={"sources": [output_schemas.SOURCE_EXAMPLE], "next": None},
    )
    def get(self, request: Request, memory_id: UUID, params: Mapping[str, Any]) -> Response:
        return Response(use_cases.list_memory_sources(actor_of(request), {**params, "memory_id": memory_id}))

    @endpoint(
        operation="addSource",
        summary="Add a source to a memory",
        body=inputs.CITE,
        response=output_schemas.SOURCE,
        status=(201,),
        example={name: output_schemas.SOURCE_EXAMPLE[name] for name in ("message_id", "url", "quote")},
        answer=output_schemas.SOURCE_EXAMPLE,
        writes=True,
    )
    def post(self, request: Request, memory_id: UUID, body: Mapping[str, Any]) -> Response:
        """Records where the memory came from: a session, a message, a URL or a quotation, at least one of them."""
        source = use_cases.add_source(actor_of(request), {**body, "memory_id": memory_id})
        return write_response(source, created_at=locate("memories", memory_id, "sources", source["id"]))


class OneSource(APIView):
    @endpoint(
        operation="deleteSource",
        summary="Remove a source",
        response=None,
        status=(204,),
        writes=True,
        verbs=(Verb.FORGET,),
    )
    def delete(self, request: Request, memory_id: UUID, source_id: UUID) -> Response:
        use_cases.remove_source(actor_of(request), {"memory_id": memory_id, "source_id": source_id})
        return Response(status=204)


def _read_upload(request: Request) -> "UploadedFile[bytes]":
    unknown = set(request.data) - set(inputs.UPLOAD["properties"])
    if unknown:
        raise Invalid(dict.fromkeys(sorted(unknown), "There is no such field."))
    files = request.FILES.getlist("file")
    if len(files) != 1:
        raise Invalid({"file": "Send one file, as a form's file field."})
    file: UploadedFile[bytes] = files[0]
    return file
