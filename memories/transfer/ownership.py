"""Limits of what an import may write: rows of the archive's own organization, linked to rows of the same archive, and
nothing that lets somebody into an organization that is here already."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection

from memories.transfer.exported_tables import TABLES, ArchiveRow, Table
from memories.transfer.manifest import Destination
from memoryhub.errors import Conflict, Invalid
from memoryhub.prepared_statements import prepared_cursor
from teams.models import Token

# The rows and the targets of links that the archive has by now: temporary tables, however many there are.
CREATE_NOTE_TABLES = """
CREATE TEMPORARY TABLE archive_rows (name text, id uuid, PRIMARY KEY (name, id)) ON COMMIT DROP;
CREATE TEMPORARY TABLE archive_links (name text, id uuid, PRIMARY KEY (name, id)) ON COMMIT DROP
"""
NOTE_ROWS = "INSERT INTO archive_rows SELECT %(name)s, unnest(%(ids)s::uuid[])"
NOTE_LINKS = (
    "INSERT INTO archive_links SELECT %(name)s, link FROM unnest(%(ids)s::uuid[]) AS link ON CONFLICT DO NOTHING"
)
# History outlives the tokens that it names: these may be missing everywhere.
DANGLING = """
SELECT name, id FROM archive_links WHERE name <> %(tokens)s
EXCEPT SELECT name, id FROM archive_rows LIMIT 1
"""
FOREIGN_TOKENS = """
SELECT token.id FROM archive_links AS link JOIN teams_token AS token ON token.id = link.id
WHERE link.name = %(tokens)s AND token.organization_id <> %(organization)s LIMIT 1
"""
# Every team hangs from the root, or a team stands under itself.
TREE = """
WITH RECURSIVE tree AS (
    SELECT id FROM teams_team WHERE organization_id = %(organization)s AND parent_id IS NULL
    UNION ALL SELECT team.id FROM tree JOIN teams_team AS team
        ON team.organization_id = %(organization)s AND team.parent_id = tree.id
)
SELECT id FROM teams_team WHERE organization_id = %(organization)s EXCEPT SELECT id FROM tree LIMIT 1
"""
TARGETS = frozenset(target for table in TABLES for target in table.links.values())
TOKEN_TABLE = Token._meta.db_table


def start_notes() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS pg_temp.archive_rows, pg_temp.archive_links")
        cursor.execute(CREATE_NOTE_TABLES)


def check_organization(table: Table, row: ArchiveRow, destination: Destination) -> None:
    """Refuse a row that does not say that it belongs to the archive's organization."""
    if row.get(table.of_organization) != destination.id or table.key not in row:
        raise Invalid({"archive": f"A row of {table.name} is not of {destination.slug}. Nothing was imported."})


def note_rows(table: Table, rows: Sequence[ArchiveRow]) -> None:
    """Remember which rows came and what they refer to, until all are there."""
    if table.name in TARGETS:
        _check_repetition(table, rows)
        _insert_notes(NOTE_ROWS, table.name, [row[table.key] for row in rows])
    for column, target in table.links.items():
        if ids := sorted({row[column] for row in rows if row.get(column)}):
            _insert_notes(NOTE_LINKS, target, ids)


def _check_repetition(table: Table, rows: Sequence[ArchiveRow]) -> None:
    [(key, times)] = Counter(row[table.key] for row in rows).most_common(1)
    if times > 1:
        raise Invalid({"archive": f"The row {key} of {table.name} is in the archive twice."})


def _insert_notes(statement: str, name: str, ids: list[str]) -> None:
    with prepared_cursor() as cursor:
        cursor.execute(statement, {"name": name, "ids": ids})


def check_links(destination: Destination) -> None:
    """Refuse links to what is not in the archive, once all rows have come."""
    if dangling := _fetch_first(DANGLING, tokens=TOKEN_TABLE):
        raise Invalid({"archive": f"It refers to a row of {dangling[0]} that is not in it ({dangling[1]})."})
    if _fetch_first(FOREIGN_TOKENS, tokens=TOKEN_TABLE, organization=destination.id):
        raise Invalid({"archive": "Its history names a token of another organization. Nothing was imported."})
    if _fetch_first(TREE, organization=destination.id):
        raise Invalid({"archive": "One of its teams is its own ancestor. Nothing was imported."})


def check_kept(table: Table, rows: Sequence[ArchiveRow], destination: Destination) -> None:
    """Refuse ids that somebody else's rows have here."""
    others = (
        f"SELECT 1 FROM {table.name} WHERE {table.key} = ANY(%(ids)s::uuid[])"  # noqa: S608 (our own tables)
        f" AND {table.of_organization} <> %(organization)s LIMIT 1"
    )
    if _fetch_first(others, ids=[row[table.key] for row in rows], organization=destination.id):
        raise Conflict(f"Some of the archive's {table.name} rows have ids of another organization here.")


def check_access(table: Table, rows: Sequence[ArchiveRow], destination: Destination) -> None:
    """Refuse rows by which an import would let somebody into an organization that is here already: only those that
    are exactly what is here may come, for they change nothing."""
    columns = ", ".join((table.key, *table.access))
    anybody = " OR ".join(f"{column} IS NOT NULL" for column in table.access)
    new = (
        f"SELECT {columns} FROM jsonb_populate_recordset(NULL::{table.name}, %(rows)s::jsonb) WHERE {anybody}"  # noqa: S608 (our own tables)
        f" EXCEPT SELECT {columns} FROM {table.name} WHERE {table.key} = ANY(%(ids)s::uuid[]) LIMIT 1"
    )
    encoded = json.dumps(rows, cls=DjangoJSONEncoder)
    if _fetch_first(new, rows=encoded, ids=[row[table.key] for row in rows]):
        raise Conflict(
            f"The organization {destination.slug} already exists here, and the archive's {table.name} rows would let "
            "somebody in who is not in now. Nothing was imported. To leave out all memberships, invitations, tokens, "
            "admissions and people's logins, add --without-access."
        )


def _fetch_first(statement: str, **values: Any) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchone()
