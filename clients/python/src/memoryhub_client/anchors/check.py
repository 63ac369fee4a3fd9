"""The check of one anchor: whether its lines are in a file as they were, and where."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from memoryhub_client.anchors.hashing import hash_block, hash_line, hash_place, split_hashes, split_lines
from memoryhub_client.shapes import Anchor, HashedPlace

MOST_CANDIDATES = 20  # places that are compared in full: the hashes of single lines are short
REACH = 10  # lines around the most similar place that may belong to it


class CheckState(StrEnum):
    HOLDS = "holds"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class AnchorCheck:
    """The result for one anchor: what is there now (nothing, if it is gone), and its lines, which never leave."""

    state: CheckState
    present: HashedPlace | None = None
    lines: Sequence[bytes] = ()


NOTHING_THERE = AnchorCheck(CheckState.GONE)


def check_content(anchor: Anchor, content: bytes | None) -> AnchorCheck:
    """Compare an anchor with the file, or with what is at its URL; None says that there is nothing."""
    if content is None:
        return NOTHING_THERE
    lines = split_lines(content)
    if anchor.first_line is None or anchor.last_line is None:
        return _judge(anchor, lines, first=None)
    if (found := find_block(anchor, lines)) is not None:
        return _judge(anchor, lines[found : found + _count(anchor)], first=found + 1)
    return _find_changed(anchor, lines)


def find_block(anchor: Anchor, lines: Sequence[bytes]) -> int | None:
    """Return the index of the first line of the anchor's block: where it was, or else the nearest place that has it."""
    size, former = _count(anchor), (anchor.first_line or 1) - 1
    places = [former, *sorted(_list_candidates(anchor, lines), key=lambda place: abs(place - former))[:MOST_CANDIDATES]]
    return next((place for place in places if _has_block(anchor, lines[place : place + size])), None)


def _has_block(anchor: Anchor, lines: Sequence[bytes]) -> bool:
    return len(lines) == _count(anchor) and hash_block(lines, anchor.salt or "") == anchor.sha256


def _list_candidates(anchor: Anchor, lines: Sequence[bytes]) -> list[int]:
    """Return the places where the hashes of the single lines are in this order, in time that is linear in both."""
    hashes = split_hashes(anchor.line_hashes or "")
    if len(hashes) != _count(anchor):
        return []
    block = _write_as_text(hashes)
    text = _write_as_text([hash_line(line, anchor.salt or "") for line in lines])
    places, at = [], text.find(block)
    while at >= 0:
        places.append(at)
        at = text.find(block, at + len(block))
    return places


def _write_as_text(hashes: Sequence[str]) -> str:
    """Return one character for each hash, so that a search of texts finds a block of lines."""
    return "".join(chr(0x10000 + int(line, 16)) for line in hashes)


def _count(anchor: Anchor) -> int:
    return (anchor.last_line or 0) - (anchor.first_line or 1) + 1


def _judge(anchor: Anchor, lines: Sequence[bytes], *, first: int | None) -> AnchorCheck:
    present = hash_place(lines, anchor.salt or "", first=first)
    return AnchorCheck(CheckState.HOLDS if present.sha256 == anchor.sha256 else CheckState.CHANGED, present, lines)


def _find_changed(anchor: Anchor, lines: Sequence[bytes]) -> AnchorCheck:
    """Return what is now at the most similar place of the file; if none is similar, at the former place."""
    offsets = _find_kept_lines(anchor, lines)
    start = _find_most_similar(offsets, (anchor.first_line or 1) - 1)
    if start >= len(lines):
        return NOTHING_THERE
    start, end = _stretch(offsets, start, min(start + _count(anchor), len(lines)))
    return _judge(anchor, lines[start:end], first=start + 1)


def _find_kept_lines(anchor: Anchor, lines: Sequence[bytes]) -> list[int | None]:
    """Return for each line of the file where in the anchor there was one like it; blank ones say nothing."""
    known = {line: offset for offset, line in reversed(list(enumerate(split_hashes(anchor.line_hashes or ""))))}
    if not known:
        return [None] * len(lines)
    salt = anchor.salt or ""
    return [known.get(hash_line(line, salt)) if line.strip() else None for line in lines]


def _find_most_similar(offsets: Sequence[int | None], former: int) -> int:
    """Return the place where most lines are as far from the beginning as they were; of several, the nearest."""
    votes = Counter(at - offset for at, offset in enumerate(offsets) if offset is not None)
    best = max(votes, key=lambda place: (votes[place], -abs(place - former)), default=former)
    return max(best, 0)


def _stretch(offsets: Sequence[int | None], start: int, end: int) -> tuple[int, int]:
    """Return the place with the lines around it that the anchor had, too: others came between them."""
    before = next((at for at in range(max(0, start - REACH), start) if offsets[at] is not None), start)
    beyond = range(min(len(offsets), end + REACH) - 1, end - 1, -1)
    after = next((at + 1 for at in beyond if offsets[at] is not None), end)
    return before, after
