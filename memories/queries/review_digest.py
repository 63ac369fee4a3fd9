"""The counts of a digest: how much waits for the decision of one member of a team."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.conf import settings

from memories.queries.review import MOST_COUNTED, REVIEW_KINDS, count_by_kind
from teams import rights
from teams.models import Membership, Role
from teams.team_page import TeamPage


@dataclass(frozen=True, slots=True)
class DigestCount:
    """How many things of one kind wait, and where."""

    label: str
    count: int
    url: str

    @property
    def number(self) -> str:
        return f"{MOST_COUNTED}+" if self.count > MOST_COUNTED else str(self.count)


def count_for_digest(*, membership: Membership, now: datetime) -> Sequence[DigestCount]:
    """Return what waits for the member as the team's review page counts it; nothing of which nothing waits."""
    actor = rights.login_actor(user=membership.user, team_id=membership.team_id)
    page = TeamPage(actor=actor, team=membership.team, role=Role(membership.role), teams=())
    counts = count_by_kind(actor=page.deciding_actor, now=now)
    address = f"{settings.PUBLIC_URL}{page.url('review')}"
    return [
        DigestCount(REVIEW_KINDS[name].label, count, f"{address}?{urlencode({'kind': name})}")
        for name, count in counts.items()
        if count
    ]
