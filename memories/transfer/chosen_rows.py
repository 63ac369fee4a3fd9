"""The keys of an archive's rows, in a temporary table for each table, for as long as the archive is written."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection

from memories.transfer.exported_tables import TABLES, Table
from memories.transfer.selection import Selection


def exported_tables(selection: Selection) -> list[Table]:
    return [table for table in TABLES if table.reach <= selection.reach]


@contextmanager
def choose_rows(selection: Selection) -> Iterator[list[Table]]:
    """Yield the tables, while `chosen_<table>` holds the keys of the selected rows of each."""
    tables = exported_tables(selection)
    with connection.cursor() as cursor:
        for place in reversed(range(len(tables))):  # whoever refers to others is known before them
            _choose_table_rows(cursor, tables[place], selection, referring=tables[place:])
        yield tables
        for table in tables:
            cursor.execute(f"DROP TABLE chosen_{table.name}")


def _choose_table_rows(cursor: Any, table: Table, selection: Selection, *, referring: list[Table]) -> None:
    own = f"{table.of_organization} = %(organization)s AND {table.own}"
    cursor.execute(
        f"CREATE TEMPORARY TABLE chosen_{table.name} ON COMMIT DROP AS"  # noqa: S608 (tables of our own models)
        f" SELECT {table.key} AS id FROM {table.name} WHERE {own}",
        selection.values,
    )
    cursor.execute(f"CREATE UNIQUE INDEX ON chosen_{table.name} (id)")
    if table.shared:
        links = [(other, column) for other in referring for column in other.links_to(table)]
        while sum(_choose_referred_rows(cursor, table, other, column) for other, column in links):
            pass  # a team's parent has a parent
    cursor.execute(f"ANALYZE chosen_{table.name}")


def _choose_referred_rows(cursor: Any, table: Table, other: Table, column: str) -> int:
    """Also choose the rows that the other table's chosen rows refer to; return how many of those are new."""
    cursor.execute(
        f"INSERT INTO chosen_{table.name} SELECT DISTINCT {column} FROM {other.name}"  # noqa: S608 (our own tables)
        f" JOIN chosen_{other.name} AS chosen ON chosen.id = {other.name}.{other.key}"
        f" WHERE {column} IS NOT NULL ON CONFLICT DO NOTHING"
    )
    return int(cursor.rowcount)
