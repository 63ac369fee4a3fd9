"""Sets the language of a team, and detects those of its texts again."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memories.models import Memory
from memories.operations.languages import detect_languages
from memoryhub.languages import LANGUAGES, SIMPLE
from teams.models import Team


class Command(BaseCommand):
    help = "Detect the languages of a team's memories and files again, and show them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--org", required=True, metavar="SLUG")
        parser.add_argument("--team", required=True, metavar="SLUG")
        parser.add_argument(
            "--set",
            choices=["", *LANGUAGES, SIMPLE],
            metavar="LANGUAGE",
            help="The language of texts that are too short to tell it.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        team = Team.objects.filter(slug=options["team"], organization__slug=options["org"]).first()
        if team is None:
            raise CommandError(f"There is no team {options['team']!r} in {options['org']!r}.")
        if options["set"] is not None:
            Team.objects.filter(pk=team.pk).update(language=options["set"])
            team.language = options["set"]
        changed = detect_languages(team)
        for language, memories in Memory.objects.count_by_language(team):
            self.stdout.write(f"{language}: {memories:,} memories")
        self.stdout.write(f"{changed.total():,} texts got another language.")
