"""Import of an archive into a hub: all of it, identical, or nothing. An archive may come from anybody: anything that
this hub would not have written itself is refused."""

import json
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain, islice
from pathlib import Path
from typing import Any
from uuid import UUID
from zipfile import BadZipFile, ZipFile

from django.core.files import File
from django.core.serializers.json import DjangoJSONEncoder
from django.db import DataError, IntegrityError, connection, transaction

from memories.models import Asset, Memory, Provenance, asset_path
from memories.operations.embed import embed_memories
from memories.operations.erase_person import replay_erasures
from memories.rules.trust import find_least_trusted
from memories.text.language import choose_language
from memories.transfer import ownership
from memories.transfer.entries import ROWS, check_entries, read_lines
from memories.transfer.export import ROWS_AT_ONCE
from memories.transfer.exported_tables import ArchiveRow, Table
from memories.transfer.logins import Logins, read_logins
from memories.transfer.manifest import Destination, Manifest, find_destination, parse_row, read_manifest
from memories.transfer.progress import OnStep, TransferStep
from memories.transfer.signature import ARCHIVE_PIECE, Origin, find_origin
from memories.transfer.values import check_row
from memoryhub.errors import Conflict, Invalid
from memoryhub.prepared_statements import prepared_cursor

ASSET_TABLE = Asset._meta.db_table


@dataclass
class ImportReport:
    """The result of an import: rows that were added, and rows that were there already and stay as they are."""

    added: dict[str, int] = field(default_factory=dict)
    kept: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)  # what would let somebody in
    new_logins: list[str] = field(default_factory=list)  # made without a password
    known_logins: list[str] = field(default_factory=list)  # of this hub, taken for those of the archive
    origin: Origin = Origin.UNKNOWN
    erased_again: int = 0  # people who had been erased here, and were in the archive


@dataclass(frozen=True, kw_only=True)
class Trust:
    """The claims that the operator vouches for, beyond what the archive proves."""

    unsigned: bool = False  # that it may come from elsewhere, or was changed on purpose
    same_logins: bool = False  # that logins of the same name are the same people
    without_access: bool = False  # or rather that nobody is let in by it


@dataclass(frozen=True, kw_only=True)
class Import:
    """An archive that is being read."""

    archive: ZipFile
    manifest: Manifest
    destination: Destination
    logins: Logins
    trust: Trust
    report: ImportReport


def import_archive(
    path: Path, *, trust: Trust | None = None, pretend: bool = False, on_step: OnStep | None = None
) -> ImportReport:
    """Import an archive; with `pretend`, do everything but save the changes."""
    with _open_archive(path) as archive, _delete_files_on_error() as saved, transaction.atomic():
        running = _begin_import(archive, trust or Trust())
        done, total = 0, sum(running.manifest.rows.values())
        for table in running.manifest.tables:
            for number in _import_rows(running, table):
                if on_step:
                    on_step(TransferStep(part=table.name, number=number, done=done + number, total=total))
            done += running.manifest.rows[table.name]
        ownership.check_links(running.destination)
        _import_assets(running, saved, pretend=pretend)
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        running.report.erased_again = replay_erasures(organization_id=UUID(running.destination.id))
        transaction.set_rollback(pretend)
    return running.report


def _begin_import(archive: ZipFile, trust: Trust) -> Import:
    """Check everything that can be known before the first row."""
    origin = find_origin(archive)
    if origin is not Origin.THIS_HUB and not trust.unsigned:
        raise Invalid({"archive": f"It is {origin}. If you trust where it comes from, add --unsigned."})
    manifest = read_manifest(archive)
    destination = find_destination(archive, manifest)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")  # a team may stand before its parent
    ownership.start_notes()
    logins = read_logins(archive, same_people=trust.same_logins or origin is Origin.THIS_HUB)
    report = ImportReport(new_logins=logins.new, known_logins=logins.known, origin=origin)
    return Import(
        archive=archive, manifest=manifest, destination=destination, logins=logins, trust=trust, report=report
    )


@contextmanager
def _open_archive(path: Path) -> Iterator[ZipFile]:
    """Open an archive, and turn whatever is wrong with it into errors with our own wording."""
    try:
        with path.open("rb") as file, ZipFile(file) as archive:
            check_entries(archive, size=os.fstat(file.fileno()).st_size)
            yield archive
    except (BadZipFile, zlib.error, EOFError, KeyError, ValueError, DataError) as error:
        raise Invalid({"archive": f"{path.name} is not a MemoryHub archive, or is damaged ({error})."}) from error
    except OSError as error:
        raise Invalid({"archive": f"{path} cannot be read: {error.strerror}."}) from error
    except IntegrityError as error:
        name = getattr(getattr(error.__cause__, "diag", None), "constraint_name", None) or "database"
        raise Conflict(f"The archive does not fit what is already here: {name.replace('_', ' ')}.") from error


@contextmanager
def _delete_files_on_error() -> Iterator[list[str]]:
    """Yield a list for the names of stored attachments; if the import fails, delete these files again."""
    saved: list[str] = []
    try:
        yield saved
    except BaseException:
        for name in saved:
            _storage().delete(name)
        raise


