"""Living memories as callers see them, with their usage: rows that need neither a model's constructor nor all of its
columns spelled out by a queryset, which takes most of the time of a read."""

from typing import Any
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db.models import QuerySet
from django.utils import timezone

from memories.models import Memory
from memories.recall import compiled
from memoryhub.prepared import prepared_cursor
from teams.actor import Actor

SHOWN = f"""
SELECT access_count, last_accessed_at, {", ".join(f"memories_memory.{column}" for column in Memory.COLUMNS)}
FROM {{found}} LEFT JOIN memories_usage AS usage
    ON usage.organization_id = memories_memory.organization_id AND usage.memory_id = memories_memory.id
"""  # noqa: S608 (columns of our own model)
ONE = SHOWN.format(found="memories_memory") + "WHERE {visible} AND memories_memory.id = %(id)s::uuid"
PAGE = (
    SHOWN.format(
        found="({rows}) AS found (place, id) JOIN memories_memory"
        " ON memories_memory.organization_id = %(organization)s::uuid AND memories_memory.id = found.id"
    )
    + "ORDER BY found.place {way}, found.id {way}"
)


def one(*, actor: Actor, memory_id: UUID) -> Memory | None:
    """The memory, if the actor sees it. Hopes for the primary key."""
    visible, _ = compiled.visible(actor)
    with prepared_cursor() as cursor:
        cursor.execute(ONE.format(visible=visible), compiled.bound(actor) | {"now": timezone.now(), "id": memory_id})
        row = cursor.fetchone()
    return _memory(row) if row else None


def in_order(*, actor: Actor, rows: "QuerySet[Memory, Any]", order: str) -> list[Memory]:
    """The memories of a queryset that was put in that order, and by id among equals."""
    field, way = order.removeprefix("-"), "DESC" if order.startswith("-") else "ASC"
    try:
        sql, values = rows.values_list(field, "pk").query.sql_with_params()
    except EmptyResultSet:  # the actor sees nothing at all
        return []
    names = [f"value_{number}" for number in range(len(values))]
    statement = PAGE.format(rows=sql % tuple(f"%({name})s" for name in names), way=way)
    with prepared_cursor() as cursor:
        cursor.execute(statement, dict(zip(names, values, strict=True)) | {"organization": actor.organization_id})
        return [_memory(row) for row in cursor.fetchall()]


def _memory(row: tuple[Any, ...]) -> Memory:
    return Memory.of_row(row[2:], access_count=row[0], last_accessed_at=row[1])
