"""Reads an archive that `export` wrote into this hub."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memories import transfer
from memories.management.commands.export import Progress
from memoryhub.errors import Trouble


class Command(BaseCommand):
    help = "Import an archive into this hub, with its ids, versions and times: all of it or nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("archive", type=Path)
        parser.add_argument("--dry-run", action="store_true", help="Change nothing; say what would be added.")
        parser.add_argument(
            "--unsigned", action="store_true", help="Accept an archive that this hub did not sign, or that was changed."
        )
        parser.add_argument(
            "--same-logins", action="store_true", help="Treat logins with the same name as the same people."
        )
        parser.add_argument(
            "--without-access",
            action="store_true",
            help="Leave out memberships, invitations, tokens, admissions and people's logins.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        trust = transfer.Trust(
            unsigned=options["unsigned"],
            same_logins=options["same_logins"],
            without_access=options["without_access"],
        )
        try:
            report = transfer.import_archive(
                options["archive"], trust=trust, pretend=options["dry_run"], on_step=Progress(self).hear
            )
        except Trouble as error:
            raise CommandError(error.message) from error
        self.tell(report, would="would be " if options["dry_run"] else "")

    def tell(self, report: transfer.ImportReport, *, would: str) -> None:
        self.stdout.write(f"The archive is {report.origin}.")
        for table, number in report.added.items():
            kept = f", {report.kept[table]:,} are here already and stay as they are" if table in report.kept else ""
            left = f", {report.left_out[table]:,} left out" if table in report.left_out else ""
            self.stdout.write(f"{number:>10,} {table} {would}added{kept}{left}")
        if report.known_logins:
            self.stdout.write(f"Taken for the archive's logins of the same name: {', '.join(report.known_logins)}.")
        if report.erased_again:
            self.stdout.write(f"People who had been erased, and {would}erased again: {report.erased_again}.")
        if report.new_logins:
            self.stdout.write(f"Logins {would}made, without a password: {', '.join(report.new_logins)}.")
