"""Fixtures that every test may use."""

import pytest
from django.conf import LazySettings

from teams.actor import Actor
from tests import factories


@pytest.fixture(autouse=True)
def _plain_static_files(settings: LazySettings, tmp_path) -> None:  # type: ignore[no-untyped-def]
    """Pages link static files by name; the collected, hashed ones exist only after collectstatic."""
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    }
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture
def writer(db: None) -> Actor:
    return factories.actor()
