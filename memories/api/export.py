"""Export of an agent's memories and files as an archive."""

from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.views import APIView

from memories.api.framework import Anything, actor_of
from memories.api.openapi import endpoint
from memories.contract.use_cases.export import select_export
from memories.transfer import downloads


class Export(APIView):
    content_negotiation_class = Anything

    @endpoint(
        operation="exportMemories",
        summary="Export an archive of your team",
        response={"type": "string", "format": "binary"},
        answer="PK… and so on, as every zip begins.",
        media="application/zip",
        response_headers={"X-Archive-Rows": "The number of rows in the archive."},
        extra_errors={413: "There is too much for one response. An operator can export it."},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Returns what the token can see of its team at one moment: memories with all versions, links, attachments and
        sources, and files. It is a zip that `manage.py import_archive` reads into another hub. It is sent while it is
        made, so its length is not known; `X-Archive-Rows` says how many rows it will have. Each token can export one
        archive at a time."""
        actor = actor_of(request)
        return downloads.stream_archive_in_turn(select_export(actor), caller=f"token {actor.token_id}")
