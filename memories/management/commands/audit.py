"""Prints the audit log of a memory or of a token: what, when and with which token, never the text."""

import json
import sys
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memories.models import AuditEntry, FileVersion, Memory, RecallLog, Revision
from memories.operations.audit_chain import seal_entries
from memories.queries.audit_check import check_chain
from memories.queries.audit_histories import format_head
from memories.queries.token_activity import MARKS_PER_BATCH, MarkedRow, iterate_rows
from memoryhub.errors import Invalid
from memoryhub.ids import parse_uuid
from teams.models import Token
from teams.tokens import PREFIX_LENGTH

QUERY_CHARACTERS = 120  # characters of a question


class Command(BaseCommand):
    help = "Show who changed a memory, or what was done with a token, newest first; or check the audit chain."

    def add_arguments(self, parser: CommandParser) -> None:
        subject = parser.add_mutually_exclusive_group(required=True)
        subject.add_argument("--memory", metavar="ID", help="Show who changed this memory.")
        subject.add_argument(
            "--token",
            metavar="PREFIX",
            help="Show what was done with this token: mh_ and the nine characters after it.",
        )
        subject.add_argument(
            "--check",
            action="store_true",
            help="Check the audit chain, and name the first broken entry. Exits with 1 if there is one.",
        )
        subject.add_argument(
            "--head", action="store_true", help="Print the last entry's number and hash, to be kept elsewhere."
        )
        parser.add_argument("--anchor", default="", metavar="NUMBER:HASH", help="An earlier head, for --check.")
        parser.add_argument("--json", action="store_true", help="Print one JSON object per line.")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["check"]:
            self._check(anchor=options["anchor"], as_json=options["json"])
            return
        if options["head"]:
            self.stdout.write(format_head(AuditEntry.objects.last_first().first()))
            return
        rows = list_memory_changes(options["memory"]) if options["memory"] else list_token_activity(options["token"])
        for row in rows:
            entry = row_as_dict(row)
            self.stdout.write(json.dumps(entry, ensure_ascii=False) if options["json"] else format_row(entry))

    def _check(self, *, anchor: str, as_json: bool) -> None:
        """Seal what is new, then check the whole chain."""
        seal_entries(everything=True)
        try:
            state = check_chain(anchor=anchor)
        except Invalid as refusal:
            raise CommandError(str(refusal)) from refusal
        if as_json:
            problems = [asdict(problem) for problem in state.problems]
            self.stdout.write(json.dumps({"entries": state.entries, "head": state.head, "problems": problems}))
        else:
            self.stdout.write(f"{state.entries:,} entries, head {state.head}")
            for problem in state.problems:
                self.stdout.write(f"BROKEN  entry {problem.number}  {problem.entry}: {problem.what}.")
        if state.problems:
            sys.exit(1)


def list_memory_changes(memory: str) -> Iterable[MarkedRow]:
    wanted = parse_uuid(memory)
    ids = Memory.objects.filter(pk=wanted).values("organization", "pk").first() if wanted else None
    if ids is None:
        raise CommandError(f"There is no memory {memory}.")
    rows = Revision.objects.of_every_audience(ids["organization"], [ids["pk"]]).with_callers().latest_first()
    return rows.defer("content", "metadata").iterator(chunk_size=MARKS_PER_BATCH)


def list_token_activity(prefix: str) -> Iterable[MarkedRow]:
    token = Token.objects.filter(prefix=prefix[:PREFIX_LENGTH]).first()
    if token is None:
        raise CommandError(f"There is no token {prefix[:PREFIX_LENGTH]}.")
    return iterate_rows(token=token)


def row_as_dict(row: MarkedRow) -> dict[str, Any]:
    """Return the row as JSON: one word for what was done, and what it was done to."""
    who = {"at": row.created_at.isoformat(), "by": row.byline, "token": row.token.prefix if row.token else None}
    match row:
        case Revision():
            return {**who, "did": row.change, "memory": str(row.memory_id), "version": row.version, "key": row.key}
        case FileVersion():
            return {**who, "did": row.change, "file": str(row.file_id), "version": row.version, "path": row.path}
        case RecallLog():
            return {**who, "did": "recalled", "query": row.query, "mode": row.mode, "memories": _recalled_versions(row)}


def _recalled_versions(log: RecallLog) -> dict[str, int]:
    return dict(zip(map(str, log.memory_ids), log.versions, strict=True))


def format_row(entry: dict[str, Any]) -> str:
    start = f"{entry['at'][:19]}  {entry['by']:<16}  {entry['token'] or '-':<12}  {entry['did']:<9}"
    if entry["did"] == "recalled":
        question = (
            json.dumps(entry["query"][:QUERY_CHARACTERS], ensure_ascii=False) if entry["query"] else entry["mode"]
        )
        return f"{start}  {question}: {len(entry['memories'])} given"
    what = f"memory {entry['memory']}" if "memory" in entry else f"file {entry['file']}"
    return f"{start}  {what}  v{entry['version']}  {entry.get('key') or entry.get('path') or '-'}"
