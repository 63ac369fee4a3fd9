"""One markdown file of an organization, taken apart: what it says of itself and which agents it lists.

Agents stand in the front matter (`members`, `agents`, `director` …), in lines like `Members: swe-1, swe-2`, in tables
with a column Agent, and in the bullet lists under headings like Members; where there is none of these, in the bullet
lists under the title. Everything else is for people, and skipped.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import yaml

from memoryhub.errors import Trouble
from teams.models import Level

LEVELS = {
    **dict.fromkeys(("director", "directors"), Level.DIRECTOR),
    **dict.fromkeys(("executive", "executives"), Level.EXECUTIVE),
}
LABELS = ("members", "agents", "roles", *LEVELS)
NAMING = ("agent", "id", "slug", "member", "name")  # the column or property that names an agent
ROLE = ("role", "title", "level")
DEEPEST = 8  # how far the front matter's lists may be nested

LISTED = r"(?:agents?|members?|roles?|roster|people|staff|directors?|executives?)"
LISTING = re.compile(rf"(?:.*\b)?{LISTED}[\W\d]*|{LISTED}\s+(?:of|in)\b.*", re.IGNORECASE)  # not "Roles and duties"
FENCE = re.compile(r"\s*(```|~~~)")
HEADING = re.compile(r"(?P<marks>#{1,6})\s+(?P<text>.*?)[\s#]*")
BULLET = re.compile(r"(?P<indent>\s*)(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>.+)")
LABELLED = re.compile(rf"(?:[-*+]\s+)?(?P<label>{'|'.join(LABELS)}|parent)\s*:\s*(?P<value>.+)", re.IGNORECASE)
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
MARKS = re.compile(r"\*\*|__|`")
RULE = re.compile(r"[\s|:-]+")


class Fault(Trouble):
    """What a file says that cannot be understood, and on which line."""

    code = "unreadable"

    def __init__(self, line: int, sentence: str) -> None:
        super().__init__(sentence)
        self.line = line


@dataclass(frozen=True, slots=True)
class Entry:
    """What should name an agent: `swe-1`, `swe-1 (Engineer)`, `eng-director: Director`."""

    text: str
    line: int
    role: str = ""
    level: Level | None = None  # where it is listed among those of one level
    team: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    number: int
    below: tuple[str, ...]  # the headings it stands under, without the title

    @property
    def listing(self) -> bool:
        return any(LISTING.fullmatch(heading) for heading in self.below)

    @property
    def level(self) -> Level | None:
        return LEVELS.get(self.below[-1].lower()) if self.below else None


class Page:
    def __init__(self, text: str) -> None:
        lines = text.splitlines()
        end = _end_of_front_matter(lines)
        self.front = _front_matter("\n".join(lines[1:end])) if end else {}
        self.title = ""
        self.lines = list(self._body(lines, start=end + 1 if end else 0))

    def said(self, name: str) -> str:
        """What the front matter or a line of its own says."""
        node = self.front.get(name)
        return str(node.value) if isinstance(node, yaml.ScalarNode) else self._labelled.get(name, ("", 0))[0]

    @cached_property
    def paragraph(self) -> str:
        """The first words under the title."""
        return next((plain(line.text) for line in self.lines if not line.below and _is_prose(line.text)), "")

    @property
    def entries(self) -> list[Entry]:
        told = [*self._in_front_matter(), *self._in_lines(), *self._in_tables()]
        headed = [line for line in self._bullets if line.listing]
        under_title = [] if told or headed else [line for line in self._bullets if not line.below]
        return [*told, *(_bullet(line) for line in headed or under_title)]

    def _body(self, lines: Sequence[str], *, start: int) -> Iterator[Line]:
        """The lines outside headings and fences."""
        headings: list[tuple[int, str]] = []
        fenced = False
        for number, line in enumerate(lines[start:], start=start + 1):
            fence = bool(FENCE.match(line))
            fenced = fenced is not fence
            heading = HEADING.fullmatch(line)
            if fence or fenced or not line.strip():
                continue
            if heading and len(heading["marks"]) == 1 and not self.title:
                self.title = plain(heading["text"])
            elif heading:
                depth = len(heading["marks"])
                headings = [*(above for above in headings if above[0] < depth), (depth, plain(heading["text"]))]
            else:
                yield Line(line, number, tuple(text for _, text in headings))

    @cached_property
    def _bullets(self) -> list[Line]:
        """Those of the outermost level; what is indented further tells about the one above."""
        found = [(line, len(bullet["indent"])) for line in self.lines if (bullet := BULLET.fullmatch(line.text))]
        found = [(line, indent) for line, indent in found if not LABELLED.fullmatch(plain(line.text))]
        outermost = min((indent for _, indent in found), default=0)
        return [line for line, indent in found if indent == outermost]

    @cached_property
    def _labelled(self) -> dict[str, tuple[str, int]]:
        matched = ((LABELLED.fullmatch(plain(line.text)), line.number) for line in self.lines)
        return {match["label"].lower(): (match["value"], number) for match, number in matched if match}

    def _in_front_matter(self) -> Iterator[Entry]:
        for label in LABELS:
            if label in self.front:
                yield from _nodes(self.front[label], LEVELS.get(label))

    def _in_lines(self) -> Iterator[Entry]:
        for label, (value, number) in self._labelled.items():
            if label != "parent":
                for name in value.rstrip(".").split(","):
                    yield Entry(name.strip(), number, level=LEVELS.get(label))

    def _in_tables(self) -> Iterator[Entry]:
        for is_table, rows in groupby(self.lines, key=lambda line: line.text.lstrip().startswith("|")):
            if is_table:
                yield from _table(list(rows))


def plain(text: str) -> str:
    """Without the marks of emphasis, code and links."""
    return MARKS.sub("", LINK.sub(r"\1", text)).strip()


def _end_of_front_matter(lines: Sequence[str]) -> int:
    if not lines or lines[0].strip() != "---":
        return 0
    end = next((number for number, line in enumerate(lines[1:], start=1) if line.strip() == "---"), 0)
    if not end:
        raise Fault(1, "The front matter has no end: a line --- is missing.")
    return end


def _front_matter(text: str) -> dict[str, yaml.Node]:
    """Without aliases, by which a small file could stand for an endless one."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent) or depth > DEEPEST:
            raise Fault(event.start_mark.line + 2, f"Write this out: no aliases, and lists at most {DEEPEST} deep.")
    return _mapping(yaml.compose(text, Loader=yaml.SafeLoader))


