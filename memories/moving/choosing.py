"""Which rows an archive carries: noted in a temporary table for each table, for as long as the archive is written."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection

from memories.moving.tables import TABLES, Selection, Table


def carried(selection: Selection) -> list[Table]:
    return [table for table in TABLES if table.reach <= selection.reach]


@contextmanager
def chosen(selection: Selection) -> Iterator[list[Table]]:
    """The tables, while `chosen_<table>` holds the keys of the rows of each."""
    tables = carried(selection)
    with connection.cursor() as cursor:
        for place in reversed(range(len(tables))):  # whoever refers to others is known before them
            _choose(cursor, tables[place], selection, referring=tables[place:])
        yield tables
        for table in tables:
            cursor.execute(f"DROP TABLE chosen_{table.name}")


def _choose(cursor: Any, table: Table, selection: Selection, *, referring: list[Table]) -> None:
    own = f"{table.of_organization} = %(organization)s AND {table.own}"
    cursor.execute(
        f"CREATE TEMPORARY TABLE chosen_{table.name} ON COMMIT DROP AS"  # noqa: S608 (tables of our own models)
        f" SELECT {table.key} AS id FROM {table.name} WHERE {own}",
        selection.values,
    )
    cursor.execute(f"CREATE UNIQUE INDEX ON chosen_{table.name} (id)")
    if table.shared:
        links = [(other, column) for other in referring for column in other.links_to(table)]
        while sum(_follow(cursor, table, other, column) for other, column in links):
            pass  # a team's parent has a parent
    cursor.execute(f"ANALYZE chosen_{table.name}")


def _follow(cursor: Any, table: Table, other: Table, column: str) -> int:
    """Chooses what the other table's chosen rows refer to, too. Says how many of those are new."""
    cursor.execute(
        f"INSERT INTO chosen_{table.name} SELECT DISTINCT {column} FROM {other.name}"  # noqa: S608 (our own tables)
        f" JOIN chosen_{other.name} AS chosen ON chosen.id = {other.name}.{other.key}"
        f" WHERE {column} IS NOT NULL ON CONFLICT DO NOTHING"
    )
    return int(cursor.rowcount)
