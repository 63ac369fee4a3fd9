"""Writes an archive, piece by piece: however much there is, little of it is held at once."""

import io
import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, cast
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.db import connection, transaction
from django.utils import timezone

from memories.models import Asset, Memory, TeamFile
from memories.moving.choosing import chosen
from memories.moving.progress import Heard, Step
from memories.moving.tables import TABLES, Reach, Selection, Table

FORMAT = 1
BATCH = 500  # rows at once
PIECE = 256 * 1024  # bytes at once
LOGIN = "(SELECT username FROM auth_user WHERE auth_user.id = row.{column}) AS {column}"
NAMES = {Reach.OPERATOR: ("username", "first_name", "last_name", "email")}

GONE = "attachments left out: their bytes are gone"

Told = Iterator[tuple[str, int]]


class Pipe(io.RawIOBase):
    """Where the zip is written to: it cannot be sought in, so an archive is the same bytes wherever it goes."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, piece: Any) -> int:
        self.pieces.append(bytes(piece))
        return len(piece)

    def taken(self) -> bytes:
        pieces, self.pieces = self.pieces, []
        return b"".join(pieces)


def pack(selection: Selection, *, heard: Heard | None = None, now: datetime | None = None) -> Iterator[bytes]:
    """The archive's bytes in turn, all as it stood at one moment. Only attachments that are purged meanwhile have no
    bytes any more: they are left out by name."""
    pipe, gone = Pipe(), list[str]()
    counts: dict[str, int] = {}
    tell = heard or (lambda step: None)
    with _one_moment():
        tell(Step(part="", number=0, done=0, total=0))
        with chosen(selection) as tables, ZipFile(pipe, "w", ZIP_DEFLATED) as archive:
            total = _total(tables)
            for name, number in _parts(archive, selection, tables, gone):
                counts[name] = number
                tell(Step(part=name, number=number, done=min(sum(counts.values()), total), total=total))
                yield pipe.taken()
            _write(archive, "manifest.json", _manifest(selection, tables, counts, gone, now=now or timezone.now()))
        yield pipe.taken()


def rows_of(selection: Selection) -> int:
    """How many rows there are to write at this moment."""
    with _one_moment(), chosen(selection) as tables:
        return _total(tables)


def _total(tables: list[Table]) -> int:
    """What people can read counts once more."""
    return sum(_counted(table) * (2 if table.model in (Memory, TeamFile, Asset) else 1) for table in tables)


@contextmanager
def _one_moment() -> Iterator[None]:
    outermost = not connection.in_atomic_block
    with transaction.atomic(), connection.cursor() as cursor:
        if outermost:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


def _parts(archive: ZipFile, selection: Selection, tables: list[Table], gone: list[str]) -> Told:
    for table in tables:
        yield from _rows(archive, table, left=[other for other in TABLES if other not in tables])
    yield from _logins(archive, selection, tables)
    yield from _memories(archive)
    yield from _files(archive)
    yield from _assets(archive, gone)


def _manifest(
    selection: Selection, tables: list[Table], counts: dict[str, int], gone: list[str], *, now: datetime
) -> str:
    said = {
        "format": FORMAT,
        "made_at": now.isoformat(),
        "organization": selection.organization.slug,
        "team": selection.team.slug if selection.team else None,
        "reach": selection.reach.name.lower(),
        "rows": {table.name: counts[table.name] for table in tables},
        "gone": gone,
    }
    return json.dumps(said, indent=2) + "\n"


def _rows(archive: ZipFile, table: Table, *, left: Collection[Table]) -> Told:
    """Logins by name, and nothing in place of a link to what is left behind."""
    unknown = {column for other in left for column in table.links_to(other)}
    columns = [
        LOGIN.format(column=name) if name in table.logins else f"NULL AS {name}" if name in unknown else f"row.{name}"
        for name in table.fields
    ]
    statement = f"""
    SELECT row_to_json(shown)::text FROM (
        SELECT {", ".join(columns)} FROM {table.name} AS row
        JOIN chosen_{table.name} AS chosen ON chosen.id = row.{table.key} ORDER BY chosen.id
    ) AS shown
    """  # noqa: S608 (tables and columns of our own models)
    yield table.name, 0
    with archive.open(_entry(f"rows/{table.name}.jsonl"), "w", force_zip64=True) as entry:
        for number, (line,) in enumerate(_streamed(statement), start=1):
            entry.write(f"{line}\n".encode())
            if number % BATCH == 0:
                yield table.name, number
        yield table.name, _counted(table)


def _streamed(statement: str) -> Iterator[tuple[Any, ...]]:
    """By a cursor of the server's, so that neither side holds the whole."""
    connection.ensure_connection()
    with cast("Any", connection.connection).cursor(name="archive") as cursor:
        cursor.itersize = BATCH
        cursor.execute(statement)
        yield from cursor


