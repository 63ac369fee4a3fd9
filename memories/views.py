"""Pages about memories."""

from collections import defaultdict
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from memories.models import Memory
from memoryhub.errors import Forbidden
from teams import auth
from teams.actor import Actor
from teams.models import Team

NEWEST = 6


@login_required
def home(request: HttpRequest) -> HttpResponse:
    """The teams of whoever is logged in, each with its newest memories."""
    assert request.user.is_authenticated
    try:
        actor = auth.login_actor(user=request.user)
    except Forbidden as error:
        return render(request, "memories/home.html", {"message": error.message})
    readable = Team.objects.filter(pk__in=actor.readable_team_ids).select_related("organization", "parent")
    teams = sorted(readable, key=lambda team: (team.parent_id is not None, team.name))  # the root first
    newest = _newest_by_team(actor, teams)
    cards = [{"team": team, "memories": newest[team.pk]} for team in teams]
    return render(request, "memories/home.html", {"cards": cards, "organization": teams[0].organization})


def _newest_by_team(actor: Actor, teams: list[Team]) -> dict[UUID, list[Memory]]:
    """One statement with a bounded branch per team, each of which reads the index memory_newest."""
    visible = Memory.objects.visible_to(actor).with_authors().defer("search")
    branches: list[QuerySet[Memory]] = [visible.filter(audience=team.pk).newest()[:NEWEST] for team in teams]
    rows = branches[0].union(*branches[1:], all=True) if len(branches) > 1 else branches[0]
    found: dict[UUID, list[Memory]] = defaultdict(list)
    for memory in sorted(rows, key=lambda memory: memory.created_at, reverse=True):
        found[memory.audience].append(memory)
    return found
