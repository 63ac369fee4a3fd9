"""Says how the jobs fare, or does one now."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from memories import jobs


class Command(BaseCommand):
    help = "Says how the jobs fare; with a name, does that one once, here and now."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", nargs="?", choices=list(jobs.NOW), help="The job to do.")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["name"]:
            self.stdout.write(f"{options['name']}: {jobs.NOW[options['name']]()}.")
        else:
            for standing in jobs.standings():
                self.tell(standing)

    def tell(self, job: jobs.Standing) -> None:
        done = f"last done {job.done_at:%Y-%m-%d %H:%M:%S}" if job.done_at else "not done lately"
        self.stdout.write(f"{job.name:<8}{job.cron or 'after saves':<14}{job.purpose}")
        self.stdout.write(f"{'':<22}{done}; {job.waiting:,} wait, {job.failed:,} failed")
