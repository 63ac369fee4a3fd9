"""Writing an archive piece by piece: however large it is, little of it is in memory at once."""

import io
import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, cast
from zipfile import ZIP_DEFLATED, ZipFile

from django.db import connection, transaction
from django.utils import timezone

from memories.models import Asset, Memory, TeamFile
from memories.transfer.chosen_rows import choose_rows
from memories.transfer.exported_tables import TABLES, Table
from memories.transfer.progress import OnStep, TransferStep
from memories.transfer.selection import ExportReach, Selection
from memories.transfer.signature import ARCHIVE_PIECE, SignedWriter

FORMAT = 1
ROWS_AT_ONCE = 500  # rows at once
LOGIN_COLUMN = "(SELECT username FROM auth_user WHERE auth_user.id = row.{column}) AS {column}"
LOGIN_NAMES = {ExportReach.OPERATOR: ("username", "first_name", "last_name")}

LEFT_OUT_NOTE = "attachments left out: their bytes are gone"

PartProgress = Iterator[tuple[str, int]]


class Pipe(io.RawIOBase):
    """The stream that the zip is written to. It is not seekable, so an archive has the same bytes wherever it goes."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, piece: Any) -> int:
        self.pieces.append(bytes(piece))
        return len(piece)

    def take_bytes(self) -> bytes:
        pieces, self.pieces = self.pieces, []
        return b"".join(pieces)


def write_archive(
    selection: Selection, *, on_step: OnStep | None = None, now: datetime | None = None
) -> Iterator[bytes]:
    """Yield the bytes of the archive, all as it stood at one moment. Attachments whose bytes are purged meanwhile are
    left out and listed in the manifest."""
    pipe, gone = Pipe(), list[str]()
    counts: dict[str, int] = {}
    tell = on_step or (lambda step: None)
    with _snapshot():
        tell(TransferStep(part="", number=0, done=0, total=0))
        with choose_rows(selection) as tables, ZipFile(pipe, "w", ZIP_DEFLATED) as file:
            archive, total = SignedWriter(file), _count_steps(tables)
            for name, number in _write_parts(archive, selection, tables, gone):
                counts[name] = number
                tell(TransferStep(part=name, number=number, done=min(sum(counts.values()), total), total=total))
                yield pipe.take_bytes()
            archive.write("manifest.json", _render_manifest(selection, tables, counts, gone, now=now or timezone.now()))
            archive.sign()
        yield pipe.take_bytes()


def count_rows(selection: Selection) -> int:
    """Count the rows to write at this moment."""
    with _snapshot(), choose_rows(selection) as tables:
        return _count_steps(tables)


def _count_steps(tables: list[Table]) -> int:
    """Count the rows to write. Memories, files and attachments count twice: they are also written for people to
    read."""
    return sum(_count_chosen(table) * (2 if table.model in (Memory, TeamFile, Asset) else 1) for table in tables)


@contextmanager
def _snapshot() -> Iterator[None]:
    outermost = not connection.in_atomic_block
    with transaction.atomic(), connection.cursor() as cursor:
        if outermost:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


def _write_parts(archive: SignedWriter, selection: Selection, tables: list[Table], gone: list[str]) -> PartProgress:
    for table in tables:
        yield from _write_rows(archive, table, left=[other for other in TABLES if other not in tables])
    yield from _write_logins(archive, selection, tables)
    yield from _write_memories(archive)
    yield from _write_files(archive)
    yield from _write_assets(archive, gone)


def _render_manifest(
    selection: Selection, tables: list[Table], counts: dict[str, int], gone: list[str], *, now: datetime
) -> str:
    manifest = {
        "format": FORMAT,
        "made_at": now.isoformat(),
        "organization": selection.organization.slug,
        "team": selection.team.slug if selection.team else None,
        "reach": selection.reach.name.lower(),
        "rows": {table.name: counts[table.name] for table in tables},
        "gone": gone,
    }
    return json.dumps(manifest, indent=2) + "\n"


def _write_rows(archive: SignedWriter, table: Table, *, left: Collection[Table]) -> PartProgress:
    """Write the rows of a table, with logins by name, and with null in place of links to tables that are left out."""
    unknown = {column for other in left for column in table.links_to(other)}
    columns = [
        LOGIN_COLUMN.format(column=name)
        if name in table.logins
        else f"NULL AS {name}"
        if name in unknown
        else f"row.{name}"
        for name in table.fields
    ]
    statement = f"""
    SELECT row_to_json(shown)::text FROM (
        SELECT {", ".join(columns)} FROM {table.name} AS row
        JOIN chosen_{table.name} AS chosen ON chosen.id = row.{table.key} ORDER BY chosen.id
    ) AS shown
    """  # noqa: S608 (tables and columns of our own models)
    yield table.name, 0
    with archive.open(f"rows/{table.name}.jsonl") as entry:
        for number, (line,) in enumerate(_stream_rows(statement), start=1):
            entry.write(f"{line}\n".encode())
            if number % ROWS_AT_ONCE == 0:
                yield table.name, number
        yield table.name, _count_chosen(table)


def _stream_rows(statement: str) -> Iterator[tuple[Any, ...]]:
    """Stream rows by a server-side cursor, so that neither side holds all of them."""
    connection.ensure_connection()
    with cast("Any", connection.connection).cursor(name="archive") as cursor:
        cursor.itersize = ROWS_AT_ONCE
        cursor.execute(statement)
        yield from cursor


def _count_chosen(table: Table) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM chosen_{table.name}")  # noqa: S608
        return int(cursor.fetchone()[0])


def _write_logins(archive: SignedWriter, selection: Selection, tables: list[Table]) -> PartProgress:
    """Write the logins that signed something or are members: by name, without a password."""
    signed = " UNION ".join(
        f"SELECT {column} FROM {table.name} JOIN chosen_{table.name} AS chosen ON chosen.id = {table.name}.{table.key}"  # noqa: S608
        for table in tables
        for column in sorted(table.logins)
    )
    names = ", ".join(LOGIN_NAMES.get(selection.reach, ("username",)))
    logins = f"SELECT {names} FROM auth_user WHERE id IN ({signed}) ORDER BY username"  # noqa: S608
    lines = [line for (line,) in _stream_rows(f"SELECT row_to_json(login)::text FROM ({logins}) AS login")]  # noqa: S608
    archive.write("logins.jsonl", "".join(f"{line}\n" for line in lines))
    yield "logins", len(lines)


# What lives, team by team, for people to read.
SELECT_MEMORIES = """
SELECT team.slug, team.name, memory.key, memory.type, memory.tags, memory.updated_at, memory.content
FROM memories_memory AS memory JOIN chosen_memories_memory AS chosen ON chosen.id = memory.id
JOIN teams_team AS team ON team.id = memory.team_id
WHERE memory.forgotten_at IS NULL ORDER BY team.slug, chosen.id
"""
SELECT_FILES = """
SELECT concat_ws('@', team.slug, workspace.slug) || '/' || file.path, file.content
FROM memories_teamfile AS file JOIN chosen_memories_teamfile AS chosen ON chosen.id = file.id
JOIN teams_team AS team ON team.id = file.team_id
LEFT JOIN teams_workspace AS workspace ON workspace.id = file.workspace_id
WHERE file.deleted_at IS NULL ORDER BY 1
"""
SELECT_ASSETS = (
    "SELECT asset.id, asset.file FROM memories_asset AS asset JOIN chosen_memories_asset USING (id) ORDER BY id"
)


def _write_memories(archive: SignedWriter) -> PartProgress:
    number = 0
    for (slug, team), rows in groupby(_stream_rows(SELECT_MEMORIES), key=itemgetter(0, 1)):
        with archive.open(f"memories/{slug}.md") as entry:
            entry.write(f"# {team}\n".encode())
            for _, _, *columns in rows:
                entry.write(_render_memory(*columns).encode())
                number += 1
                if number % ROWS_AT_ONCE == 0:
                    yield "memories", number
    yield "memories", number


def _render_memory(key: str, kind: str, tags: list[str], changed: datetime, content: str) -> str:
    about = " · ".join([kind, f"{changed.astimezone(UTC):%Y-%m-%d}", *(f"#{tag}" for tag in tags)])
    return f"\n## {key or content.split(chr(10), 1)[0][:80]}\n\n{about}\n\n{content}\n"


def _write_files(archive: SignedWriter) -> PartProgress:
    number = 0
    for number, (path, content) in enumerate(_stream_rows(SELECT_FILES), start=1):
        archive.write(f"files/{path}", content)
        yield "files", number
    yield "files", number


def _write_assets(archive: SignedWriter, gone: list[str]) -> PartProgress:
    number = 0
    storage = Asset._meta.get_field("file").storage
    for asset_id, name in _stream_rows(SELECT_ASSETS):
        try:
            file = storage.open(name)
        except FileNotFoundError:
            gone.append(str(asset_id))
            continue
        with file, archive.open(f"assets/{asset_id}") as entry:
            for piece in file.chunks(ARCHIVE_PIECE):
                entry.write(piece)
                yield "assets", number
        number += 1
    yield "assets", number
    if gone:
        yield LEFT_OUT_NOTE, len(gone)
