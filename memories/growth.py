"""How the hub as a whole grows: new memories and recalls, day by day.

Ids are made of the time, so the primary keys say which rows are of a day. A day is counted once, by whoever looks first
after it is over, and kept, as for each team (memories.days); the one that goes on is counted as far as it is worth it.
"""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db import connection

from memories.days import COUNTED, LATE, SHOWN, Tally
from memories.models import Growth
from memoryhub.ids import first_id

# Hopes for the primary keys alone.
COUNT = """
SELECT asked.day,
    (SELECT count(*) FROM (
        SELECT FROM memories_memory WHERE id >= asked.since AND id < asked.until LIMIT %(most)s::integer
    ) AS memories) AS memories,
    (SELECT count(*) FROM (
        SELECT FROM memories_recalllog WHERE id >= asked.since AND id < asked.until LIMIT %(most)s::integer
    ) AS recalls) AS recalls
FROM unnest(%(days)s::date[], %(since)s::uuid[], %(until)s::uuid[]) AS asked (day, since, until)
"""


def tallies(*, now: datetime) -> list[Tally]:
    """The latest days, the oldest first."""
    today = now.astimezone(UTC).date()
    days = [today - timedelta(days=ago) for ago in reversed(range(SHOWN))]
    kept = {row.day: Tally(row.day, row.memories, row.recalls) for row in Growth.objects.filter(day__gte=days[0])}
    over = [day for day in days if day not in kept and _begins(day + timedelta(days=1)) + LATE <= now]
    counted = _counted(over, most=None)
    Growth.objects.bulk_create(
        [Growth(day=tally.day, memories=tally.saved, recalls=tally.recalled) for tally in counted],
        ignore_conflicts=True,
    )
    known = kept | {tally.day: tally for tally in counted}
    going_on = _counted([day for day in days if day not in known], most=COUNTED)
    return [*(known[day] for day in days if day in known), *going_on]


def _counted(days: Iterable[date], *, most: int | None) -> list[Tally]:
    asked = list(days)
    if not asked:
        return []
    values: dict[str, Any] = {
        "days": asked,
        "since": [first_id(_begins(day)) for day in asked],
        "until": [first_id(_begins(day + timedelta(days=1))) for day in asked],
        "most": most,
    }
    with connection.cursor() as cursor:
        cursor.execute(COUNT, values)
        return [
            Tally(day, saved, recalled, at_least=most in (saved, recalled))
            for day, saved, recalled in sorted(cursor.fetchall())
        ]


def _begins(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=UTC)
