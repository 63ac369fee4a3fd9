"""Usage of a team per day: memories saved and recalls made.

A counter that every save increments would be a row that all writers wait for. Instead a day is counted once, on the
first read after it has ended, and stored; only the current day is counted on every read, up to a limit.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import UUID

from django.db import OperationalError, transaction

from memories.models import Change, Day
from memoryhub.prepared_statements import prepared_cursor
from teams.models import Team

DAYS_SHOWN = 30
OPEN_DAY_LIMIT = 1_000  # rows after which counting the current day stops
LOG_DELAY = timedelta(hours=1)  # the recall log is written with a delay: until then a day is not complete
SAVE_CHANGES = [change.value for change in (Change.CREATED, Change.UPDATED, Change.APPENDED)]


@dataclass(frozen=True, slots=True)
class Tally:
    day: date
    saved: int = 0
    recalled: int = 0
    at_least: bool = False  # there may be more


# Index: revision_newest and recall_newest.
COUNT_TEAM_DAYS_SQL = """
SELECT (asked.day AT TIME ZONE 'UTC')::date AS day,
    (SELECT count(*) FILTER (WHERE change = ANY(%(saves)s::text[])) FROM (
        SELECT change FROM memories_revision
        WHERE organization_id = %(organization)s::uuid AND audience = ANY(ARRAY(
            SELECT %(team)s::uuid UNION ALL SELECT id FROM teams_project WHERE team_id = %(team)s::uuid
            UNION ALL SELECT id FROM teams_agent WHERE team_id = %(team)s::uuid
        )) AND created_at >= asked.day AND created_at < asked.day + interval '1 day'
            AND (NOT %(separates)s::boolean OR EXISTS (
                SELECT FROM memories_memory AS memory
                WHERE memory.organization_id = %(organization)s::uuid AND memory.id = memory_id
                    AND memory.workspace_id IS NOT DISTINCT FROM %(workspace)s::uuid
            )) LIMIT %(most)s::integer
    ) AS revisions) AS saved,
    (SELECT count(*) FROM (
        SELECT FROM memories_recalllog
        WHERE organization_id = %(organization)s::uuid AND team_id = %(team)s::uuid
            AND created_at >= asked.day AND created_at < asked.day + interval '1 day'
            AND (NOT %(separates)s::boolean OR workspace_id IS NOT DISTINCT FROM %(workspace)s::uuid)
        LIMIT %(most)s::integer
    ) AS recalls) AS recalled
FROM unnest(%(days)s::timestamptz[]) AS asked (day)
"""
STORE_TEAM_DAYS_SQL = f"""
INSERT INTO memories_day (organization_id, team_id, workspace_key, day, saved, recalled)
SELECT %(organization)s::uuid, %(team)s::uuid, %(workspace_key)s::uuid, day, saved, recalled
FROM ({COUNT_TEAM_DAYS_SQL}) AS counted
ON CONFLICT DO NOTHING
"""  # noqa: S608 (both are ours)


ALL_WORKSPACES_KEY = UUID(int=0)


@dataclass(frozen=True, slots=True)
class UsageScope:
    """A team, or one workspace of it (or the memories in none) where workspaces are kept apart."""

    team: Team
    separates: bool = False
    workspace_id: UUID | None = None

    @property
    def workspace_key(self) -> UUID:
        """Return the key under which counts are stored; the organization's id stands for "in no workspace"."""
        return (self.workspace_id or self.team.organization_id) if self.separates else ALL_WORKSPACES_KEY


def count_team_days(
    *, team: Team, now: datetime, separates: bool = False, workspace_id: UUID | None = None
) -> list[Tally]:
    """Return the counts of the latest days, oldest first."""
    within = UsageScope(team, separates, workspace_id)
    today = now.astimezone(UTC).date()
    days = [today - timedelta(days=ago) for ago in reversed(range(DAYS_SHOWN))]
    over = [day for day in days if _day_end(day) + LOG_DELAY <= now]
    kept = _load_stored_days(within, since=days[0])
    if missing := [day for day in over if day not in kept]:
        with suppress(OperationalError), transaction.atomic():  # on a full disk, count for this page only
            _run_day_count(STORE_TEAM_DAYS_SQL, within, days=missing, most=None)
        kept = _load_stored_days(within, since=days[0])
    known = kept | _count_open_days(within, days=[day for day in days if day not in kept])
    return [known.get(day, Tally(day)) for day in days]


def _day_end(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=UTC) + timedelta(days=1)


def _load_stored_days(within: UsageScope, *, since: date) -> dict[date, Tally]:
    kept = Day.objects.of_team(within.team).filter(workspace_key=within.workspace_key).since(since)
    return {day: Tally(day, saved, recalled) for day, saved, recalled in kept.values_list("day", "saved", "recalled")}


def _count_open_days(within: UsageScope, *, days: Iterable[date]) -> dict[date, Tally]:
    counted = _run_day_count(COUNT_TEAM_DAYS_SQL, within, days=days, most=OPEN_DAY_LIMIT)
    return {
        day: Tally(day, saved, recalled, at_least=OPEN_DAY_LIMIT in (saved, recalled))
        for day, saved, recalled in counted
    }


def _run_day_count(
    statement: str, within: UsageScope, *, days: Iterable[date], most: int | None
) -> list[tuple[date, int, int]]:
    begins = [datetime.combine(day, time(), tzinfo=UTC) for day in days]
    whose = {"organization": within.team.organization_id, "team": within.team.pk, "separates": within.separates}
    whose |= {"workspace": within.workspace_id, "workspace_key": within.workspace_key}
    values: dict[str, Any] = whose | {"saves": SAVE_CHANGES, "days": begins, "most": most}
    with prepared_cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall() if cursor.description else []
