"""Rate limits of tokens, counted across all processes: work per minute, in units of an ordinary request, and new people
and sessions per day."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.utils import timezone

from memoryhub.errors import TooMany
from teams.actor import Actor
from teams.models import Token

# One statement counts and returns the count; the table is unlogged, so it does not wait for the disk. Refused work is
# not counted: what is left of the minute stays available to smaller calls.
COUNT_WORK = """
INSERT INTO teams_pace AS pace (organization_id, token_id, minute, requests)
VALUES (%(organization)s, %(token)s, %(minute)s, %(work)s)
ON CONFLICT (organization_id, token_id) DO UPDATE SET minute = excluded.minute,
    requests = CASE WHEN pace.minute = excluded.minute THEN pace.requests ELSE 0 END + excluded.requests
WHERE pace.minute <> excluded.minute OR pace.requests + excluded.requests <= %(most)s
RETURNING requests
"""


def count_request(*, token: Token, now: datetime) -> None:
    """Count a request of the token, or refuse it if the token has reached its limit for this minute."""
    _count_work(organization_id=token.organization_id, token_id=token.pk, work=1, now=now)


def charge_work(*, actor: Actor, work: int, now: datetime | None = None) -> None:
    """Count what a call costs beyond the request that was counted on arrival, or refuse the call. A call that costs
    more than a whole minute is admitted as the only one of a minute. Call this outside a transaction, since the row
    stays locked until it ends."""
    if actor.token_id is not None and work > 0:
        most = max(settings.REQUESTS_PER_MINUTE - 1, 0)
        now = now or timezone.now()
        _count_work(organization_id=actor.organization_id, token_id=actor.token_id, work=min(work, most), now=now)


def _count_work(*, organization_id: UUID, token_id: UUID, work: int, now: datetime) -> None:
    most = settings.REQUESTS_PER_MINUTE
    if not most:
        return
    minute = now.replace(second=0, microsecond=0)
    values: dict[str, Any] = {
        "organization": organization_id,
        "token": token_id,
        "minute": minute,
        "work": work,
        "most": most,
    }
    with connection.cursor() as cursor:
        cursor.execute(COUNT_WORK, values)
        admitted = cursor.fetchone()
    if not admitted:
        wait = 60 - now.second
        raise TooMany(f"At most {most:,} requests a minute. Try again in {wait} seconds.", retry_after=wait)


COUNT_REGISTRATION = """
INSERT INTO teams_registrations AS registrations (organization_id, token_id, day, registered)
VALUES (%(organization)s, %(token)s, %(day)s, 1)
ON CONFLICT (organization_id, token_id) DO UPDATE SET day = excluded.day,
    registered = CASE WHEN registrations.day = excluded.day THEN registrations.registered + 1 ELSE 1 END
RETURNING registered
"""


def count_registration(*, organization_id: UUID, token_id: UUID | None, now: datetime) -> None:
    """Count the registration of a person or session, or refuse it if the token has reached its limit for today: an
    agent that makes up a new name for each call must not fill the tables. Calls without a token are not counted."""
    most = settings.REGISTRATIONS_PER_DAY
    if not most or token_id is None:
        return
    with connection.cursor() as cursor:
        cursor.execute(COUNT_REGISTRATION, {"organization": organization_id, "token": token_id, "day": now.date()})
        (registered,) = cursor.fetchone()
    if registered > most:
        tomorrow = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
        raise TooMany(
            f"This token has named {most:,} new users and sessions today, the most in a day. Name those that are known"
            " already, or go on tomorrow (UTC).",
            retry_after=int((tomorrow - now).total_seconds()) + 1,
        )
