"""All texts that an organization has stored, for operators who look for what should not be there.

Nothing is left out: forgotten memories, versions that nobody sees any more, files that were deleted, attachments that
were taken off.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Model, Q

from memories.models import Asset, FileVersion, Memory, Revision, Source, TeamFile
from memories.queries.attachment_previews import is_text

MAX_TEXT_ATTACHMENT = 1_000_000  # bytes; larger ones are known by their name alone
SMALL_PAGE, LARGE_PAGE = 20, 200  # rows read at once: files have up to 1 MiB each, memories 50,000 bytes


class StoredText(NamedTuple):
    """A text and where it is: what kind of row, which one, which version of it, which field."""

    place: str
    row_id: UUID
    version: int | None
    field: str
    text: str


class TextTable(NamedTuple):
    place: str
    rows: Callable[[UUID], Any]  # the rows of an organization, as a queryset
    order: tuple[str, ...]  # the columns of a unique index after the organization: pages are read along it
    read: Callable[[Any], Iterator[tuple[str, str]]]  # the fields with text
    page: int


def iterate_texts(organization_id: UUID) -> Iterator[StoredText]:
    """Yield every text of the organization. At most one page of rows is in memory."""
    for table in TEXT_TABLES:
        for row in _iterate_rows(table, organization_id):
            for field, text in table.read(row):
                if text:
                    yield StoredText(table.place, _get_subject(row), getattr(row, "version", None), field, text)


def _iterate_rows(table: TextTable, organization_id: UUID) -> Iterator[Model]:
    rows = table.rows(organization_id).order_by(*table.order)
    page = list(rows[: table.page])
    while page:
        yield from page
        page = list(rows.filter(_follow_row(page[-1], table.order))[: table.page])


def _follow_row(row: Model, order: Sequence[str]) -> Q:
    """Return the condition of the rows after this one."""
    first, *rest = order
    value = getattr(row, first)
    later = Q(**{f"{first}__gt": value})
    return later | Q(**{first: value}) & _follow_row(row, rest) if rest else later


def _get_subject(row: Any) -> UUID:
    """Return the id by which people know the row: that of its memory or file, if it is a version."""
    subject: UUID = (
        row.memory_id if isinstance(row, Revision) else row.file_id if isinstance(row, FileVersion) else row.pk
    )
    return subject


def _read_memory(row: Memory | Revision) -> Iterator[tuple[str, str]]:
    yield "content", row.content
    yield "summary", row.summary
    yield "key", row.key
    yield "tags", "\n".join(row.tags)
    yield "category", row.category
    yield "source", row.source
    yield "metadata", json.dumps(row.metadata, ensure_ascii=False) if row.metadata else ""
    yield "reason for forgetting", row.forget_reason


def _read_file(row: TeamFile | FileVersion) -> Iterator[tuple[str, str]]:
    yield "path", row.path
    yield "content", row.content


def _read_source(row: Source) -> Iterator[tuple[str, str]]:
    yield "address", row.url
    yield "quote", row.quote
    yield "message", row.message_id
    yield "repository", row.repository
    yield "path", row.file_path


def _read_attachment(row: Asset) -> Iterator[tuple[str, str]]:
    yield "name", row.name
    if is_text(row) and row.size <= MAX_TEXT_ATTACHMENT:
        yield "content", _read_bytes(row)


def _read_bytes(asset: Asset) -> str:
    """Return the text of an attachment, or nothing if its file is missing: `doctor` reports that."""
    try:
        with asset.file.open("rb") as file:
            return bytes(file.read(MAX_TEXT_ATTACHMENT)).decode(errors="replace")
    except OSError:
        return ""


TEXT_TABLES = (
    TextTable(
        "memory",
        lambda organization: Memory.objects.in_organization(organization).defer("search", "opening", "audience"),
        ("id",),
        _read_memory,
        LARGE_PAGE,
    ),
    TextTable("memory version", Revision.objects.in_organization, ("memory_id", "version"), _read_memory, LARGE_PAGE),
    TextTable(
        "file",
        lambda organization: TeamFile.objects.in_organization(organization).defer("search"),
        ("id",),
        _read_file,
        SMALL_PAGE,
    ),
    TextTable("file version", FileVersion.objects.in_organization, ("file_id", "version"), _read_file, SMALL_PAGE),
    TextTable("source", Source.with_removed.in_organization, ("id",), _read_source, LARGE_PAGE),
    TextTable("attachment", Asset.with_removed.in_organization, ("id",), _read_attachment, LARGE_PAGE),
)
