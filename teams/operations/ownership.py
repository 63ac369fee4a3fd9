"""The rule about who may change a team: its owners, as the database knows them now, and operators of the hub."""

from memoryhub.errors import Forbidden, NotFound
from teams.actor import Actor
from teams.models import Membership, Role


def require_owner(actor: Actor) -> None:
    """Refuse anybody but owners of the actor's team and operators. Agents own nothing."""
    if actor.operates:
        return
    roles = Membership.objects.filter(team=actor.team_id, user=actor.user_id).values_list("role", flat=True)
    role = roles.first() if actor.user_id else Role.VIEWER
    if role is None:
        raise NotFound("There is no such team, or you are not in it.")
    if role != Role.OWNER:
        raise Forbidden("Only an owner of the team can do this.")
