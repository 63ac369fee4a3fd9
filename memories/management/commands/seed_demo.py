"""Adds the demo organization."""

from typing import Any

from django.core.management.base import BaseCommand

from memories import demo


class Command(BaseCommand):
    help = "Adds the demo organization with its teams, people and memories, unless it is there; says how to log in."

    def handle(self, *args: Any, **options: Any) -> None:
        account = demo.seed()
        self.stdout.write(f"log in as {account.username} with password {account.password}")
        self.stdout.write(f"token of {account.agent}: {account.token}")
