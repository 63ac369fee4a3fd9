"""Reads an archive that `export` wrote into this hub."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memories import moving
from memories.management.commands.export import Progress
from memoryhub.errors import Trouble


class Command(BaseCommand):
    help = "Reads an archive into this hub, with its ids, versions and times: all of it, or nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("archive", type=Path)
        parser.add_argument("--dry-run", action="store_true", help="Changes nothing; says what would be added.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            report = moving.unpack(options["archive"], pretend=options["dry_run"], heard=Progress(self).hear)
        except Trouble as error:
            raise CommandError(error.message) from error
        self.tell(report, would="would be " if options["dry_run"] else "")

    def tell(self, report: moving.Report, *, would: str) -> None:
        for table, number in report.added.items():
            kept = f", {report.kept[table]:,} are here already and stay as they are" if table in report.kept else ""
            self.stdout.write(f"{number:>10,} {table} {would}added{kept}")
        if report.known_logins:
            self.stdout.write(f"Taken for the archive's logins of the same name: {', '.join(report.known_logins)}.")
        if report.new_logins:
            self.stdout.write(f"Logins {would}made, without a password: {', '.join(report.new_logins)}.")
