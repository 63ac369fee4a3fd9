"""Adds the demo organization."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memories import demo
from memoryhub.errors import Trouble


class Command(BaseCommand):
    help = "Add the demo organization with its teams, people and memories, unless it exists; print how to log in."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            demo.refuse_in_production()
        except Trouble as refusal:
            raise CommandError(refusal.message) from refusal
        account = demo.seed()
        self.stdout.write(f"log in as {account.username} with password {account.password}")
        self.stdout.write(f"token of {account.agent}: {account.token}")
