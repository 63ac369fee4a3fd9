"""Recall without a question: the newest, the most important or the most used memories, each read from an index in its
order."""

from datetime import datetime
from typing import Any

from django.db.models import Q

from memories.models import Memory, anchor_state_sql, disputed_sql
from memories.recall import visibility_sql
from memories.recall.literal_text import MOST_COMPARED, contains_sql, has_whole_text
from memories.rules.importance import IMPORTANCE_NOW
from memoryhub.prepared_statements import prepared_cursor
from teams.actor import Actor

COUNTED = 1_000  # how far a list is counted
USED = 1_000  # most or latest used memories per audience that are weighed by present importance
READ_THROUGH = 5_000  # newest memories per audience that are read for what no index knows

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
HOLDING = f"""
SELECT id FROM (
    SELECT id, key, summary, content FROM memories_memory WHERE {{visible}}
    ORDER BY created_at DESC, id DESC LIMIT {READ_THROUGH}
) AS newest
WHERE {contains_sql("content")} OR {contains_sql("key")} OR {contains_sql("summary")}
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
SELECT (SELECT count(*) FROM first), access_count, last_accessed_at, {disputed}, {anchor_state}, {columns}
FROM (
    SELECT memory.*, access_count, last_accessed_at, {importance} AS importance_now
    FROM first JOIN memories_memory AS memory USING (id)
    LEFT JOIN memories_usage AS usage ON usage.organization_id = memory.organization_id AND usage.memory_id = memory.id
) AS memory
ORDER BY {order}, id DESC LIMIT %(limit)s::integer
"""


def list_in_order(
    *, actor: Actor, rule: Q | None, order: str, limit: int, now: datetime, as_of: datetime | None = None
) -> list[Memory]:
    bound = {"limit": limit, "now": now, "holds_at": as_of or now}
    return _read(actor=actor, rule=rule, first=FIRST[order], order=order, bound=bound)[0]


def find_literal(
    *, actor: Actor, rule: Q | None, part: str, limit: int, now: datetime, as_of: datetime | None = None
) -> tuple[list[Memory], int]:
    """Return the newest memories that contain this text, letter by letter, and how many do, among those that are read
    through."""
    bound = {"limit": limit, "now": now, "holds_at": as_of or now, "part": part[:MOST_COMPARED]}
    memories, total = _read(actor=actor, rule=rule, first=[HOLDING], order="recent", bound=bound)
    found = [row for row in memories if has_whole_text(part, row.content, row.key, row.summary)]
    return found, total - len(memories) + len(found)


def _read(
    *, actor: Actor, rule: Q | None, first: list[str], order: str, bound: dict[str, Any]
) -> tuple[list[Memory], int]:
    """Return the first memories, and how many there are in all."""
    visible, filtered = visibility_sql.render_visibility(actor, rule)
    one = visibility_sql.within_one(visible)
    statement = LIST.format(
        first=" UNION ALL ".join(f"({part.format(visible=one)})" for part in first),
        importance=IMPORTANCE_NOW,
        columns=", ".join(f"memory.{column}" for column in Memory.COLUMNS),
        order=ORDER[order],
        disputed=disputed_sql("memory"),
        anchor_state=anchor_state_sql("memory"),
    )
    with prepared_cursor() as cursor:
        cursor.execute(statement, visibility_sql.bind_visibility(actor) | filtered | bound)
        rows = cursor.fetchall()
    memories = [
        Memory.from_row(row[5:], access_count=row[1], last_accessed_at=row[2], disputed=row[3], anchor_state=row[4])
        for row in rows
    ]
    return memories, rows[0][0] if rows else 0


COUNT = """
SELECT count(*) FROM (SELECT FROM memories_memory WHERE {visible} LIMIT {most}) AS counted
"""


def count_memories(*, actor: Actor, rule: Q | None, now: datetime, as_of: datetime | None = None) -> int:
    """Return how many memories there are, counted up to a limit."""
    visible, filtered = visibility_sql.render_visibility(actor, rule)
    with prepared_cursor() as cursor:
        parameters = visibility_sql.bind_visibility(actor) | filtered | {"now": now, "holds_at": as_of or now}
        cursor.execute(COUNT.format(visible=visible, most=COUNTED + 1), parameters)
        return int(cursor.fetchone()[0])
