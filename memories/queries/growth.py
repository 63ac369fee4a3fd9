"""Growth of the whole hub: new memories and recalls per day.

Ids begin with a timestamp, so a range of primary keys selects the rows of a day. As for teams
(memories.queries.daily_usage), a day is counted on the first read after it has ended, and stored; the current day is
counted up to a limit.
"""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db import connection

from memories.models import Growth
from memories.queries.daily_usage import DAYS_SHOWN, LOG_DELAY, OPEN_DAY_LIMIT, Tally
from memoryhub.ids import first_id

# Index: the primary keys.
COUNT_HUB_DAYS_SQL = """
SELECT asked.day,
    (SELECT count(*) FROM (
        SELECT FROM memories_memory WHERE id >= asked.since AND id < asked.until LIMIT %(most)s::integer
    ) AS memories) AS memories,
    (SELECT count(*) FROM (
        SELECT FROM memories_recalllog WHERE id >= asked.since AND id < asked.until LIMIT %(most)s::integer
    ) AS recalls) AS recalls
FROM unnest(%(days)s::date[], %(since)s::uuid[], %(until)s::uuid[]) AS asked (day, since, until)
"""


def count_hub_days(*, now: datetime) -> list[Tally]:
    """Return the counts of the latest days, oldest first."""
    today = now.astimezone(UTC).date()
    days = [today - timedelta(days=ago) for ago in reversed(range(DAYS_SHOWN))]
    kept = {row.day: Tally(row.day, row.memories, row.recalls) for row in Growth.objects.since(days[0])}
    over = [day for day in days if day not in kept and _day_start(day + timedelta(days=1)) + LOG_DELAY <= now]
    counted = _count_days(over, most=None)
    Growth.objects.bulk_create(
        [Growth(day=tally.day, memories=tally.saved, recalls=tally.recalled) for tally in counted],
        ignore_conflicts=True,
    )
    known = kept | {tally.day: tally for tally in counted}
    going_on = _count_days([day for day in days if day not in known], most=OPEN_DAY_LIMIT)
    return [*(known[day] for day in days if day in known), *going_on]


def _count_days(days: Iterable[date], *, most: int | None) -> list[Tally]:
    days = list(days)
    if not days:
        return []
    values: dict[str, Any] = {
        "days": days,
        "since": [first_id(_day_start(day)) for day in days],
        "until": [first_id(_day_start(day + timedelta(days=1))) for day in days],
        "most": most,
    }
    with connection.cursor() as cursor:
        cursor.execute(COUNT_HUB_DAYS_SQL, values)
        return [
            Tally(day, saved, recalled, at_least=most in (saved, recalled))
            for day, saved, recalled in sorted(cursor.fetchall())
        ]


def _day_start(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=UTC)
