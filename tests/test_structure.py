"""Tests of the layout of the code: which package may import which, and names that a stranger can search for."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest

PROJECT_FOLDER = Path(__file__).resolve().parent.parent
SERVER = ("memories", "teams", "memoryhub")
PARTS = {"server": SERVER, "clients": ("clients",), "tests": ("tests",), "benchmarks": ("benchmarks", "examples")}
WHOLE = tuple(folder for folders in PARTS.values() for folder in folders)

ENTRY_POINTS = {  # modules that bring the apps together
    "memoryhub.asgi",
    "memoryhub.metrics_page",
    "memoryhub.settings",
    "memoryhub.urls",
    "memoryhub.wsgi",
}

# Packages of `memories`, the lowest layer first. A package imports from its own layer and from those before it.
LAYERS = (
    ("text", "screening"),
    ("models",),
    ("rules",),
    ("operations", "recall", "queries", "prompts", "transfer", "conversations", "embedding", "reranking"),
    ("contract",),
    (
        "api",
        "mcp",
        "tools",
        "views",
        "admin",
        "management",
        "forms",
        "urls",
        "templatetags",
        "jobs",
        "demo",
        "apps",
        "leakcheck",
    ),
)
LAYER_OF = {package: number for number, packages in enumerate(LAYERS) for package in packages}

# Imports that are allowed against the rule, as (importing package or module, imported module), with the reason.
EXCEPTIONS = {
    # Querysets apply the access rules, which know the Actor and no model.
    ("memories.models", "memories.rules.access"),
}

PARTICIPLES = frozenset(
    (
        "brought",
        "chosen",
        "drawn",
        "found",
        "given",
        "gone",
        "held",
        "hidden",
        "kept",
        "known",
        "left",
        "lost",
        "made",
        "said",
        "seen",
        "sent",
        "shown",
        "taken",
        "told",
        "written",
    )
)
VERBS_IN_ED = frozenset({"embed", "feed", "need", "proceed", "seed", "speed"})
EXPECTED_TWICE = {"Command", "urlpatterns", "app_name", "log", "main", "pytestmark", "TOOLS", "__all__"}
RIDDLE = re.compile(r"(What|Who|How|Whether|Those)\b")

Function = ast.FunctionDef | ast.AsyncFunctionDef
Documented = ast.Module | ast.ClassDef | Function


@cache
def parse_modules(folders: tuple[str, ...]) -> dict[str, ast.Module]:
    """Return the syntax trees by dotted name. Migrations are history, and stay as they were written."""
    paths = [path for folder in folders for path in (PROJECT_FOLDER / folder).rglob("*.py")]
    return {
        ".".join(path.relative_to(PROJECT_FOLDER).with_suffix("").parts).removesuffix(".__init__"): ast.parse(
            path.read_text()
        )
        for path in paths
        if not {"migrations", "build", ".venv"} & set(path.parts)
    }


# Imports


def list_imports(tree: ast.Module) -> Iterator[str]:
    """Yield the dotted names that a module imports anywhere, in its functions too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def get_package(module: str) -> str:
    """Return the part of `memories` that a module belongs to, or the app."""
    app, _, rest = module.partition(".")
    return rest.partition(".")[0] if app == "memories" and rest else app


def list_package_imports() -> Iterator[tuple[str, str]]:
    """Yield each import of the server's code that crosses a package, as (importing module, imported name)."""
    for module, tree in parse_modules(SERVER).items():
        for target in list_imports(tree):
            if target.partition(".")[0] in SERVER and get_package(module) != get_package(target):
                yield module, target


def list_memories_imports() -> list[tuple[str, str]]:
    """Return the imports between packages of `memories`, without the exceptions."""
    return [
        (module, target)
        for module, target in list_package_imports()
        if module.startswith("memories.") and target.startswith("memories.") and not is_exception(module, target)
    ]


def is_exception(module: str, target: str) -> bool:
    return any(
        f"{module}.".startswith(f"{importing}.") and f"{target}.".startswith(f"{imported}.")
        for importing, imported in EXCEPTIONS
    )


