"""Fixtures that every test may use."""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from pytest_django import DjangoDbBlocker, Settings

from memories.embedding import active_model, get_provider
from memoryhub import roles
from teams.actor import Actor
from teams.models import Agent, Role, Team
from tests import cast as players
from tests import factories
from tests.caller import Caller
from tests.embedding_server import EMBEDDING_KEY, EndpointServer, endpoint_server
from tests.mcp_caller import Messenger
from tests.template_database import cloned_database

LONG = ("docs", "serve", "backups", "visibility", "visibility_of_writes", "page_plans", "plans", "ui_security", "demo")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that take long come first, so that no worker is alone with one at the end."""
    items.sort(key=lambda item: item.path.stem.removeprefix("test_") not in LONG)


def pytest_report_header() -> str | None:
    """Say what cannot be tested here."""
    return None if shutil.which("npm") else "no npm on the PATH: the generated TypeScript client is not compiled"


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None, django_db_modify_db_settings: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """Each process of a run has a database of its own, cloned from one that was migrated once."""
    with ExitStack() as stack:
        with django_db_blocker.unblock():
            stack.enter_context(cloned_database(connection))
        yield
        with django_db_blocker.unblock():
            stack.close()


@pytest.fixture(autouse=True)
def _test_settings(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Attachments go to the test's own folder, static files are linked by their plain names, passwords cost little,
    what would run beside the requests runs at once, and which model serves is looked up once in each test."""
    monkeypatch.setattr(active_model, "CACHE_SECONDS", float("inf"))
    active_model.invalidate_active_models()
    settings.BACKGROUND = False
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.ERASURES_FILE = tmp_path / "erasures.jsonl"
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    }


@pytest.fixture
def chosen(settings: Settings) -> Iterator[Settings]:
    """The settings, from which the next embedding provider is made."""
    _afresh()
    yield settings
    _afresh()


def _afresh() -> None:
    get_provider.cache_clear()
    active_model.reset_backoff()


@pytest.fixture
def server(chosen: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[EndpointServer]:
    """An embedding server, and settings that name it."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    chosen.EMBEDDING = "endpoint"
    chosen.EMBEDDING_MODEL, chosen.EMBEDDING_KEY = "small", EMBEDDING_KEY
    with endpoint_server() as made:
        chosen.EMBEDDING_URL = made.url
        yield made


@pytest.fixture
def cast(db: None) -> players.Cast:
    return players.assemble()


@pytest.fixture
def writer(db: None) -> Actor:
    """An agent of some team, for tests in which nobody else matters."""
    return factories.actor()


@pytest.fixture
def agent(db: None) -> Agent:
    """An agent of some team, which each test makes an actor or gives a token."""
    return factories.agent()


@pytest.fixture
def caller(db: None) -> Caller:
    """An agent at the REST door."""
    return Caller()


@pytest.fixture
def messenger(db: None) -> Messenger:
    """An agent at the MCP door."""
    return Messenger()


@pytest.fixture
def operator(db: None) -> Client:
    """An operator in the admin."""
    return factories.logged_in(factories.staff_member("olga", role=roles.OPERATOR))


@pytest.fixture
def support(db: None) -> Client:
    """A supporter in the admin, who may look but not change."""
    return factories.logged_in(factories.staff_member("sam", role=roles.SUPPORT))


@pytest.fixture
def team(db: None) -> Team:
    """Acme's ops, for tests of its pages in which few matter."""
    return factories.team(factories.organization("acme"), "ops")


@pytest.fixture
def bot(team: Team) -> Actor:
    return factories.actor(factories.agent(team, "deploy-bot"))


@pytest.fixture
def eddy(team: Team) -> User:
    return factories.member(team, Role.EDITOR, "eddy")


@pytest.fixture
def editor(eddy: User) -> Client:
    return factories.logged_in(eddy)


@pytest.fixture
def viewer(team: Team) -> Client:
    return factories.log_in_member(team, Role.VIEWER, "vera")
