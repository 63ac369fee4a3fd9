"""Creates a token for an agent and prints it: the only time it can be seen."""

import re
from datetime import datetime, timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime

from memoryhub.errors import Trouble
from teams import operations
from teams.models import Level, Team, Verb


class Command(BaseCommand):
    help = "Create a token for an agent (and the agent, if it is missing) and print it, and nothing else."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--org", required=True, metavar="SLUG")
        parser.add_argument("--team", required=True, metavar="SLUG")
        parser.add_argument("--agent", required=True, metavar="SLUG")
        parser.add_argument("--level", choices=list(Level), help="For a new agent; defaults to member.")
        parser.add_argument("--verbs", default=",".join(Verb), help="Some of read,write,forget; defaults to all.")
        parser.add_argument("--expires", default="", metavar="WHEN", help="90d, 2030-01-31 or 2030-01-31T12:00:00Z.")
        parser.add_argument(
            "--user", default="", metavar="HANDLE", help="The person it serves when a call names no user."
        )
        parser.add_argument(
            "--persons",
            default="",
            metavar="HANDLES",
            help="Whom calls may name: mira,noor, or any. Defaults to the person it serves, if there is one, else any.",
        )
        parser.add_argument("--label", default="", help="What the token is for.")

    def handle(self, *args: Any, **options: Any) -> None:
        team = Team.objects.filter(organization__slug=options["org"], slug=options["team"]).first()
        if team is None:
            raise CommandError(f"There is no team {options['org']}/{options['team']}: make it with create_team.")
        level = Level(options["level"]) if options["level"] else None
        try:
            agent = operations.ensure_agent(team=team, slug=options["agent"], level=level)
            secret = operations.issue_token(
                agent=agent,
                verbs=parse_verbs(options["verbs"]),
                expires_at=parse_expiry(options["expires"]),
                label=options["label"],
                user=options["user"],
                **parse_persons(options["persons"]),
            )
        except Trouble as error:
            raise CommandError(error.message) from error
        self.stdout.write(secret.text)


def parse_verbs(text: str) -> list[Verb]:
    try:
        return [Verb(word) for word in re.split(r"[,\s]+", text.strip()) if word]
    except ValueError as error:
        raise CommandError(f"--verbs takes some of {', '.join(Verb)}, not {text!r}.") from error


def parse_persons(text: str) -> dict[str, Any]:
    if text.strip() == "any":
        return {"any_person": True}
    return {"persons": text.split(",")}


def parse_expiry(text: str) -> datetime | None:
    if not text:
        return None
    if days := re.fullmatch(r"(\d{1,5})d", text):
        return timezone.now() + timedelta(days=int(days[1]))
    try:
        if moment := parse_datetime(text):
            return moment if moment.tzinfo else timezone.make_aware(moment)
        if day := parse_date(text):
            return timezone.make_aware(datetime(day.year, day.month, day.day))  # noqa: DTZ001 (made aware here)
    except ValueError:
        pass
    raise CommandError(f"--expires takes 90d, 2030-01-31 or 2030-01-31T12:00:00Z, not {text!r}.")
