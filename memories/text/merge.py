"""Three-way merge of a value that two people changed at once: both versions, and where possible both changes
together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from memories.text.diff import DiffBudget, diff_opcodes

Value = TypeVar("Value")


@dataclass(frozen=True, kw_only=True, slots=True)
class MergeResult(Generic[Value]):
    """The result of a merge: `together` has the changes of both. Where both changed the same thing differently, it has
    yours, and `conflict` is set."""

    base: Value
    theirs: Value
    yours: Value
    together: Value
    conflict: bool = False

    @property
    def same(self) -> bool:
        """True if both made the same of it, so that nobody has to look at it."""
        return self.theirs == self.yours


def merge_value(*, base: Value, theirs: Value, yours: Value) -> MergeResult[Value]:
    """Merge a value as a whole: the one that was changed wins."""
    conflict = theirs != base and yours not in (base, theirs)
    together = theirs if yours == base else yours
    return MergeResult(base=base, theirs=theirs, yours=yours, together=together, conflict=conflict)


def merge_tags(*, base: Sequence[str], theirs: Sequence[str], yours: Sequence[str]) -> MergeResult[list[str]]:
    """Merge sets: keep what either side added, drop what either side removed. There is never a conflict."""
    gone = (set(base) - set(theirs)) | (set(base) - set(yours))
    together = [tag for tag in dict.fromkeys([*theirs, *yours]) if tag not in gone]
    return MergeResult(base=list(base), theirs=list(theirs), yours=list(yours), together=together)


def merge_text(*, base: str, theirs: str, yours: str, budget: DiffBudget | None = None) -> MergeResult[str]:
    """Merge texts line by line: changes that do not touch each other are joined. Once the budget is spent, whole texts
    count as changed."""
    if base in (theirs, yours) or theirs == yours:
        return merge_value(base=base, theirs=theirs, yours=yours)
    lines = base.splitlines(keepends=True)
    joined, conflict, at = GrowingText(), False, 0
    edits = [*_line_edits(lines, theirs, "theirs", budget), *_line_edits(lines, yours, "yours", budget)]
    for spot in _group_touching_edits(edits):
        first, last = min(edit.start for edit in spot), max(edit.end for edit in spot)
        both = {edit.by for edit in spot}
        sides = {by: _apply_edits(lines, spot, by=by, first=first, last=last) for by in both}
        joined.add("".join(lines[at:first]))
        joined.add(sides.get("yours", sides.get("theirs", "")))
        conflict = conflict or len(set(sides.values())) > 1
        at = last
    joined.add("".join(lines[at:]))
    return MergeResult(base=base, theirs=theirs, yours=yours, together=str(joined), conflict=conflict)


class GrowingText:
    """A text that is appended to; a last line without a line break gets one when something follows."""

    def __init__(self) -> None:
        self._parts: list[str] = []

    def add(self, text: str) -> None:
        if text:
            unfinished = self._parts and not self._parts[-1].endswith("\n")
            self._parts += ["\n", text] if unfinished else [text]

    def __str__(self) -> str:
        return "".join(self._parts)


class LineEdit(NamedTuple):
    """An edit that replaced the lines of the base from `start` to `end` by others."""

    start: int
    end: int
    by: str
    text: str


def _line_edits(lines: list[str], text: str, by: str, budget: DiffBudget | None) -> Iterator[LineEdit]:
    others = text.splitlines(keepends=True)
    for kind, start, end, left, right in diff_opcodes(lines, others, budget=budget):
        if kind != "equal":
            yield LineEdit(start, end, by, "".join(others[left:right]))


def _group_touching_edits(edits: list[LineEdit]) -> list[list[LineEdit]]:
    """Return the edits in order, grouping those that touch each other."""
    spots: list[list[LineEdit]] = []
    end = -1
    for edit in sorted(edits):
        if edit.start <= end:
            spots[-1].append(edit)
        else:
            spots.append([edit])
        end = max(end, edit.end)
    return spots


def _apply_edits(lines: list[str], spot: list[LineEdit], *, by: str, first: int, last: int) -> str:
    """Return what one of the two sides made of these lines of the base."""
    parts, at = [], first
    for edit in spot:
        if edit.by == by:
            parts += [*lines[at : edit.start], edit.text]
            at = edit.end
    return "".join([*parts, *lines[at:last]])
