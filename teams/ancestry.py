"""The tree of teams: the ancestors and descendants of a team. The depth is limited, so that even a cycle ends."""

from collections.abc import Iterable
from uuid import UUID

from django.db import connection

MAX_TREE_DEPTH = 64
MAX_TEAMS_BELOW = 500  # rows in one result

# Index: the primary key.
SELECT_TEAMS_ABOVE = """
WITH RECURSIVE upward (id, parent_id, depth) AS (
    SELECT id, parent_id, 0 FROM teams_team WHERE id = ANY(%(teams)s)
    UNION ALL
    SELECT team.id, team.parent_id, depth + 1 FROM teams_team team JOIN upward ON team.id = upward.parent_id
    WHERE depth < %(deepest)s
)
SELECT id FROM upward ORDER BY depth
"""
# Index: that of parent_id.
SELECT_TEAMS_BELOW = """
WITH RECURSIVE downward (id, depth) AS (
    SELECT id, 0 FROM teams_team WHERE id = ANY(%(teams)s)
    UNION ALL
    SELECT team.id, depth + 1 FROM teams_team team JOIN downward ON team.parent_id = downward.id
    WHERE depth < %(deepest)s
)
SELECT id FROM downward ORDER BY depth LIMIT %(most)s
"""


def with_teams_above(*teams: UUID) -> tuple[UUID, ...]:
    """Return these teams and all their ancestors, nearest first."""
    return _select_team_ids(SELECT_TEAMS_ABOVE, teams)


def with_teams_below(*teams: UUID) -> tuple[UUID, ...]:
    """Return these teams and their descendants, nearest first."""
    return _select_team_ids(SELECT_TEAMS_BELOW, teams)


def _select_team_ids(statement: str, teams: Iterable[UUID]) -> tuple[UUID, ...]:
    with connection.cursor() as cursor:
        cursor.execute(statement, {"teams": list(teams), "deepest": MAX_TREE_DEPTH, "most": MAX_TEAMS_BELOW})
        return tuple(dict.fromkeys(row[0] for row in cursor))
