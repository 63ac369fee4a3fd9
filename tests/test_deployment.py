"""Files that a hub is installed and deployed with: what they promise to keep out stays out."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

PROJECT_ROOT = Path(__file__).resolve().parent.parent
INSTALLING = (*map(PROJECT_ROOT.joinpath, ("Makefile", "Containerfile", "README.md")), *PROJECT_ROOT.glob("docs/*.md"))
FROM_LOCK_FILE = re.compile(r"pip install [^`\n]*-r [^`\n]*")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((PROJECT_ROOT / "compose.yaml").read_text())
    return found


def test_installs_run_no_code_of_source_packages() -> None:
    installs = {path.name: FROM_LOCK_FILE.findall(path.read_text()) for path in INSTALLING}
    assert (len(installs["Makefile"]), len(installs["Containerfile"]), len(installs["configuration.md"])) == (2, 1, 1)
    assert all("--only-binary :all:" in command for commands in installs.values() for command in commands)


def test_the_proxy_waits_for_slow_clients_instead_of_the_hub(compose: dict[str, Any]) -> None:
    settings = dict(re.findall(r"^ *(read_header|read_body|request_buffers) (\S+)$", caddyfile(compose), re.MULTILINE))
    assert settings == {"read_header": "10s", "read_body": "5m", "request_buffers": "64KiB"}


def test_only_the_proxy_is_reached_from_outside(compose: dict[str, Any]) -> None:
    assert [name for name, service in compose["services"].items() if "ports" in service] == ["proxy"]
    (config,) = compose["services"]["proxy"]["configs"]
    assert (config["source"], config["target"]) == ("caddyfile", "/etc/caddy/Caddyfile")
    assert "reverse_proxy hub:8000" in caddyfile(compose)


def caddyfile(compose: dict[str, Any]) -> str:
    return str(compose["configs"]["caddyfile"]["content"])
