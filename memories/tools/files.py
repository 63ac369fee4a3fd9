"""`files`: the commands of Anthropic's memory tool over the team's files, which appear under /memories. The answers to
commands, successful or not, are word for word those of the tool in Anthropic's SDK over a folder on disk, because
models know them by heart."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from urllib.parse import unquote

from memories import operations
from memories.contract import cost
from memories.models import PATH_LENGTH, TeamFile
from memories.models.constants import octet_length
from memories.queries import folders
from memories.rules.fields import BadField
from memories.rules.fields import clean_file_path as path_of
from memories.tools.tool import Arguments, Result, Tool
from memoryhub.errors import Invalid, KeyTaken, NotFound
from memoryhub.json_schema import list_of, record, text, whole, whole_record
from teams.actor import Actor
from teams.models import Verb

ROOT = "/memories"
DEEP = 2  # levels of a directory that are shown
MOST_LINES = 999_999  # what six columns can number
MOST_NAMED = 100  # lines that a refusal lists
SEARCHED = 100_000  # characters of old_str, over all the searches for lines to list: each reads all of it again
AROUND = 2  # lines shown before and after the first line of an edit


class Refused(Invalid):
    """A refusal whose message is the sentence as it stands; it also names the argument that it is about."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__({field: sentence})
        self.message, self.args = sentence, (sentence,)


def view(actor: Actor, arguments: Arguments) -> Result:
    named_path, path = arguments["path"], _inside("path", arguments["path"])
    if file := folders.team_files(actor).filter(path=path).first():
        return _answer(_file(named_path, file.content, arguments.get("view_range") or ()))
    sizes = folders.files_in_folder(folders.team_files(actor), path).annotate(size=octet_length("content"))
    found = dict(sizes.values_list("path", "size"))
    if path and not found:
        raise _missing(named_path)
    return _answer(_directory(path, found))


def create(actor: Actor, arguments: Arguments) -> Result:
    named_path, path = arguments["path"], _inside("path", arguments["path"])
    try:
        operations.folders.create_file(actor=actor, path=path, content=arguments["file_text"])
    except KeyTaken as error:
        raise KeyTaken(f"File {named_path} already exists") from error
    return _answer(f"File created successfully at: {named_path}")


def str_replace(actor: Actor, arguments: Arguments) -> Result:
    named_path, old, new = arguments["path"], arguments["old_str"], arguments["new_str"]
    line = 0

    def change(content: str) -> str:
        nonlocal line
        place = content.find(old)
        if place == -1:
            sentence = f"No replacement was performed, old_str `{old}` did not appear verbatim in {named_path}."
            raise Refused("old_str", sentence)
        if content.find(old, place + len(old)) != -1:
            numbers = _enumerate_lines(_lines_with(old, content), most=_limit_searches(old))
            sentence = f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {numbers}."
            raise Refused("old_str", f"{sentence} Please ensure it is unique")
        line = content.count("\n", 0, place) + 1
        return f"{content[:place]}{new}{content[place + len(old) :]}"

    file = _edit_file(actor, named_path, change)
    excerpt = _number_lines(file.content.split("\n"), first=max(1, line - AROUND), last=line + AROUND)
    heading = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
    return _answer(f"{heading}\n{excerpt}")


def insert(actor: Actor, arguments: Arguments) -> Result:
    named_path, after, addition = arguments["path"], arguments["insert_line"], arguments["insert_text"]

    def change(content: str) -> str:
        lines = _lines(content)
        if not 0 <= after <= len(lines):
            sentence = f"Invalid `insert_line` parameter: {after}. It should be within the range [0, {len(lines)}]."
            raise Refused("insert_line", sentence)
        added = "\n".join([*lines[:after], addition.rstrip("\n"), *lines[after:]])
        return added if added.endswith("\n") else f"{added}\n"

    _edit_file(actor, named_path, change)
    return _answer(f"The file {named_path} has been edited.")


def delete(actor: Actor, arguments: Arguments) -> Result:
    named_path, path = arguments["path"], _inside("path", arguments["path"])
    try:
        operations.folders.delete_path(actor=actor, path=_below_root("path", path, "delete"))
    except NotFound as error:
        raise NotFound(f"The path {named_path} does not exist") from error
    return _answer(f"Successfully deleted {named_path}")


