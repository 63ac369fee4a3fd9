"""What a token did: for the owners of its agent's team."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from memories.traces import traces
from memories.views.activity import PAGE
from memoryhub.errors import NotFound
from teams import operations
from teams.models import Token
from teams.place import Place, in_team


@in_team
def page(request: HttpRequest, place: Place, token_id: UUID) -> HttpResponse:
    operations.refuse_others(place.actor)
    token = Token.objects.filter(pk=token_id, agent__team=place.team.pk).select_related("agent", "person").first()
    if token is None:
        raise NotFound("There is no such token.")
    found = traces(actor=place.here, token=token, limit=PAGE, cursor=request.GET.get("cursor"))
    shown = {"section": "agents", "token": token, "agent": token.agent, "found": found}
    return render(request, "memories/token.html", shown)
