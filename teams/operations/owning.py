"""Who may change a team: its owners, as the database knows them at this moment, and whoever runs the hub."""

from memoryhub.errors import Forbidden, NotFound
from teams.actor import Actor
from teams.models import Membership, Role


def refuse_others(actor: Actor) -> None:
    """Agents are not asked here: people own teams."""
    if actor.operates:
        return
    roles = Membership.objects.filter(team=actor.team_id, user=actor.user_id).values_list("role", flat=True)
    role = roles.first() if actor.user_id else Role.VIEWER
    if role is None:
        raise NotFound("There is no such team, or you are not in it.")
    if role != Role.OWNER:
        raise Forbidden("Only an owner of the team can do this.")
