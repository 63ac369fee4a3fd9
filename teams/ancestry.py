"""The tree of teams: who stands above and below whom. Bounded, so that a tree bent into a circle still answers."""

from collections.abc import Iterable
from uuid import UUID

from django.db import connection

DEEPEST = 64
MOST = 500  # teams below others, in one answer

# Hopes for the primary key.
ABOVE = """
WITH RECURSIVE upward (id, parent_id, depth) AS (
    SELECT id, parent_id, 0 FROM teams_team WHERE id = ANY(%(teams)s)
    UNION ALL
    SELECT team.id, team.parent_id, depth + 1 FROM teams_team team JOIN upward ON team.id = upward.parent_id
    WHERE depth < %(deepest)s
)
SELECT id FROM upward ORDER BY depth
"""
# Hopes for the index of parent_id.
BELOW = """
WITH RECURSIVE downward (id, depth) AS (
    SELECT id, 0 FROM teams_team WHERE id = ANY(%(teams)s)
    UNION ALL
    SELECT team.id, depth + 1 FROM teams_team team JOIN downward ON team.parent_id = downward.id
    WHERE depth < %(deepest)s
)
SELECT id FROM downward ORDER BY depth LIMIT %(most)s
"""


def upward(*teams: UUID) -> tuple[UUID, ...]:
    """These teams and every ancestor, nearest first."""
    return _ids(ABOVE, teams)


def downward(*teams: UUID) -> tuple[UUID, ...]:
    """These teams and what stands below them, nearest first."""
    return _ids(BELOW, teams)


def _ids(statement: str, teams: Iterable[UUID]) -> tuple[UUID, ...]:
    with connection.cursor() as cursor:
        cursor.execute(statement, {"teams": list(teams), "deepest": DEEPEST, "most": MOST})
        return tuple(dict.fromkeys(row[0] for row in cursor))
