"""Settings come from the environment, and a bad one is refused by its name."""

import os
import runpy
import subprocess
import sys
from collections.abc import Callable

import pytest
from django.core.exceptions import ImproperlyConfigured

from tests.hub import PROJECT_ROOT

SETTINGS = str(PROJECT_ROOT / "memoryhub" / "settings.py")
SettingsRefusal = Callable[[dict[str, str]], str]

BAD_SETTINGS = {
    "DATABASE_URL": "mysql://me@somewhere/db",
    "DATABASE_POOL_SIZE": "0",
    "ASSET_MAX_BYTES": "25MB",
    "DISK_RESERVE_BYTES": "1GB",
    "REQUEST_MAX_BYTES": "-1",
    "REQUESTS_PER_MINUTE": "-1",
    "LOGIN_TRIES": "0",
    "LOGIN_WAIT": "a while",
    "PROXIES": "two",
    "DEBUG": "maybe",
    "HTTPS": "perhaps",
    "HSTS_SECONDS": "a year",
    "HSTS_INCLUDE_SUBDOMAINS": "maybe",
    "HSTS_PRELOAD": "maybe",
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
    "RERANKER": "magic",
    "RERANKER_URL": "ftp://models.example.org/v1",
    "RERANKER_KEY": "two words",
    "RERANKER_CANDIDATES": "1",
    "RERANKER_MILLISECONDS": "soon",
    "EMAIL_URL": "http://mail.example.org",
    "EMAIL_FROM": "nobody",
    "PUBLIC_URL": "hub.example.org",
    "EXTRACTION": "magic",
    "EXTRACTION_URL": "ftp://models.example.org/v1",
    "EXTRACTION_KEY": "two words",
    "EXTRACTION_TIMEOUT": "soon",
    "EXTRACTION_HOLD": "maybe",
    "WORKER_DEAD_AFTER": "0",
    "KEEP_RECALLS_DAYS": "a year",
    "KEEP_FORGOTTEN_DAYS": "-1",
}

UNSAFE = [
    {"SECRET_KEY": "changeme"},
    {"SECRET_KEY": "x" * 60},
    {"SECRET_KEY": "django-insecure-0123456789abcdefghijklmnopqrstuvwxyz0123456789"},
    {"DEBUG": "true", "HTTPS": "true"},
    {"ALLOWED_HOSTS": "*", "HTTPS": "true"},
    {"METRICS_TOKEN": "short"},
    {"HSTS_PRELOAD": "true", "HTTPS": "true"},
]


@pytest.mark.parametrize("name", BAD_SETTINGS)
def test_a_bad_value_is_refused_by_its_name(refusal: SettingsRefusal, name: str) -> None:
    assert name in refusal({name: BAD_SETTINGS[name]})


@pytest.mark.parametrize("environment", UNSAFE, ids=lambda environment: next(iter(environment)))
def test_an_unsafe_value_is_refused_by_its_name(refusal: SettingsRefusal, environment: dict[str, str]) -> None:
    message = refusal(environment)
    assert next(iter(environment)) in message
    assert "changeme" not in message


@pytest.mark.parametrize("kind", ["EMBEDDING", "RERANKER", "EXTRACTION"])
def test_an_endpoint_needs_an_address_and_a_model(refusal: SettingsRefusal, kind: str) -> None:
    environment = {kind: "endpoint"}
    assert f"{kind}_URL" in refusal(environment)
    environment[f"{kind}_URL"] = "https://models.example.org/v1"
    assert f"{kind}_MODEL" in refusal(environment)


def test_a_mail_server_needs_a_sender_and_the_address_of_the_hub(refusal: SettingsRefusal) -> None:
    environment = {"EMAIL_URL": "smtp+tls://me:hunter2@mail.example.org"}
    assert "EMAIL_FROM" in refusal(environment)
    assert "PUBLIC_URL" in refusal(environment | {"EMAIL_FROM": "hub@example.org"})
    assert "hunter2" not in refusal({"EMAIL_URL": "pop://me:hunter2@mail.example.org"})


def test_a_cross_encoder_needs_a_folder(refusal: SettingsRefusal) -> None:
    assert "RERANKER_FOLDER" in refusal({"RERANKER": "cross-encoder"})


def test_few_hits_are_reranked(refusal: SettingsRefusal) -> None:
    assert "RERANKER_CANDIDATES" in refusal({"RERANKER_CANDIDATES": "51"})


def test_what_may_be_secret_is_not_repeated(refusal: SettingsRefusal) -> None:
    assert "hunter2" not in refusal({"EMBEDDING_URL": "https://me:hunter2@models.example.org/v1"})
    assert "hunter2" not in refusal({"EMBEDDING_KEY": "hunter2 hunter2"})


def test_the_command_line_says_no_more_than_that() -> None:
    command = [sys.executable, "manage.py", "check"]
    environment = os.environ | {"DEBUG": "maybe"}
    done = subprocess.run(command, cwd=PROJECT_ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "memoryhub: DEBUG must be true or false, not 'maybe'.\n")


@pytest.mark.parametrize(
    ("address", "port", "upgraded", "encrypted"),
    [
        ("smtp://mail.example.org", 25, False, False),
        ("smtp+tls://me:a%3Ab@mail.example.org", 587, True, False),
        ("smtps://me:a%3Ab@mail.example.org:4650", 4650, False, True),
    ],
)
def test_the_address_of_a_mail_server_says_how_to_reach_it(
    monkeypatch: pytest.MonkeyPatch, address: str, port: int, upgraded: bool, encrypted: bool
) -> None:
    for name, value in (("EMAIL_URL", address), ("EMAIL_FROM", "hub@example.org"), ("PUBLIC_URL", "https://a.org/")):
        monkeypatch.setenv(name, value)
    read = runpy.run_path(SETTINGS)
    assert (read["EMAIL_HOST"], read["EMAIL_PORT"]) == ("mail.example.org", port)
    assert (read["EMAIL_USE_TLS"], read["EMAIL_USE_SSL"]) == (upgraded, encrypted)
    assert read["EMAIL_HOST_PASSWORD"] == ("a:b" if "@" in address else "")
    assert read["PUBLIC_URL"] == "https://a.org"


@pytest.fixture
def refusal(monkeypatch: pytest.MonkeyPatch) -> SettingsRefusal:
    """Return a function that reads the settings anew in an environment and returns the message of the refusal."""

    def read_refusal(environment: dict[str, str]) -> str:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        with pytest.raises(ImproperlyConfigured) as found:
            runpy.run_path(SETTINGS)
        return str(found.value)

    return read_refusal


@pytest.mark.parametrize(
    ("given", "taken"), [("MiniLM", "minilm"), ("my_package.models.MyProvider", "my_package.models.MyProvider")]
)
def test_an_embedder_is_a_name_of_ours_or_a_class_of_yours(
    monkeypatch: pytest.MonkeyPatch, given: str, taken: str
) -> None:
    monkeypatch.setenv("EMBEDDING", given)
    assert runpy.run_path(SETTINGS)["EMBEDDING"] == taken
