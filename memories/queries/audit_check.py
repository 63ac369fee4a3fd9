"""The check of the audit chain: that no entry of it or of the histories was changed or removed."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from django.db import connection

from memories.models import COVERED_PLACES, FIRST_HASH, PURGED_CONTENT, AuditEntry, AuditPlace
from memories.queries.audit_histories import HISTORIES, format_head
from memoryhub.errors import Invalid
from memoryhub.ids import parse_uuid

CHECKED_AT_ONCE = 2_000
MAX_PROBLEMS = 100


@dataclass(frozen=True, slots=True)
class ChainProblem:
    number: int
    entry: str
    what: str


@dataclass
class ChainState:
    """The result of a check."""

    entries: int = 0
    head: str = field(default_factory=lambda: format_head(None))
    problems: list[ChainProblem] = field(default_factory=list)  # by number, the first ones

    def note_problem(self, entry: AuditEntry, what: str) -> None:
        self.problems.append(ChainProblem(entry.number, f"{entry.place} {entry.row_id}", what))


def check_chain(*, anchor: str = "") -> ChainState:
    """Check every entry, from the first. With an anchor, an earlier head, also that the chain still has it."""
    state, previous, number = ChainState(), FIRST_HASH, 0
    suspects: dict[str, tuple[AuditEntry, str]] = {}
    wanted = parse_head(anchor) if anchor else None
    for batch in _iterate_batches():
        for entry in batch:
            number += 1
            if entry.number != number:
                state.note_problem(entry, f"the entries {number} to {entry.number - 1} before it are gone")
                number = entry.number
            elif bytes(entry.previous) != previous:
                state.note_problem(entry, "it does not carry the hash of the entry before it")
            if entry.compute_hash() != bytes(entry.hash):
                state.note_problem(entry, "it was changed")
            if wanted and entry.number == wanted[0] and entry.hex_hash != wanted[1]:
                state.note_problem(entry, "the anchor has another hash")
            previous = bytes(entry.hash)
        _compare_with_histories(batch, suspects)
        state.entries, state.head = number, format_head(batch[-1])
    state.problems += [ChainProblem(one.number, f"{one.place} {one.row_id}", what) for one, what in suspects.values()]
    if wanted and wanted[0] > number:
        state.problems.append(ChainProblem(wanted[0], "anchor", f"the chain ends at {number}, before the anchor"))
    state.problems = sorted(state.problems, key=lambda problem: problem.number)[:MAX_PROBLEMS]
    return state


def parse_head(text: str) -> tuple[int, str]:
    number, _, digest = text.strip().partition(":")
    if not number.isdecimal() or len(number) > 18 or len(digest) != 2 * len(FIRST_HASH):
        raise Invalid({"anchor": "It has the form NUMBER:HASH, as audit --head prints it."})
    return int(number), digest.lower()


def count_broken_entries() -> int:
    """Return how many entries of the chain are broken, up to a limit."""
    return len(check_chain().problems)


def _iterate_batches() -> Iterator[list[AuditEntry]]:
    rows, after = AuditEntry.objects.order_by("number"), 0
    while batch := list(rows.filter(number__gt=after)[:CHECKED_AT_ONCE]):
        after = batch[-1].number
        yield batch


def _compare_with_histories(batch: Sequence[AuditEntry], suspects: dict[str, tuple[AuditEntry, str]]) -> None:
    """Compare the entries with the rows they stand for. What differs is suspect until a later entry says why."""
    covered = [entry for entry in batch if entry.place in COVERED_PLACES]
    for (place, form), entries in _group_by_form(covered, "place").items():
        present = _read_digests(place, [entry.row_id for entry in entries], form=form)
        for entry in entries:
            found = present.get(entry.row_id)
            if found is None:
                suspects[f"{place} {entry.row_id}"] = entry, "it is gone from its history"
            elif found[0] != bytes(entry.digest):
                suspects[f"{place} {entry.row_id}"] = entry, "its history says something else"
            elif found[1] != bytes(entry.text_digest) and not found[2]:
                suspects[f"{place} {entry.row_id}"] = entry, "its words were changed"
    _clear_suspects(batch, suspects)


def _group_by_form(entries: Iterable[AuditEntry], field: str) -> dict[tuple[str, int], list[AuditEntry]]:
    """Group entries by their history, which this field names, and the form of their digests. A form that this hub does
    not know stands in an entry that was changed."""
    groups: dict[tuple[str, int], list[AuditEntry]] = defaultdict(list)
    for entry in entries:
        place = getattr(entry, field)
        if place in HISTORIES and 1 <= entry.form <= HISTORIES[place].latest_form:
            groups[place, entry.form].append(entry)
    return groups


def _clear_suspects(batch: Sequence[AuditEntry], suspects: dict[str, tuple[AuditEntry, str]]) -> None:
    """Drop the suspects that the chain itself says were removed or rewritten."""
    removed = {entry.row_id for entry in batch if entry.place == AuditPlace.REMOVED}
    if removed:
        for name, (entry, what) in list(suspects.items()):
            if entry.subject_id in removed and "gone" in what:
                del suspects[name]
    rewritten = [entry for entry in batch if entry.place == AuditPlace.REWRITTEN]
    for (place, form), entries in _group_by_form(rewritten, "subject_id").items():
        present = _read_digests(place, [entry.row_id for entry in entries], form=form)
        for entry in entries:
            found, name = present.get(entry.row_id), f"{place} {entry.row_id}"
            if found and found[:2] == (bytes(entry.digest), bytes(entry.text_digest)):
                suspects.pop(name, None)


def _read_digests(place: str, row_ids: Sequence[str], *, form: int) -> dict[str, tuple[bytes, bytes, bool]]:
    """Return the digests that the rows have now, and whether a purge blanked the words."""
    is_id = str.isdecimal if place == AuditPlace.ADMIN else parse_uuid
    if not (row_ids := [pk for pk in row_ids if is_id(pk)]):
        return {}
    digest, text_digest = HISTORIES[place].get_form(form)
    purged = "false"
    if place == AuditPlace.MEMORY_VERSION:
        purged = (
            f"entry.content = '{PURGED_CONTENT}' AND EXISTS (SELECT FROM memories_revision AS last WHERE"
            " last.organization_id = entry.organization_id AND last.memory_id = entry.memory_id"
            " AND last.change = 'purged')"
        )
    kind = "integer" if place == AuditPlace.ADMIN else "uuid"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT id::text, {digest}, {text_digest}, {purged} FROM {HISTORIES[place].table} AS entry"  # noqa: S608 (ours)
            f" WHERE id = ANY(%s::{kind}[])",
            [list(row_ids)],
        )
        return {pk: (bytes(first), bytes(second), blank) for pk, first, second, blank in cursor.fetchall()}
