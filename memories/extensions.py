"""What the server offers beyond plain Postgres, and how the schema makes use of it. Nothing here is required."""

from collections.abc import Callable, Sequence
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Info, Tags, Warning, register
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

# Finds any part of a text without reading all of it.
TRIGRAM_INDEX = """
CREATE INDEX IF NOT EXISTS memory_trigrams ON memories_memory USING gin (content gin_trgm_ops)
WHERE forgotten_at IS NULL
"""


def adopt(connection: BaseDatabaseWrapper) -> None:
    """Takes into use what the server has by now. Runs after every migration; can be repeated."""
    if install(connection, "vector"):
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            if not _exists(connection, HAS_VECTOR_COLUMN):
                cursor.execute(VECTOR_COLUMN)
            cursor.execute(SIGNS_COLUMN)
            cursor.execute(NEAREST_INDEX)
        _with_vectors.clear()
    if install(connection, "pg_trgm"):
        with connection.cursor() as cursor:
            cursor.execute(TRIGRAM_INDEX)


def install(connection: BaseDatabaseWrapper, extension: str) -> bool:
    """Whether the database has the extension now; tries to install it where the server has it."""
    if has(connection, extension):
        return True
    try:
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            cursor.execute(f"CREATE EXTENSION {connection.ops.quote_name(extension)}")
    except DatabaseError:  # not on this server, or not ours to install
        return False
    return True


def has(connection: BaseDatabaseWrapper, extension: str) -> bool:
    return _exists(connection, "SELECT 1 FROM pg_extension WHERE extname = %s", extension)


def has_vectors(connection: BaseDatabaseWrapper) -> bool:
    """Whether memories can be recalled by meaning here: looked up once, for it is asked at every save and recall."""
    name = connection.settings_dict["NAME"]
    if name not in _with_vectors:
        _with_vectors[name] = _exists(connection, HAS_VECTOR_COLUMN)
    return _with_vectors[name]


_with_vectors: dict[str, bool] = {}


def _exists(connection: BaseDatabaseWrapper, statement: str, *parameters: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return cursor.fetchone() is not None


def after_migrate(sender: AppConfig, using: str, **kwargs: Any) -> None:
    adopt(connections[using])


@register(Tags.database)
def check(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Said by `manage.py check --database default` and by `migrate`."""
    messages: list[CheckMessage] = []
    for alias in databases or ():
        messages += _missing(connections[alias])
    return messages


def _missing(connection: BaseDatabaseWrapper) -> list[CheckMessage]:
    lines: list[tuple[Callable[..., CheckMessage], str, str]] = []
    try:
        if not has(connection, "vector"):
            text = "This Postgres has no pgvector: recall by meaning is switched off, recall by words works."
            lines.append((Warning, text, "memories.W001"))
        if not has(connection, "pg_trgm"):
            lines.append((Info, "This Postgres has no pg_trgm: substring search reads a whole team.", "memories.I001"))
    except DatabaseError:
        return []
    hint = "Install the extension on the server, then run: manage.py migrate"
    return [kind(text, hint=hint, id=number) for kind, text, number in lines]
