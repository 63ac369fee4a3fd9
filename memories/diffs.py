"""What changed between two texts, word by word."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

WORDS = re.compile(r"\s+|\w+|[^\w\s]")
LONGEST = 20_000  # characters of one changed part; beyond that, comparing words takes long and tells little
AROUND = 3  # lines that are shown before and after a change


@dataclass(frozen=True, slots=True)
class Part:
    """A run of text that stayed, came or went."""

    kind: str  # "same", "added" or "removed"; "skipped", if only their number is told
    text: str


def diff(old: str, new: str) -> list[Part]:
    """Lines first, then the words of lines that differ."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    parts: list[Part] = []
    for kind, left, right in _changes(before, after):
        small = max(len(left), len(right)) <= LONGEST
        parts += _within(left, right) if kind == "replace" and small else _parts(left, right)
    return _joined(parts)


def _within(left: str, right: str) -> Iterator[Part]:
    for _, gone, come in _changes(WORDS.findall(left), WORDS.findall(right)):
        yield from _parts(gone, come)


def _changes(before: list[str], after: list[str]) -> Iterator[tuple[str, str, str]]:
    for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        yield kind, "".join(before[a:b]), "".join(after[c:d])


def _parts(left: str, right: str) -> list[Part]:
    if left == right:
        return [Part("same", left)]
    return [Part(kind, text) for kind, text in (("removed", left), ("added", right)) if text]


def _joined(parts: list[Part]) -> list[Part]:
    """Neighbours of one kind as one."""
    joined: list[Part] = []
    for part in parts:
        if joined and joined[-1].kind == part.kind:
            joined[-1] = Part(part.kind, joined[-1].text + part.text)
        else:
            joined.append(part)
    return joined


def shortened(parts: Sequence[Part]) -> list[Part]:
    """With a few lines around each change, and how many were left out between."""
    ends = (0, len(parts) - 1)
    return [piece for at, part in enumerate(parts) for piece in _around(part, first=at == ends[0], final=at == ends[1])]


def _around(part: Part, *, first: bool, final: bool) -> list[Part]:
    lines = part.text.splitlines(keepends=True)
    left, right = 0 if first else AROUND, len(lines) - (0 if final else AROUND)
    if part.kind != "same" or right - left <= AROUND:
        return [part]
    pieces = (("same", "".join(lines[:left])), ("skipped", f"{right - left:,}"), ("same", "".join(lines[right:])))
    return [Part(kind, text) for kind, text in pieces if text]
