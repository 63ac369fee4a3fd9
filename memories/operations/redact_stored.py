"""Redaction of what is stored already: secrets that came in before writes were screened, in every version and copy."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Q

from memories.models import (
    COVERED_PLACES,
    LABEL_LENGTH,
    Answer,
    Asset,
    Batch,
    Feedback,
    FileVersion,
    GoldenQuestion,
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
from memories.operations.legal_holds import lock_holds
from memories.rules.access import MATCH_NOTHING
from memories.rules.holds import match_held_files, match_held_memories, match_held_questions, match_held_recalls
from memories.screening.field_texts import FieldTexts
from memories.screening.findings import Finding, FindingGroup, drop_overlaps
from memories.screening.screen import screen_text
from teams.models import Session, Token

ROWS_AT_ONCE = 200
Finder = Callable[[str], list[Finding]]
RedactionCounts = Counter[tuple[str, str, str]]  # counts by place, group and kind


def _select_sessions(organization_id: UUID) -> Any:
    return Session.objects.filter(organization=organization_id)


def _select_tokens(organization_id: UUID) -> Any:
    return Token.objects.filter(organization=organization_id)


class RedactedTable(NamedTuple):
    """A table, and its columns in which a note may stand instead of what was there."""

    place: str
    rows: Callable[[UUID], Any]  # those of an organization, as a queryset
    columns: tuple[str, ...]
    is_held: Q  # matches what a legal hold covers


TEXT_COLUMNS = ("content", "summary", "metadata", "tags", "category", "source", "forget_reason")
NAMES_OF_VERSIONS = ("key", "verified_by", "forgotten_by")
OF_HELD_MEMORY = match_held_memories("memory__")
OF_HELD_PAIR = match_held_memories("older__") | match_held_memories("newer__")
REDACTED_TABLES = (
    RedactedTable("memory", Memory.objects.in_organization, TEXT_COLUMNS, match_held_memories()),
    RedactedTable("memory version", Revision.objects.in_organization, TEXT_COLUMNS, OF_HELD_MEMORY),
    RedactedTable("file", TeamFile.objects.in_organization, ("content",), match_held_files()),
    RedactedTable("file version", FileVersion.objects.in_organization, ("content",), match_held_files("file__")),
    RedactedTable("source", Source.with_removed.in_organization, ("quote",), OF_HELD_MEMORY),
    RedactedTable("recall", RecallLog.objects.in_organization, ("query", "filters"), match_held_recalls()),
    RedactedTable("pair", Pair.objects.in_organization, ("reason",), OF_HELD_PAIR),
    RedactedTable("feedback", Feedback.objects.in_organization, ("reason",), OF_HELD_MEMORY),
    RedactedTable(
        "proposal", Proposal.objects.in_organization, ("arguments", "reason", "decision_note"), OF_HELD_MEMORY
    ),
)
# Rows that are of no use without their text: an answer is kept for a day, for a request that is repeated.
DROPPED_TABLES = (
    RedactedTable("stored answer", Answer.objects.in_organization, ("answer",), MATCH_NOTHING),
    RedactedTable("settled question", SettledQuestion.objects.in_organization, ("question",), match_held_questions()),
    RedactedTable("golden question", GoldenQuestion.objects.in_organization, ("query",), match_held_questions()),
)
# Names, by which things are found: taken out only where nobody may be named any more.
MEMORY_NAMES = ("key", "channel_id", "verified_by", "forgotten_by")
NAME_TABLES = (
    RedactedTable("memory", Memory.objects.in_organization, MEMORY_NAMES, match_held_memories()),
    RedactedTable("memory version", Revision.objects.in_organization, NAMES_OF_VERSIONS, OF_HELD_MEMORY),
    RedactedTable("file", TeamFile.objects.in_organization, ("path",), match_held_files()),
    RedactedTable("file version", FileVersion.objects.in_organization, ("path",), match_held_files("file__")),
    RedactedTable(
        "source", Source.with_removed.in_organization, ("url", "message_id", "repository", "file_path"), OF_HELD_MEMORY
    ),
    RedactedTable("attachment", Asset.with_removed.in_organization, ("name",), OF_HELD_MEMORY),
    RedactedTable("bulk edit", Batch.objects.in_organization, ("undone_by",), MATCH_NOTHING),
    RedactedTable("session", _select_sessions, ("name", "channel_id"), MATCH_NOTHING),
    RedactedTable("token", _select_tokens, ("label",), MATCH_NOTHING),
)
NAME_LENGTHS = {
    column: field.max_length or 0
    for table in NAME_TABLES
    for column in table.columns
    for field in [table.rows(UUID(int=0)).model._meta.get_field(column)]
}
SHORT_COLUMNS = {"category": LABEL_LENGTH, "source": LABEL_LENGTH, **NAME_LENGTHS}


def redact_stored_texts(organization_id: UUID, groups: frozenset[FindingGroup]) -> RedactionCounts:
    """Redact secrets and personal data in the organization's texts, except for names and attached files. Returns how
    much was redacted."""
    return redact_texts(organization_id, partial(_find_groups, groups))


def _find_groups(groups: frozenset[FindingGroup], text: str) -> list[Finding]:
    screening = screen_text(text, groups=groups)
    return [*screening.secrets, *screening.personal]


def redact_texts(organization_id: UUID, find: Finder, *, with_names: bool = False) -> RedactionCounts:
    """Redact what is found in the organization's texts, in place: in every version, the log of recalls, proposals and
    stored answers; with `with_names` also in keys, paths, addresses and other names. Attached files and whatever a
    legal hold covers are left as they are.

    Returns how much was redacted.
    """
    counts = RedactionCounts()
    for table in (*REDACTED_TABLES, *(NAME_TABLES if with_names else ())):
        for pk in _list_ids(table.rows(organization_id)):
            counts.update(_redact_row(table, organization_id, pk, find))
    for table in DROPPED_TABLES:
        for pk in _list_ids(table.rows(organization_id)):
            counts.update(_drop_row(table, organization_id, pk, find))
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
def _redact_row(table: RedactedTable, organization_id: UUID, pk: UUID, find: Finder) -> RedactionCounts:
    """Redact a row, locked meanwhile, so that no text that somebody saves now is lost."""
    lock_holds([organization_id])
    rows = table.rows(organization_id).filter(pk=pk)
    values = rows.exclude(table.is_held).select_for_update(of=("self",)).values(*table.columns).first()
    changed, counts = _redact_values(table.place, values or {}, find)
    if not changed:
        return counts
    _update_row(table, rows, pk, changed)
    if table.place in COVERED_PLACES:
        note_rewrites(table.place, [pk])
    if issubclass(rows.model, Memory):
        memory = rows.defer("search").get()
        drop_vectors([memory])
        if memory.forgotten_at is None:
            embed_memories([memory])
    return counts


def _update_row(table: RedactedTable, rows: Any, pk: UUID, changed: Mapping[str, Any]) -> None:
    """Write the values. A name that is taken gets the row's id at its end."""
    try:
        with transaction.atomic():
            rows.update(**changed)
    except IntegrityError:
        if table not in NAME_TABLES:
            raise
        rows.update(**{name: f"{value[: NAME_LENGTHS[name] - 37]} {pk}" for name, value in changed.items()})


