"""One text that two changed at once: the changes of both, and marks where they cannot stand together."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

MINE, BETWEEN, THEIRS = "<<<<<<< yours", "=======", ">>>>>>> by now"


class Merged(NamedTuple):
    text: str
    is_clean: bool


class Change(NamedTuple):
    """Lines of the base from `start` to `end`, and what one side made of them."""

    start: int
    end: int
    is_mine: bool
    lines: Sequence[str]


def merged(*, base: str, mine: str, theirs: str) -> Merged:
    lines = _lines(base)
    changes = sorted([*_changes(lines, _lines(mine), is_mine=True), *_changes(lines, _lines(theirs), is_mine=False)])
    found, at, is_clean = list[str](), 0, True
    for spot in _spots(changes):
        start, end = spot[0].start, max(change.end for change in spot)
        found += lines[at:start]
        ours, others = (_made(lines, spot, start, end, is_mine=is_mine) for is_mine in (True, False))
        alone = len({change.is_mine for change in spot}) == 1
        if alone:
            found += ours if spot[0].is_mine else others
        elif ours == others:
            found += ours
        else:
            found += [MINE, *ours, BETWEEN, *others, THEIRS]
            is_clean = False
        at = end
    return Merged("\n".join([*found, *lines[at:]]), is_clean)


def _lines(text: str) -> list[str]:
    return text.split("\n")


def _changes(base: Sequence[str], text: Sequence[str], *, is_mine: bool) -> Iterator[Change]:
    for kind, start, end, left, right in SequenceMatcher(a=base, b=text, autojunk=False).get_opcodes():
        if kind != "equal":
            yield Change(start, end, is_mine, text[left:right])


def _spots(changes: Sequence[Change]) -> Iterator[list[Change]]:
    """Those together that touch each other."""
    spot: list[Change] = []
    for change in changes:
        if spot and change.start > max(other.end for other in spot):
            yield spot
            spot = []
        spot.append(change)
    if spot:
        yield spot


def _made(lines: Sequence[str], spot: Sequence[Change], start: int, end: int, *, is_mine: bool) -> list[str]:
    made, at = list[str](), start
    for change in spot:
        if change.is_mine is is_mine:
            made += [*lines[at : change.start], *change.lines]
            at = change.end
    return [*made, *lines[at:end]]
