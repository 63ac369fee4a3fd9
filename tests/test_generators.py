"""Clients that generators make from the OpenAPI document: their names can be read, and they save and recall."""

import importlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.clients.live import Live, live_hub

CONTENT = "Deploys are frozen from Friday noon."
EXAMPLE = Path(__file__).parent / "generated" / "example.ts"
NPM_PACKAGES = ("openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "typescript@5.9.3", "@types/node@20.19.24")
STRICT = (
    "--strict",
    "--exactOptionalPropertyTypes",
    "--noUncheckedIndexedAccess",
    "--noPropertyAccessFromIndexSignature",
)
# The generator knows these bytes by another name.
BINARY = {"content_type_overrides": dict.fromkeys(("application/zip", "*/*"), "application/octet-stream")}


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    with live_hub() as made:
        yield made


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("document") / "openapi.json"
    call_command("spectacular", "--format", "openapi-json", "--file", str(path))
    return path


def run(*command: str | Path, folder: Path, **environment: str) -> str:
    commands = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    completed = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=os.environ | {"PATH": commands, "no_proxy": "127.0.0.1"} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    return completed.stdout + completed.stderr


def test_a_generated_python_client_saves_and_recalls(
    document: Path, live: Live, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps(BINARY))
    command = ("openapi-python-client", "generate", "--meta", "none", "--fail-on-warning")
    run(*command, "--path", document, "--output-path", "generated_hub", "--config", settings, folder=tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    calls = {
        name: importlib.import_module(f"generated_hub.api.{name}") for name in ("memories.save_memory", "recall.recall")
    }
    models = importlib.import_module("generated_hub.models")
    draft = models.MemoryToSave(content=CONTENT, key="deploy-freeze", type_=models.Type.DECISION, tags=["release"])
    query = models.RecallQuery(query="when may we not deploy?", limit=5)

    package = importlib.import_module("generated_hub")
    with package.AuthenticatedClient(base_url=live.url, token=live.token()) as client:
        saved = calls["memories.save_memory"].sync(client=client, body=draft)
        recalled = calls["recall.recall"].sync(client=client, body=query)

    assert isinstance(saved, models.WrittenMemory)
    assert saved.version == 1
    assert isinstance(recalled, models.RecallResult)
    assert [(hit.id, hit.content) for hit in recalled.memories] == [(saved.id, CONTENT)]


if shutil.which("npm"):  # the head of the report says so where there is none

    def test_a_generated_typescript_client_compiles_strictly_and_recalls(
        document: Path, live: Live, tmp_path: Path
    ) -> None:
        (tmp_path / "node_modules").symlink_to(install_npm_packages() / "node_modules")
        (tmp_path / "package.json").write_text('{"type": "module"}')
        shutil.copy(EXAMPLE, tmp_path)
        commands = tmp_path / "node_modules" / ".bin"
        run(commands / "openapi-typescript", document, "-o", "schema.d.ts", folder=tmp_path)
        run(commands / "tsc", *STRICT, "--module", "nodenext", "--target", "es2022", "example.ts", folder=tmp_path)
        output = run(*("node", "example.js"), folder=tmp_path, MEMORYHUB_URL=live.url, MEMORYHUB_TOKEN=live.token())
        result = json.loads(output)
        assert result["contents"] == [CONTENT]
        assert result["version"] == 1
        assert result["address"] == f"/api/v1/memories/{result['id']}"


def install_npm_packages() -> Path:
    """Return a folder with the packages, which outlives the test: npm takes half a minute to fill it."""
    name = "-".join(package.strip("@").replace("/", "-") for package in NPM_PACKAGES)
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "memoryhub" / name
    if not folder.exists():
        making = folder.with_name(f"{name}.{os.getpid()}")
        making.mkdir(parents=True)
        run("npm", "install", "--no-audit", "--no-fund", "--save-exact", *NPM_PACKAGES, folder=making)
        making.rename(folder)
    return folder