def _redact_values(place: str, values: Mapping[str, Any], find: Finder) -> tuple[dict[str, Any], RedactionCounts]:
    """Return the values that change, and what was found in them."""
    texts = FieldTexts(values)
    found = drop_overlaps(find(texts.text))
    counts = RedactionCounts((place, span.group.value, span.kind) for span in found)
    redacted = texts.redact(found) if found else {}
    changed = {name: _shorten(name, value) for name, value in redacted.items() if value != values[name]}
    return changed, counts


def _shorten(name: str, value: Any) -> Any:
    return value[: SHORT_COLUMNS[name]] if name in SHORT_COLUMNS else value


@transaction.atomic
def _drop_row(table: RedactedTable, organization_id: UUID, pk: UUID, find: Finder) -> RedactionCounts:
    """Delete the row if it has such a text."""
    lock_holds([organization_id])
    rows = table.rows(organization_id).filter(pk=pk)
    values = rows.exclude(table.is_held).values(*table.columns).first()
    counts = _redact_values(table.place, values or {}, find)[1]
    if counts:
        rows.delete()
    return counts


def _forget_derived(organization_id: UUID) -> None:
    """Delete the counts of words, which are counted again in the background."""
    Lexeme.objects.in_organization(organization_id).delete()
    Vocabulary.objects.in_organization(organization_id).delete()
