"""Recall without a question: the newest, the most important, the most used, each read from an index in its order."""

from datetime import datetime
from typing import Any

from django.db.models import Q

from memories.importance import IMPORTANCE_NOW
from memories.models import Memory
from memories.recall import compiled
from memoryhub.prepared import prepared_cursor
from teams.actor import Actor

COUNTED = 1_000  # how far a list is counted
USED = 1_000  # of what an audience used: the latest or the most used, which are weighed by their importance now

# Each audience gives its first few in the order of one of its indexes; the best of them all are chosen then.
NEWEST = """
SELECT id FROM memories_memory WHERE {visible} ORDER BY created_at DESC, id DESC LIMIT %(limit)s::integer
"""
FADING = """
SELECT id FROM memories_memory WHERE {visible}
ORDER BY memory_standing(importance, updated_at) DESC LIMIT %(limit)s::integer
"""
UNFADING = """
SELECT id FROM memories_memory WHERE {visible} AND (pinned OR type = 'identity')
ORDER BY importance DESC LIMIT %(limit)s::integer
"""
MOST_USED = f"""
SELECT id FROM (
    SELECT memory_id FROM memories_usage
    WHERE memories_usage.organization_id = %(organization)s::uuid AND memories_usage.audience = asked.audience
    ORDER BY {{order}} DESC LIMIT {USED}
) AS used JOIN memories_memory ON memories_memory.id = memory_id
WHERE {{visible}}
"""
FIRST = {
    "recent": [NEWEST],
    "importance": [FADING, UNFADING, MOST_USED.replace("{order}", "last_accessed_at")],
    "most_accessed": [NEWEST, MOST_USED.replace("{order}", "access_count")],
}
ORDER = {
    "recent": "created_at DESC",
    "importance": "importance_now DESC, created_at DESC",
    "most_accessed": "coalesce(access_count, 0) DESC, created_at DESC",
}
LIST = """
WITH first AS MATERIALIZED (
    SELECT DISTINCT found.id
    FROM unnest(%(audiences)s::uuid[]) AS asked (audience), LATERAL ({first}) AS found
)
SELECT access_count, last_accessed_at, {columns}
FROM (
    SELECT memory.*, access_count, last_accessed_at, {importance} AS importance_now
    FROM first JOIN memories_memory AS memory USING (id)
    LEFT JOIN memories_usage AS usage ON usage.organization_id = memory.organization_id AND usage.memory_id = memory.id
) AS memory
ORDER BY {order}, id DESC LIMIT %(limit)s::integer
"""


def listed(*, actor: Actor, rule: Q | None, order: str, limit: int, now: datetime) -> list[Memory]:
    visible, filtered = compiled.visible(actor, rule)
    one = compiled.within_one(visible)
    statement = LIST.format(
        first=" UNION ALL ".join(f"({part.format(visible=one)})" for part in FIRST[order]),
        importance=IMPORTANCE_NOW,
        columns=", ".join(f"memory.{column}" for column in Memory.COLUMNS),
        order=ORDER[order],
    )
    parameters: dict[str, Any] = compiled.bound(actor) | filtered | {"limit": limit, "now": now}
    with prepared_cursor() as cursor:
        cursor.execute(statement, parameters)
        return [Memory.of_row(row[2:], access_count=row[0], last_accessed_at=row[1]) for row in cursor.fetchall()]


COUNT = """
SELECT count(*) FROM (SELECT FROM memories_memory WHERE {visible} LIMIT {most}) AS counted
"""


def counted(*, actor: Actor, rule: Q | None, now: datetime) -> int:
    """How many there are, as far as it is worth counting."""
    visible, filtered = compiled.visible(actor, rule)
    with prepared_cursor() as cursor:
        parameters = compiled.bound(actor) | filtered | {"now": now}
        cursor.execute(COUNT.format(visible=visible, most=COUNTED + 1), parameters)
        return int(cursor.fetchone()[0])