def rename(actor: Actor, arguments: Arguments) -> Result:
    old, new = arguments["old_path"], arguments["new_path"]
    path, to = _inside("old_path", old), _inside("new_path", new)
    _below_root("old_path", path, "rename")
    try:
        operations.folders.move_path(actor=actor, path=path, to=to)
    except NotFound as error:
        raise NotFound(f"The path {old} does not exist") from error
    except KeyTaken as error:
        raise KeyTaken(f"The destination {new} already exists") from error
    return _answer(f"Successfully renamed {old} to {new}")


def _weigh_path(actor: Actor, arguments: Arguments, *, field: str) -> int:
    return cost.weigh_files(folders.measure_path(actor, _inside(field, arguments[field])))


def _answer(sentence: str) -> Result:
    return {"content": sentence}


def _missing(named_path: str) -> NotFound:
    return NotFound(f"The path {named_path} does not exist. Please provide a valid path.")


def _inside(field: str, named_path: str) -> str:
    """Return the path within the team's files; empty for the root."""
    if named_path.rstrip("/") == ROOT:
        return ""
    if not named_path.startswith(f"{ROOT}/"):
        raise Refused(field, f"Path must start with {ROOT}, got: {named_path}")
    if ".." in unquote(named_path).replace("\\", "/").split("/"):
        raise Refused(field, f"Path {named_path} would escape {ROOT} directory")
    try:
        return path_of(named_path.removeprefix(f"{ROOT}/").rstrip("/"))
    except BadField as error:
        raise Refused(field, f"Invalid path {named_path}. {error}") from error


def _below_root(field: str, path: str, act: str) -> str:
    if not path:
        raise Refused(field, f"Cannot {act} the {ROOT} directory itself")
    return path


def _edit_file(actor: Actor, named_path: str, change: Callable[[str], str]) -> TeamFile:
    path = _inside("path", named_path)
    try:
        return operations.folders.edit_file(actor=actor, path=path, change=change)
    except NotFound as error:
        if not path or folders.files_in_folder(folders.team_files(actor), path).exists():
            raise Refused("path", f"The path {named_path} is not a file.") from error
        raise _missing(named_path) from error


def _lines(content: str) -> list[str]:
    """Return the lines as editors count them: a line break at the end does not begin another line."""
    lines = content.split("\n")
    return lines if lines[-1] else lines[:-1]


def _lines_with(part: str, content: str) -> Iterator[int]:
    """Yield the number of the line in which each occurrence begins, overlapping ones included."""
    number, counted, place = 1, 0, content.find(part)
    while place != -1:
        number += content.count("\n", counted, place)
        yield number
        counted, place = place, content.find(part, place + 1)


