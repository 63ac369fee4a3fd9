"""The README and the pages under docs/: their examples are run as they stand, and what they name exists."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import groupby, product
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.test import Client

from tests.hub import ROOT, Hub, hub

DOCS = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NAMED = re.compile(
    r'(?:env\.\w+|whole_number|share|switch|one_of|name_or_class|names_or_paths|web_address|key)\("(\w+)"'
)
LINKED = re.compile(r"\]\(([^)#:]+)[^):]*\)")
SURROUNDINGS = {"no_proxy": "127.0.0.1", "PYTHONPATH": str(ROOT / "clients" / "python" / "src")}

Answer = tuple[int, str]
Way = Callable[[list[str]], Answer]


def by_curl(arguments: list[str]) -> Answer:
    command = ["curl", "--silent", "--show-error", "--write-out", "\n%{http_code}", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    body, _, status = done.stdout.rpartition("\n")
    return int(status), body


def by_httpx(arguments: list[str]) -> Answer:
    """The same for machines without curl: the few options of it that our examples use."""
    words, address, method = iter(arguments), "", ""
    headers, said = {"Accept": "*/*"}, dict[str, Any]()
    for word in words:
        if word == "-X":
            method = next(words)
        elif word == "-H":
            name, _, value = next(words).partition(":")
            headers[name] = value.strip()
        elif word in ("-d", "--json"):
            said["content"] = next(words)
            headers |= {"Content-Type": "application/json"} if word == "--json" else {}
        elif word == "-F":
            name, _, path = next(words).partition("=@")
            said["files"] = {name: (Path(path).name, (ROOT / path).read_bytes())}
        else:
            assert not word.startswith("-"), f"{word} is not read here yet."
            address = word
    method = method or ("POST" if said else "GET")
    answer = httpx.request(method, address, headers=headers, trust_env=False, timeout=60, **said)
    return answer.status_code, answer.text


WAYS: tuple[Way, ...] = (by_httpx, by_curl) if shutil.which("curl") else (by_httpx,)


def examples(page: Path) -> list[tuple[str, str]]:
    """Language and text of each block to run: all Python, and shell that begins with curl."""
    blocks = FENCED.findall(page.read_text())
    return [(kind, text) for kind, text in blocks if kind == "python" or (kind == "sh" and text.startswith("curl "))]


RUN = [page for page in DOCS if examples(page)]


def test_the_examples_run() -> None:
    """One server for all of them, and for each page and way a team of its own."""
    with hub() as made:
        made.start()
        tokens = bearers(made)
        for page, way in product(RUN, WAYS):
            known = {"HUB": f"http://127.0.0.1:{made.port}", "TOKEN": tokens[agent(page, way)], **SURROUNDINGS}
            for kind, text in examples(page):
                if kind == "python":
                    run_python(text, known)
                else:
                    run_shell(text, known, way)


def agent(page: Path, way: Way) -> str:
    return f"{page.stem}-{way.__name__.replace('_', '-')}".lower()


def bearers(made: Hub) -> dict[str, str]:
    """The tokens of agents that are alone in their teams."""
    folder = made.folder / "teams"
    folder.mkdir()
    for name in (agent(page, way) for page in RUN for way in WAYS):
        (folder / f"team-{name}.md").write_text(f"# team-{name}\n\nMembers: {name}\n")
    printed = made.manage("import_org", str(folder), "--organization", "docs", "--tokens")
    return dict(re.findall(r"^(\S+) (mh_\S+)$", printed, re.MULTILINE))


def run_shell(text: str, known: dict[str, str], way: Way) -> None:
    for arguments in curls(text, known):
        status, body = way(arguments)
        assert status < 400, f"{arguments}\n{status} {body}"
        learn(body, known)


def run_python(text: str, known: dict[str, str]) -> None:
    command = [sys.executable, "-c", text]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | known, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, f"{text}\n{done.stderr}"


def curls(text: str, known: dict[str, str]) -> list[list[str]]:
    """The arguments of each curl, as a shell reads them."""
    script = f'set -eu; curl() {{ printf "%s\\0" curl "$@"; }}\n{text}'
    done = subprocess.run(["sh", "-c", script], env=known, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    words = done.stdout.split("\0")[:-1]
    return [list(group) for is_name, group in groupby(words, lambda word: word == "curl") if not is_name]


def learn(body: str, known: dict[str, str]) -> None:
    """What the pages call $ID, $EARLIER and $ASSET: the last memory that was answered, the one before, the last
    attachment."""
    try:
        answer = json.loads(body)
    except ValueError:
        return
    if "sha256" in answer:
        known["ASSET"] = answer["id"]
        return
    found = answer.get("memory_id") or ("content" in answer and "path" not in answer and answer.get("id"))
    if found and found != known.get("ID"):
        known |= {"EARLIER": known.get("ID", ""), "ID": found}


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.stem)
def test_no_example_is_left_out(page: Path) -> None:
    run = examples(page)
    assert [
        text for kind, text in FENCED.findall(page.read_text()) if "curl " in text and (kind, text) not in run
    ] == []


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    assert [link for link in LINKED.findall(page.read_text()) if not (page.parent / link).exists()] == []


def test_every_page_is_in_the_index() -> None:
    index = (ROOT / "docs" / "README.md").read_text()
    assert [page.name for page in DOCS[1:] if page.name != "README.md" and f"({page.name})" not in index] == []


def test_every_setting_is_in_the_table() -> None:
    read = set(NAMED.findall((ROOT / "memoryhub" / "settings.py").read_text()))
    rows = re.findall(r"^\| (`[A-Z_`, ]+) \|", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert len(read) > 30
    assert {name for row in rows for name in re.findall(r"[A-Z_]+", row)} == read


def test_every_part_of_the_code_is_on_the_map() -> None:
    """Each package by its path; and what the map names exists."""
    readme = (ROOT / "README.md").read_text()
    map_of_code = readme[readme.index("## Map of the code") :]
    packages = [path.parent.relative_to(ROOT) for path in ROOT.glob("*/__init__.py")]
    packages += [path.parent.relative_to(ROOT) for path in (ROOT / "memories").glob("*/__init__.py")]
    kept = [path for path in packages if path.name not in ("migrations", "management")]
    assert [str(path) for path in kept if f"`{path}/" not in map_of_code and path.name != "memories"] == []
    told = re.findall(r"`((?:memories|teams|memoryhub)/[\w/]+(?:\.py)?)/?`", map_of_code)
    assert [path for path in told if not (ROOT / path).exists()] == []


def test_the_page_of_the_api_follows_the_readers_colours() -> None:
    page = Client().get("/api/docs/").content.decode()
    (script,) = re.findall(r'src="/static/(js/api-docs\.js)"', page)
    assert "prefers-color-scheme: dark" in (ROOT / "static" / script).read_text()
