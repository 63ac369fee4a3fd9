"""`files`: the commands of Anthropic's memory tool over the team's files, which stand under /memories. What a command
answers, when it goes well and when it does not, is as that tool documents it, for models know it by heart."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import unquote

from memories import folders
from memories.dialects.tool import Arguments, Result, Tool
from memories.fields import Bad
from memories.fields import path as path_of
from memories.models import PATH_LENGTH, TeamFile
from memories.models.vocabulary import octets
from memories.schemas import listed, record, text, whole
from memoryhub.errors import Invalid, KeyTaken, NotFound
from teams.actor import Actor

ROOT = "/memories"
DEEP = 2  # levels of a directory that are shown
MOST_LINES = 999_999  # what six columns can number
AROUND = 2  # lines shown before and after an edit


class Refused(Invalid):
    """The sentence as it stands, beside the argument that it is about."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__({field: sentence})
        self.message, self.args = sentence, (sentence,)


def view(actor: Actor, arguments: Arguments) -> Result:
    said, path = arguments["path"], _inside("path", arguments["path"])
    if file := folders.readable(actor).filter(path=path).first():
        return _answer(_file(said, file.content, arguments.get("view_range")))
    sizes = folders.inside(folders.readable(actor), path).annotate(size=octets("content"))
    found = dict(sizes.values_list("path", "size"))
    if path and not found:
        raise NotFound(f"The path {said} does not exist. Please provide a valid path.")
    return _answer(_directory(path, found))


def create(actor: Actor, arguments: Arguments) -> Result:
    said, path = arguments["path"], _inside("path", arguments["path"])
    try:
        folders.make(actor=actor, path=path, content=arguments["file_text"])
    except KeyTaken as error:
        raise KeyTaken(f"Error: File {said} already exists") from error
    return _answer(f"File created successfully at: {said}")


def str_replace(actor: Actor, arguments: Arguments) -> Result:
    said, old, new = arguments["path"], arguments["old_str"], arguments["new_str"]
    first = 0

    def change(content: str) -> str:
        nonlocal first
        lines = _lines_with(old, content)
        if not lines:
            sentence = f"No replacement was performed, old_str `{old}` did not appear verbatim in {said}."
            raise Refused("old_str", sentence)
        if len(lines) > 1:
            numbers = ", ".join(map(str, dict.fromkeys(lines)))
            sentence = f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {numbers}."
            raise Refused("old_str", f"{sentence} Please ensure it is unique")
        first = lines[0]
        return content.replace(old, new)

    file = _edited(actor, said, change, missing=f"Error: The path {said} does not exist. Please provide a valid path.")
    last = first + new.count("\n")
    shown = _numbered(_lines(file.content), first=max(1, first - AROUND), last=last + AROUND)
    return _answer(f"The memory file has been edited.\n{shown}")


def insert(actor: Actor, arguments: Arguments) -> Result:
    said, after, addition = arguments["path"], arguments["insert_line"], arguments["insert_text"]

    def change(content: str) -> str:
        lines = _lines(content)
        if after > len(lines):
            sentence = f"Error: Invalid `insert_line` parameter: {after}."
            inside = f"It should be within the range of lines of the file: [0, {len(lines)}]"
            raise Refused("insert_line", f"{sentence} {inside}")
        added = [*lines[:after], *_lines(addition or "\n"), *lines[after:]]
        ends = after == len(lines) or content.endswith("\n")
        return "\n".join(added) + ("\n" if ends else "")

    _edited(actor, said, change, missing=f"Error: The path {said} does not exist")
    return _answer(f"The file {said} has been edited.")


def delete(actor: Actor, arguments: Arguments) -> Result:
    said, path = arguments["path"], _inside("path", arguments["path"])
    try:
        folders.delete(actor=actor, path=_below_root("path", path, "deleted"))
    except NotFound as error:
        raise NotFound(f"Error: The path {said} does not exist") from error
    return _answer(f"Successfully deleted {said}")


def rename(actor: Actor, arguments: Arguments) -> Result:
    old, new = arguments["old_path"], arguments["new_path"]
    path = _below_root("old_path", _inside("old_path", old), "renamed")
    to = _inside("new_path", new)
    try:
        folders.move(actor=actor, path=path, to=to)
    except NotFound as error:
        raise NotFound(f"Error: The path {old} does not exist") from error
    except KeyTaken as error:
        raise KeyTaken(f"Error: The destination {new} already exists") from error
    return _answer(f"Successfully renamed {old} to {new}")


def _answer(sentence: str) -> Result:
    return {"content": sentence}


def _inside(field: str, said: str) -> str:
    """The path within the team's files; empty for the root."""
    if said.rstrip("/") == ROOT:
        return ""
    if not said.startswith(f"{ROOT}/"):
        raise Refused(field, f"Error: The path {said} must start with {ROOT}.")
    if ".." in unquote(said).replace("\\", "/").split("/"):
        raise Refused(field, f"Error: The path {said} would lead out of {ROOT}.")
    try:
        return path_of(said.removeprefix(f"{ROOT}/").rstrip("/"))
    except Bad as error:
        raise Refused(field, f"Error: Invalid path {said}. {error}") from error


