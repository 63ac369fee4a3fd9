"""Operations for migrations that can be repeated, so that an upgrade that broke off ends like any other; and which
databases can be upgraded."""

from collections.abc import Iterator
from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

APPS = ("teams", "memories")


class BuildIndex(AddIndexConcurrently):
    """Build an index beside the writers. One that broke off has left an invalid index of that name, which goes."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        self._ensure_not_in_transaction(schema_editor)
        schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {schema_editor.quote_name(self.index.name)}")
        super().database_forwards(app_label, schema_editor, from_state, to_state)


def find_missing_migrations(connection: BaseDatabaseWrapper) -> list[str]:
    """Return the replaced migrations that a database lacks which has run others of them. The first migrations replace
    longer ones that they do not know how to finish."""
    applied = MigrationRecorder(connection).applied_migrations().keys()
    missing = set[tuple[str, str]]()
    for migration, replaced in _list_replaced():
        if applied & {migration, *replaced}:
            missing |= replaced - applied
    return [f"{app}.{name}" for app, name in sorted(missing)]


def _list_replaced() -> Iterator[tuple[tuple[str, str], set[tuple[str, str]]]]:
    for key, migration in MigrationLoader(None).disk_migrations.items():
        if migration.app_label in APPS and migration.replaces:
            yield key, set(migration.replaces)