def test_teams_and_the_project_know_nothing_of_memories() -> None:
    wrong = [
        f"{module} imports {target}"
        for module, target in list_package_imports()
        if not module.startswith("memories") and target.startswith("memories") and module not in ENTRY_POINTS
    ]
    assert not wrong


def test_the_project_knows_nothing_of_teams() -> None:
    wrong = [
        f"{module} imports {target}"
        for module, target in list_package_imports()
        if get_package(module) == "memoryhub" and get_package(target) == "teams" and module not in ENTRY_POINTS
    ]
    assert not wrong


def test_every_package_of_memories_has_a_layer() -> None:
    packages = {get_package(module) for module in parse_modules(("memories",))} - {"memories"}
    assert packages == set(LAYER_OF)


def test_no_package_imports_from_a_layer_above_it() -> None:
    wrong = [
        f"{module} imports {target}"
        for module, target in list_memories_imports()
        if LAYER_OF[get_package(module)] < LAYER_OF[get_package(target)]
    ]
    assert not wrong


def test_no_packages_import_each_other_in_a_circle() -> None:
    imports = [
        (module, target)
        for module, target in list_package_imports()
        if module not in ENTRY_POINTS and not is_exception(module, target)
    ]
    graph: dict[str, set[str]] = defaultdict(set)
    for module, target in imports:
        graph[get_package(module)].add(get_package(target))
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = error.args[1]
        edges = [
            f"{module} imports {target}"
            for module, target in imports
            if (get_package(target), get_package(module)) in pairwise(circle)
        ]
        pytest.fail("\n".join(edges))


def test_mcp_and_the_tools_stand_without_rest() -> None:
    wrong = [
        f"{module} imports {target}"
        for module, tree in parse_modules(SERVER).items()
        for target in list_imports(tree)
        if get_package(module) in ("mcp", "tools", "contract")
        and target.startswith(("memories.api", "rest_framework", "drf_spectacular"))
    ]
    assert not wrong


def test_the_top_level_of_memories_is_a_handful_of_modules() -> None:
    assert len([path for path in (PROJECT_FOLDER / "memories").glob("*.py") if path.name != "__init__.py"]) <= 8


# Names


def list_functions(folders: tuple[str, ...]) -> Iterator[tuple[str, Function]]:
    for module, tree in parse_modules(folders).items():
        for node in ast.walk(tree):
            if isinstance(node, Function):
                yield module, node


def is_bare_participle(name: str) -> bool:
    word = name.strip("_")
    return word not in VERBS_IN_ED and (word in PARTICIPLES or ("_" not in word and word.endswith("ed")))


@pytest.mark.parametrize("part", PARTS)
def test_functions_are_named_by_verbs(part: str) -> None:
    functions = list(list_functions(PARTS[part]))
    bare = [f"{module}.{node.name}" for module, node in functions if is_bare_participle(node.name)]
    assert len(bare) <= 0.02 * len(functions), bare


def list_docstrings(folders: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for module, tree in parse_modules(folders).items():
        for node in ast.walk(tree):
            if isinstance(node, Documented) and (text := ast.get_docstring(node)):
                yield f"{module}.{getattr(node, 'name', '')}", text


@pytest.mark.parametrize("part", PARTS)
def test_docstrings_begin_with_a_statement(part: str) -> None:
    docstrings = list(list_docstrings(PARTS[part]))
    riddles = [f"{name}: {text.splitlines()[0]}" for name, text in docstrings if RIDDLE.match(text)]
    assert len(riddles) <= 0.02 * len(docstrings), riddles


def list_top_level_names(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef | Function):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


@pytest.mark.parametrize("part", [*PARTS, "whole"])
def test_names_stand_in_one_file(part: str) -> None:
    modules_of: dict[str, set[str]] = defaultdict(set)
    for module, tree in parse_modules(PARTS.get(part, WHOLE)).items():
        for name in set(list_top_level_names(tree)) - EXPECTED_TWICE:
            modules_of[name].add(module)
    shared = {name: modules for name, modules in modules_of.items() if len(modules) > 1}
    count = sum(map(len, modules_of.values()))
    assert sum(map(len, shared.values())) <= 0.15 * count, shared
