"""Active memories as callers see them, with their usage, fetched by raw SQL: calling a model's constructor and having a
queryset spell out all columns would take most of the time of a read."""

from typing import Any
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db.models import QuerySet
from django.utils import timezone

from memories.models import Memory, anchor_state_sql, disputed_sql
from memories.recall import visibility_sql
from memoryhub.prepared_statements import prepared_cursor
from teams.actor import Actor

SELECT_MEMORY_SQL = f"""
SELECT access_count, last_accessed_at, {disputed_sql("memories_memory")},
    {anchor_state_sql("memories_memory")},
    {", ".join(f"memories_memory.{column}" for column in Memory.COLUMNS)}
FROM {{found}} LEFT JOIN memories_usage AS usage
    ON usage.organization_id = memories_memory.organization_id AND usage.memory_id = memories_memory.id
"""  # noqa: S608 (columns of our own model)
SELECT_ONE_SQL = (
    SELECT_MEMORY_SQL.format(found="memories_memory") + "WHERE {visible} AND memories_memory.id = %(id)s::uuid"
)
SELECT_PAGE_SQL = (
    SELECT_MEMORY_SQL.format(
        found="({rows}) AS found (place, id) JOIN memories_memory"
        " ON memories_memory.organization_id = %(organization)s::uuid AND memories_memory.id = found.id"
    )
    + "ORDER BY found.place {way}, found.id {way}"
)


def fetch_visible_memory(*, actor: Actor, memory_id: UUID) -> Memory | None:
    """Return the memory if the actor may see it, else None, whether it still holds or not. Index: the primary key."""
    seen, now = visibility_sql.visible_at_any_time(actor), timezone.now()
    with prepared_cursor() as cursor:
        cursor.execute(
            SELECT_ONE_SQL.format(visible=seen),
            visibility_sql.bind_visibility(actor) | {"now": now, "id": memory_id},
        )
        row = cursor.fetchone()
    return _build_memory(row) if row else None


def fetch_in_order(*, actor: Actor, rows: "QuerySet[Memory, Any]", order: str) -> list[Memory]:
    """Return the memories of a queryset that is in this order, with ties ordered by id."""
    field, way = order.removeprefix("-"), "DESC" if order.startswith("-") else "ASC"
    try:
        sql, values = rows.values_list(field, "pk").query.sql_with_params()
    except EmptyResultSet:  # the actor sees nothing at all
        return []
    names = [f"value_{number}" for number in range(len(values))]
    statement = SELECT_PAGE_SQL.format(rows=sql % tuple(f"%({name})s" for name in names), way=way)
    with prepared_cursor() as cursor:
        cursor.execute(statement, dict(zip(names, values, strict=True)) | {"organization": actor.organization_id})
        return [_build_memory(row) for row in cursor.fetchall()]


def _build_memory(row: tuple[Any, ...]) -> Memory:
    return Memory.from_row(row[4:], access_count=row[0], last_accessed_at=row[1], disputed=row[2], anchor_state=row[3])
