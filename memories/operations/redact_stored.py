"""Redaction of what is stored already: secrets that came in before writes were screened, in every version and copy."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple
from uuid import UUID

from django.db import transaction

from memories.models import (
    COVERED_PLACES,
    LABEL_LENGTH,
    Answer,
    Feedback,
    FileVersion,
    Lexeme,
    Memory,
    Pair,
    Proposal,
    RecallLog,
    Revision,
    SettledQuestion,
    Source,
    TeamFile,
    Vocabulary,
)
from memories.operations.audit_chain import note_rewrites
from memories.operations.embed import drop_vectors, embed_memories
from memories.screening.field_texts import FieldTexts
from memories.screening.findings import FindingGroup, drop_overlaps
from memories.screening.screen import screen_text

ROWS_AT_ONCE = 200
RedactionCounts = Counter[tuple[str, str, str]]  # by place, group and kind


class RedactedTable(NamedTuple):
    """A table, and its columns in which a note may stand instead of what was there."""

    place: str
    rows: Callable[[UUID], Any]  # those of an organization, as a queryset
    columns: tuple[str, ...]


TEXT_COLUMNS = ("content", "summary", "metadata", "tags", "category", "source", "forget_reason")
REDACTED_TABLES = (
    RedactedTable("memory", Memory.objects.in_organization, TEXT_COLUMNS),
    RedactedTable("memory version", Revision.objects.in_organization, TEXT_COLUMNS),
    RedactedTable("file", TeamFile.objects.in_organization, ("content",)),
    RedactedTable("file version", FileVersion.objects.in_organization, ("content",)),
    RedactedTable("source", Source.with_removed.in_organization, ("quote",)),
    RedactedTable("recall", RecallLog.objects.in_organization, ("query", "filters")),
    RedactedTable("pair", Pair.objects.in_organization, ("reason",)),
    RedactedTable("feedback", Feedback.objects.in_organization, ("reason",)),
    RedactedTable("proposal", Proposal.objects.in_organization, ("arguments", "reason", "decision_note")),
)
# Rows that are of no use without their text: an answer is kept for a day, for a request that is repeated.
DROPPED_ROWS: tuple[tuple[str, Callable[[UUID], Any], str], ...] = (
    ("stored answer", Answer.objects.in_organization, "answer"),
    ("settled question", SettledQuestion.objects.in_organization, "question"),
)
SHORT_COLUMNS = {"category": LABEL_LENGTH, "source": LABEL_LENGTH}


def redact_stored_texts(organization_id: UUID, groups: frozenset[FindingGroup]) -> RedactionCounts:
    """Redact what is found in the organization's texts, in place: in every version, the log of recalls, proposals and
    stored answers. Names (keys, paths, addresses, names of attachments) and attached files are left as they are.

    Returns how much was redacted.
    """
    counts = RedactionCounts()
    for table in REDACTED_TABLES:
        for pk in _list_ids(table.rows(organization_id)):
            counts.update(_redact_row(table, organization_id, pk, groups))
    for place, in_organization, column in DROPPED_ROWS:
        counts.update(_drop_rows(place, in_organization(organization_id), column, groups))
    if counts:
        _forget_derived(organization_id)
    return counts


def _list_ids(rows: Any) -> Iterator[UUID]:
    """Yield the ids in their order, a page at a time: the texts of a page may take long to read."""
    ids = rows.order_by("pk").values_list("pk", flat=True)
    page = list(ids[:ROWS_AT_ONCE])
    while page:
        yield from page
        page = list(ids.filter(pk__gt=page[-1])[:ROWS_AT_ONCE])


@transaction.atomic
def _redact_row(
    table: RedactedTable, organization_id: UUID, pk: UUID, groups: frozenset[FindingGroup]
) -> RedactionCounts:
    """Redact a row, locked meanwhile, so that no text that somebody saves now is lost."""
    rows = table.rows(organization_id).filter(pk=pk)
    values = rows.select_for_update().values(*table.columns).first()
    changed, counts = _redact_values(table.place, values or {}, groups)
    if not changed:
        return counts
    rows.update(**changed)
    if table.place in COVERED_PLACES:
        note_rewrites(table.place, [pk])
    if issubclass(rows.model, Memory):
        memory = rows.defer("search").get()
        drop_vectors([memory])
        if memory.forgotten_at is None:
            embed_memories([memory])
    return counts


def _redact_values(
    place: str, values: Mapping[str, Any], groups: frozenset[FindingGroup]
) -> tuple[dict[str, Any], RedactionCounts]:
    """Return the values that change, and what was found in them."""
    texts = FieldTexts(values)
    screening = screen_text(texts.text, groups=groups)
    found = drop_overlaps([*screening.secrets, *screening.personal])
    counts = RedactionCounts((place, span.group.value, span.kind) for span in found)
    redacted = texts.redact(found) if found else {}
    changed = {name: _shorten(name, value) for name, value in redacted.items() if value != values[name]}
    return changed, counts


def _shorten(name: str, value: Any) -> Any:
    return value[: SHORT_COLUMNS[name]] if name in SHORT_COLUMNS else value


def _drop_rows(place: str, rows: Any, column: str, groups: frozenset[FindingGroup]) -> RedactionCounts:
    """Delete the rows with such a text."""
    counts = RedactionCounts()
    for pk in _list_ids(rows):
        values = rows.filter(pk=pk).values(column).first()
        if found := _redact_values(place, values or {}, groups)[1]:
            rows.filter(pk=pk).delete()
            counts.update(found)
    return counts


def _forget_derived(organization_id: UUID) -> None:
    """Delete the counts of words, which are counted again in the background."""
    Lexeme.objects.in_organization(organization_id).delete()
    Vocabulary.objects.in_organization(organization_id).delete()