def _mapping(node: yaml.Node | None) -> dict[str, yaml.Node]:
    if node is None:
        return {}
    if not isinstance(node, yaml.MappingNode):
        raise Fault(node.start_mark.line + 2, "The front matter must be made of lines like name: value.")
    return {str(key.value).lower(): value for key, value in node.value}


def _nodes(node: yaml.Node, level: Level | None) -> Iterator[Entry]:
    """The agents that a value of the front matter names; its lines are counted from the second of the file."""
    line = node.start_mark.line + 2
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _nodes(item, level)
    elif isinstance(node, yaml.MappingNode):
        values = {name: str(value.value) for name, value in _mapping(node).items()}
        yield Entry(_first(values, NAMING), line, role=_first(values, ROLE), level=level)
    else:
        for name in filter(str.strip, str(node.value).split(",")):
            yield Entry(name.strip(), line, level=level)


def _bullet(line: Line) -> Entry:
    match = BULLET.fullmatch(line.text)
    return Entry(plain(match["text"]) if match else "", line.number, level=line.level)


def _table(rows: Sequence[Line]) -> Iterator[Entry]:
    """The rows of a table that names agents; other tables are none of ours."""
    header = [cell.lower() for cell in _cells(rows[0])]
    if not set(header) & set(NAMING[:-1]) and not (rows[0].listing and "name" in header):
        if rows[0].listing:
            raise Fault(rows[0].number, "This table has no column Agent.")
        return
    for row in rows[1:]:
        if not RULE.fullmatch(row.text):
            values = dict(zip(header, _cells(row), strict=False))
            role, team = _first(values, ROLE), values.get("team", "")
            yield Entry(_first(values, NAMING), row.number, role=role, level=row.level, team=team)


def _cells(row: Line) -> list[str]:
    return [plain(cell) for cell in row.text.strip().strip("|").split("|")]


def _first(values: Mapping[str, str], names: Sequence[str]) -> str:
    return next((values[name] for name in names if values.get(name)), "")


def _is_prose(text: str) -> bool:
    return not (BULLET.fullmatch(text) or LABELLED.fullmatch(plain(text)) or text.lstrip().startswith(("|", ">", "<")))
