"""Writes a team or an organization into one archive."""

import time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memories import moving
from teams.models import Organization, Team

SAY_EVERY = 2.0  # seconds


class Command(BaseCommand):
    help = "Writes a team or a whole organization, with all versions, files and attachments, into one archive."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--org", required=True, metavar="SLUG")
        parser.add_argument("--team", default="", metavar="SLUG", help="Only this one.")
        parser.add_argument("--to", required=True, type=Path, metavar="FILE", help="Must not exist yet.")

    def handle(self, *args: Any, **options: Any) -> None:
        selection = selected(options["org"], options["team"])
        partial = options["to"].with_name(f"{options['to'].name}.partial")
        if options["to"].exists():
            raise CommandError(f"{options['to']} is there already. Choose another name, or remove it first.")
        progress = Progress(self)
        try:
            with partial.open("wb") as file:
                for piece in moving.pack(selection, heard=progress.hear):
                    file.write(piece)
            partial.rename(options["to"])  # whole, or not there under its name
        except OSError as error:
            raise CommandError(f"{options['to']} cannot be written: {error.strerror or error}.") from error
        finally:
            partial.unlink(missing_ok=True)
        progress.sum_up()
        self.stdout.write(f"Written to {options['to']}.")


class Progress:
    """Says now and then how far it is, and at the end what there was."""

    def __init__(self, command: BaseCommand) -> None:
        self.command, self.counts, self.said_at = command, dict[str, int](), time.monotonic()

    def hear(self, step: moving.Step) -> None:
        if step.part:
            self.counts[step.part] = step.number
        if time.monotonic() - self.said_at >= SAY_EVERY:
            self.said_at = time.monotonic()
            self.command.stderr.write(f"{step.percent:>3} % {step.part}: {step.number:,} …")

    def sum_up(self) -> None:
        for part, number in self.counts.items():
            self.command.stdout.write(f"{number:>10,} {part}")


def selected(org: str, team: str) -> moving.Selection:
    organization = Organization.objects.filter(slug=org).first()
    if organization is None:
        raise CommandError(f"There is no organization {org}.")
    found = Team.objects.filter(organization=organization, slug=team).first() if team else None
    if team and found is None:
        raise CommandError(f"There is no team {org}/{team}.")
    return moving.Selection(organization=organization, team=found)
