"""Parses one markdown file of an organization: its name and description, and the agents that it lists.

Agents are listed in the front matter (`members`, `agents`, `director` …), in lines like `Members: swe-1, swe-2`, in
tables with a column Agent, and in bullet lists under headings like Members; if there are none of these, in the bullet
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
AGENT_LABELS = ("members", "agents", "roles", *LEVELS)
AGENT_COLUMNS = ("agent", "id", "slug", "member", "name")  # the column or property that names an agent
ROLE_COLUMNS = ("role", "title", "level")
MAX_FRONT_MATTER_DEPTH = 8  # how far the front matter's lists may be nested

AGENT_WORDS = r"(?:agents?|members?|roles?|roster|people|staff|directors?|executives?)"
AGENT_LIST_HEADING = re.compile(
    rf"(?:.*\b)?{AGENT_WORDS}[\W\d]*|{AGENT_WORDS}\s+(?:of|in)\b.*", re.IGNORECASE
)  # not "Roles and duties"
FENCE = re.compile(r"\s*(```|~~~)")
ORG_PAGE_HEADING = re.compile(r"(?P<marks>#{1,6})\s+(?P<text>.*?)[\s#]*")
ORG_PAGE_BULLET = re.compile(r"(?P<indent>\s*)(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>.+)")
LABELLED_LINE = re.compile(
    rf"(?:[-*+]\s+)?(?P<label>{'|'.join(AGENT_LABELS)}|parent)\s*:\s*(?P<value>.+)", re.IGNORECASE
)
MARKDOWN_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
EMPHASIS_MARKS = re.compile(r"\*\*|__|`")
TABLE_RULE = re.compile(r"[\s|:-]+")


class OrgPageError(Trouble):
    """Reports a line of a file that cannot be parsed."""

    code = "unreadable"

    def __init__(self, line: int, sentence: str) -> None:
        super().__init__(sentence)
        self.line = line


@dataclass(frozen=True, slots=True)
class AgentEntry:
    """Holds the text that should name an agent: `swe-1`, `swe-1 (Engineer)`, `eng-director: Director`."""

    text: str
    line: int
    role: str = ""
    level: Level | None = None  # if it is listed under a level
    team: str = ""


@dataclass(frozen=True, slots=True)
class PageLine:
    text: str
    number: int
    below: tuple[str, ...]  # the headings above it, without the title

    @property
    def listing(self) -> bool:
        return any(AGENT_LIST_HEADING.fullmatch(heading) for heading in self.below)

    @property
    def level(self) -> Level | None:
        return LEVELS.get(self.below[-1].lower()) if self.below else None


class OrgPage:
    def __init__(self, text: str) -> None:
        lines = text.splitlines()
        end = _end_of_front_matter(lines)
        self.front = _front_matter("\n".join(lines[1:end])) if end else {}
        self.title = ""
        self.lines = list(self._body(lines, start=end + 1 if end else 0))

    def get_value(self, name: str) -> str:
        """Return the value of a name in the front matter or in a labelled line."""
        node = self.front.get(name)
        return str(node.value) if isinstance(node, yaml.ScalarNode) else self._labelled_values.get(name, ("", 0))[0]

    @cached_property
    def paragraph(self) -> str:
        """Return the first paragraph under the title."""
        return next((strip_markup(line.text) for line in self.lines if not line.below and _is_prose(line.text)), "")

    @property
    def entries(self) -> list[AgentEntry]:
        listed = [*self._in_front_matter(), *self._in_lines(), *self._in_tables()]
        headed = [line for line in self._bullets if line.listing]
        under_title = [] if listed or headed else [line for line in self._bullets if not line.below]
        return [*listed, *(_read_bullet(line) for line in headed or under_title)]

    def _body(self, lines: Sequence[str], *, start: int) -> Iterator[PageLine]:
        """Yield the lines that are neither headings nor in fences."""
        headings: list[tuple[int, str]] = []
        fenced = False
        for number, line in enumerate(lines[start:], start=start + 1):
            fence = bool(FENCE.match(line))
            fenced = fenced is not fence
            heading = ORG_PAGE_HEADING.fullmatch(line)
            if fence or fenced or not line.strip():
                continue
            if heading and len(heading["marks"]) == 1 and not self.title:
                self.title = strip_markup(heading["text"])
            elif heading:
                depth = len(heading["marks"])
                headings = [*(above for above in headings if above[0] < depth), (depth, strip_markup(heading["text"]))]
            else:
                yield PageLine(line, number, tuple(text for _, text in headings))

    @cached_property
    def _bullets(self) -> list[PageLine]:
        """Return the bullets of the outermost level; those indented further describe the one above."""
        bullets = [
            (line, len(bullet["indent"])) for line in self.lines if (bullet := ORG_PAGE_BULLET.fullmatch(line.text))
        ]
        bullets = [(line, indent) for line, indent in bullets if not LABELLED_LINE.fullmatch(strip_markup(line.text))]
        outermost = min((indent for _, indent in bullets), default=0)
        return [line for line, indent in bullets if indent == outermost]

    @cached_property
    def _labelled_values(self) -> dict[str, tuple[str, int]]:
        matched = ((LABELLED_LINE.fullmatch(strip_markup(line.text)), line.number) for line in self.lines)
        return {match["label"].lower(): (match["value"], number) for match, number in matched if match}

    def _in_front_matter(self) -> Iterator[AgentEntry]:
        for label in AGENT_LABELS:
            if label in self.front:
                yield from _read_nodes(self.front[label], LEVELS.get(label))

    def _in_lines(self) -> Iterator[AgentEntry]:
        for label, (value, number) in self._labelled_values.items():
            if label != "parent":
                for name in value.rstrip(".").split(","):
                    yield AgentEntry(name.strip(), number, level=LEVELS.get(label))

    def _in_tables(self) -> Iterator[AgentEntry]:
        for is_table, rows in groupby(self.lines, key=lambda line: line.text.lstrip().startswith("|")):
            if is_table:
                yield from _read_table(list(rows))


def strip_markup(text: str) -> str:
    """Return the text without the marks of emphasis, code and links."""
    return EMPHASIS_MARKS.sub("", MARKDOWN_LINK.sub(r"\1", text)).strip()


def _end_of_front_matter(lines: Sequence[str]) -> int:
    if not lines or lines[0].strip() != "---":
        return 0
    end = next((number for number, line in enumerate(lines[1:], start=1) if line.strip() == "---"), 0)
    if not end:
        raise OrgPageError(1, "The front matter does not end: a line --- is missing.")
    return end


def _front_matter(text: str) -> dict[str, yaml.Node]:
    """Parse the front matter. Aliases are refused: with them a small file could expand without end."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent) or depth > MAX_FRONT_MATTER_DEPTH:
            raise OrgPageError(
                event.start_mark.line + 2,
                f"Write this out: no aliases, and lists at most {MAX_FRONT_MATTER_DEPTH} deep.",
            )
    return _mapping(yaml.compose(text, Loader=yaml.SafeLoader))


