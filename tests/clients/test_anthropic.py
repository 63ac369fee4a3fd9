"""Claude's memory tool over the hub: whatever is asked of it, it answers as the tool of Anthropic's SDK does over a
folder on disk.

`MEMORY_TOOL_SEQUENCES=3000 python -m pytest tests/clients/test_anthropic.py` tries as many random sequences of
commands. One is another each time; if it fails it says its seed, and `MEMORY_TOOL_SEED=…` tries that again.

A directory is there while files are in it, and its size is what is in it: on a disk empty ones remain, and have a size
of their own. So these are left out of the comparison, as are paths that the hub refuses and a disk takes.
"""

import os
import random
import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool
from memoryhub_client import MemoryHub, NotFound
from memoryhub_client.anthropic import MemoryTool

from memories.models import TeamFile
from teams.models import Level
from tests import factories
from tests.cast import Cast
from tests.clients.inside import client_of

SEQUENCES = int(os.environ.get("MEMORY_TOOL_SEQUENCES", "8"))
STEPS = 25
DIRECTORY_SIZE = re.compile(r"(?<=hidden items:\n)\S+(?=\t)|^\S+(?=\t/memories.*/$)", re.MULTILINE)

PATH_PARTS = ["a", "b", "ab", "a.txt", "notes.md", ".hidden", "node_modules", "two words", "größe", "%", "_", "-1", "A"]
PIECES = [
    "a",
    "b",
    "aa",
    "aba",
    "\n",
    "\n\n",
    "line",
    "\t",
    "é",
    "\r\n",
    "`x`",
    "  ",
    "7",
    "x" * 700,
    "0123456789" * 100,
]
ESCAPES = ["/memories/../x", "/memories/a/../../x", "/etc/passwd", "memories/a", "/", "", "/memories/.."]
ROOT = "/memories"


@pytest.mark.parametrize("seed", range(SEQUENCES))
def test_it_answers_as_the_local_tool_does(client: MemoryHub, tmp_path: Path, seed: int) -> None:
    compare(client, tmp_path, seed)


def test_it_answers_as_the_local_tool_does_to_new_commands(client: MemoryHub, tmp_path: Path) -> None:
    compare(client, tmp_path, int(os.environ.get("MEMORY_TOOL_SEED") or random.SystemRandom().getrandbits(32)))


def test_it_says_of_two_bad_paths_what_the_local_tool_says(client: MemoryHub, tmp_path: Path) -> None:
    ours, local = MemoryTool(client), BetaLocalFilesystemMemoryTool(str(tmp_path))
    for old, new in product([ROOT, *ESCAPES], repeat=2):
        command = {"command": "rename", "old_path": old, "new_path": new}
        assert run_command(ours, command) == run_command(local, command), command


def compare(client: MemoryHub, folder: Path, seed: int) -> None:
    chosen, ours, local = random.Random(seed), MemoryTool(client), BetaLocalFilesystemMemoryTool(str(folder))
    for step in range(STEPS):
        command = some_command(chosen)
        which = f"seed {seed}, step {step}: {command}"
        expected, found = run_command(local, command), run_command(ours, command)
        if expected is None:  # what a disk says with an error of its own
            assert found is not None, which
            assert found[0] == "refused", which
        else:
            assert found == expected, which
        without_empty_directories(local.memory_root)
        assert file_contents(client) == on_disk(local.memory_root), which
    assert ours.clear_all_memory() == local.clear_all_memory()
    assert file_contents(client) == on_disk(local.memory_root) == {}


def run_command(tool: Any, command: dict[str, Any]) -> tuple[str, str] | None:
    try:
        return "answered", without_sizes(str(tool.call(command)))
    except ToolError as error:
        return "refused", str(error)
    except (OSError, ValueError):
        return None


def without_sizes(text: str) -> str:
    return DIRECTORY_SIZE.sub("-", text) if text.startswith("Here're") else text


def without_empty_directories(root: Path) -> None:
    for folder, _, _ in os.walk(root, topdown=False):
        if Path(folder) != root and not os.listdir(folder):
            os.rmdir(folder)


def on_disk(root: Path) -> dict[str, str]:
    files = [path for path in root.rglob("*") if path.is_file()]
    return {str(path.relative_to(root)): path.read_bytes().decode() for path in files}


def file_contents(client: MemoryHub) -> dict[str, str]:
    return dict(TeamFile.objects.alive().values_list("path", "content"))


def some_command(chosen: random.Random) -> dict[str, Any]:
    path, line = some_path(chosen), chosen.randint(-1, 8)
    return chosen.choice(
        [
            {"command": "view", "path": path},
            {"command": "view", "path": chosen.choice([ROOT, path])},
            {"command": "view", "path": path, "view_range": [chosen.randint(-2, 9), chosen.randint(-3, 12)]},
            {"command": "create", "path": path, "file_text": some_text(chosen)},
            {"command": "create", "path": path, "file_text": some_text(chosen)},
            {"command": "create", "path": path, "file_text": some_text(chosen)},
            {"command": "str_replace", "path": path, "old_str": chosen.choice(PIECES), "new_str": some_text(chosen)},
            {"command": "str_replace", "path": path, "old_str": chosen.choice(PIECES), "new_str": ""},
            {"command": "insert", "path": path, "insert_line": line, "insert_text": some_text(chosen)},
            {"command": "insert", "path": path, "insert_line": line, "insert_text": some_text(chosen)},
            {"command": "delete", "path": path},
            {"command": "rename", "old_path": path, "new_path": some_path(chosen)},
        ]
    )


def some_path(chosen: random.Random) -> str:
    """Few names, so that commands meet."""
    if chosen.random() < 0.04:
        return chosen.choice([ROOT, *ESCAPES])
    names = PATH_PARTS[: chosen.choice([3, 5, len(PATH_PARTS)])]
    return "/".join([ROOT, *chosen.choices(names, k=chosen.choice([1, 1, 1, 2, 2, 3, 4]))])


def some_text(chosen: random.Random) -> str:
    return "".join(chosen.choices(PIECES, k=chosen.randint(0, 8)))


def test_clearing_it_all_leaves_the_teams_above_alone(cast: Cast) -> None:
    """A director sees their files."""
    boss = factories.actor(factories.agent(cast.executive, "boss"))
    director = factories.actor(factories.agent(cast.ops, "head", Level.DIRECTOR))
    with client_of(boss) as above, client_of(director) as below:
        above.write_file("above.md", "above")
        below.write_file("below.md", "below")
        assert {file.path for file in below.files()} == {"above.md", "below.md"}
        MemoryTool(below).clear_all_memory()
        assert [file.path for file in below.files()] == ["above.md"]
        assert below.revert_file("below.md", 1).content == "below"


def test_what_it_does_can_be_undone_by_people(client: MemoryHub) -> None:
    tool = MemoryTool(client)
    tool.call({"command": "create", "path": "/memories/a.md", "file_text": "one"})
    tool.call({"command": "delete", "path": "/memories/a.md"})
    with pytest.raises(NotFound):
        client.read_file("a.md")
    assert client.revert_file("a.md", 1).content == "one"


def test_it_introduces_itself_as_the_memory_tool(client: MemoryHub) -> None:
    described = MemoryTool(client, cache_control={"type": "ephemeral"}).to_dict()
    assert described == {"type": "memory_20250818", "name": "memory", "cache_control": {"type": "ephemeral"}}
