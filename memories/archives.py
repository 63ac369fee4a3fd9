"""Conversations kept: a markdown file for reading and a memory that recall finds."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from memories import operations
from memories.fields import Bad, line
from memories.models import CONTENT_BYTES, Memory, TeamFile
from memoryhub.errors import Invalid
from teams.actor import Actor

FOLDER = "conversations"
CATEGORY = "conversation"


@dataclass(frozen=True, slots=True)
class Message:
    role: str
    text: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Archive:
    file: TeamFile
    memory: Memory


@transaction.atomic
def archive(
    *, actor: Actor, name: str, messages: Sequence[Message], summary: str = "", now: datetime | None = None
) -> Archive:
    """Writes `conversations/{day}-{name}.md` and a memory of category conversation that points to it."""
    now = now or timezone.now()
    if not messages:
        raise Invalid({"messages": "There is no conversation to archive."})
    path = f"{FOLDER}/{now:%Y-%m-%d}-{_plain(name)}.md"
    text = markdown(name=name, messages=messages, summary=summary)
    file = operations.files.write(actor=actor, path=path, content=text, now=now)
    draft = operations.Draft(
        content=_shortened(summary or text),
        key=path,
        type="event",
        category=CATEGORY,
        source="auto",
        tags=[CATEGORY],
        metadata={"file": path},
    )
    return Archive(file, operations.save(actor=actor, draft=draft, now=now))


def markdown(*, name: str, messages: Sequence[Message], summary: str) -> str:
    """The conversation as a person would read it. What was said is quoted, so that it cannot pass for a new message."""
    parts = [f"# {_line('name', name)}", *([_quoted(summary)] if summary else [])]
    for message in messages:
        role = _line("role", message.role)
        parts += [f"## {_line('name', message.name) or role} ({role})", _quoted(message.text)]
    return "\n\n".join(parts) + "\n"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def _line(field: str, value: str) -> str:
    try:
        return line(value, longest=120)
    except Bad as error:
        raise Invalid({field: str(error)}) from error


def _plain(name: str) -> str:
    """The name as one part of a path that every file system takes."""
    kept = "".join(" " if character in '/\\:*?"<>|' else character for character in _line("name", name).lower())
    plain = "-".join(kept.split()).strip(".")
    if not plain:
        raise Invalid({"name": "A conversation needs a name."})
    return plain


def _shortened(text: str) -> str:
    return text.encode()[:CONTENT_BYTES].decode(errors="ignore")
