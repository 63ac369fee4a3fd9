"""The tree of teams as far as a person may see it: their own teams, the ancestors of these, and the descendants of
those that they own. Nobody sees sideways."""

from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import Count

from teams import ancestry
from teams.models import Agent, Membership, Role, Team
from teams.team_page import TeamPage


@dataclass
class TeamNode:
    team: Team
    role: str = ""
    counted: bool = False  # of the teams above one's own only the name is visible
    agents: int = 0
    members: int = 0
    below: list["TeamNode"] = field(default_factory=list)


def build_team_tree(team_page: TeamPage) -> list[TeamNode]:
    """Return the roots of what the person may see of the organization, with the rest below them."""
    memberships = Membership.objects.in_organization(team_page.team.organization_id).filter(
        user=team_page.actor.user_id
    )
    roles = dict(memberships.values_list("team_id", "role"))
    within = set(ancestry.with_teams_below(*(team for team, role in roles.items() if role == Role.OWNER))) | set(roles)
    visible = set(ancestry.with_teams_above(*roles)) | within
    agents, members = _count_by_team(Agent, within), _count_by_team(Membership, within)
    teams = Team.objects.filter(pk__in=visible).select_related("organization").order_by("name")
    nodes = {
        team.pk: TeamNode(
            team, roles.get(team.pk, ""), team.pk in within, agents.get(team.pk, 0), members.get(team.pk, 0)
        )
        for team in teams
    }
    for node in nodes.values():
        if node.team.parent_id in nodes:
            nodes[node.team.parent_id].below.append(node)
    return [node for node in nodes.values() if node.team.parent_id not in nodes]


def _count_by_team(model: type[Agent] | type[Membership], teams: set[UUID]) -> dict[UUID, int]:
    rows = model._default_manager.filter(team__in=teams).values_list("team").annotate(Count("pk")).order_by()
    return dict(rows)
