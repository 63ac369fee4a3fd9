"""The team tree, and the core memory and pinned memories that are inherited from each team above."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from memories.models import CORE_KEY, Memory, Scope
from memories.rules import access
from teams import ancestry
from teams.models import Agent, Level, Team
from teams.team_page import MAX_CHOICES, TeamPage, in_team
from teams.views.tree import build_team_tree

PINNED_PER_TEAM = 3


@dataclass(frozen=True, slots=True)
class Inherited:
    team: Team
    is_readable: bool  # if not, the person sees only its name
    core: Memory | None
    pinned: Sequence[Memory]


@in_team
def show_tree(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    above = ancestry.with_teams_above(team_page.team.pk)[1:]
    teams = Team.objects.filter(pk__in=above).select_related("organization").in_bulk()
    leaders = Agent.objects.of_team(team_page.team.pk).exclude(level=Level.MEMBER).order_by("slug")
    context = {
        "section": "tree",
        "roots": build_team_tree(team_page),
        "above": load_inherited(team_page, [teams[pk] for pk in above]),
        "leaders": leaders[:MAX_CHOICES],
    }
    return render(request, "teams/tree.html", context)


def load_inherited(team_page: TeamPage, above: Sequence[Team]) -> list[Inherited]:
    """Load what each team above passes down, nearest first, as far as the person may read it."""
    readable_ids = [team.pk for team in above if access.may_read(team_page.actor, team.pk)]
    cores, rows = _load_cores(team_page, readable_ids), _load_pinned(team_page, readable_ids)
    pinned = {team: [memory for memory in rows if memory.audience == team] for team in readable_ids}
    return [Inherited(team, team.pk in readable_ids, cores.get(team.pk), pinned.get(team.pk, [])) for team in above]


def _load_cores(team_page: TeamPage, teams: Sequence[UUID]) -> dict[UUID, Memory]:
    rows = Memory.objects.visible_to(team_page.actor).holding().core_of(*teams)
    return {memory.audience: memory for memory in rows.defer("search")}


def _load_pinned(team_page: TeamPage, teams: Sequence[UUID]) -> list[Memory]:
    """Return the first pinned memories of each team. Index, for each team: memory_pinned."""
    visible = Memory.objects.visible_to(team_page.actor).holding().filter(pinned=True, scope=Scope.TEAM).defer("search")
    rows = visible.exclude(key=CORE_KEY).order_by("-importance", "-id")
    firsts = [rows.filter(audience=team)[:PINNED_PER_TEAM] for team in teams]
    if not firsts:
        return []
    memories = firsts[0] if len(firsts) == 1 else firsts[0].union(*firsts[1:], all=True)
    return sorted(memories, key=lambda memory: -memory.importance)
