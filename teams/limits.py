"""How often a token may call: counted by the minute, by all processes together."""

from datetime import datetime

from django.conf import settings
from django.db import connection

from memoryhub.errors import TooMany
from teams.models import Token

# One statement counts and answers; the table is not logged, so it costs no wait for the disk.
COUNT = """
INSERT INTO teams_pace AS pace (organization_id, token_id, minute, requests)
VALUES (%(organization)s, %(token)s, %(minute)s, 1)
ON CONFLICT (organization_id, token_id) DO UPDATE SET minute = excluded.minute,
    requests = CASE WHEN pace.minute = excluded.minute THEN pace.requests + 1 ELSE 1 END
RETURNING requests
"""


def admit(*, token: Token, now: datetime) -> None:
    """Refuses the token if it has called more often in this minute than it may."""
    most = settings.REQUESTS_PER_MINUTE
    if not most:
        return
    minute = now.replace(second=0, microsecond=0)
    with connection.cursor() as cursor:
        cursor.execute(COUNT, {"organization": token.organization_id, "token": token.pk, "minute": minute})
        (requests,) = cursor.fetchone()
    if requests > most:
        wait = 60 - now.second
        raise TooMany(f"At most {most:,} requests a minute. Come again in {wait} seconds.", retry_after=wait)
