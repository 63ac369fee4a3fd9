"""Three-way merge of a text, with conflict markers where both sides changed the same lines."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

MINE, BETWEEN, THEIRS = "<<<<<<< yours", "=======", ">>>>>>> by now"


class MergeResult(NamedTuple):
    text: str
    is_clean: bool


class Change(NamedTuple):
    """Lines of the base from `start` to `end`, and one side's replacement for them."""

    start: int
    end: int
    is_mine: bool
    lines: Sequence[str]


def merge_texts(*, base: str, mine: str, theirs: str) -> MergeResult:
    lines = _split_lines(base)
    changes = sorted(
        [
            *_list_changes(lines, _split_lines(mine), is_mine=True),
            *_list_changes(lines, _split_lines(theirs), is_mine=False),
        ]
    )
    merged, at, is_clean = list[str](), 0, True
    for group in _group_overlapping(changes):
        start, end = group[0].start, max(change.end for change in group)
        merged += lines[at:start]
        ours, others = (_apply_side(lines, group, start, end, is_mine=is_mine) for is_mine in (True, False))
        alone = len({change.is_mine for change in group}) == 1
        if alone:
            merged += ours if group[0].is_mine else others
        elif ours == others:
            merged += ours
        else:
            merged += [MINE, *ours, BETWEEN, *others, THEIRS]
            is_clean = False
        at = end
    return MergeResult("\n".join([*merged, *lines[at:]]), is_clean)


def _split_lines(text: str) -> list[str]:
    return text.split("\n")


def _list_changes(base: Sequence[str], text: Sequence[str], *, is_mine: bool) -> Iterator[Change]:
    for kind, start, end, left, right in SequenceMatcher(a=base, b=text, autojunk=False).get_opcodes():
        if kind != "equal":
            yield Change(start, end, is_mine, text[left:right])


def _group_overlapping(changes: Sequence[Change]) -> Iterator[list[Change]]:
    """Yield groups of changes that touch each other."""
    group: list[Change] = []
    for change in changes:
        if group and change.start > max(other.end for other in group):
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _apply_side(lines: Sequence[str], group: Sequence[Change], start: int, end: int, *, is_mine: bool) -> list[str]:
    result, at = list[str](), start
    for change in group:
        if change.is_mine is is_mine:
            result += [*lines[at : change.start], *change.lines]
            at = change.end
    return [*result, *lines[at:end]]
