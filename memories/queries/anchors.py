"""Reads of anchors: which lines of a file have changed, by the hashes of the lines alone."""

from collections.abc import Iterator

from memories.models import LINE_HASH_LENGTH, Source
from memories.text.diff import DiffBudget, DiffPart, diff_opcodes

SAME, REMOVED, ADDED = "same", "removed", "added"


def diff_anchor_lines(source: Source, *, budget: DiffBudget | None = None) -> list[DiffPart]:
    """Return the lines that are as they were, that are no longer there, and that are new, by their numbers; nothing if
    there are no hashes of lines."""
    before, after = _split_hashes(source.line_hashes), _split_hashes(source.found_line_hashes)
    if not before or not after:
        return []
    first, first_found = source.first_line or 1, source.found_first_line or 1
    parts: list[DiffPart] = []
    for kind, a, b, c, d in diff_opcodes(before, after, budget=budget):
        if kind == "equal":
            parts.append(_describe_lines(SAME, first + a, first + b, now=first_found + c))
        else:
            parts += _describe_change((first + a, first + b), (first_found + c, first_found + d))
    return parts


def _split_hashes(joined: str) -> list[str]:
    return [joined[at : at + LINE_HASH_LENGTH] for at in range(0, len(joined), LINE_HASH_LENGTH)]


def _describe_change(gone: tuple[int, int], come: tuple[int, int]) -> Iterator[DiffPart]:
    if gone[0] < gone[1]:
        yield _describe_lines(REMOVED, *gone)
    if come[0] < come[1]:
        yield _describe_lines(ADDED, *come)


def _describe_lines(kind: str, first: int, end: int, *, now: int | None = None) -> DiffPart:
    """Return the lines from the first one to the one before the end, in words."""
    last = end - 1
    numbers = f"line {first}" if first == last else f"lines {first}–{last}"
    moved = f", now from {now}" if now not in (None, first) else ""
    return DiffPart(kind, f"{numbers} {_ENDINGS[kind]}{moved}\n")


_ENDINGS = {SAME: "as before", REMOVED: "no longer there", ADDED: "new"}
