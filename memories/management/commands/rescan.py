"""Looks for secrets, personal data and instructions to a model in what is stored, and reports where they are."""

import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memories.operations import RedactionCounts, redact_stored_texts
from memories.queries.stored_texts import StoredText, iterate_texts
from memories.screening.findings import Finding, FindingGroup
from memories.screening.screen import screen_text
from teams.models import Organization

DEFAULT_KINDS = (FindingGroup.SECRET, FindingGroup.INJECTION)
PROGRESS_INTERVAL = 2.0  # seconds
FOUND, WRONG = 1, 2  # exit codes


class Command(BaseCommand):
    help = (
        "List where secrets, personal data and instructions to a model are stored, in every version of memories and "
        "files and in attachments. Prints ids and kinds, never the text. Changes nothing without --redact. Exits with "
        "1 if anything was found or is left, with 2 if an option is wrong."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--org", default="", metavar="SLUG", help="Read this organization alone.")
        parser.add_argument(
            "--kinds",
            default=",".join(DEFAULT_KINDS),
            metavar="KIND,…",
            help=f"What to look for: {', '.join(FindingGroup)}. Without this: {' and '.join(DEFAULT_KINDS)}.",
        )

        parser.add_argument(
            "--redact",
            action="store_true",
            help="First redact secrets (and personal data, if it is among the kinds), in place and for good: in every "
            "version, vectors, the recall log, proposals and stored answers. Names and attached files are left.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        kinds, organizations = parse_kinds(options["kinds"]), select_organizations(options["org"])
        counts = Counter[tuple[str, str, str]]()
        if options["redact"]:
            self._redact(organizations, kinds - {FindingGroup.INJECTION})
        for organization in organizations:
            for stored, finding in find_in_texts(self._report_progress(iterate_texts(organization.pk)), kinds):
                counts[stored.place, finding.group, finding.kind] += 1
                self.stdout.write(format_finding(organization.slug, stored, finding))
        self._sum_up(counts)
        if counts:
            sys.exit(FOUND)

    def _redact(self, organizations: Iterable[Organization], kinds: frozenset[FindingGroup]) -> None:
        if not kinds:
            raise CommandError(
                "--redact removes secrets and personal data only, not instructions to a model.", returncode=WRONG
            )
        counts = sum((redact_stored_texts(each.pk, kinds) for each in organizations), RedactionCounts())
        if not counts:
            self.stdout.write("Nothing was redacted.")
            return
        self.stdout.write("Redacted:")
        self._sum_up(counts)
        self.stdout.write("What is left:")

    def _report_progress(self, texts: Iterable[StoredText]) -> Iterator[StoredText]:
        """Pass the texts on, and say now and then how many were read."""
        said_at = time.monotonic()
        for number, stored in enumerate(texts, start=1):
            yield stored
            if time.monotonic() - said_at >= PROGRESS_INTERVAL:
                said_at = time.monotonic()
                self.stderr.write(f"{number:,} texts read, now of kind {stored.place} …")

    def _sum_up(self, counts: Counter[tuple[str, str, str]]) -> None:
        if not counts:
            self.stdout.write("Nothing was found.")
        for (place, group, kind), number in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            self.stdout.write(f"{number:>10,}  {place:<15} {group:<10} {kind}")


def parse_kinds(written: str) -> frozenset[FindingGroup]:
    names = [name.strip() for name in written.split(",") if name.strip()]
    unknown = sorted(set(names) - set(FindingGroup))
    if unknown or not names:
        raise CommandError(
            f"--kinds takes some of {', '.join(FindingGroup)}, not {', '.join(unknown) or 'nothing'}.", returncode=WRONG
        )
    return frozenset(map(FindingGroup, names))


def select_organizations(slug: str) -> list[Organization]:
    organizations = list(Organization.objects.filter(slug=slug) if slug else Organization.objects.order_by("slug"))
    if slug and not organizations:
        raise CommandError(f"There is no organization {slug}.", returncode=WRONG)
    return organizations


def find_in_texts(texts: Iterable[StoredText], kinds: frozenset[FindingGroup]) -> Iterator[tuple[StoredText, Finding]]:
    for stored in texts:
        for finding in screen_text(stored.text, groups=kinds).list_findings():
            yield stored, finding


def format_finding(organization: str, stored: StoredText, finding: Finding) -> str:
    version = "-" if stored.version is None else f"v{stored.version}"
    where = f"{finding.start}-{finding.end}"
    return (
        f"{organization}  {stored.place:<14}  {stored.row_id}  {version:<4}  {stored.field:<9} {where:<11}  "
        f"{finding.group}: {finding.kind}"
    )
