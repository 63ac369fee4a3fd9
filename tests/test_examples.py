"""Every example runs, as somebody without a model's key would run it, against one live hub."""

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hub import PROJECT_ROOT, Hub, hub

FOLDER = PROJECT_ROOT / "examples"
# What each one prints if all went well.
SHOWS = {
    "anthropic_memory.py": r"Mira travels to Kiel on Friday\.(.|\n)*\['trip\.md'\]",
    "command_line.sh": r"notes/berths\.md(.|\n)*\"content\": \"Berth 7 is closed until May\.\"",
    "async_client.py": r"Mira gets seasick\.(.|\n)*of Noah: \[\]",
    "function_calls.py": r"High tide in Husum is at six\.(.|\n)*I was told: The inner harbour of Husum\.",
    "langchain_tools.py": r"tool .*A window seat\.",
    "langgraph_store.py": r"\('users', 'mira'\) food Mira loves olives\.\n\[\('users', 'mira'\)\]\nNone",
    "mcp_http.py": r"Berth 7 is closed(.|\n)*True .*berth-8(.|\n)*memory://example-mcp-http/blocks/recent",
    "mcp_stdio.py": r"\['memory_save', 'memory_recall', 'memory_delete'\](.|\n)*The crane is oiled on Fridays\.",
    "openai_agents.py": r"I was told: .*Mira wants to be in Kiel by noon\.",
    "plain_client.py": r"saved ferry version 1\n.*noon\.\ntoo late; it says now: The ferry leaves at one\.",
}
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")
CLIENT = PROJECT_ROOT / "clients" / "python"


@pytest.fixture(scope="module")
def live() -> Iterator[Hub]:
    with hub() as made:
        made.start()
        yield made


@pytest.fixture(scope="module")
def tokens(live: Hub) -> dict[str, str]:
    """Each example has a team of its own."""
    folder = live.folder / "teams"
    folder.mkdir()
    for name in map(name_team, SHOWS):
        (folder / f"{name}.md").write_text(f"# {name}\n\nMembers: agent-{name}\n")
    printed = live.manage("import_org", str(folder), "--organization", "acme", "--tokens")
    return dict(re.findall(r"^agent-(\S+) (mh_\S+)$", printed, re.MULTILINE))


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the commands that the client's package installs."""
    folder = tmp_path_factory.mktemp("bin")
    for name, place in tomllib.loads((CLIENT / "pyproject.toml").read_text())["project"]["scripts"].items():
        module, _, function = place.partition(":")
        code = f"import sys; from {module} import {function}; sys.exit({function}())"
        (folder / name).write_text(f"#!/bin/sh\nexec {sys.executable} -c '{code}' \"$@\"\n")
        (folder / name).chmod(0o755)
    return folder


def name_team(name: str) -> str:
    return f"example-{Path(name).stem.replace('_', '-')}"


@pytest.mark.parametrize("name", SHOWS)
def test_it_runs(live: Hub, tokens: dict[str, str], commands: Path, name: str) -> None:
    environment = {key: value for key, value in os.environ.items() if key not in KEYS} | {
        "MEMORYHUB_URL": f"http://127.0.0.1:{live.port}",
        "MEMORYHUB_TOKEN": tokens[name_team(name)],
        "PYTHONPATH": str(CLIENT / "src"),
        "PATH": f"{commands}:{os.environ['PATH']}",
        "no_proxy": "127.0.0.1",
    }
    command = ["sh" if name.endswith(".sh") else sys.executable, str(FOLDER / name)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert re.search(SHOWS[name], done.stdout), done.stdout


def test_all_are_run_and_told_of() -> None:
    there = {path.name for path in FOLDER.iterdir() if path.is_file()} - {"README.md", "stand_in.py"}
    assert there == set(SHOWS)
    told = set(re.findall(r"\]\(([\w.]+)\)", (FOLDER / "README.md").read_text()))
    assert there <= told
