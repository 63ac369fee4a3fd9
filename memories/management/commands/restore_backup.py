"""Restores a backup into an empty database and an empty folder."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryhub import backups
from memoryhub.postgres import PostgresError


class Command(BaseCommand):
    help = "Restore a backup into an empty database and migrate it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            backups.restore_backup(
                backup=options["file"],
                database=settings.DATABASE_ADDRESS,
                media=Path(settings.MEDIA_ROOT),
                programs=settings.POSTGRES_BIN,
            )
        except PostgresError as error:
            raise CommandError(str(error)) from error
        call_command("migrate", verbosity=0)
        self.stdout.write(f"{options['file']} is restored.")
