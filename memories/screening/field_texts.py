"""Joins the texts of a write's fields, so that one run of the detectors reads them all, and puts redacted ones back."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from memories.screening.findings import Finding, redact

GAP = "\n\x01\n"  # between two fields: no detector reads across it
MAX_DEPTH = 40  # deepest metadata; deeper values are refused
MAX_JOINED = 2_000_000  # characters: more is refused elsewhere, before it is stored
LARGEST_NUMBER = 2**63

Place = tuple[str | int, ...]


class FieldPart(NamedTuple):
    """A text of a field, and where it stands in the joined text. The place leads to it: the field, then keys."""

    start: int
    end: int
    place: Place
    is_label: bool = False  # the name of a value inside the field

    @property
    def field(self) -> str:
        return str(self.place[0])


class FieldTexts:
    """The texts of some fields, joined."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values
        self.parts: list[FieldPart] = []
        self._pieces: list[str] = []
        self._length = 0
        for name, value in values.items():
            self._add_value(value, (name,))
        self.text = "".join(self._pieces)

    def _add_value(self, value: object, place: Place) -> None:
        if isinstance(value, str):
            self._add_text(value, place)
        elif len(place) > MAX_DEPTH:
            return
        elif isinstance(value, Mapping):
            for key, inner in value.items():
                self._add_entry(str(key), inner, (*place, key))
        elif isinstance(value, list | tuple):
            for number, inner in enumerate(value):
                self._add_value(inner, (*place, number))
        elif isinstance(value, int) and not isinstance(value, bool) and abs(value) < LARGEST_NUMBER:
            self._add_text(str(value), place)

    def _add_entry(self, key: str, value: object, place: Place) -> None:
        """Add a key with its value as JSON has them, because the key may say what the value is."""
        between = '": "' if isinstance(value, str) else GAP
        self._add_text(key, place, gap=between, is_label=True)
        self._add_value(value, place)

    def _add_text(self, text: str, place: Place, *, gap: str = GAP, is_label: bool = False) -> None:
        if text and self._length + len(text) <= MAX_JOINED:
            self.parts.append(FieldPart(self._length, self._length + len(text), place, is_label))
            self._pieces += [text, gap]
            self._length += len(text) + len(gap)

    def list_fields(self) -> Iterator[tuple[str, str]]:
        """Yield each field that has text, with all of its text."""
        spans: dict[str, tuple[int, int]] = {}
        for part in self.parts:
            spans[part.field] = (spans.get(part.field, part)[0], part.end)
        for name, (start, end) in spans.items():
            yield name, self.text[start:end]

    def locate(self, findings: Sequence[Finding]) -> Iterator[tuple[FieldPart, list[Finding]]]:
        """Yield each part in which something was found, with the findings as positions in that part. The findings stand
        in the order of the text, and none overlaps another."""
        number = 0
        for part in self.parts:
            while number < len(findings) and findings[number].end <= part.start:
                number += 1
            inside, following = [], number
            while following < len(findings) and findings[following].start < part.end:
                inside.append(_shift(findings[following], part))
                following += 1
            if inside:
                yield part, inside

    def redact(self, findings: Sequence[Finding]) -> dict[str, Any]:
        """Return the values without what was found, except for the names of values."""
        redacted = dict(self.values)
        located = list(self.locate(findings))
        for name in {part.field for part, _ in located}:
            redacted[name] = _copy(redacted[name])
        for part, inside in located:
            if not part.is_label:
                _put(redacted, part.place, redact(self.text[part.start : part.end], inside))
        return redacted


def _shift(finding: Finding, part: FieldPart) -> Finding:
    start, end = max(finding.start, part.start) - part.start, min(finding.end, part.end) - part.start
    return finding._replace(start=start, end=end)


def _copy(value: Any, *, depth: int = 0) -> Any:
    if depth > MAX_DEPTH:
        return value
    if isinstance(value, Mapping):
        return {key: _copy(inner, depth=depth + 1) for key, inner in value.items()}
    return [_copy(inner, depth=depth + 1) for inner in value] if isinstance(value, list | tuple) else value


def _put(values: Any, place: Place, text: str) -> None:
    *path, last = place
    for step in path:
        values = values[step]
    values[last] = text