def _mapping(node: yaml.Node | None) -> dict[str, yaml.Node]:
    if node is None:
        return {}
    if not isinstance(node, yaml.MappingNode):
        raise OrgPageError(node.start_mark.line + 2, "The front matter must consist of lines like name: value.")
    return {str(key.value).lower(): value for key, value in node.value}


def _read_nodes(node: yaml.Node, level: Level | None) -> Iterator[AgentEntry]:
    """Yield the agents that a value of the front matter names. Its first line is the second of the file."""
    line = node.start_mark.line + 2
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _read_nodes(item, level)
    elif isinstance(node, yaml.MappingNode):
        values = {name: str(value.value) for name, value in _mapping(node).items()}
        yield AgentEntry(
            _first_value(values, AGENT_COLUMNS), line, role=_first_value(values, ROLE_COLUMNS), level=level
        )
    else:
        for name in filter(str.strip, str(node.value).split(",")):
            yield AgentEntry(name.strip(), line, level=level)


def _read_bullet(line: PageLine) -> AgentEntry:
    match = ORG_PAGE_BULLET.fullmatch(line.text)
    return AgentEntry(strip_markup(match["text"]) if match else "", line.number, level=line.level)


def _read_table(rows: Sequence[PageLine]) -> Iterator[AgentEntry]:
    """Yield the agents of a table that lists them; other tables are skipped."""
    header = [cell.lower() for cell in _cells(rows[0])]
    if not set(header) & set(AGENT_COLUMNS[:-1]) and not (rows[0].listing and "name" in header):
        if rows[0].listing:
            raise OrgPageError(rows[0].number, "This table has no column Agent.")
        return
    for row in rows[1:]:
        if not TABLE_RULE.fullmatch(row.text):
            values = dict(zip(header, _cells(row), strict=False))
            role, team = _first_value(values, ROLE_COLUMNS), values.get("team", "")
            yield AgentEntry(_first_value(values, AGENT_COLUMNS), row.number, role=role, level=row.level, team=team)


def _cells(row: PageLine) -> list[str]:
    return [strip_markup(cell) for cell in row.text.strip().strip("|").split("|")]


def _first_value(values: Mapping[str, str], names: Sequence[str]) -> str:
    return next((values[name] for name in names if values.get(name)), "")


def _is_prose(text: str) -> bool:
    return not (
        ORG_PAGE_BULLET.fullmatch(text)
        or LABELLED_LINE.fullmatch(strip_markup(text))
        or text.lstrip().startswith(("|", ">", "<"))
    )