def _below_root(field: str, path: str, done: str) -> str:
    if not path:
        raise Refused(field, f"Error: The directory {ROOT} itself cannot be {done}.")
    return path


def _edited(actor: Actor, said: str, change: Callable[[str], str], *, missing: str) -> TeamFile:
    try:
        return folders.edit(actor=actor, path=_inside("path", said), change=change)
    except NotFound as error:
        raise NotFound(missing) from error


def _lines(content: str) -> list[str]:
    """As editors count them: what a last line break ends is no line of its own."""
    lines = content.split("\n")
    return lines if lines[-1] else lines[:-1]


def _lines_with(part: str, content: str) -> list[int]:
    """The number of the line in which each occurrence begins."""
    before = content.split(part)[:-1]
    numbers, line = [], 1
    for piece in before:
        line += piece.count("\n")
        numbers.append(line)
        line += part.count("\n")
    return numbers


def _numbered(lines: Sequence[str], *, first: int, last: int) -> str:
    return "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(lines[first - 1 : last], first))


def _file(said: str, content: str, view_range: Sequence[int] | None) -> str:
    lines = _lines(content)
    if len(lines) > MOST_LINES:
        raise Refused("path", f"File {said} exceeds maximum line limit of {MOST_LINES:,} lines.")
    first, last = _range(view_range, len(lines)) if view_range else (1, len(lines))
    return f"Here's the content of {said} with line numbers:\n{_numbered(lines, first=first, last=last)}"


def _range(view_range: Sequence[int], count: int) -> tuple[int, int]:
    first, last = view_range if len(view_range) == 2 else (0, 0)
    last = count if last == -1 else min(last, count)
    if not 1 <= first <= last:
        sentence = f"Error: Invalid `view_range` parameter: {list(view_range)}."
        inside = f"It should be two lines within [1, {count}], the second -1 for the last one"
        raise Refused("view_range", f"{sentence} {inside}")
    return first, last


def _directory(folder: str, sizes: Mapping[str, int]) -> str:
    """What is in it, two levels deep, each directory with the size of all that is in it."""
    root = f"{ROOT}/{folder}".rstrip("/")
    shown: Counter[str] = Counter({"": 0})
    for path, size in sizes.items():
        parts = path.removeprefix(f"{folder}/" if folder else "").split("/")
        if any(part.startswith(".") or part == "node_modules" for part in parts):
            continue
        above = ["/".join(parts[:deep]) for deep in range(1, len(parts))]
        names = ["", *(f"/{name}/" for name in above), f"/{'/'.join(parts)}"]
        for name in names[: DEEP + 1]:
            shown[name] += size
    lines = [f"{_human(size)}\t{root}{name}" for name, size in sorted(shown.items())]
    heading = f"Here're the files and directories up to {DEEP} levels deep in {root}, excluding hidden items and "
    return "\n".join([f"{heading}node_modules:", *lines])


def _human(size: int) -> str:
    if size < 1024:
        return f"{size}B"
    return f"{size / 1024:.1f}K" if size < 1024**2 else f"{size / 1024**2:.1f}M"


def _path(description: str) -> dict[str, object]:
    return text(longest=PATH_LENGTH + len(ROOT) + 1, description=description)


FILE = _path("Where the file is, like /memories/notes.txt.")
ANY = _path("Where the file or directory is, like /memories/notes.")

TOOLS = (
    Tool(
        name="view",
        description="Shows what is in a directory of /memories, two levels deep, or a file with line numbers.",
        parameters=record(
            {
                "path": ANY,
                "view_range": listed(
                    whole(least=-1, most=MOST_LINES),
                    most=2,
                    description="Of a file: the first and the last line to show; -1 for the end.",
                ),
            },
            required=["path"],
        ),
        act=view,
        reads=True,
    ),
    Tool(
        name="create",
        description="Creates a new file under /memories; one that exists is left as it is.",
        parameters=record(
            {"path": FILE, "file_text": text(description="What it says, up to 1 MiB.")}, required=["path", "file_text"]
        ),
        act=create,
    ),
    Tool(
        name="str_replace",
        description="Replaces a text that occurs just once in a file.",
        parameters=record(
            {
                "path": FILE,
                "old_str": text(shortest=1, description="The text as it stands there."),
                "new_str": text(default="", description="What to put in its place; nothing deletes it."),
            },
            required=["path", "old_str"],
        ),
        act=str_replace,
    ),
    Tool(
        name="insert",
        description="Inserts text into a file after a line.",
        parameters=record(
            {
                "path": FILE,
                "insert_line": whole(least=0, most=MOST_LINES, description="After which line; 0 for the beginning."),
                "insert_text": text(description="The lines to insert."),
            },
            required=["path", "insert_line", "insert_text"],
        ),
        act=insert,
    ),
    Tool(
        name="delete",
        description="Deletes a file, or a directory with all that is in it.",
        parameters=record({"path": ANY}, required=["path"]),
        act=delete,
    ),
    Tool(
        name="rename",
        description="Renames or moves a file or directory to where there is nothing yet.",
        parameters=record({"old_path": ANY, "new_path": _path("Where it will be.")}, required=["old_path", "new_path"]),
        act=rename,
    ),
)
