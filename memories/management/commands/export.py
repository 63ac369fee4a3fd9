"""Writes a team or an organization to one archive."""

import time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memories import transfer
from memoryhub.private_files import Unwritable, write_aside
from teams.models import Organization, Team

PROGRESS_INTERVAL = 2.0  # seconds


class Command(BaseCommand):
    help = "Write a team or a whole organization, with all versions, files and attachments, into one archive."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--org", required=True, metavar="SLUG")
        parser.add_argument("--team", default="", metavar="SLUG", help="Export only this team.")
        parser.add_argument(
            "--to", required=True, type=Path, metavar="FILE", help="The file to write; it must not exist yet."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        selection = build_selection(options["org"], options["team"])
        progress = Progress(self)
        try:
            with write_aside(options["to"]) as file:
                for piece in transfer.write_archive(selection, on_step=progress.hear):
                    file.write(piece)
        except Unwritable as error:
            raise CommandError(str(error)) from error
        progress.sum_up()
        self.stdout.write(f"Written to {options['to']}.")


class Progress:
    """Prints progress now and then, and the totals at the end."""

    def __init__(self, command: BaseCommand) -> None:
        self.command, self.counts, self.said_at = command, dict[str, int](), time.monotonic()

    def hear(self, step: transfer.TransferStep) -> None:
        if step.part:
            self.counts[step.part] = step.number
        if time.monotonic() - self.said_at >= PROGRESS_INTERVAL:
            self.said_at = time.monotonic()
            self.command.stderr.write(f"{step.percent:>3} % {step.part}: {step.number:,} …")

    def sum_up(self) -> None:
        for part, number in self.counts.items():
            self.command.stdout.write(f"{number:>10,} {part}")


def build_selection(org: str, team: str) -> transfer.Selection:
    organization = Organization.objects.filter(slug=org).first()
    if organization is None:
        raise CommandError(f"There is no organization {org}.")
    selected_team = Team.objects.filter(organization=organization, slug=team).first() if team else None
    if team and selected_team is None:
        raise CommandError(f"There is no team {org}/{team}.")
    return transfer.Selection(organization=organization, team=selected_team)
