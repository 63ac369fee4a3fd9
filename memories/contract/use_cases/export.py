"""Use case of an export: what a token may take along of its team."""

from memories import transfer
from memories.contract import cost
from memories.rules.access import require_verb
from teams import rate_limits
from teams.actor import Actor
from teams.models import Team, Verb


def select_export(actor: Actor) -> transfer.Selection:
    """Return what the caller can see of its team, and count the work of exporting it."""
    require_verb(actor, Verb.READ)
    rate_limits.charge_work(actor=actor, work=cost.EXPORT - 1)
    team = Team.objects.select_related("organization").get(pk=actor.team_id)
    return transfer.Selection.of(actor, team=team, reach=transfer.ExportReach.AGENT)
