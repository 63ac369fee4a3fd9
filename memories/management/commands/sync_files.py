"""Mirrors a team's files, its archived conversations among them, in a folder."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from memories.transfer.folder_sync import FolderSync, SyncAction, SyncStep
from memoryhub.errors import Trouble
from teams import operations, rights
from teams.actor import Actor
from teams.call_context import CallContext
from teams.models import Team


class Command(BaseCommand):
    help = (
        "Mirror a team's files in a folder, in both directions, and report what was done. A change on one side is "
        "copied to the other; if both sides changed, both texts are kept."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--org", default="", metavar="SLUG", help="Needed if two organizations have a team of that name."
        )
        parser.add_argument("--team", required=True, metavar="SLUG")
        parser.add_argument(
            "--workspace", default="", metavar="SLUG", help="The workspace, if the organization has them."
        )
        parser.add_argument("--dir", required=True, type=Path, metavar="FOLDER")
        parser.add_argument(
            "--agent", default="mirror", metavar="SLUG", help="The agent that signs the changes in the hub."
        )
        parser.add_argument("--delete", action="store_true", help="Delete files that were deleted on the other side.")
        parser.add_argument("--dry-run", action="store_true", help="Change nothing; say what would be done.")

    def handle(self, *args: Any, **options: Any) -> None:
        folder, pretend = options["dir"], options["dry_run"]
        if not folder.is_dir():
            raise CommandError(f"There is no folder {folder}.")
        team = find_team_by_slug(options["org"], options["team"])
        try:
            with transaction.atomic():
                actor = build_mirror_actor(team, options["agent"], workspace=options["workspace"])
                transaction.set_rollback(pretend)
            mirror = FolderSync(actor=actor, folder=folder, delete=options["delete"], pretend=pretend)
            steps = [self.say(step, pretend=pretend) for step in mirror.run()]
        except Trouble as error:
            raise CommandError(error.message) from error
        except OSError as error:
            raise CommandError(f"The folder cannot be read or written: {error}.") from error
        if failed := sum(step.act is SyncAction.FAIL for step in steps):
            raise CommandError(f"{failed} of {len(steps)} could not be mirrored, and are as they were.")
        if not steps:
            self.stdout.write("Both sides are alike.")

    def say(self, step: SyncStep, *, pretend: bool) -> SyncStep:
        would = "would be " if pretend and step.act is not SyncAction.LEAVE else ""
        readable = step.path.encode(errors="backslashreplace").decode()  # the name on disk may be no Unicode
        note = f" ({step.note})" if step.note else ""
        self.stdout.write(f"{would}{step.act}: {readable}{note}")
        return step


def find_team_by_slug(org: str, slug: str) -> Team:
    teams = Team.objects.select_related("organization").filter(slug=slug)
    matches = list(teams.filter(organization__slug=org) if org else teams)
    if not matches:
        raise CommandError(f"There is no team {f'{org}/{slug}' if org else slug}.")
    if len(matches) > 1:
        names = ", ".join(sorted(team.organization.slug for team in matches))
        raise CommandError(f"Several organizations have a team {slug}: name one of {names} with --org.")
    return matches[0]


def build_mirror_actor(team: Team, slug: str, *, workspace: str) -> Actor:
    agent = operations.ensure_agent(team=team, slug=slug)
    return rights.actor_of_agent(agent=agent, context=CallContext(workspace=workspace))
