"""A worker: runs queued background jobs until it is told to stop."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memories import jobs
from memoryhub.outages import find_outage

WORKER_STOP_SECONDS = 20.0  # seconds for running jobs to end


class Command(BaseCommand):
    help = "Run the jobs that are waiting in the database. Ctrl-C lets it finish its current jobs and stop."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--concurrency", type=int, default=2, help="How many jobs to run at once.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            jobs.mend_job()
            jobs.run_worker(concurrency=options["concurrency"], shutdown_graceful_timeout=WORKER_STOP_SECONDS)
        except Exception as error:
            away = find_outage(error)
            if away is None:
                raise
            raise CommandError(f"The database does not answer: {' '.join(str(away).split())}") from None
