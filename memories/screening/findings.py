"""Findings of the detectors: what was found and where, never the words themselves, so that a finding can be logged."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple


class FindingGroup(StrEnum):
    SECRET = "secret"  # noqa: S105 - the name of the group
    PERSONAL = "personal"
    INJECTION = "injection"


class Finding(NamedTuple):
    """A part of a text, as positions in it, and the kind of thing that it is."""

    start: int
    end: int
    group: FindingGroup
    kind: str


def drop_overlaps(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings in the order of the text. Of those that overlap, the one that was named first stays."""
    named = list(findings)
    taken: list[int] = []
    for number in sorted(range(len(named)), key=lambda number: named[number].start):
        if not taken or named[number].start >= named[taken[-1]].end:
            taken.append(number)
        elif number < taken[-1]:
            taken[-1] = number
    return [named[number] for number in taken]


def redact(text: str, findings: Sequence[Finding]) -> str:
    """Return the text with a note in place of each finding, such as `[secret removed: GitHub token]`."""
    pieces, position = [], 0
    for finding in drop_overlaps(findings):
        pieces += [text[position : finding.start], f"[{_NOUNS[finding.group]} removed: {finding.kind}]"]
        position = finding.end
    return "".join([*pieces, text[position:]])


_NOUNS = {
    FindingGroup.SECRET: "secret",
    FindingGroup.PERSONAL: "personal data",
    FindingGroup.INJECTION: "instruction",
}
