"""Erases a person everywhere, and checks receipts of erasures."""

import json
from pathlib import Path
from typing import Any

from django.contrib.admin.models import DELETION, LogEntry
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from memories.management.commands.hold import find_operator, find_row
from memories.models import Erasure
from memories.operations.erase_person import erase_person
from memories.operations.erasure_receipts import names_handle, read_receipt
from memoryhub.errors import Trouble
from teams.models import Organization, Person


class Command(BaseCommand):
    help = (
        "Erase a person: their memories with every version, vector and attachment, their sessions and archived "
        "conversations, what was recalled for them, and every mention of their names in other texts. Prints a signed "
        "receipt. It cannot be undone."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--org", default="", metavar="SLUG")
        parser.add_argument("--handle", default="", help="The person's handle.")
        parser.add_argument("--by", default="", metavar="LOGIN", help="The operator who erases.")
        parser.add_argument("--dry-run", action="store_true", help="Print what would be erased, and change nothing.")
        parser.add_argument(
            "--check",
            type=Path,
            metavar="RECEIPT",
            help="Check that this hub signed the receipt; with --handle, that it is about this person, too.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["check"]:
                self._check(options["check"], options["handle"])
            elif options["org"] and options["handle"]:
                self._erase(**options)
            else:
                raise CommandError("Name the organization (--org) and the person (--handle), or a receipt (--check).")
        except Trouble as refusal:
            raise CommandError(str(refusal)) from refusal

    def _check(self, path: Path, handle: str) -> None:
        try:
            receipt = read_receipt(path.read_text())
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{path} cannot be read: {error}.") from error
        if handle and not names_handle(receipt, handle):
            raise CommandError("This hub signed the receipt, but it is not about this person.")
        self.stdout.write(f"This hub erased {'this' if handle else 'a'} person at {receipt['erased_at']}.")

    @transaction.atomic
    def _erase(self, *, org: str, handle: str, by: str, dry_run: bool, **_: Any) -> None:
        if not by and not dry_run:
            raise CommandError("Name the operator who erases (--by).")
        user = find_operator(by) if by else None
        organization = find_row(Organization, f"organization {org}", slug=org)
        person = find_row(Person, f"person {handle}", organization=organization, handle=handle)
        receipt = erase_person(user=user, person=person, pretend=dry_run)
        if user and not dry_run:
            erasure = Erasure.objects.get(pk=receipt["id"])
            LogEntry.objects.log_actions(user.pk, [erasure], DELETION, "Erased a person.", single_object=True)
        self.stdout.write(json.dumps(receipt if not dry_run else {**receipt, "signature": "none: a dry run"}, indent=2))
