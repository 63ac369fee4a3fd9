"""Fixtures of the client's tests."""

from collections.abc import Iterator

import pytest
from memoryhub_client import MemoryHub

from teams.actor import Actor
from tests.clients.inside import Wire, client_of


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def client(writer: Actor, wire: Wire) -> Iterator[MemoryHub]:
    with client_of(writer, wire) as made:
        yield made
