"""Removes people and sessions that nothing refers to and that no call has named for long, a few at a time."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db import connection, transaction
from django.db.models import Model

from memoryhub.ids import first_id
from teams.models import Person, Session

PRUNE_BATCH = 500  # rows looked at in one transaction
# Sessions come first, since they refer to people. People with a login or a name stay: an agent did not make them up.
PRUNED: dict[type[Model], str] = {Session: "true", Person: "candidate.user_id IS NULL AND candidate.name = ''"}
START = UUID(int=0)
NO_CONDITIONS: dict[type[Model], str] = {}


@dataclass(frozen=True, slots=True)
class PruneResult:
    removed: int
    next: tuple[int, UUID] | None = None  # where to go on: the index of the table, and the last id


def prune_all(
    *,
    before: datetime,
    table: int = 0,
    after: UUID = START,
    within: float,
    conditions: Mapping[type[Model], str] = NO_CONDITIONS,
) -> PruneResult:
    """Prune from there on until all rows were checked or `within` seconds have passed. `conditions` has for each
    table a further condition in SQL, which a `candidate` must meet."""
    models, until, removed = list(PRUNED), time.monotonic() + within, 0
    while table < len(models):
        count, following = prune_table(models[table], before=before, after=after, conditions=conditions)
        removed += count
        table, after = (table, following) if following else (table + 1, START)
        if time.monotonic() >= until:
            break
    return PruneResult(removed, (table, after) if table < len(models) else None)


def prune_table(
    model: type[Model], *, before: datetime, after: UUID = START, conditions: Mapping[type[Model], str] = NO_CONDITIONS
) -> tuple[int, UUID | None]:
    """Check the next rows in the order of their ids, which is that of their age. Return how many were removed, and the
    id after which to go on, or None at the end."""
    table = model._meta.db_table
    values: dict[str, Any] = {"after": after, "before": before, "first": first_id(before), "most": PRUNE_BATCH}
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(NEXT.format(table=table), values)
        (last, looked_at) = cursor.fetchone()
        if last is None:
            return 0, None
        # A transaction that is just now adding a reference holds a lock on the row, which is then skipped. Once we hold
        # the lock nobody can add one; references are checked again then, as some may be older than the lock.
        choice = f"{PRUNED[model]} AND {conditions.get(model, 'true')}"
        unused = UNUSED.format(table=table, choice=choice, free=_unreferenced_condition(model))
        values |= {"last": last}
        cursor.execute(f"{unused} FOR UPDATE OF candidate SKIP LOCKED", values)
        ids = [row[0] for row in cursor.fetchall()]
        still = f"DELETE FROM {table} WHERE id IN ({unused} AND candidate.id = ANY(%(ids)s))"  # noqa: S608
        cursor.execute(still, values | {"ids": ids})
        return cursor.rowcount, last if looked_at == PRUNE_BATCH else None


# The last of the next rows that are old enough, and how many these are. Index: the primary key.
NEXT = """
SELECT (array_agg(id ORDER BY id DESC))[1], count(*) FROM (
    SELECT id FROM {table} WHERE id > %(after)s AND id < %(first)s ORDER BY id LIMIT %(most)s
) AS next
"""

# Those of them that are unused. Index: the primary key.
UNUSED = """
SELECT candidate.id FROM {table} AS candidate
WHERE candidate.id > %(after)s AND candidate.id <= %(last)s AND candidate.last_used_at < %(before)s
AND {choice} AND {free}
"""


def _unreferenced_condition(model: type[Model]) -> str:
    """Return the condition that nothing refers to a candidate. Index: that of each column that refers to them, once for
    each candidate: with a LIMIT Postgres never reads the whole of the other table instead."""
    return " AND ".join(
        f"(SELECT 1 FROM {table} AS other WHERE other.{column} = candidate.id LIMIT 1) IS NULL"  # noqa: S608
        for table, column in referring_columns(model)
    )


def referring_columns(model: type[Model]) -> list[tuple[str, str]]:
    """Return the tables and columns of every model that refer to this one, in whichever app they are."""
    fields = [field for other in apps.get_models() for field in other._meta.concrete_fields]
    return sorted((field.model._meta.db_table, str(field.column)) for field in fields if field.related_model is model)
