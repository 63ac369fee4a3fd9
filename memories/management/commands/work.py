"""A worker: does the jobs that wait in the database, until it is told to stop."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from memories import jobs

STOP_WITHIN = 20.0  # seconds for the jobs at hand to end


class Command(BaseCommand):
    help = "Does the jobs that wait in the database. Ctrl-C lets it finish those at hand and stop."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--concurrency", type=int, default=2, help="Jobs at once.")

    def handle(self, *args: Any, **options: Any) -> None:
        jobs.mend()
        jobs.work(concurrency=options["concurrency"], shutdown_graceful_timeout=STOP_WITHIN)
