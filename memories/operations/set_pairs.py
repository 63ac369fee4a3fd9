"""Setting from which similarity on a team's memories are compared."""

from django.db import transaction

from memories.rules.pairs import clean_pair_threshold
from teams.actor import Actor
from teams.models import Team
from teams.operations import require_owner


@transaction.atomic
def set_pair_threshold(*, actor: Actor, above: float | None) -> Team:
    """Save the threshold of the actor's team beside the rest of its policy; None is the hub's own. Pairs that were
    found before stay."""
    require_owner(actor)
    team = Team.objects.select_for_update().get(pk=actor.team_id)
    kept = {name: value for name, value in team.policy.items() if name != "pairs"}
    team.policy = kept if above is None else {**kept, "pairs": {"above": clean_pair_threshold(above)}}
    team.save(update_fields=["policy"])
    return team
