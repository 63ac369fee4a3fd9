"""Checks a hub and prints what is wrong with it, if anything is."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from memories.queries import health_report


class Command(BaseCommand):
    help = "Check the hub and print what is wrong; exits with 1 if anything is. Changes nothing."

    def handle(self, *args: Any, **options: Any) -> None:
        findings = health_report.examine_hub()
        for finding in findings:
            advice = f"  {finding.advice}" if finding.number else ""
            self.stdout.write(f"{finding.number:>12,}  {finding.what}{advice}")
        if any(finding.number for finding in findings):
            sys.exit(1)