def _read_rows(running: Import, table: Table) -> Iterator[ArchiveRow]:
    """Yield the rows of a table as they stand in the archive; refuse them unless they are as many as its manifest says,
    and all of its organization. Attachments without bytes are skipped."""
    number, expected = 0, running.manifest.rows[table.name]
    for line in read_lines(running.archive, ROWS[table.name]):
        number += 1
        row = parse_row(line, where=ROWS[table.name])
        check_row(table, row)
        ownership.check_organization(table, row, running.destination)
        if table.name != ASSET_TABLE or row["id"] not in running.manifest.gone:
            yield row
    if number != expected:
        raise Invalid({"archive": f"It has {number:,} rows of {table.name}, and not {expected:,} as it says."})


def _import_rows(running: Import, table: Table) -> Iterator[int]:
    """Import the rows of a table in batches; after each, yield how many were read by now."""
    lines, number, report = _read_rows(running, table), 0, running.report
    report.added[table.name] = 0
    while rows := list(islice(lines, ROWS_AT_ONCE)):
        number += len(rows)
        added = _import_batch(running, table, rows)
        report.added[table.name] += added
        yield number
    if kept := number - report.added[table.name] - report.left_out.get(table.name, 0):
        report.kept[table.name] = kept


def _import_batch(running: Import, table: Table, rows: list[ArchiveRow]) -> int:
    """Insert the rows, except those that grant access if the operator wants nobody let in; return how many are new."""
    ownership.note_rows(table, rows)
    rows = [_complete_row(running, table, row) for row in rows]
    if table.access and running.trust.without_access and not table.shared:
        running.report.left_out[table.name] = running.report.left_out.get(table.name, 0) + len(rows)
        return 0
    if table.access and running.destination.exists:
        ownership.check_access(table, rows, running.destination)
    added = _insert(table, rows)
    if added < len(rows):
        _check_present(running, table, rows)
    if table.model is Memory:
        living = [row["id"] for row in rows if row["forgotten_at"] is None]
        embed_memories(list(Memory.objects.filter(pk__in=living).defer("search")))
    return added


def _check_present(running: Import, table: Table, rows: list[ArchiveRow]) -> None:
    """Refuse rows that are here already, unless other rows may refer to them or they were found to be the same."""
    if not table.shared and not (table.access and running.destination.exists):
        raise Conflict(
            f"Some of the archive's {table.name.split('_')[1]} rows already exist here. Nothing was imported."
        )
    ownership.check_kept(table, rows, running.destination)


def _complete_row(running: Import, table: Table, row: ArchiveRow) -> ArchiveRow:
    """Return the row with this hub's ids of logins, and with defaults for columns that are newer than the archive."""
    missing = {name: field.get_default() for name, field in table.fields.items() if name not in row}
    if "language" in missing and isinstance(row.get("content"), str):
        missing["language"] = choose_language(row["content"])
    closed = dict.fromkeys(table.access) if table.shared and running.trust.without_access else {}
    complete = {**missing, **row, **running.logins.translate(table, row), **closed}
    return complete if running.report.origin is Origin.THIS_HUB else complete | _distrust(complete)


def _distrust(row: ArchiveRow) -> ArchiveRow:
    """Return the fields by which a text from elsewhere is known as such: nobody here has said or checked it."""
    trust: ArchiveRow = {}
    if "provenance" in row:
        trust["provenance"] = find_least_trusted(row["provenance"], Provenance.IMPORT)
    if "verified_at" in row:
        trust |= {"verified_at": None, "verified_by": ""}
    return trust


def _insert(table: Table, rows: list[ArchiveRow]) -> int:
    """Insert rows by a statement whose text stays the same: psycopg keeps the last hundred, with the rows if these were
    part of the text."""
    columns = ", ".join(table.fields)
    with prepared_cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table.name} ({columns}) SELECT {columns}"  # noqa: S608 (columns of our own models)
            f" FROM jsonb_populate_recordset(NULL::{table.name}, %(rows)s::jsonb)"
            f" ON CONFLICT ({table.unique}) DO NOTHING",
            {"rows": json.dumps(rows, cls=DjangoJSONEncoder)},
        )
        return int(cursor.rowcount)


def _import_assets(running: Import, saved: list[str], *, pretend: bool) -> None:
    """Store the bytes of each attachment, checked against its row, in the place where this hub would put them."""
    unused = {name for name in running.archive.namelist() if name.startswith("assets/")}
    tables = [table for table in running.manifest.tables if table.name == ASSET_TABLE]
    for row in chain.from_iterable(_read_rows(running, table) for table in tables):
        _check_asset(running.archive, row)
        unused.discard(f"assets/{row['id']}")
        if not pretend:
            with running.archive.open(f"assets/{row['id']}") as bytes_:
                saved.append(_storage().save(row["file"], File(bytes_)))
            if saved[-1] != row["file"]:
                raise Conflict(f"The storage has another file at {row['file']}.")
    if unused:
        raise Invalid({"archive": f"{min(unused)} belongs to no attachment. Nothing was imported."})


def _check_asset(archive: ZipFile, row: ArchiveRow) -> None:
    if row["file"] != asset_path(Asset(id=row["id"], organization_id=row["organization_id"]), row["name"]):
        raise Invalid({"archive": f"The attachment {row['name']!r} names a path that is not its own: {row['file']!r}."})
    digest = sha256()
    with archive.open(f"assets/{row['id']}") as content:
        while piece := content.read(ARCHIVE_PIECE):
            digest.update(piece)
    if (digest.hexdigest(), archive.getinfo(f"assets/{row['id']}").file_size) != (row["sha256"], row["size"]):
        raise Invalid({"archive": f"The bytes of the attachment {row['name']!r} are not those that were saved."})


def _storage() -> Any:
    return Asset._meta.get_field("file").storage
