"""What hangs on a memory: links to others, attachments, and where it came from."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Q
from django.http import FileResponse
from django.http.response import HttpResponseBase
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories import operations
from memories.api import answers, bodies, shapes, versions
from memories.api.describing import IF_NONE_MATCH, endpoint
from memories.api.door import Anything, actor_of
from memories.models import Asset, Association, Memory, MemoryQuerySet, Relation, Source
from memories.paging import page
from memoryhub.errors import Invalid, NotFound, TooLarge
from teams.actor import Actor

RELATION = bodies.ASSOCIATE["properties"]["relation"]
AROUND_A_FILE = 64 * 1024  # bytes of a form beside its file


class Associations(APIView):
    @endpoint(
        summary="The links of a memory",
        asks=bodies.PAGE,
        gives=answers.page("associations", answers.ASSOCIATION),
        answer={"associations": [answers.ASSOCIATION_EXAMPLE], "next": None},
    )
    def get(self, request: Request, memory_id: UUID, asked: Mapping[str, Any]) -> Response:
        """Those that lead from it and to it, the newest first. A link to what the token may not see is not there."""
        return Response(links_of(actor_of(request), memory_id, asked))

    @endpoint(
        summary="Link a memory to another",
        takes=bodies.ASSOCIATE,
        gives=answers.ASSOCIATION,
        status=(201, 200),
        example={"target_id": answers.OTHER_ID, "relation": Relation.CAUSED_BY.value, "weight": 0.8},
        answer=answers.ASSOCIATION_EXAMPLE,
        writes=True,
    )
    def post(self, request: Request, memory_id: UUID, said: Mapping[str, Any]) -> Response:
        """From one that the token may change to one that it may see. Saying it again changes the weight (200)."""
        link = operations.associate(actor=actor_of(request), origin_id=memory_id, **said)
        return Response(shapes.association(link), status=201 if link.created_at == link.updated_at else 200)


class OneAssociation(APIView):
    @endpoint(summary="Take a link away", asks={"relation": RELATION}, gives=None, status=(204,), writes=True)
    def delete(self, request: Request, memory_id: UUID, target_id: UUID, asked: Mapping[str, Any]) -> Response:
        operations.dissociate(actor=actor_of(request), origin_id=memory_id, target_id=target_id, **asked)
        return Response(status=204)


class UploadParser(MultiPartParser):
    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        """Refuses what is too large before it is read."""
        most = settings.ASSET_MAX_BYTES
        size = int((parser_context or {})["request"].headers.get("Content-Length") or 0)
        if size > most + AROUND_A_FILE:
            raise TooLarge({"file": f"At most {most:,} bytes; these are {size:,}."})
        return super().parse(stream, media_type, parser_context)


class Assets(APIView):
    parser_classes = (UploadParser,)

    @endpoint(
        summary="The attachments of a memory",
        asks=bodies.PAGE,
        gives=answers.page("assets", answers.ASSET),
        answer={"assets": [answers.ASSET_EXAMPLE], "next": None},
    )
    def get(self, request: Request, memory_id: UUID, asked: Mapping[str, Any]) -> Response:
        _visible(actor_of(request), memory_id)
        rows = Asset.objects.filter(organization=actor_of(request).organization_id, memory=memory_id)
        found = page(rows, order="-created_at", limit=asked["limit"], cursor=asked.get("cursor"))
        return Response(found.shaped("assets", shapes.asset))

    @endpoint(
        summary="Attach a file",
        form=bodies.UPLOAD,
        gives=answers.ASSET,
        status=(201,),
        answer=answers.ASSET_EXAMPLE,
        writes=True,
    )
    def post(self, request: Request, memory_id: UUID) -> Response:
        """The bytes come as `multipart/form-data`."""
        file = _uploaded(request)
        name = request.POST.get("name") or file.name or ""
        asset = operations.attach(
            actor=actor_of(request),
            memory_id=memory_id,
            file=file,
            name=name,
            content_type=file.content_type or "",
        )
        return Response(shapes.asset(asset), status=201)


class OneAsset(APIView):
    content_negotiation_class = Anything

    @endpoint(
        summary="Download an attachment",
        gives={"type": "string", "format": "binary"},
        parameters=[IF_NONE_MATCH],
        answer="The berths from above, byte for byte as they came.",
        media="*/*",
    )
    def get(self, request: Request, memory_id: UUID, asset_id: UUID) -> HttpResponseBase:
        """The bytes with the type that they came with. Whatever they are, they run nowhere near this origin."""
        asset = _asset(actor_of(request), memory_id, asset_id)
        unchanged = versions.answered(request, None, etag=f'"{asset.sha256}"')
        if unchanged.status_code == 304:
            return unchanged
        download = FileResponse(
            asset.file.open("rb"), as_attachment=True, filename=asset.name, content_type=asset.content_type
        )
        download["ETag"] = unchanged["ETag"]
        download["X-Content-Type-Options"] = "nosniff"
        download["Content-Security-Policy"] = "sandbox; default-src 'none'"
        return download

    @endpoint(summary="Take an attachment away", gives=None, status=(204,), writes=True)
    def delete(self, request: Request, memory_id: UUID, asset_id: UUID) -> Response:
        _asset(actor_of(request), memory_id, asset_id)
        operations.detach(actor=actor_of(request), asset_id=asset_id)
        return Response(status=204)


class Sources(APIView):
    @endpoint(
        summary="Where a memory came from",
        asks=bodies.PAGE,
        gives=answers.page("sources", answers.SOURCE),
        answer={"sources": [answers.SOURCE_EXAMPLE], "next": None},
    )
    def get(self, request: Request, memory_id: UUID, asked: Mapping[str, Any]) -> Response:
        return Response(sources_of(actor_of(request), memory_id, asked))

    @endpoint(
        summary="Note where a memory came from",
        takes=bodies.CITE,
        gives=answers.SOURCE,
        status=(201,),
        example={name: answers.SOURCE_EXAMPLE[name] for name in ("message_id", "url", "quote")},
        answer=answers.SOURCE_EXAMPLE,
        writes=True,
    )
    def post(self, request: Request, memory_id: UUID, said: Mapping[str, Any]) -> Response:
        """A session, a message, an address, a quotation: at least one of them."""
        source = operations.cite(actor=actor_of(request), memory_id=memory_id, **said)
        return Response(shapes.source(source), status=201)


class OneSource(APIView):
    @endpoint(summary="Take a source away", gives=None, status=(204,), writes=True)
    def delete(self, request: Request, memory_id: UUID, source_id: UUID) -> Response:
        actor = actor_of(request)
        seen = Source.objects.filter(organization=actor.organization_id, memory__in=_visible(actor, memory_id))
        if not seen.filter(pk=source_id, memory=memory_id).exists():
            raise NotFound("There is no such source.")
        operations.uncite(actor=actor, source_id=source_id)
        return Response(status=204)


def links_of(actor: Actor, memory_id: UUID, asked: Mapping[str, Any]) -> dict[str, Any]:
    seen = _visible(actor, memory_id)
    rows = Association.objects.filter(organization=actor.organization_id)
    rows = rows.filter(Q(origin=memory_id, target__in=seen) | Q(target=memory_id, origin__in=seen))
    found = page(rows, order="-created_at", limit=asked["limit"], cursor=asked.get("cursor"))
    return found.shaped("associations", shapes.association)


def sources_of(actor: Actor, memory_id: UUID, asked: Mapping[str, Any]) -> dict[str, Any]:
    _visible(actor, memory_id)
    rows = Source.objects.filter(organization=actor.organization_id, memory=memory_id)
    found = page(rows, order="-created_at", limit=asked["limit"], cursor=asked.get("cursor"))
    return found.shaped("sources", shapes.source)


def _visible(actor: Actor, memory_id: UUID) -> MemoryQuerySet:
    """What the actor sees, this memory among it."""
    seen = Memory.objects.visible_to(actor)
    if not seen.filter(pk=memory_id).exists():
        raise NotFound("There is no such memory.")
    return seen


def _asset(actor: Actor, memory_id: UUID, asset_id: UUID) -> Asset:
    seen = Asset.objects.filter(organization=actor.organization_id, memory__in=Memory.objects.visible_to(actor))
    found = seen.filter(pk=asset_id, memory=memory_id).first()
    if found is None:
        raise NotFound("There is no such attachment.")
    return found


def _uploaded(request: Request) -> "UploadedFile[bytes]":
    unknown = set(request.data) - set(bodies.UPLOAD["properties"])
    if unknown:
        raise Invalid(dict.fromkeys(sorted(unknown), "There is no such field."))
    files = request.FILES.getlist("file")
    if len(files) != 1:
        raise Invalid({"file": "Send one file, as a form's file field."})
    file: UploadedFile[bytes] = files[0]
    return file
