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
    "REQUESTS_PER_MINUTE": "-1",
    "LOGIN_TRIES": "0",
    "LOGIN_WAIT": "a while",
    "PROXIES": "two",
    "DEBUG": "maybe",
    "HTTPS": "perhaps",
    "LOG_LEVEL": "loud",
    "LOG_FORMAT": "poem",
    "SLOW_STATEMENT": "long",
    "METRICS_TOKEN": "two words",
    "RETRIEVERS": "links",
    "EMBEDDING": "magic",
    "EMBEDDING_URL": "ftp://models.example.org/v1",
    "EMBEDDING_KEY": "two words",
    "EMBEDDING_DIMENSION": "-1",
    "EMBEDDING_TIMEOUT": "soon",
    "EMBEDDING_BATCH": "0",
    "EMBEDDING_CHARACTERS": "8e3",
    "EXTRACTION": "magic",
    "EXTRACTION_URL": "ftp://models.example.org/v1",
    "EXTRACTION_KEY": "two words",
    "EXTRACTION_TIMEOUT": "soon",
    "EXTRACTION_HOLD": "maybe",
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_value_is_refused_by_its_name(name: str) -> None:
    assert name in refusal({name: BAD[name]})


@pytest.mark.parametrize("kind", ["EMBEDDING", "EXTRACTION"])
def test_an_endpoint_needs_an_address_and_a_model(kind: str) -> None:
    environment = {kind: "endpoint"}
    assert f"{kind}_URL" in refusal(environment)
    environment[f"{kind}_URL"] = "https://models.example.org/v1"
    assert f"{kind}_MODEL" in refusal(environment)


def test_what_may_be_secret_is_not_repeated() -> None:
    assert "hunter2" not in refusal({"EMBEDDING_URL": "https://me:hunter2@models.example.org/v1"})
    assert "hunter2" not in refusal({"EMBEDDING_KEY": "hunter2 hunter2"})


def refusal(environment: dict[str, str]) -> str:
    """What the command line says before it gives up."""
    command = [sys.executable, "manage.py", "check"]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert done.stderr.startswith("memoryhub: ")
    assert "Traceback" not in done.stderr
    return done.stderr


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
