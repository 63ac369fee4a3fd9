"""Places, lists and releases legal holds."""

from typing import Any

from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from memories.models import LegalHold
from memories.operations import place_hold, release_hold
from memoryhub.errors import Trouble
from memoryhub.ids import parse_uuid
from teams.models import Organization, Person, Team


class Command(BaseCommand):
    help = (
        "Place, list or release legal holds. Nothing that a hold covers is purged, erased, redacted or removed at the "
        "end of its retention. What is done is written to the audit log of the admin, with the login of --by."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        commands = parser.add_subparsers(dest="command", required=True)
        place = commands.add_parser("place", help="Hold what matches all that is named: without any, everything.")
        place.add_argument("--org", required=True, metavar="SLUG")
        place.add_argument("--team", default="", metavar="SLUG", help="What belongs to this team.")
        place.add_argument("--person", default="", metavar="HANDLE", help="Memories, sessions and recalls of a person.")
        place.add_argument("--category", default="", help="Memories of this category.")
        place.add_argument("--key-prefix", default="", help="Memories and files whose key or path begins like this.")
        place.add_argument("--reason", required=True)
        place.add_argument("--by", required=True, metavar="LOGIN", help="The operator who places it.")
        listing = commands.add_parser("list", help="List the active holds.")
        listing.add_argument("--org", default="", metavar="SLUG")
        listing.add_argument("--all", action="store_true", help="List released ones, too.")
        release = commands.add_parser("release", help="Release a hold.")
        release.add_argument("id", help="As `hold list` prints it.")
        release.add_argument("--by", required=True, metavar="LOGIN", help="The operator who releases it.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            match options["command"]:
                case "place":
                    self._place(**options)
                case "release":
                    self._release(hold_id=options["id"], login=options["by"])
                case _:
                    self._list(organization=options["org"], released=options["all"])
        except Trouble as refusal:
            raise CommandError(str(refusal)) from refusal

    @transaction.atomic
    def _place(self, *, org: str, team: str, person: str, by: str, **options: Any) -> None:
        organization = find_row(Organization, f"organization {org}", slug=org)
        within = {"organization": organization}
        user = find_operator(by)
        hold = place_hold(
            user=user,
            organization=organization,
            team=find_row(Team, f"team {team}", **within, slug=team) if team else None,
            person=find_row(Person, f"person {person}", **within, handle=person) if person else None,
            **{name: options[name] for name in ("category", "key_prefix", "reason")},
        )
        LogEntry.objects.log_actions(user.pk, [hold], ADDITION, "Placed on the command line.", single_object=True)
        self.stdout.write(f"{hold.pk}  holds {hold} of {organization.slug}.")

    @transaction.atomic
    def _release(self, *, hold_id: str, login: str) -> None:
        user, wanted = find_operator(login), parse_uuid(hold_id)
        if wanted is None:
            raise CommandError(f"{hold_id} is not the id of a legal hold.")
        hold = release_hold(user=user, hold_id=wanted)
        LogEntry.objects.log_actions(user.pk, [hold], CHANGE, "Released on the command line.", single_object=True)
        self.stdout.write(f"{hold.pk}  is released.")

    def _list(self, *, organization: str, released: bool) -> None:
        holds = LegalHold.objects.all() if released else LegalHold.objects.active()
        if organization:
            holds = holds.in_organization(find_row(Organization, f"organization {organization}", slug=organization).pk)
        for hold in holds.select_related("organization", "team", "person", "created_by").order_by("pk"):
            self.stdout.write(format_hold(hold))


def format_hold(hold: LegalHold) -> str:
    released = f", released {hold.released_at:%Y-%m-%d}" if hold.released_at else ""
    placed = f"{hold.created_at:%Y-%m-%d} by {hold.created_by or 'an import'}{released}"
    return f"{hold.pk}  {hold.organization.slug}  {hold}  {placed}: {hold.reason}"


def find_row(model: Any, name: str, **values: Any) -> Any:
    row = model.objects.filter(**values).first()
    if row is None:
        raise CommandError(f"There is no {name}.")
    return row


def find_operator(login: str) -> User:
    """Return the login of somebody who works in the admin."""
    user = User.objects.filter(username=login, is_staff=True, is_active=True).first()
    if user is None:
        raise CommandError(f"{login} is no operator: name the login of somebody who may enter the admin.")
    return user
