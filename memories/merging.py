"""What becomes of one thing that two people changed at once: what each made of it, and both together where that can
be."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from memories.diffs import compared

Value = TypeVar("Value")


@dataclass(frozen=True, kw_only=True, slots=True)
class Merged(Generic[Value]):
    """`together` has the changes of both; where both changed the same and differ, it has yours, and it is in
    conflict."""

    base: Value
    theirs: Value
    yours: Value
    together: Value
    conflict: bool = False

    @property
    def same(self) -> bool:
        """Nobody has to look at it."""
        return self.theirs == self.yours


def of_value(*, base: Value, theirs: Value, yours: Value) -> Merged[Value]:
    """What is one thing: whoever changed it has it."""
    conflict = theirs != base and yours not in (base, theirs)
    together = theirs if yours == base else yours
    return Merged(base=base, theirs=theirs, yours=yours, together=together, conflict=conflict)


def of_tags(*, base: Sequence[str], theirs: Sequence[str], yours: Sequence[str]) -> Merged[list[str]]:
    """What is a set: what came from either, without what went for either. Never in conflict."""
    gone = (set(base) - set(theirs)) | (set(base) - set(yours))
    together = [tag for tag in dict.fromkeys([*theirs, *yours]) if tag not in gone]
    return Merged(base=list(base), theirs=list(theirs), yours=list(yours), together=together)


def of_text(*, base: str, theirs: str, yours: str) -> Merged[str]:
    """What is lines: changes that do not touch each other are joined."""
    if base in (theirs, yours) or theirs == yours:
        return of_value(base=base, theirs=theirs, yours=yours)
    lines = base.splitlines(keepends=True)
    joined, conflict, at = "", False, 0
    for spot in _spots([*_edits(lines, theirs, "theirs"), *_edits(lines, yours, "yours")]):
        first, last = min(edit.start for edit in spot), max(edit.end for edit in spot)
        sides = {edit.by: _applied(lines, spot, by=edit.by, first=first, last=last) for edit in spot}
        joined = _lined(joined, "".join(lines[at:first]))
        joined = _lined(joined, sides.get("yours", sides.get("theirs", "")))
        conflict = conflict or len(set(sides.values())) > 1
        at = last
    together = _lined(joined, "".join(lines[at:]))
    return Merged(base=base, theirs=theirs, yours=yours, together=together, conflict=conflict)


class Edit(NamedTuple):
    """Lines of the base from `start` to `end` that became other lines."""

    start: int
    end: int
    by: str
    text: str


def _edits(lines: list[str], text: str, by: str) -> Iterator[Edit]:
    others = text.splitlines(keepends=True)
    for kind, start, end, left, right in compared(lines, others):
        if kind != "equal":
            yield Edit(start, end, by, "".join(others[left:right]))


def _spots(edits: list[Edit]) -> list[list[Edit]]:
    """The edits from the first to the last, those together that touch each other."""
    spots: list[list[Edit]] = []
    end = -1
    for edit in sorted(edits):
        if edit.start <= end:
            spots[-1].append(edit)
        else:
            spots.append([edit])
        end = max(end, edit.end)
    return spots


def _applied(lines: list[str], spot: list[Edit], *, by: str, first: int, last: int) -> str:
    """What one of the two made of these lines of the base."""
    text, at = "", first
    for edit in spot:
        if edit.by == by:
            text += "".join(lines[at : edit.start]) + edit.text
            at = edit.end
    return text + "".join(lines[at:last])


def _lined(text: str, more: str) -> str:
    """One after the other; a last line that had no end gets one when something follows."""
    return f"{text}\n{more}" if text and more and not text.endswith("\n") else text + more
