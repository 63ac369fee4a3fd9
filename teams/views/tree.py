"""The tree of teams, as far as a person may know it: their own teams, what stands above these, and what stands below
those that they own. Nobody sees sideways."""

from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import Count

from teams import ancestry
from teams.models import Agent, Membership, Role, Team
from teams.place import Place


@dataclass
class Node:
    team: Team
    role: str = ""
    counted: bool = False  # those above one's own are known by name alone
    agents: int = 0
    members: int = 0
    below: list["Node"] = field(default_factory=list)


def grown(place: Place) -> list[Node]:
    """The roots of what the person may know of the organization, with all the rest below them."""
    mine = Membership.objects.filter(organization=place.team.organization_id, user=place.actor.user_id)
    roles = dict(mine.values_list("team_id", "role"))
    within = set(ancestry.downward(*(team for team, role in roles.items() if role == Role.OWNER))) | set(roles)
    known = set(ancestry.upward(*roles)) | within
    agents, members = _counts(Agent, within), _counts(Membership, within)
    teams = Team.objects.filter(pk__in=known).select_related("organization").order_by("name")
    nodes = {
        team.pk: Node(team, roles.get(team.pk, ""), team.pk in within, agents.get(team.pk, 0), members.get(team.pk, 0))
        for team in teams
    }
    for node in nodes.values():
        if node.team.parent_id in nodes:
            nodes[node.team.parent_id].below.append(node)
    return [node for node in nodes.values() if node.team.parent_id not in nodes]


def _counts(model: type[Agent] | type[Membership], teams: set[UUID]) -> dict[UUID, int]:
    rows = model._default_manager.filter(team__in=teams).values_list("team").annotate(Count("pk")).order_by()
    return dict(rows)
