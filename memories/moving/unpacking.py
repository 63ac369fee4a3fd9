"""Reads an archive into a hub: all of it, identical, or nothing."""

import json
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from django.contrib.auth.models import User
from django.core.files import File
from django.core.serializers.json import DjangoJSONEncoder
from django.db import DataError, IntegrityError, connection, transaction

from memories.models import Asset, Memory
from memories.moving.packing import BATCH, FORMAT, PIECE
from memories.moving.progress import Heard, Step
from memories.moving.tables import TABLES, Table
from memories.operations.embedding import embed
from memoryhub.errors import Conflict, Invalid
from memoryhub.prepared import prepared_cursor

Row = dict[str, Any]


@dataclass
class Report:
    """What an import added, and what was there already and stays as it is."""

    added: dict[str, int] = field(default_factory=dict)
    kept: dict[str, int] = field(default_factory=dict)
    new_logins: list[str] = field(default_factory=list)  # made without a password
    known_logins: list[str] = field(default_factory=list)  # of this hub, taken for those of the archive


def unpack(path: Path, *, pretend: bool = False, heard: Heard | None = None) -> Report:
    """With `pretend`, everything but the changes."""
    report = Report()
    with _opened(path) as archive, _files_or_none() as saved, transaction.atomic():
        rows, gone = _announced(archive)
        tables = [table for table in TABLES if table.name in rows]
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")  # a team may stand before its parent
        users = _logins(archive, report)
        done = 0
        for table in tables:
            for number in _rows(archive, table, users, gone, report):
                if heard:
                    heard(Step(part=table.name, number=number, done=done + number, total=sum(rows.values())))
            done += rows[table.name]
        _assets(archive, gone, saved, pretend=pretend)
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        transaction.set_rollback(pretend)
    return report


@contextmanager
def _opened(path: Path) -> Iterator[ZipFile]:
    """Whatever is wrong with an archive is said in our words."""
    try:
        with ZipFile(path) as archive:
            yield archive
    except (BadZipFile, zlib.error, EOFError, KeyError, ValueError, DataError) as error:
        raise Invalid({"archive": f"{path.name} is no archive of MemoryHub, or is damaged ({error})."}) from error
    except OSError as error:
        raise Invalid({"archive": f"{path} cannot be read: {error.strerror}."}) from error
    except IntegrityError as error:
        name = getattr(getattr(error.__cause__, "diag", None), "constraint_name", None) or "database"
        raise Conflict(f"What is here does not go with the archive: {name.replace('_', ' ')}.") from error


@contextmanager
def _files_or_none() -> Iterator[list[str]]:
    """The names of attachments that were stored: they go again if the rest does not come."""
    saved: list[str] = []
    try:
        yield saved
    except BaseException:
        for name in saved:
            _storage().delete(name)
        raise


def _announced(archive: ZipFile) -> tuple[dict[str, int], Collection[str]]:
    """By its own word how many rows of each table it has, and which attachments were gone before it had their bytes."""
    manifest = json.loads(archive.read("manifest.json"))
    if manifest["format"] != FORMAT:
        raise Invalid({"archive": f"This archive has format {manifest['format']}; this MemoryHub reads {FORMAT}."})
    known = {table.name for table in TABLES}
    if strange := sorted(manifest["rows"].keys() - known):
        raise Invalid({"archive": f"This archive has {', '.join(strange)}, which this MemoryHub does not know."})
    rows = {name: int(number) for name, number in manifest["rows"].items()}
    return rows, frozenset(manifest.get("gone", ()))


def _logins(archive: ZipFile, report: Report) -> dict[str | None, int | None]:
    users: dict[str | None, int | None] = {None: None}
    for said in _lines(archive, "logins.jsonl"):
        user, made = User.objects.get_or_create(username=said["username"], defaults=said)
        if made:
            user.set_unusable_password()
            user.save(update_fields=["password"])
        (report.new_logins if made else report.known_logins).append(user.username)
        users[user.username] = user.pk
    return users


def _lines(archive: ZipFile, name: str, *, without: Collection[str] = ()) -> Iterator[Row]:
    with archive.open(name) as lines:
        for line in lines:
            row: Row = json.loads(line)
            if not without or row.get("id") not in without:
                yield row


def _rows(
    archive: ZipFile, table: Table, users: dict[str | None, int | None], gone: Collection[str], report: Report
) -> Iterator[int]:
    """Says after each few how many there are by now."""
    lines, number = _lines(archive, f"rows/{table.name}.jsonl", without=gone), 0
    report.added[table.name] = 0
    while rows := [_read(table, row, users) for row in islice(lines, BATCH)]:
        added = _insert(table, rows)
        number += len(rows)
        report.added[table.name] += added
        if added < len(rows) and not table.shared:
            raise Conflict(
                f"Some of the archive's {table.name.split('_')[1]} rows are here already. Nothing was imported."
            )
        if table.model is Memory:
            living = [row["id"] for row in rows if row["forgotten_at"] is None]
            embed(list(Memory.objects.filter(pk__in=living).defer("search")))
        yield number
    if kept := number - report.added[table.name]:
        report.kept[table.name] = kept


def _read(table: Table, row: Row, users: dict[str | None, int | None]) -> Row:
    """With this hub's numbers of logins, and defaults for columns that are newer than the archive."""
    if strange := sorted(row.keys() - table.fields.keys()):
        raise Invalid({"archive": f"{table.name} has {', '.join(strange)} there, which this MemoryHub does not know."})
    missing = {name: field.get_default() for name, field in table.fields.items() if name not in row}
    return {**missing, **row, **{column: users[row[column]] for column in table.logins if column in row}}


def _insert(table: Table, rows: list[Row]) -> int:
    """By a statement that stays the same: psycopg remembers the last hundred, with the rows if they stood in them."""
    columns = ", ".join(table.fields)
    with prepared_cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table.name} ({columns}) SELECT {columns}"  # noqa: S608 (columns of our own models)
            f" FROM jsonb_populate_recordset(NULL::{table.name}, %(rows)s::jsonb)"
            f" ON CONFLICT ({table.unique}) DO NOTHING",
            {"rows": json.dumps(rows, cls=DjangoJSONEncoder)},
        )
        return int(cursor.rowcount)


def _assets(archive: ZipFile, gone: Collection[str], saved: list[str], *, pretend: bool) -> None:
    """The bytes of each, checked against what the row says of them."""
    for row in _lines(archive, "rows/memories_asset.jsonl", without=gone):
        _check(archive, row)
        if not pretend:
            with archive.open(f"assets/{row['id']}") as bytes_:
                saved.append(_storage().save(row["file"], File(bytes_)))
            if saved[-1] != row["file"]:
                raise Conflict(f"The storage holds another file as {row['file']}.")


def _check(archive: ZipFile, row: Row) -> None:
    digest = sha256()
    with archive.open(f"assets/{row['id']}") as content:
        while piece := content.read(PIECE):
            digest.update(piece)
    if digest.hexdigest() != row["sha256"]:
        raise Invalid({"archive": f"The bytes of the attachment {row['name']!r} are not those that were saved."})


def _storage() -> Any:
    return Asset._meta.get_field("file").storage
