"""Settings come from the environment, and a bad one is refused by its name."""

import os
import subprocess
import sys

import pytest

from tests.hub import ROOT

BAD = {
    "DATABASE_URL": "mysql://me@somewhere/db",
    "DATABASE_POOL_SIZE": "0",
    "ASSET_MAX_BYTES": "25MB",
    "REQUEST_MAX_BYTES": "-1",
    "DEBUG": "maybe",
    "HTTPS": "perhaps",
    "LOG_LEVEL": "loud",
    "EMBEDDING": "magic",
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_value_is_refused_by_its_name(name: str) -> None:
    command = [sys.executable, "manage.py", "check"]
    environment = os.environ | {name: BAD[name]}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert done.stderr.startswith("memoryhub: ")
    assert name in done.stderr
    assert "Traceback" not in done.stderr


def test_with_https_the_deployment_check_is_clean() -> None:
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    environment = os.environ | {"HTTPS": "true", "ALLOWED_HOSTS": "hub.example.org"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("given", "taken"), [("MiniLM", "minilm"), ("my_package.models.MyProvider", "my_package.models.MyProvider")]
)
def test_an_embedder_is_a_name_of_ours_or_a_class_of_yours(given: str, taken: str) -> None:
    command = [sys.executable, "-c", "from memoryhub.settings import EMBEDDING; print(EMBEDDING)"]
    environment = os.environ | {"EMBEDDING": given}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == taken
