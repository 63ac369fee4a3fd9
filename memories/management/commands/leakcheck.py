"""Checks on a running hub that nobody reads through any door what is not theirs."""

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memories.leakcheck.check import LeakReport, find_leaks
from teams.models import Organization

LEAKING, UNFINISHED = 1, 2  # exit codes
DEFAULT_READERS, DEFAULT_PROBES = 20, 6


class Command(BaseCommand):
    help = (
        "Read through every door (REST, MCP, tools, pages) as tokens and members of this hub, and compare what comes "
        "back with what each may read, computed from the plain rows. Prints ids, never texts. Changes nothing. Exits "
        "with 1 if anything leaks, with 2 if a door did not answer or an option is wrong."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--org", default="", metavar="SLUG", help="Check this organization alone.")
        parser.add_argument(
            "--sample",
            type=int,
            default=DEFAULT_READERS,
            help=f"Act as so many tokens and as many members; 0: as all of them. Without this: {DEFAULT_READERS}.",
        )
        parser.add_argument(
            "--probes",
            type=int,
            default=DEFAULT_PROBES,
            help=f"Let each try so many memories and files that are not theirs. Without this: {DEFAULT_PROBES}.",
        )
        parser.add_argument("--json", action="store_true", help="Print the result as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["sample"] < 0 or options["probes"] < 1:
            raise CommandError("--sample takes 0 or more, and --probes 1 or more.", returncode=UNFINISHED)
        organizations = Organization.objects.filter(**({"slug": options["org"]} if options["org"] else {}))
        if options["org"] and not organizations:
            raise CommandError(f"There is no organization {options['org']}.", returncode=UNFINISHED)
        report = find_leaks(
            organizations=list(organizations.values_list("pk", flat=True)),
            sample=options["sample"] or sys.maxsize,
            probes=options["probes"],
            on_subject=lambda name: self.stderr.write(f"{name} …") if options["verbosity"] > 1 else None,
        )
        self.stdout.write(json.dumps(report_as_dict(report)) if options["json"] else format_report(report))
        if report.leaks or report.errors:
            sys.exit(LEAKING if report.leaks else UNFINISHED)


def report_as_dict(report: LeakReport) -> dict[str, Any]:
    return {
        "readers": report.readers,
        "requests": report.requests.total(),
        "doors": {
            door: {"requests": report.requests[door], "given": report.given[door], "hidden": report.hidden[door]}
            for door in sorted(report.requests)
        },
        "errors": dict(report.errors),
        "leaks": [
            {"reader": leak.subject, "door": leak.door, leak.kind: str(leak.row_id), "by": leak.how}
            for leak in report.leaks
        ],
    }


def format_report(report: LeakReport) -> str:
    """Return a table of the doors, and a line for each leak."""
    lines = [f"{'door':<28} {'requests':>9} {'rows given':>11} {'hidden':>7} {'leaks':>6}"]
    for door in sorted(report.requests):
        leaks = sum(leak.door == door for leak in report.leaks)
        numbers = f"{report.requests[door]:>9,} {report.given[door]:>11,} {report.hidden[door]:>7,} {leaks:>6,}"
        lines.append(f"{door:<28} {numbers}")
    lines += [f"NO ANSWER  {door} ({number:,} times)" for door, number in sorted(report.errors.items())]
    lines += [f"LEAK  {leak.subject}  {leak.door}  {leak.kind} {leak.row_id} by {leak.how}" for leak in report.leaks]
    verdict = f"{len(report.leaks):,} leaks" if report.leaks else "No leak"
    lines.append(f"{verdict} in {report.requests.total():,} requests as {report.readers:,} readers.")
    return "\n".join(lines)
