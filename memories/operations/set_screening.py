"""Setting what becomes of writes in which screening finds something."""

from typing import Any

from django.db import transaction

from memories.rules.screening_settings import clean_screening
from teams.actor import Actor
from teams.models import Team
from teams.operations import require_owner


@transaction.atomic
def set_screening(*, actor: Actor, settings: Any) -> dict[str, Any]:
    """Save the screening settings of the actor's team beside the rest of its policy, and return the whole policy."""
    require_owner(actor)
    cleaned = clean_screening(settings)
    rows = Team.objects.in_organization(actor.organization_id).filter(pk=actor.team_id)
    policy: dict[str, Any] = {**rows.select_for_update().values_list("policy", flat=True).get(), "screening": cleaned}
    rows.update(policy=policy)
    return policy
