"""Activity of one token, for the owners of its agent's team."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from memories.queries.token_activity import list_traces
from memories.views.activity import CHANGES_PER_PAGE
from memoryhub.errors import NotFound
from teams import operations
from teams.models import Token
from teams.team_page import TeamPage, in_team


@in_team
def show_token_activity(request: HttpRequest, team_page: TeamPage, token_id: UUID) -> HttpResponse:
    operations.require_owner(team_page.actor)
    token = Token.objects.of_team(team_page.team.pk).filter(pk=token_id).select_related("agent", "person").first()
    if token is None:
        raise NotFound("There is no such token.")
    activity = list_traces(
        actor=team_page.team_only_actor, token=token, limit=CHANGES_PER_PAGE, cursor=request.GET.get("cursor")
    )
    context = {"section": "agents", "token": token, "agent": token.agent, "activity": activity}
    return render(request, "memories/token.html", context)
