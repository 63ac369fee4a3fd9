"""The optional extension pgvector: installed where the server has it. Nothing here is required."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Tags, Warning, register
from django.db import DatabaseError, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

# Turns the column of vectors into pgvector's type.
VECTOR_COLUMN = "ALTER TABLE memories_embedding ALTER COLUMN vector TYPE vector USING vector::vector"
HAS_VECTOR_COLUMN = """
SELECT 1 FROM information_schema.columns
WHERE table_schema = current_schema() AND table_name = 'memories_embedding' AND column_name = 'vector'
    AND udt_name = 'vector'
"""

# The signs of each vector's numbers, 32 times smaller, and an index that finds an audience's nearest by them alone. It
# holds no vector itself: those of large models would not fit into an index.
SIGNS_COLUMN = """
ALTER TABLE memories_embedding
ADD COLUMN IF NOT EXISTS signs bit varying GENERATED ALWAYS AS (binary_quantize(vector)) STORED
"""
NEAREST_INDEX = """
CREATE INDEX IF NOT EXISTS embedding_nearest ON memories_embedding (organization_id, audience, model)
INCLUDE (memory_id, signs)
"""


def adopt_pgvector(connection: BaseDatabaseWrapper) -> None:
    """Use pgvector if the server has it by now. Runs after every migration; can be repeated."""
    if install_extension(connection, "vector"):
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            if not _exists(connection, HAS_VECTOR_COLUMN):
                cursor.execute(VECTOR_COLUMN)
            cursor.execute(SIGNS_COLUMN)
            cursor.execute(NEAREST_INDEX)
        _has_vector_column.clear()


def install_extension(connection: BaseDatabaseWrapper, extension: str) -> bool:
    """Install the extension if the server has it. Returns whether the database has it now."""
    if has_extension(connection, extension):
        return True
    try:
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            cursor.execute(f"CREATE EXTENSION {connection.ops.quote_name(extension)}")
    except DatabaseError:  # not on this server, or not ours to install
        return False
    return True


def has_extension(connection: BaseDatabaseWrapper, extension: str) -> bool:
    return _exists(connection, "SELECT 1 FROM pg_extension WHERE extname = %s", extension)


def has_vectors(connection: BaseDatabaseWrapper) -> bool:
    """Return whether memories can be recalled by meaning here. Cached, as every save and recall calls it."""
    name = connection.settings_dict["NAME"]
    if name not in _has_vector_column:
        _has_vector_column[name] = _exists(connection, HAS_VECTOR_COLUMN)
    return _has_vector_column[name]


_has_vector_column: dict[str, bool] = {}


def _exists(connection: BaseDatabaseWrapper, statement: str, *parameters: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return cursor.fetchone() is not None


def adopt_after_migrate(sender: AppConfig, using: str, **kwargs: Any) -> None:
    adopt_pgvector(connections[using])


@register(Tags.database)
def check_pgvector(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Warn if pgvector is missing: in `manage.py check --database default` and in `migrate`."""
    return [message for alias in databases or () for message in _warn_if_missing(connections[alias])]


def _warn_if_missing(connection: BaseDatabaseWrapper) -> list[CheckMessage]:
    try:
        if has_extension(connection, "vector"):
            return []
    except DatabaseError:
        return []
    text = "This Postgres has no pgvector: recall by meaning is switched off, recall by words works."
    hint = "Install the extension on the server, then run: manage.py migrate"
    return [Warning(text, hint=hint, id="memories.W001")]
