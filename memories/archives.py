"""A conversation as a markdown file: pleasant to read, and read back exactly."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from memories.fields import Bad, line
from memories.quoting import quoted, unquoted
from memoryhub.errors import Invalid

FOLDER = "conversations"
NAME_LENGTH = 120
ROLE = re.compile(r"[a-z][a-z0-9_-]{0,31}")


@dataclass(frozen=True, slots=True)
class Message:
    role: str
    content: str
    name: str = ""  # of whoever spoke
    at: datetime | None = None
    id: str = ""  # the agent's own

    @property
    def speaker(self) -> str:
        return self.name or self.role


@dataclass(frozen=True, slots=True)
class Conversation:
    name: str
    messages: tuple[Message, ...]
    summary: str = ""
    by: str = ""  # whoever archived it
    session: str = ""


class Unreadable(Exception):
    """A text that is no conversation as we write them."""


def conversation(
    *, name: str, messages: Sequence[Message], summary: str = "", by: str = "", session: str = ""
) -> Conversation:
    """The conversation with its names in form, or an Invalid that says what is not right."""
    wrong: dict[str, str] = {}
    title = _line("name", name, wrong)
    if not wrong and not _plain(title):
        wrong["name"] = "A conversation needs a name."
    if wrong:
        raise Invalid(wrong)
    return Conversation(title, checked(messages), summary, by, session)


def checked(messages: Sequence[Message]) -> tuple[Message, ...]:
    if not messages:
        raise Invalid({"messages": "There is no conversation here."})
    wrong: dict[str, str] = {}
    found = tuple(_message(f"messages.{number}.", message, wrong) for number, message in enumerate(messages))
    if wrong:
        raise Invalid(wrong)
    return found


def _message(place: str, message: Message, wrong: dict[str, str]) -> Message:
    name = _line(f"{place}name", message.name, wrong)
    own_id = _line(f"{place}id", message.id, wrong, longest=200)
    if not ROLE.fullmatch(message.role):
        wrong[f"{place}role"] = "This must be a word like user or assistant."
    return Message(message.role, message.content, name, message.at, own_id)


def _line(field: str, value: str, wrong: dict[str, str], *, longest: int = NAME_LENGTH) -> str:
    try:
        return line(value, longest=longest)
    except Bad as error:
        wrong[field] = str(error)
        return ""


def path(*, name: str, day: date, number: int = 1) -> str:
    """Where the archive lies. The number tells those apart that would lie at the same place."""
    ending = "" if number == 1 else f"-{number}"
    return f"{FOLDER}/{day:%Y-%m-%d}-{_plain(name)}{ending}.md"


def _plain(name: str) -> str:
    """The name as one part of a path that every file system takes."""
    kept = "".join(" " if character in '/\\:*?"<>|' else character for character in name.lower())
    return "-".join(kept.split()).strip(".")


def markdown(kept: Conversation) -> str:
    """What was said is quoted, so that it cannot pass for another message, or for who wrote this."""
    origin = {"by": kept.by, "session": kept.session}
    front = "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in origin.items() if value)
    parts = [f"---\n{front}---", f"# {kept.name}", *([quoted(kept.summary)] if kept.summary else [])]
    for message in kept.messages:
        parts += [_heading(message), quoted(message.content)]
    return "\n\n".join(parts) + "\n"


def _heading(message: Message) -> str:
    """`## role: name`, then the moment and the id on a line of their own."""
    who = f"## {message.role}: {message.name}" if message.name else f"## {message.role}"
    moment, own_id = message.at.isoformat() if message.at else "", f"id {message.id}" if message.id else ""
    when = " ".join(part for part in (moment, own_id) if part)
    return f"{who}\n{when}" if when else who


_FILE = re.compile(r"---\n(?P<front>(?:\w+: [^\n]*\n)*)---\n\n# (?P<name>[^\n]*)(?P<rest>\n.*)", re.DOTALL)
_ORIGIN = re.compile(r"^(\w+): (.*)$", re.MULTILINE)
_WHO = r"(?P<role>[^\n:]*)(?:: (?P<name>[^\n]*))?\n"
_WHEN = r"(?:(?P<at>\d[^\s]+)? ?(?:id (?P<id>[^\n]*))?\n)?"
_MESSAGE = re.compile(rf"{_WHO}{_WHEN}\n(?P<said>> .*)\n", re.DOTALL)


def parse(text: str) -> Conversation:
    """The conversation that `markdown` wrote. No line of what was said begins as a heading does."""
    found = _FILE.fullmatch(text)
    if found is None:
        raise Unreadable("This is no archived conversation.")
    head, *spoken = f"{found['rest']}".split("\n\n## ")
    try:
        origin = {name: str(json.loads(value)) for name, value in _ORIGIN.findall(found["front"])}
        messages = [_parsed(f"{part}\n" if place < len(spoken) else part) for place, part in enumerate(spoken, 1)]
    except ValueError as error:
        raise Unreadable("This conversation was changed by hand and cannot be read back.") from error
    summary = unquoted(head.removeprefix("\n\n")) if head.strip("\n") else ""
    return Conversation(found["name"], tuple(messages), summary, origin.get("by", ""), origin.get("session", ""))


def _parsed(part: str) -> Message:
    found = _MESSAGE.fullmatch(part)
    if found is None:
        raise ValueError(part)
    at = datetime.fromisoformat(found["at"]) if found["at"] else None
    return Message(found["role"], unquoted(found["said"]), found["name"] or "", at, found["id"] or "")


@dataclass(frozen=True, slots=True)
class Title:
    name: str
    by: str = ""


_TITLE = re.compile(r"---\n(?P<front>(?:\w+: [^\n]*\n)*)---\n\n# (?P<name>[^\n]+)")


def title(text: str, *, path: str) -> Title:
    """What a conversation is called and who kept it, by how its file begins; of another file, by its path."""
    found = _TITLE.match(text)
    if found is None:
        return Title(path.rpartition("/")[2].removesuffix(".md"))
    by = dict(_ORIGIN.findall(found["front"])).get("by", "")
    try:
        return Title(found["name"], str(json.loads(by)) if by else "")
    except ValueError:
        return Title(found["name"])


def read(text: str) -> tuple[Message, ...]:
    return parse(text).messages


# In few words

DIGEST_BYTES = 8_000  # enough to be found by, and no more than a prompt can bear
SAID_LENGTH = 300  # of each message
GIST_LENGTH = 300


def gist(kept: Conversation) -> str:
    """The conversation on a line."""
    speakers = ", ".join(dict.fromkeys(message.speaker for message in kept.messages))
    first = next((message.content for message in kept.messages if message.role == "user"), kept.messages[0].content)
    return _shortened(f"Conversation {kept.name!r} of {speakers}: {' '.join(first.split())}", longest=GIST_LENGTH)


def digest(kept: Conversation) -> str:
    """What was said, shortened: the beginning and the end of it where there is too much."""
    said = [f"{message.speaker}: {_shortened(message.content, longest=SAID_LENGTH)}" for message in kept.messages]
    size = sum(len(line.encode()) + 1 for line in said)
    if size > DIGEST_BYTES:
        while size > DIGEST_BYTES:
            size -= len(said.pop(len(said) // 2).encode()) + 1
        said.insert((len(said) + 1) // 2, "…")
    return "\n".join([gist(kept), *said])


def _shortened(text: str, *, longest: int) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= longest else f"{plain[: longest - 1].rstrip()}…"
