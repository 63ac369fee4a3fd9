"""Says who changed a memory, or what was done with a token: what, when and with which token, never the text."""

import json
from collections.abc import Iterable
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memories.models import FileVersion, Memory, RecallLog, Revision
from memories.traces import AT_ONCE, Row, everything
from memoryhub.ids import as_uuid
from teams.models import Token
from teams.tokens import PREFIX_LENGTH

SHOWN = 120  # characters of a question


class Command(BaseCommand):
    help = "Says who changed a memory, or what was done with a token, the newest first."

    def add_arguments(self, parser: CommandParser) -> None:
        asked = parser.add_mutually_exclusive_group(required=True)
        asked.add_argument("--memory", metavar="ID", help="Who changed it.")
        asked.add_argument(
            "--token", metavar="PREFIX", help="What was done with it: mh_ and the nine characters after."
        )
        parser.add_argument("--json", action="store_true", help="One JSON object a line.")

    def handle(self, *args: Any, **options: Any) -> None:
        rows = changes(options["memory"]) if options["memory"] else deeds(options["token"])
        for row in rows:
            said = told(row)
            self.stdout.write(json.dumps(said, ensure_ascii=False) if options["json"] else line(said))


def changes(memory: str) -> Iterable[Row]:
    wanted = as_uuid(memory)
    found = Memory.objects.filter(pk=wanted).values("organization", "pk").first() if wanted else None
    if found is None:
        raise CommandError(f"There is no memory {memory}.")
    rows = Revision.objects.filter(organization=found["organization"], memory=found["pk"]).order_by("-version")
    return rows.select_related("agent", "user", "token").defer("content", "metadata").iterator(chunk_size=AT_ONCE)


def deeds(prefix: str) -> Iterable[Row]:
    token = Token.objects.filter(prefix=prefix[:PREFIX_LENGTH]).first()
    if token is None:
        raise CommandError(f"There is no token {prefix[:PREFIX_LENGTH]}.")
    return everything(token=token)


def told(row: Row) -> dict[str, Any]:
    """One word for what was done, and what it was done to."""
    who = {"at": row.created_at.isoformat(), "by": row.byline, "token": row.token.prefix if row.token else None}
    match row:
        case Revision():
            return {**who, "did": row.change, "memory": str(row.memory_id), "version": row.version, "key": row.key}
        case FileVersion():
            return {**who, "did": row.change, "file": str(row.file_id), "version": row.version, "path": row.path}
        case RecallLog():
            return {**who, "did": "recalled", "query": row.query, "mode": row.mode, "memories": _versions(row)}


def _versions(log: RecallLog) -> dict[str, int]:
    return dict(zip(map(str, log.memory_ids), log.versions, strict=True))


def line(said: dict[str, Any]) -> str:
    start = f"{said['at'][:19]}  {said['by']:<16}  {said['token'] or '-':<12}  {said['did']:<9}"
    if said["did"] == "recalled":
        asked = json.dumps(said["query"][:SHOWN], ensure_ascii=False) if said["query"] else said["mode"]
        return f"{start}  {asked}: {len(said['memories'])} given"
    what = f"memory {said['memory']}" if "memory" in said else f"file {said['file']}"
    return f"{start}  {what}  v{said['version']}  {said.get('key') or said.get('path') or '-'}"
