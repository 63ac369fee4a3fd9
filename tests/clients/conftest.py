"""Fixtures of the client's tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from memoryhub_client import MemoryHub
from memoryhub_client.langgraph import MemoryHubStore

from teams.actor import Actor
from tests.clients.inside import Wire, client_of
from tests.clients.live import Live, live_hub


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def client(writer: Actor, wire: Wire) -> Iterator[MemoryHub]:
    with client_of(writer, wire) as made:
        yield made


@pytest.fixture
def store(client: MemoryHub) -> MemoryHubStore:
    return MemoryHubStore(client)


@pytest.fixture(scope="session")
def live() -> Iterator[Live]:
    """Started once, by the first test that wants it."""
    with live_hub() as made:
        yield made


@pytest.fixture
def at_home(live: Live, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[MemoryHub]:
    """A hub that this machine knows by its environment: a token of a team of its own."""
    monkeypatch.setenv("MEMORYHUB_URL", live.url)
    monkeypatch.setenv("MEMORYHUB_TOKEN", live.token())
    monkeypatch.setenv("MEMORYHUB_CONFIG", str(tmp_path / "home" / "config.json"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with MemoryHub() as made:
        yield made
