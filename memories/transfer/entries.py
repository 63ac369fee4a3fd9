"""The entries of an archive that is read: what they may be called, and how large they may be."""

import re
import stat
from collections.abc import Iterator
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from memories.transfer.exported_tables import TABLES
from memories.transfer.signature import SIGNATURE
from memoryhub.errors import Invalid

MANIFEST, LOGINS = "manifest.json", "logins.jsonl"
ROWS = {table.name: f"rows/{table.name}.jsonl" for table in TABLES}
KNOWN_ENTRIES = frozenset({MANIFEST, LOGINS, SIGNATURE, *ROWS.values()})
ASSET_ENTRY = re.compile(r"assets/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
READABLE_ENTRY = re.compile(r"(memories|files)/.+", re.DOTALL)  # for people: an import does not look into these
# A bomb unpacks to a thousand times its size, text of people to ten times. Small archives may hold anything.
MAX_RATIO, SMALL_ARCHIVE = 300, 1024**3
MAX_LINE_BYTES = 8 * 1024**2  # bytes of JSON: a file has 1 MiB of text, each character of it escaped at worst
ENCRYPTED = 0x1


def check_entries(archive: ZipFile, *, size: int) -> None:
    """Refuse what no hub writes, before anything is unpacked; `size` is the archive's own, in bytes."""
    entries = archive.infolist()
    seen: set[str] = set()
    for entry in entries:
        if problem := _entry_problem(entry, seen):
            raise Invalid({"archive": f"{entry.filename!r} {problem}. Nothing was imported."})
        seen.add(entry.filename)
    if missing := sorted({MANIFEST, LOGINS} - seen):
        raise Invalid({"archive": f"It is not a MemoryHub archive, or is damaged: it has no {missing[0]}."})
    if sum(entry.compress_size for entry in entries) > size:
        raise Invalid({"archive": "Its entries overlap. Nothing was imported."})
    unpacked = sum(entry.file_size for entry in entries)
    if unpacked > max(SMALL_ARCHIVE, MAX_RATIO * size):
        raise Invalid({"archive": f"It unpacks to {unpacked:,} bytes, over {MAX_RATIO} times its size."})


def _entry_problem(entry: ZipInfo, seen: set[str]) -> str:
    """Return what is wrong with the entry, or nothing."""
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if entry.filename in seen:
        return "is in the archive twice"
    if entry.orig_filename != entry.filename or not _is_known(entry.filename):
        return "is nothing that an archive of MemoryHub has"
    if kind not in (0, stat.S_IFREG):
        return "is a link or a device, not a file"
    if entry.flag_bits & ENCRYPTED or entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        return "is encrypted, or packed in another way than hubs do"
    return ""


def _is_known(name: str) -> bool:
    if name in KNOWN_ENTRIES or ASSET_ENTRY.fullmatch(name):
        return True
    inside = "\\" not in name and not any(part in ("", ".", "..") for part in name.split("/"))
    return bool(READABLE_ENTRY.fullmatch(name)) and inside


def read_text(archive: ZipFile, name: str) -> bytes:
    """Return a whole entry, if it is no longer than a line may be."""
    with archive.open(name) as file:
        content = file.read(MAX_LINE_BYTES + 1)
    if len(content) > MAX_LINE_BYTES:
        raise Invalid({"archive": f"{name} has more than {MAX_LINE_BYTES:,} bytes."})
    return content


def read_lines(archive: ZipFile, name: str) -> Iterator[bytes]:
    """Yield the lines of an entry; whatever it holds, no more than one of them is in memory."""
    with archive.open(name) as file:
        while line := file.readline(MAX_LINE_BYTES + 1):
            if len(line) > MAX_LINE_BYTES:
                raise Invalid({"archive": f"A line of {name} has more than {MAX_LINE_BYTES:,} bytes."})
            yield line
