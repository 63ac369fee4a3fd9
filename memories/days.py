"""How much a team saved and recalled, day by day.

A counter that every save raised would be a row that every writer waits for. So a day is counted once, by whoever looks
first after it is over, and kept; only the day that goes on is counted again, as far as it is worth it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from memories.models import Change, Day
from memoryhub.prepared import prepared_cursor
from teams.models import Team

SHOWN = 30
COUNTED = 1_000  # how far a day that goes on is counted
LATE = timedelta(hours=1)  # the ledger is written a little later: until then a day is not over
SAVES = [change.value for change in (Change.CREATED, Change.UPDATED, Change.APPENDED)]


@dataclass(frozen=True, slots=True)
class Tally:
    day: date
    saved: int = 0
    recalled: int = 0
    at_least: bool = False  # there may be more


# Hopes for the indexes revision_newest and recall_newest.
COUNT = """
SELECT (asked.day AT TIME ZONE 'UTC')::date AS day,
    (SELECT count(*) FILTER (WHERE change = ANY(%(saves)s::text[])) FROM (
        SELECT change FROM memories_revision
        WHERE organization_id = %(organization)s::uuid AND audience = ANY(ARRAY(
            SELECT %(team)s::uuid UNION ALL SELECT id FROM teams_project WHERE team_id = %(team)s::uuid
            UNION ALL SELECT id FROM teams_agent WHERE team_id = %(team)s::uuid
        )) AND created_at >= asked.day AND created_at < asked.day + interval '1 day' LIMIT %(most)s::integer
    ) AS revisions) AS saved,
    (SELECT count(*) FROM (
        SELECT FROM memories_recalllog
        WHERE organization_id = %(organization)s::uuid AND team_id = %(team)s::uuid
            AND created_at >= asked.day AND created_at < asked.day + interval '1 day' LIMIT %(most)s::integer
    ) AS recalls) AS recalled
FROM unnest(%(days)s::timestamptz[]) AS asked (day)
"""
KEEP = f"""
INSERT INTO memories_day (organization_id, team_id, day, saved, recalled)
SELECT %(organization)s::uuid, %(team)s::uuid, day, saved, recalled FROM ({COUNT}) AS counted
ON CONFLICT DO NOTHING
"""  # noqa: S608 (both are ours)


def tallies(*, team: Team, now: datetime) -> list[Tally]:
    """The latest days, the oldest first."""
    today = now.astimezone(UTC).date()
    days = [today - timedelta(days=ago) for ago in reversed(range(SHOWN))]
    over = [day for day in days if _ends(day) + LATE <= now]
    kept = _kept(team, since=days[0])
    if missing := [day for day in over if day not in kept]:
        _count(KEEP, team=team, days=missing, most=None)
        kept = _kept(team, since=days[0])
    known = kept | _going_on(team, days=[day for day in days if day not in kept])
    return [known.get(day, Tally(day)) for day in days]


def _ends(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=UTC) + timedelta(days=1)


def _kept(team: Team, *, since: date) -> dict[date, Tally]:
    kept = Day.objects.filter(organization=team.organization_id, team=team, day__gte=since)
    return {day: Tally(day, saved, recalled) for day, saved, recalled in kept.values_list("day", "saved", "recalled")}


def _going_on(team: Team, *, days: Iterable[date]) -> dict[date, Tally]:
    counted = _count(COUNT, team=team, days=days, most=COUNTED)
    return {day: Tally(day, saved, recalled, at_least=COUNTED in (saved, recalled)) for day, saved, recalled in counted}


def _count(statement: str, *, team: Team, days: Iterable[date], most: int | None) -> list[tuple[date, int, int]]:
    begins = [datetime.combine(day, time(), tzinfo=UTC) for day in days]
    whose = {"organization": team.organization_id, "team": team.pk}
    values: dict[str, Any] = whose | {"saves": SAVES, "days": begins, "most": most}
    with prepared_cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall() if cursor.description else []
