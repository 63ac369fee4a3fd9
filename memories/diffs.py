"""What changed between two texts, word by word."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

Opcode = tuple[str, int, int, int, int]
WORDS = re.compile(r"\s+|\w+|[^\w\s]")
AROUND = 3  # lines that are shown before and after a change
MOST_STEPS = 20_000_000  # at worst, every pair of equals is looked at again for every match
MOST_PAIRS = 600_000


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
        parts += _within(left, right) if kind == "replace" else _parts(left, right)
    return _joined(parts)


def _within(left: str, right: str) -> Iterator[Part]:
    for _, gone, come in _changes(WORDS.findall(left), WORDS.findall(right)):
        yield from _parts(gone, come)


def _changes(before: list[str], after: list[str]) -> Iterator[tuple[str, str, str]]:
    for kind, a, b, c, d in compared(before, after):
        yield kind, "".join(before[a:b]), "".join(after[c:d])


def compared(before: list[str], after: list[str]) -> Iterator[Opcode]:
    """How to make one list of the other, as `SequenceMatcher` says it; of lists that repeat themselves too often to
    be compared in time, all between what they begin and end with is replaced."""
    start, end = _shared(before, after)
    left, right = before[start : len(before) - end], after[start : len(after) - end]
    if start:
        yield "equal", 0, start, 0, start
    for kind, a, b, c, d in _opcodes(left, right):
        yield kind, a + start, b + start, c + start, d + start
    if end:
        yield "equal", len(before) - end, len(before), len(after) - end, len(after)


def _shared(before: list[str], after: list[str]) -> tuple[int, int]:
    """How many elements both begin and end with."""
    most = min(len(before), len(after))
    start = next((at for at in range(most) if before[at] != after[at]), most)
    most -= start
    return start, next((at for at in range(most) if before[-1 - at] != after[-1 - at]), most)


def _opcodes(left: list[str], right: list[str]) -> Sequence[Opcode]:
    if not left or not right:
        kinds = {(True, False): "insert", (False, True): "delete"}
        found = kinds.get((not left, not right))
        return [(found, 0, len(left), 0, len(right))] if found else []
    counts = Counter(right)
    rare = len(right) // 100 + 1  # what there is more of, `autojunk` only takes along with its neighbours
    every = sum(counts[element] for element in left)
    fewer = sum(counts[element] for element in left if counts[element] <= rare)
    if every * min(len(left), len(right)) <= MOST_STEPS:
        return SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    if fewer <= MOST_PAIRS:
        return SequenceMatcher(None, left, right).get_opcodes()
    return [("replace", 0, len(left), 0, len(right))]


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
