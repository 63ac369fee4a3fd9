"""Tests of Postgres extensions: those that the server has are used; the hub works without the others, and says so."""

import pytest
from django.core.checks import Tags, run_checks
from django.db import connection

from memories.models import Embedding, pgvector
from teams.actor import Actor
from tests import factories


def available(name: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_available_extensions WHERE name = %s", [name])
        return cursor.fetchone() is not None


@pytest.mark.django_db
def test_an_extension_is_there_when_the_server_has_it() -> None:
    assert pgvector.has_extension(connection, "vector") == available("vector")
    assert not pgvector.install_extension(connection, "no_such_extension")


@pytest.mark.django_db
def test_the_system_check_says_what_is_missing() -> None:
    said = {message.id for message in run_checks(tags=[Tags.database], databases=["default"])}
    assert ("memories.W001" in said) == (not available("vector"))


def test_vectors_are_kept_with_and_without_pgvector(writer: Actor) -> None:
    memory = factories.memory(writer)
    for model, vector in (("small", [0.5, -0.25]), ("large", [0.125] * 384)):
        Embedding.objects.create(
            organization_id=memory.organization_id,
            memory=memory,
            audience=memory.audience,
            model=model,
            dimension=len(vector),
            memory_version=1,
            vector=vector,
        )
        assert Embedding.objects.get(model=model).vector == vector
    assert pgvector.has_vectors(connection) == available("vector")


@pytest.mark.django_db
def test_adopting_can_be_repeated() -> None:
    pgvector.adopt_pgvector(connection)
    pgvector.adopt_pgvector(connection)
    assert pgvector.has_vectors(connection) == available("vector")
