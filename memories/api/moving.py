"""What an agent can carry away."""

from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.views import APIView

from memories import downloads, moving
from memories.api.describing import endpoint
from memories.api.door import Anything, actor_of
from memories.operations.recording import require
from teams.models import Team, Verb


class Export(APIView):
    content_negotiation_class = Anything

    @endpoint(
        summary="An archive of what you see of your team",
        gives={"type": "string", "format": "binary"},
        answer="PK… and so on, as every zip begins.",
        media="application/zip",
    )
    def get(self, request: Request) -> HttpResponseBase:
        """Its memories with every version, links, attachments and sources, and its files, as they stand at one moment:
        a zip that `manage.py import_archive` reads into another hub. Sent as it is made: how long it will be is
        not known, but `X-Archive-Rows` says how many rows go into it."""
        actor = actor_of(request)
        require(actor, Verb.READ)
        team = Team.objects.select_related("organization").get(pk=actor.team_id)
        selection = moving.Selection.of(actor, team=team, reach=moving.Reach.AGENT)
        sent = downloads.archive(selection)
        sent["X-Archive-Rows"] = str(moving.rows_of(selection))
        return sent
