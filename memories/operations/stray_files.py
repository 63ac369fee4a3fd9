"""Removal of stored bytes that no attachment names, which an upload leaves that was killed before it had its row."""

import time
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from memories.queries.stray_files import attachment_storage, find_strays
from teams.models import Organization


class CleanupTurn(NamedTuple):
    """The result of one turn: how many files it removed, and the organization to go on after (None at the end)."""

    removed: int
    go_on_after: str | None


def remove_strays(*, now: datetime, after: str = "", within: float) -> CleanupTurn:
    """Remove strays organization by organization, and stop after so many seconds.

    Only those of organizations that are in this database: whoever connects to another one by mistake loses nothing.
    """
    removed, until = 0, time.monotonic() + within
    left = Organization.objects.filter(pk__gt=UUID(after) if after else UUID(int=0)).order_by("pk")
    for organization_id in left.values_list("pk", flat=True):
        for name in find_strays(organization_id=organization_id, now=now):
            attachment_storage().delete(name)
            removed += 1
        if time.monotonic() > until:
            return CleanupTurn(removed, str(organization_id))
    return CleanupTurn(removed, None)
