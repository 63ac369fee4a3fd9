"""The client as a package: it stands without Django, its extras ask for what is tested, and its README is true."""

import importlib
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from itertools import chain

import pytest
from memoryhub_client import MemoryHub

from tests.hub import PROJECT_ROOT
from tests.test_docs import FENCED

PACKAGE = PROJECT_ROOT / "clients" / "python"
SOURCE = PACKAGE / "src"
PROJECT = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
MODULES = sorted(
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for path in SOURCE.rglob("*.py")
    if path.name != "__main__.py"
)
NEEDS = {  # what a module needs beside httpx
    "memoryhub_client.anthropic": "anthropic",
    "memoryhub_client.langgraph": "langgraph",
    "memoryhub_client.langchain": "langchain_core",
    "memoryhub_client.openai_agents": "agents",
}
ALONE = """
import importlib, sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {absent!r}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
for module in {modules!r}:
    importlib.import_module(module)
"""
OURS = {"django", "memories", "teams", "memoryhub"}


@pytest.mark.parametrize("extra", [None, *NEEDS.values()])
def test_each_module_imports_with_what_it_asks_for_alone(extra: str | None) -> None:
    wanted = [module for module in MODULES if NEEDS.get(module) == extra]
    assert wanted
    absent = OURS | (set(NEEDS.values()) if extra is None else set())
    script = ALONE.format(absent=absent, modules=wanted)
    surroundings = {"PYTHONPATH": str(SOURCE), "PATH": os.environ["PATH"]}
    done = subprocess.run(
        [sys.executable, "-c", script], env=surroundings, cwd="/", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", PROJECT["scripts"])
def test_each_command_is_there(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    module, _, function = PROJECT["scripts"][name].partition(":")
    with pytest.raises(SystemExit) as ended:
        getattr(importlib.import_module(module), function)(["--help"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: {name} ")


def test_extras_promise_what_is_tested() -> None:
    """A lower version than the tests run with is a guess."""
    groups = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text())["dependency-groups"]
    promised = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    tested, found = floors(groups["dev"]), floors(chain.from_iterable(promised))
    assert len(found) == 5
    assert found == {name: tested[name] for name in found}


def floors(wanted: Iterable[object]) -> dict[str, str]:
    return dict(re.findall(r"^([\w-]+)>=([\d.]+)", "\n".join(map(str, wanted)), re.MULTILINE))


def test_its_types_go_with_it() -> None:
    assert (SOURCE / "memoryhub_client" / "py.typed").exists()
    assert {path.parent for path in SOURCE.rglob("*.py")} == {path.parent for path in SOURCE.rglob("__init__.py")}


def test_the_examples_of_its_readme_run(at_home: MemoryHub) -> None:
    examples = [text for kind, text in FENCED.findall((PACKAGE / "README.md").read_text()) if kind == "python"]
    assert len(examples) == 3
    for text in examples:
        done = subprocess.run(
            [sys.executable, "-c", text],
            env=os.environ | {"PYTHONPATH": str(SOURCE)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{text}\n{done.stderr}"
    assert at_home.get_key("next-ship").content == "Ships on Friday."


def test_its_readme_names_what_there_is() -> None:
    readme = (PACKAGE / "README.md").read_text()
    for name in PROJECT["scripts"]:
        assert f"`{name}`" in readme
    for name in PROJECT["optional-dependencies"]:
        assert f"[{name}]" in readme
