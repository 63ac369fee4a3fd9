"""Prints the status of background jobs, or runs one now."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from memories import jobs


class Command(BaseCommand):
    help = "List the jobs and their state; with a name, run that job once, in this process."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", nargs="?", choices=list(jobs.JOBS_BY_NAME), help="The job to run.")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["name"]:
            self.stdout.write(f"{options['name']}: {jobs.JOBS_BY_NAME[options['name']]()}.")
        else:
            for standing in jobs.list_job_statuses():
                self.tell(standing)

    def tell(self, job: jobs.JobStatus) -> None:
        done = f"last done {job.done_at:%Y-%m-%d %H:%M:%S}" if job.done_at else "not done lately"
        self.stdout.write(f"{job.name:<8}{job.cron or 'after saves':<14}{job.purpose}")
        self.stdout.write(f"{'':<22}{done}; {job.waiting:,} wait, {job.failed:,} failed")
