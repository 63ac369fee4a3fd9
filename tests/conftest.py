"""Fixtures that every test may use."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from memories.embedding import provider, serving
from teams.actor import Actor
from tests import cast as players
from tests import factories
from tests.endpoint import KEY, EndpointServer, endpoint_server


@pytest.fixture(autouse=True)
def _test_settings(settings: Settings, tmp_path: Path) -> None:
    """Attachments go to the test's own folder, static files are linked by their plain names, passwords cost little,
    and what would run beside the requests runs at once."""
    settings.BACKGROUND = False
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.MEDIA_ROOT = tmp_path / "media"
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
    provider.cache_clear()
    serving.rouse()


@pytest.fixture
def server(chosen: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[EndpointServer]:
    """An embedding server, and settings that name it."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    chosen.EMBEDDING = "endpoint"
    chosen.EMBEDDING_MODEL, chosen.EMBEDDING_KEY = "small", KEY
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
