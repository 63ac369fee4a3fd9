"""The manifest of an archive: what the archive says about itself, before any row of it is read."""

from dataclasses import dataclass
from typing import Any
from zipfile import ZipFile

from memories.transfer.entries import MANIFEST, ROWS, read_lines, read_text
from memories.transfer.export import FORMAT
from memories.transfer.exported_tables import TABLES, ArchiveRow, Table
from memories.transfer.selection import ExportReach
from memories.transfer.values import check_row
from memoryhub.errors import Conflict, Invalid
from memoryhub.strict_json import NotJSON, load_json
from teams.models import Organization


@dataclass(frozen=True, kw_only=True)
class Manifest:
    organization: str  # its slug
    rows: dict[str, int]  # how many of each table
    gone: frozenset[str]  # attachments that were removed before the archive had their bytes

    @property
    def tables(self) -> list[Table]:
        return [table for table in TABLES if table.name in self.rows]


def parse_row(line: bytes, *, where: str) -> ArchiveRow:
    """Parse a line as a JSON object."""
    try:
        found = load_json(line)
    except (NotJSON, Invalid) as error:
        raise Invalid({"archive": f"{where} is damaged: {error}"}) from error
    if not isinstance(found, dict):
        raise Invalid({"archive": f"{where} is damaged: it contains something other than an object."})
    return found


def read_manifest(archive: ZipFile) -> Manifest:
    """Return the manifest; refuse it if it does not match the entries of the archive."""
    content = parse_row(read_text(archive, MANIFEST), where=MANIFEST)
    if content.get("format") != FORMAT:
        raise Invalid({"archive": f"This archive has format {content.get('format')}; this MemoryHub reads {FORMAT}."})
    if not _is_manifest(content):
        raise Invalid({"archive": f"{MANIFEST} is damaged: it does not say what is in the archive."})
    if strange := sorted(content["rows"].keys() - ROWS.keys()):
        raise Invalid({"archive": f"This archive has {', '.join(strange)}, which this MemoryHub does not know."})
    manifest = Manifest(
        organization=content["organization"], rows=content["rows"], gone=frozenset(content.get("gone", ()))
    )
    _check_tables(archive, manifest, ExportReach[content["reach"].upper()])
    return manifest


def _is_manifest(content: dict[str, Any]) -> bool:
    rows, gone = content.get("rows"), content.get("gone", [])
    return (
        isinstance(content.get("organization"), str)
        and content.get("reach") in {reach.name.lower() for reach in ExportReach}
        and isinstance(rows, dict)
        and all(type(number) is int and number >= 0 for number in rows.values())
        and isinstance(gone, list)
        and all(isinstance(asset_id, str) for asset_id in gone)
    )


def _check_tables(archive: ZipFile, manifest: Manifest, reach: ExportReach) -> None:
    """Refuse tables that the manifest does not announce, and those beyond what its maker could carry away."""
    entries = {name for name in archive.namelist() if name.startswith("rows/")}
    if entries != {ROWS[table.name] for table in manifest.tables}:
        raise Invalid({"archive": f"{MANIFEST} and rows/ name different tables. Nothing was imported."})
    if beyond := [table.name for table in manifest.tables if table.reach > reach]:
        raise Invalid({"archive": f"It has {beyond[0]}, which whoever made it does not see. Nothing was imported."})


@dataclass(frozen=True, kw_only=True)
class Destination:
    """The one organization that all rows belong to."""

    id: str
    slug: str
    exists: bool


def find_destination(archive: ZipFile, manifest: Manifest) -> Destination:
    """Return the organization that the manifest names; one that is here already must have that name here, too."""
    table = TABLES[0]
    lines = list(read_lines(archive, ROWS[table.name])) if manifest.rows.get(table.name) == 1 else []
    if len(lines) != 1:
        raise Invalid({"archive": "It must have exactly one organization. Nothing was imported."})
    row = parse_row(lines[0], where=ROWS[table.name])
    check_row(table, row)
    if row.get("slug") != manifest.organization or "id" not in row:
        raise Invalid({"archive": f"Its organization is not {manifest.organization}, as {MANIFEST} says."})
    here = Organization.objects.filter(pk=row["id"]).first()
    if here and here.slug != manifest.organization:
        raise Conflict(f"The archive's organization {manifest.organization} is called {here.slug} here.")
    return Destination(id=row["id"], slug=manifest.organization, exists=here is not None)