def _limit_searches(part: str) -> int:
    """Return how many occurrences of a text a refusal lists: fewer of a long one, which takes longer to search for."""
    return max(1, min(MOST_NAMED, SEARCHED // len(part)))


def _enumerate_lines(numbers: Iterator[int], *, most: int = MOST_NAMED) -> str:
    """Write the first of them, and a sign that there are more: each was searched for, and takes room in the answer."""
    first = [*map(str, islice(numbers, most))]
    return ", ".join([*first, "…"] if next(numbers, None) else first)


def _number_lines(lines: Sequence[str], *, first: int, last: int) -> str:
    return "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(lines[first - 1 : last], first))


def _file(named_path: str, content: str, view_range: Sequence[int]) -> str:
    """Return the numbered lines of a file. Here a line break at the end does begin another line. A range that extends
    beyond the file shows the lines that exist."""
    lines = content.split("\n")
    if len(lines) > MOST_LINES:
        raise Refused("path", f"File {named_path} exceeds maximum line limit of {MOST_LINES:,} lines.")
    first, last = view_range if len(view_range) == 2 else (1, -1)
    numbered = _number_lines(lines, first=max(1, first), last=len(lines) if last == -1 else last)
    return f"Here's the content of {named_path} with line numbers:\n{numbered}"


def _directory(folder: str, sizes: Mapping[str, int]) -> str:
    """Return a listing of the directory, two levels deep, each directory with the total size of its contents."""
    root = f"{ROOT}/{folder}".rstrip("/")
    totals: Counter[tuple[str, ...]] = Counter({(): 0})
    directories: set[tuple[str, ...]] = set()
    for path, size in sizes.items():
        parts = tuple(path.removeprefix(f"{folder}/" if folder else "").split("/"))
        seen = next((deep for deep, part in enumerate(parts) if part.startswith(".")), len(parts))
        directories |= {parts[:deep] for deep in range(1, min(len(parts), DEEP + 1))}
        for deep in range(min(seen, DEEP) + 1):
            totals[parts[:deep]] += size if seen == len(parts) else 0
    lines = [
        f"{_human(size)}\t{'/'.join((root, *parts))}{'/' if parts in directories else ''}"
        for parts, size in sorted(totals.items())
    ]
    heading = f"Here're the files and directories up to {DEEP} levels deep in {root}, excluding hidden items:"
    return "\n".join([heading, *lines])


def _human(size: int) -> str:
    unit = min(max(size.bit_length() - 1, 0) // 10, 3)
    number = size / 1024**unit
    return f"{number:.0f}{'BKMG'[unit]}" if number.is_integer() else f"{number:.1f}{'BKMG'[unit]}"


def _path(description: str) -> dict[str, object]:
    return text(longest=PATH_LENGTH + len(ROOT) + 1, description=description)


FILE = _path("The path of the file, such as /memories/notes.txt.")
ANY = _path("The path of the file or directory, such as /memories/notes.")
ANSWER = whole_record({"content": text(description="The text of the tool result.")})

TOOLS = (
    Tool(
        name="view",
        title="View a file or directory",
        description="Shows the contents of a directory under /memories, two levels deep, or of a file, with line "
        "numbers.",
        parameters=record(
            {
                "path": ANY,
                "view_range": list_of(
                    whole(least=-MOST_LINES, most=MOST_LINES),
                    most=2,
                    description="For a file: the first and the last line to show; -1 is the end.",
                ),
            },
            required=["path"],
        ),
        act=view,
        gives=ANSWER,
        reads=True,
        example={"path": ROOT},
        answer={
            "content": "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:\n"
            "20B\t/memories\n20B\t/memories/notes.txt"
        },
    ),
    Tool(
        name="create",
        title="Create a file",
        description="Creates a new file under /memories. An existing file is not changed.",
        parameters=record(
            {"path": FILE, "file_text": text(description="The text, up to 1 MiB.")}, required=["path", "file_text"]
        ),
        act=create,
        gives=ANSWER,
        example={"path": "/memories/notes.txt", "file_text": "Berth 7: closed\n"},
        answer={"content": "File created successfully at: /memories/notes.txt"},
    ),
    Tool(
        name="str_replace",
        title="Replace text in a file",
        description="Replaces a text that occurs exactly once in a file.",
        parameters=record(
            {
                "path": FILE,
                "old_str": text(shortest=1, description="The text to replace, exactly as in the file."),
                "new_str": text(default="", description="The new text. Without it, the old one is deleted."),
            },
            required=["path", "old_str"],
        ),
        act=str_replace,
        needs=(Verb.READ, Verb.WRITE),
        gives=ANSWER,
        example={"path": "/memories/notes.txt", "old_str": "closed", "new_str": "open"},
        answer={
            "content": "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
            "     1\tBerth 7: open\n     2\t"
        },
    ),
    Tool(
        name="insert",
        title="Insert text into a file",
        description="Inserts text into a file after a line.",
        parameters=record(
            {
                "path": FILE,
                "insert_line": whole(
                    least=-MOST_LINES, most=MOST_LINES, description="The line to insert after; 0 is the beginning."
                ),
                "insert_text": text(description="The lines to insert."),
            },
            required=["path", "insert_line", "insert_text"],
        ),
        act=insert,
        needs=(Verb.READ, Verb.WRITE),
        gives=ANSWER,
        example={"path": "/memories/notes.txt", "insert_line": 0, "insert_text": "# Berths"},
        answer={"content": "The file /memories/notes.txt has been edited."},
    ),
    Tool(
        name="delete",
        title="Delete a file or directory",
        description="Deletes a file, or a directory with everything in it.",
        parameters=record({"path": ANY}, required=["path"]),
        act=delete,
        weigh=partial(_weigh_path, field="path"),
        gives=ANSWER,
        destroys=True,
        example={"path": "/memories/harbour"},
        answer={"content": "Successfully deleted /memories/harbour"},
    ),
    Tool(
        name="rename",
        title="Rename a file or directory",
        description="Renames or moves a file or directory. The new path must be free.",
        parameters=record({"old_path": ANY, "new_path": _path("The new path.")}, required=["old_path", "new_path"]),
        act=rename,
        weigh=partial(_weigh_path, field="old_path"),
        gives=ANSWER,
        example={"old_path": "/memories/notes.txt", "new_path": "/memories/harbour/notes.txt"},
        answer={"content": "Successfully renamed /memories/notes.txt to /memories/harbour/notes.txt"},
    ),
)
