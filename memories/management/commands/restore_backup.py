"""Restores a backup into an empty database and an empty folder."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from memories.operations.erase_person import replay_erasures
from memories.operations.erasure_receipts import read_receipts
from memoryhub import backups
from memoryhub.errors import Trouble
from memoryhub.postgres import PostgresError


class Command(BaseCommand):
    help = "Restore a backup into an empty database and migrate it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            read_receipts()  # before anything is restored: without the list, erased people would come back
        except Trouble as refusal:
            raise CommandError(str(refusal)) from refusal
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
        if count := replay_erasures():
            self.stdout.write(f"{count} people whom this hub had erased since are erased again.")
        self.stdout.write(f"{options['file']} is restored.")
