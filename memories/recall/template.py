"""SQL templates: files of SQL in which comments mark the blocks that a statement may leave out.

    -- [if by_words]
    …
    -- [else]
    …
    -- [end]

Blocks may be nested. Names in braces, such as {visible}, stand for SQL that is filled in; values are always bound as
parameters of the statement.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "sql"
MARKER = re.compile(r"\s*-- \[(?:if (?P<condition>\w+)|(?P<otherwise>else)|end)\]")
COMMENT = re.compile(r"\s*(--.*)?")
NAME = re.compile(r"\{(\w+)\}")


def render_template(name: str, *, conditions: Mapping[str, bool], values: Mapping[str, object]) -> str:
    """Return the SQL of the file, with the blocks whose conditions hold, and without comments."""
    lines = "\n".join(_select_lines(_read_lines(name), conditions))
    return NAME.sub(lambda found: str(values[found[1]]), lines)


def _select_lines(lines: tuple[str, ...], conditions: Mapping[str, bool]) -> Iterator[str]:
    blocks: list[bool] = []  # those that are open, the innermost last
    for line in lines:
        if marker := MARKER.fullmatch(line):
            if marker["condition"]:
                blocks.append(conditions[marker["condition"]])
            elif marker["otherwise"]:
                blocks[-1] = not blocks[-1]
            else:
                blocks.pop()
        elif all(blocks) and not COMMENT.fullmatch(line):
            yield line
    if blocks:
        raise ValueError("A block has no end.")


@cache
def _read_lines(name: str) -> tuple[str, ...]:
    return tuple((FOLDER / name).read_text(encoding="utf-8").splitlines())
