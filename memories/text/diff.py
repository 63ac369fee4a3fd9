"""Differences between two texts, word by word."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from itertools import accumulate

Opcode = tuple[str, int, int, int, int]
WORD_PATTERN = re.compile(r"\s+|\w+|[^\w\s]")
CONTEXT_LINES = 3  # lines that are shown before and after a change
MAX_DIFF_STEPS = 1_000_000  # pairs of equal elements that are looked at for one page: a tenth of a second or two

MATCHER_PASSES = (
    20  # at each pair, until everything is found: about as many as a text that was changed in many places needs
)


class DiffBudget:
    """The amount of work left for comparing. Everything that one page shows shares one budget."""

    def __init__(self, steps: int = MAX_DIFF_STEPS) -> None:
        self.steps = steps

    def spend(self, steps: int) -> bool:
        """Take that many steps from the budget; return False if fewer are left."""
        if steps > self.steps:
            return False
        self.steps -= steps
        return True


class BoundedMatcher(SequenceMatcher[str]):
    """A SequenceMatcher that finds what two lists share while the budget lasts, and nothing afterwards."""

    def __init__(self, left: list[str], right: list[str], *, autojunk: bool, budget: DiffBudget) -> None:
        super().__init__(None, left, right, autojunk=autojunk)
        self._budget = budget
        places: dict[str, list[int]] = self.b2j  # type: ignore[attr-defined]  # documented, but not typed
        self._length = len(left)
        self._steps = [0, *accumulate(1 + len(places.get(element, ())) for element in left)]  # up to each element

    @property
    def pairs(self) -> int:
        return self._steps[-1]

    def find_longest_match(self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None) -> Match:
        ahi = self._length if ahi is None else ahi
        if not self._budget.spend(self._steps[ahi] - self._steps[alo]):
            return Match(alo, blo, 0)
        return super().find_longest_match(alo, ahi, blo, bhi)


@dataclass(frozen=True, slots=True)
class DiffPart:
    """A run of text that was kept, added or removed."""

    kind: str  # "same", "added" or "removed"; "skipped", if only their number is told
    text: str


def diff_texts(old: str, new: str, *, budget: DiffBudget | None = None) -> list[DiffPart]:
    """Compare lines first, then the words of lines that differ. Once the budget is spent, whole lines are removed and
    added."""
    budget = budget or DiffBudget()
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    parts: list[DiffPart] = []
    for kind, left, right in _changed_runs(before, after, budget):
        parts += _diff_words(left, right, budget) if kind == "replace" else _build_parts(left, right)
    return _join_neighbours(parts)


def _diff_words(left: str, right: str, budget: DiffBudget) -> Iterator[DiffPart]:
    for _, gone, come in _changed_runs(WORD_PATTERN.findall(left), WORD_PATTERN.findall(right), budget):
        yield from _build_parts(gone, come)


def _changed_runs(before: list[str], after: list[str], budget: DiffBudget) -> Iterator[tuple[str, str, str]]:
    for kind, a, b, c, d in diff_opcodes(before, after, budget=budget):
        yield kind, "".join(before[a:b]), "".join(after[c:d])


def diff_opcodes(before: list[str], after: list[str], *, budget: DiffBudget | None = None) -> Iterator[Opcode]:
    """Yield the steps that turn one list into the other, as `SequenceMatcher` does. Once the budget is spent,
    everything between the parts they are known to share is replaced."""
    start, end = _count_shared_ends(before, after)
    left, right = before[start : len(before) - end], after[start : len(after) - end]
    if start:
        yield "equal", 0, start, 0, start
    for kind, a, b, c, d in _match_opcodes(left, right, budget or DiffBudget()):
        yield kind, a + start, b + start, c + start, d + start
    if end:
        yield "equal", len(before) - end, len(before), len(after) - end, len(after)


def _count_shared_ends(before: list[str], after: list[str]) -> tuple[int, int]:
    """Return how many elements both lists share at the beginning, and how many at the end."""
    most = min(len(before), len(after))
    start = next((at for at in range(most) if before[at] != after[at]), most)
    most -= start
    return start, next((at for at in range(most) if before[-1 - at] != after[-1 - at]), most)


def _match_opcodes(left: list[str], right: list[str], budget: DiffBudget) -> Sequence[Opcode]:
    if not left or not right:
        kinds = {(True, False): "insert", (False, True): "delete"}
        found = kinds.get((not left, not right))
        return [(found, 0, len(left), 0, len(right))] if found else []
    exact = BoundedMatcher(left, right, autojunk=False, budget=budget)
    if exact.pairs * MATCHER_PASSES <= budget.steps:
        return exact.get_opcodes()
    # Elements that are everywhere, like spaces, are only taken along with their neighbours.
    return BoundedMatcher(left, right, autojunk=True, budget=budget).get_opcodes()


def _build_parts(left: str, right: str) -> list[DiffPart]:
    if left == right:
        return [DiffPart("same", left)]
    return [DiffPart(kind, text) for kind, text in (("removed", left), ("added", right)) if text]


def _join_neighbours(parts: list[DiffPart]) -> list[DiffPart]:
    """Join neighbouring parts of the same kind."""
    joined: list[DiffPart] = []
    for part in parts:
        if joined and joined[-1].kind == part.kind:
            joined[-1] = DiffPart(part.kind, joined[-1].text + part.text)
        else:
            joined.append(part)
    return joined


def shorten_diff_parts(parts: Sequence[DiffPart]) -> list[DiffPart]:
    """Keep a few lines around each change, and the number of lines left out between them."""
    ends = (0, len(parts) - 1)
    return [
        piece
        for at, part in enumerate(parts)
        for piece in _shorten_part(part, first=at == ends[0], final=at == ends[1])
    ]


def _shorten_part(part: DiffPart, *, first: bool, final: bool) -> list[DiffPart]:
    lines = part.text.splitlines(keepends=True)
    left, right = 0 if first else CONTEXT_LINES, len(lines) - (0 if final else CONTEXT_LINES)
    if part.kind != "same" or right - left <= CONTEXT_LINES:
        return [part]
    pieces = (("same", "".join(lines[:left])), ("skipped", f"{right - left:,}"), ("same", "".join(lines[right:])))
    return [DiffPart(kind, text) for kind, text in pieces if text]
