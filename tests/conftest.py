"""Fixtures that every test may use."""

from pathlib import Path

import pytest
from pytest_django import Settings

from teams.actor import Actor
from tests import cast as players
from tests import factories


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
def cast(db: None) -> players.Cast:
    return players.assemble()


@pytest.fixture
def writer(db: None) -> Actor:
    """An agent of some team, for tests in which nobody else matters."""
    return factories.actor()