def _counted(table: Table) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM chosen_{table.name}")  # noqa: S608
        return int(cursor.fetchone()[0])


def _logins(archive: ZipFile, selection: Selection, tables: list[Table]) -> Told:
    """Whoever signed something or is a member: by name, without a password."""
    signed = " UNION ".join(
        f"SELECT {column} FROM {table.name} JOIN chosen_{table.name} AS chosen ON chosen.id = {table.name}.{table.key}"  # noqa: S608
        for table in tables
        for column in sorted(table.logins)
    )
    names = ", ".join(NAMES.get(selection.reach, ("username",)))
    shown = f"SELECT {names} FROM auth_user WHERE id IN ({signed}) ORDER BY username"  # noqa: S608
    lines = [line for (line,) in _streamed(f"SELECT row_to_json(shown)::text FROM ({shown}) AS shown")]  # noqa: S608
    _write(archive, "logins.jsonl", "".join(f"{line}\n" for line in lines))
    yield "logins", len(lines)


# What lives, team by team, for people to read.
MEMORIES = """
SELECT team.slug, team.name, memory.key, memory.type, memory.tags, memory.updated_at, memory.content
FROM memories_memory AS memory JOIN chosen_memories_memory AS chosen ON chosen.id = memory.id
JOIN teams_team AS team ON team.id = memory.team_id
WHERE memory.forgotten_at IS NULL ORDER BY team.slug, chosen.id
"""
FILES = """
SELECT concat_ws('@', team.slug, workspace.slug) || '/' || file.path, file.content
FROM memories_teamfile AS file JOIN chosen_memories_teamfile AS chosen ON chosen.id = file.id
JOIN teams_team AS team ON team.id = file.team_id
LEFT JOIN teams_workspace AS workspace ON workspace.id = file.workspace_id
WHERE file.deleted_at IS NULL ORDER BY 1
"""
ASSETS = "SELECT asset.id, asset.file FROM memories_asset AS asset JOIN chosen_memories_asset USING (id) ORDER BY id"


def _memories(archive: ZipFile) -> Told:
    number = 0
    for (slug, team), rows in groupby(_streamed(MEMORIES), key=itemgetter(0, 1)):
        with archive.open(_entry(f"memories/{slug}.md"), "w", force_zip64=True) as entry:
            entry.write(f"# {team}\n".encode())
            for _, _, *said in rows:
                entry.write(_read(*said).encode())
                number += 1
                if number % BATCH == 0:
                    yield "memories", number
    yield "memories", number


def _read(key: str, kind: str, tags: list[str], changed: datetime, content: str) -> str:
    about = " · ".join([kind, f"{changed.astimezone(UTC):%Y-%m-%d}", *(f"#{tag}" for tag in tags)])
    return f"\n## {key or content.split(chr(10), 1)[0][:80]}\n\n{about}\n\n{content}\n"


def _files(archive: ZipFile) -> Told:
    number = 0
    for number, (path, content) in enumerate(_streamed(FILES), start=1):
        _write(archive, f"files/{path}", content)
        yield "files", number
    yield "files", number


def _assets(archive: ZipFile, gone: list[str]) -> Told:
    number = 0
    storage = Asset._meta.get_field("file").storage
    for asset_id, name in _streamed(ASSETS):
        try:
            file = storage.open(name)
        except FileNotFoundError:
            gone.append(str(asset_id))
            continue
        with file, archive.open(_entry(f"assets/{asset_id}"), "w", force_zip64=True) as entry:
            for piece in file.chunks(PIECE):
                entry.write(piece)
                yield "assets", number
        number += 1
    yield "assets", number
    if gone:
        yield GONE, len(gone)


def _entry(name: str) -> ZipInfo:
    """Without a time of its own."""
    entry = ZipInfo(name)
    entry.compress_type = ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


def _write(archive: ZipFile, name: str, text: str) -> None:
    archive.writestr(_entry(name), text.encode())
