"""The README and the pages under docs/: their examples are run as they stand, and what they name exists."""

import json
import math
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

from memories.api import urls
from memories.tools.hub import TOOLS
from tests.hub import PROJECT_ROOT, Hub, hub

DOCS = (PROJECT_ROOT / "README.md", *sorted((PROJECT_ROOT / "docs").glob("*.md")))
PAPERS = (*DOCS, *(PROJECT_ROOT / name for name in ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")))
PAPERS += tuple(PROJECT_ROOT / folder / "README.md" for folder in ("benchmarks", "examples"))
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NAMED = re.compile(
    r'(?:env\.\w+|whole_number|share|switch|choice|name_or_class|names_or_paths|web_address|key)\("(\w+)"'
)
LINKED = re.compile(r"\]\(([^)#:]*)(?:#([\w-]+))?\)")
SURROUNDINGS = {"no_proxy": "127.0.0.1", "PYTHONPATH": str(PROJECT_ROOT / "clients" / "python" / "src")}

Answer = tuple[int, str]
Way = Callable[[list[str]], Answer]


def by_curl(arguments: list[str]) -> Answer:
    command = ["curl", "--silent", "--show-error", "--write-out", "\n%{http_code}", *arguments]
    done = subprocess.run(command, cwd=PROJECT_ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    body, _, status = done.stdout.rpartition("\n")
    return int(status), body


def by_httpx(arguments: list[str]) -> Answer:
    """Run a curl command on machines without curl: the few options that our examples use."""
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
            said["files"] = {name: (Path(path).name, (PROJECT_ROOT / path).read_bytes())}
        else:
            assert not word.startswith("-"), f"{word} is not supported here yet."
            address = word
    method = method or ("POST" if said else "GET")
    answer = httpx.request(method, address, headers=headers, trust_env=False, timeout=60, **said)
    return answer.status_code, answer.text


WAYS: tuple[Way, ...] = (by_httpx, by_curl) if shutil.which("curl") else (by_httpx,)


def examples(page: Path) -> list[tuple[str, str]]:
    """Return the language and text of each block to run: all Python, and shell that begins with curl."""
    blocks = FENCED.findall(page.read_text())
    return [(kind, text) for kind, text in blocks if kind == "python" or (kind == "sh" and text.startswith("curl "))]


RUN = [page for page in DOCS if examples(page)]


def test_the_examples_run() -> None:
    """All examples run on one server, with a separate team for each page and way."""
    with hub() as made:
        made.start()
        tokens = bearers(made)
        for page, way in product(RUN, WAYS):
            known = {
                "MEMORYHUB_URL": f"http://127.0.0.1:{made.port}",
                "MEMORYHUB_TOKEN": tokens[name_agent(page, way)],
                **SURROUNDINGS,
            }
            for kind, text in examples(page):
                if kind == "python":
                    run_python(text, known)
                else:
                    run_shell(text, known, way)


def name_agent(page: Path, way: Way) -> str:
    return f"{page.stem}-{way.__name__.replace('_', '-')}".lower()


def bearers(made: Hub) -> dict[str, str]:
    """Return the tokens of agents that are alone in their teams."""
    folder = made.folder / "teams"
    folder.mkdir()
    for name in (name_agent(page, way) for page in RUN for way in WAYS):
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
        command, cwd=PROJECT_ROOT, env=os.environ | known, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, f"{text}\n{done.stderr}"


def curls(text: str, known: dict[str, str]) -> list[list[str]]:
    """Return the arguments of each curl command, as a shell reads them."""
    script = f'set -eu; curl() {{ printf "%s\\0" curl "$@"; }}\n{text}'
    done = subprocess.run(["sh", "-c", script], env=known, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    words = done.stdout.split("\0")[:-1]
    return [list(group) for is_name, group in groupby(words, lambda word: word == "curl") if not is_name]


def learn(body: str, known: dict[str, str]) -> None:
    """Note what the pages call $ID, $EARLIER and $ASSET: the last memory that was answered, the one before, the last
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


@pytest.mark.parametrize("page", PAPERS, ids=lambda page: str(page.relative_to(PROJECT_ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    links = LINKED.findall(page.read_text())
    assert [link for link, _ in links if not (page.parent / link).exists()] == []
    targets = [(page.parent / link if link else page, anchor) for link, anchor in links if anchor]
    assert [anchor for target, anchor in targets if anchor not in anchors(target)] == []


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as code hosts make them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_page_is_in_the_index() -> None:
    index = (PROJECT_ROOT / "docs" / "README.md").read_text()
    assert [page.name for page in DOCS[1:] if page.name != "README.md" and f"({page.name})" not in index] == []


def test_every_setting_is_documented_with_its_default_and_meaning() -> None:
    settings = set(NAMED.findall((PROJECT_ROOT / "memoryhub" / "settings.py").read_text()))
    page = (PROJECT_ROOT / "docs" / "configuration.md").read_text()
    rows = re.findall(r"^\| (`[A-Z_`, ]+) \| (.+) \| (.+) \|$", page, re.MULTILINE)
    documented = [name for names, default, meaning in rows for name in re.findall(r"[A-Z_]+", names)]
    assert len(settings) > 30
    assert sorted(documented) == sorted(settings)
    assert all(default.strip() and meaning.strip() for _, default, meaning in rows)


def test_the_documented_default_of_a_number_is_the_one_in_use() -> None:
    source = (PROJECT_ROOT / "memoryhub" / "settings.py").read_text()
    numbers = re.findall(r'(?:whole_number|share)\("(\w+)", ([\d_.* ]+)[,)]', source)
    page = (PROJECT_ROOT / "docs" / "configuration.md").read_text()
    rows = re.findall(r"^\| (`[A-Z_`, ]+) \| (\d[\d., ]*) \|", page, re.MULTILINE)
    documented = {
        name: float(default)
        for names, defaults in rows
        for name, default in zip(re.findall(r"[A-Z_]+", names), defaults.split(", "), strict=True)
    }
    assert len(numbers) > 20
    assert documented == {name: math.prod(map(float, factors.split("*"))) for name, factors in numbers}


def test_every_endpoint_is_in_the_table() -> None:
    """Each path of the API is in the table of docs/README.md, in full or, below a memory, as what follows its id."""
    table = (PROJECT_ROOT / "docs" / "README.md").read_text().partition("## Endpoints")[2].partition("\n## ")[0]
    paths = {re.sub(r"<\w+:(\w+)>", r"{\1}", str(pattern.pattern)) for pattern in urls.urlpatterns}
    shortened = {re.sub(r"^(?:memories|sessions)/{\w+}/(\w+).*", r"…/\1", path) for path in paths}
    documented = {re.sub(r"{\w+}", "{}", name) for name in re.findall(r"`(?:(?:GET|POST) )?([^` ]+)`", table)}
    missing = {re.sub(r"{\w+}", "{}", path) for path in shortened if not path.startswith("tools/")} - documented
    assert missing == set()


def test_every_tool_is_in_the_table_of_its_server() -> None:
    page = (PROJECT_ROOT / "docs" / "mcp.md").read_text()
    assert [tool.name for tool in TOOLS if f"`{tool.name}`" not in page] == []


def test_every_part_of_the_code_is_on_the_map() -> None:
    """Each package is on the map by its path, and what the map names exists."""
    map_of_code = (PROJECT_ROOT / "docs" / "architecture.md").read_text()
    packages = [path.parent.relative_to(PROJECT_ROOT) for path in PROJECT_ROOT.glob("*/__init__.py")]
    packages += [path.parent.relative_to(PROJECT_ROOT) for path in (PROJECT_ROOT / "memories").glob("*/__init__.py")]
    kept = [path for path in packages if path.name not in ("migrations", "management")]
    assert [str(path) for path in kept if f"`{path}/" not in map_of_code and path.name != "memories"] == []
    named = re.findall(r"`((?:memories|teams|memoryhub)/[\w/]+(?:\.py)?)/?`", map_of_code)
    assert [path for path in named if not (PROJECT_ROOT / path).exists()] == []


def test_the_page_of_the_api_follows_the_readers_colours() -> None:
    page = Client().get("/api/docs/").content.decode()
    (script,) = re.findall(r'src="/static/(js/api-docs\.js)"', page)
    assert "prefers-color-scheme: dark" in (PROJECT_ROOT / "static" / script).read_text()
