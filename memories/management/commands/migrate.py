"""Django's migrate, which first checks that it can upgrade the database."""

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections

from memoryhub.migration_operations import find_missing_migrations


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        if missing := find_missing_migrations(connections[options["database"]]):
            raise CommandError(
                f"This database was made by a version from before the first release, and lacks {missing[0]}. Export "
                "each organization with the version that made it (manage.py export), and import it here."
            )
        super().handle(*args, **options)
