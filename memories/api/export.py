"""Export of an agent's memories and files as an archive."""

from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.views import APIView

from memories import transfer
from memories.api.framework import Anything, actor_of
from memories.api.openapi import endpoint
from memories.contract import cost
from memories.rules.access import require_verb
from memories.transfer import downloads
from teams import rate_limits
from teams.models import Team, Verb


class Export(APIView):
    content_negotiation_class = Anything

    @endpoint(
        operation="exportMemories",
        summary="An archive of what you see of your team",
        gives={"type": "string", "format": "binary"},
        answer="PK… and so on, as every zip begins.",
        media="application/zip",
        sends={"X-Archive-Rows": "How many rows go into the archive."},
        refuses={413: "There is too much for one answer; an operator exports it."},
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Its memories with every version, links, attachments and sources, and its files, as they stand at one moment:
        a zip that `manage.py import_archive` reads into another hub. Sent as it is made: how long it will be is
        not known, but `X-Archive-Rows` says how many rows go into it. One at a time for each token."""
        actor = actor_of(request)
        require_verb(actor, Verb.READ)
        rate_limits.charge_work(actor=actor, work=cost.EXPORT - 1)
        team = Team.objects.select_related("organization").get(pk=actor.team_id)
        selection = transfer.Selection.of(actor, team=team, reach=transfer.ExportReach.AGENT)
        return downloads.stream_archive_in_turn(selection, caller=f"token {actor.token_id}")
