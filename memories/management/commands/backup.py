"""Writes the database and every attachment to one file."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryhub import backups
from memoryhub.postgres import PostgresError
from memoryhub.private_files import Unwritable


class Command(BaseCommand):
    help = "Write the whole database and every attachment into one file. The hub keeps running."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="The file to write; it must not exist yet.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            backups.back_up(
                database=settings.DATABASE_ADDRESS,
                media=Path(settings.MEDIA_ROOT),
                to=options["file"],
                programs=settings.POSTGRES_BIN,
            )
        except (PostgresError, Unwritable) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Written to {options['file']}: {options['file'].stat().st_size:,} bytes.")
