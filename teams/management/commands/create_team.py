"""Creates a team, and its organization if it is missing."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryhub.errors import Trouble
from teams import operations


class Command(BaseCommand):
    help = "Create a team, and its organization if that is missing. Running it twice does no harm."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--org", required=True, metavar="SLUG")
        parser.add_argument("--team", required=True, metavar="SLUG")
        parser.add_argument("--parent", default="", metavar="SLUG", help="The team above it; defaults to the root.")
        parser.add_argument("--name", default="", help="Its display name; defaults to one made from the slug.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            organization = operations.ensure_organization(slug=options["org"])
            team = operations.ensure_team(
                organization=organization, slug=options["team"], parent=options["parent"], name=options["name"]
            )
        except Trouble as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"{organization.slug}/{team.slug}")
