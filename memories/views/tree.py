"""The team tree, and what is inherited from where: of each team above, what its core memory says and what is pinned."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from memories.context import CORE_KEY
from memories.models import Memory, Scope
from teams import ancestry
from teams.models import Agent, Level, Team
from teams.place import CHOICES, Place, in_team
from teams.views.tree import grown

PINNED = 3


@dataclass(frozen=True, slots=True)
class Inherited:
    team: Team
    shown: bool  # whether it is the person's, too; else they know its name alone
    core: Memory | None
    pinned: Sequence[Memory]


@in_team
def page(request: HttpRequest, place: Place) -> HttpResponse:
    above = ancestry.upward(place.team.pk)[1:]
    teams = Team.objects.filter(pk__in=above).select_related("organization").in_bulk()
    leaders = Agent.objects.filter(team=place.team.pk).exclude(level=Level.MEMBER).order_by("slug")
    shown = {
        "section": "tree",
        "roots": grown(place),
        "above": inherited(place, [teams[pk] for pk in above]),
        "leaders": leaders[:CHOICES],
    }
    return render(request, "teams/tree.html", shown)


def inherited(place: Place, above: Sequence[Team]) -> list[Inherited]:
    """Nearest first, and no more than the person may see of it."""
    seen = [team.pk for team in above if team.pk in place.actor.reads]
    cores, rows = _cores(place, seen), _pinned(place, seen)
    pinned = {team: [memory for memory in rows if memory.audience == team] for team in seen}
    return [Inherited(team, team.pk in seen, cores.get(team.pk), pinned.get(team.pk, [])) for team in above]


def _cores(place: Place, teams: Sequence[UUID]) -> dict[UUID, Memory]:
    """Hopes for the index key_has_one_living_owner."""
    found = Memory.objects.visible_to(place.actor).filter(audience__in=teams, scope=Scope.TEAM, key=CORE_KEY)
    return {memory.audience: memory for memory in found.filter(owns_key=True).defer("search")}


def _pinned(place: Place, teams: Sequence[UUID]) -> list[Memory]:
    """Hopes for the index memory_pinned, in each team by itself."""
    visible = Memory.objects.visible_to(place.actor).filter(pinned=True, scope=Scope.TEAM).defer("search")
    rows = visible.exclude(key=CORE_KEY).order_by("-importance", "-id")
    firsts = [rows.filter(audience=team)[:PINNED] for team in teams]
    if not firsts:
        return []
    found = firsts[0] if len(firsts) == 1 else firsts[0].union(*firsts[1:], all=True)
    return sorted(found, key=lambda memory: -memory.importance)
