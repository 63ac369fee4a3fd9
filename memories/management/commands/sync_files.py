"""Mirrors a team's files, its archived conversations among them, in a folder."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from memories.mirroring import Act, Mirror, Step
from memoryhub.errors import Trouble
from teams import auth, operations
from teams.actor import Actor
from teams.circumstances import Context
from teams.models import Team


class Command(BaseCommand):
    help = (
        "Mirrors a team's files in a folder, both ways, and says what it did. What changed on one side goes to the "
        "other; of what changed on both, both are kept."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--org", default="", metavar="SLUG", help="Needed if two have a team of that name.")
        parser.add_argument("--team", required=True, metavar="SLUG")
        parser.add_argument("--workspace", default="", metavar="SLUG", help="Whose, if the organization has several.")
        parser.add_argument("--dir", required=True, type=Path, metavar="FOLDER")
        parser.add_argument("--agent", default="mirror", metavar="SLUG", help="In whose name the hub is changed.")
        parser.add_argument("--delete", action="store_true", help="What one side deleted is deleted on the other.")
        parser.add_argument("--dry-run", action="store_true", help="Changes nothing; says what would be done.")

    def handle(self, *args: Any, **options: Any) -> None:
        folder, pretend = options["dir"], options["dry_run"]
        if not folder.is_dir():
            raise CommandError(f"There is no folder {folder}.")
        team = named_team(options["org"], options["team"])
        try:
            with transaction.atomic():
                actor = signing(team, options["agent"], workspace=options["workspace"])
                transaction.set_rollback(pretend)
            mirror = Mirror(actor=actor, folder=folder, delete=options["delete"], pretend=pretend)
            steps = [self.say(step, pretend=pretend) for step in mirror.run()]
        except Trouble as error:
            raise CommandError(error.message) from error
        except OSError as error:
            raise CommandError(f"The folder cannot be read or written: {error}.") from error
        if failed := sum(step.act is Act.FAIL for step in steps):
            raise CommandError(f"{failed} of {len(steps)} could not be mirrored, and are as they were.")
        if not steps:
            self.stdout.write("Both sides are alike.")

    def say(self, step: Step, *, pretend: bool) -> Step:
        would = "would be " if pretend and step.act is not Act.LEAVE else ""
        readable = step.path.encode(errors="backslashreplace").decode()  # the name on disk may be no Unicode
        note = f" ({step.note})" if step.note else ""
        self.stdout.write(f"{would}{step.act}: {readable}{note}")
        return step


def named_team(org: str, slug: str) -> Team:
    teams = Team.objects.select_related("organization").filter(slug=slug)
    found = list(teams.filter(organization__slug=org) if org else teams)
    if not found:
        raise CommandError(f"There is no team {f'{org}/{slug}' if org else slug}.")
    if len(found) > 1:
        names = ", ".join(sorted(team.organization.slug for team in found))
        raise CommandError(f"Several organizations have a team {slug}: name one of {names} with --org.")
    return found[0]


def signing(team: Team, slug: str, *, workspace: str) -> Actor:
    agent = operations.ensure_agent(team=team, slug=slug)
    return auth.actor_of_agent(agent=agent, context=Context(workspace=workspace))
