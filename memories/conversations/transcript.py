"""Conversations as markdown files: pleasant to read, and parsed back exactly."""

import json
import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from memories.prompts.quoting import quote_lines, unquote_lines
from memories.rules.fields import BadField, clean_line
from memoryhub.errors import Invalid

ARCHIVE_FOLDER = "conversations"
CONVERSATION_NAME_LENGTH = 120
ROLE_PATTERN = re.compile(r"[a-z][a-z0-9_-]{0,31}")


@dataclass(frozen=True, slots=True)
class Message:
    role: str
    content: str
    name: str = ""  # name of the speaker
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


class UnreadableConversation(Exception):
    """The text is not a conversation as we write them."""


def build_conversation(
    *, name: str, messages: Sequence[Message], summary: str = "", by: str = "", session: str = ""
) -> Conversation:
    """Return the conversation with its names normalized, or raise an Invalid that says what is wrong."""
    wrong: dict[str, str] = {}
    title = _clean_line("name", name, wrong)
    if not wrong and not _slugify_name(title):
        wrong["name"] = "A conversation needs a name."
    if wrong:
        raise Invalid(wrong)
    return Conversation(title, check_messages(messages), summary, by, session)


def check_messages(messages: Sequence[Message]) -> tuple[Message, ...]:
    if not messages:
        raise Invalid({"messages": "There is no conversation here."})
    wrong: dict[str, str] = {}
    found = tuple(_check_message(f"messages.{number}.", message, wrong) for number, message in enumerate(messages))
    if wrong:
        raise Invalid(wrong)
    return found


def _check_message(place: str, message: Message, wrong: dict[str, str]) -> Message:
    name = message.name and _clean_line(f"{place}name", message.name, wrong)
    own_id = message.id and _clean_line(f"{place}id", message.id, wrong, longest=200)
    if not ROLE_PATTERN.fullmatch(message.role):
        wrong[f"{place}role"] = "This must be a word like user or assistant."
    if (name, own_id) == (message.name, message.id):
        return message
    return Message(message.role, message.content, name, message.at, own_id)


def _clean_line(field: str, value: str, wrong: dict[str, str], *, longest: int = CONVERSATION_NAME_LENGTH) -> str:
    try:
        return clean_line(value, longest=longest)
    except BadField as error:
        wrong[field] = str(error)
        return ""


def archive_path(*, name: str, day: date, number: int = 1) -> str:
    """Return the path of the archive. The number tells apart archives that would have the same path."""
    ending = "" if number == 1 else f"-{number}"
    return f"{ARCHIVE_FOLDER}/{day:%Y-%m-%d}-{_slugify_name(name)}{ending}.md"


def _slugify_name(name: str) -> str:
    """Return the name as one part of a path that every file system accepts."""
    kept = "".join(" " if character in '/\\:*?"<>|' else character for character in name.lower())
    return "-".join(kept.split()).strip(".")


def render_conversation(conversation: Conversation) -> str:
    """Return the conversation as markdown. Messages are quoted, so that they cannot pass for another message or for the
    front matter."""
    parts = [
        render_front_matter(conversation),
        f"# {conversation.name}",
        *([quote_lines(conversation.summary)] if conversation.summary else []),
    ]
    for message in conversation.messages:
        parts += [_render_heading(message), quote_lines(message.content)]
    return "\n\n".join(parts) + "\n"


def render_front_matter(conversation: Conversation) -> str:
    """Return how every archive of whoever archived this one, and of its session, begins."""
    origin = {"by": conversation.by, "session": conversation.session}
    front = "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in origin.items() if value)
    return f"---\n{front}---"


def _render_heading(message: Message) -> str:
    """Return `## role: name`, then the time and the id on a line of their own."""
    who = f"## {message.role}: {message.name}" if message.name else f"## {message.role}"
    moment, own_id = message.at.isoformat() if message.at else "", f"id {message.id}" if message.id else ""
    when = " ".join(part for part in (moment, own_id) if part)
    return f"{who}\n{when}" if when else who


_FILE = re.compile(r"---\n(?P<front>(?:\w+: [^\n]*\n)*)---\n\n# (?P<name>[^\n]*)(?P<rest>\n.*)", re.DOTALL)
_ORIGIN = re.compile(r"^(\w+): (.*)$", re.MULTILINE)
_WHO = r"(?P<role>[^\n:]*)(?:: (?P<name>[^\n]*))?\n"
_WHEN = r"(?:(?P<at>\d[^\s]+)? ?(?:id (?P<id>[^\n]*))?\n)?"
_MESSAGE = re.compile(rf"{_WHO}{_WHEN}\n(?P<said>> .*)\n", re.DOTALL)


def parse_conversation(text: str) -> Conversation:
    """Return the conversation that `render_conversation` wrote. No line of a quoted message begins like a heading."""
    found = _FILE.fullmatch(text)
    if found is None:
        raise UnreadableConversation("This is no archived conversation.")
    head, *spoken = f"{found['rest']}".split("\n\n## ")
    try:
        origin = {name: str(json.loads(value)) for name, value in _ORIGIN.findall(found["front"])}
        messages = [
            _parse_message(f"{part}\n" if place < len(spoken) else part) for place, part in enumerate(spoken, 1)
        ]
    except ValueError as error:
        raise UnreadableConversation("This conversation was changed by hand and cannot be read back.") from error
    summary = unquote_lines(head.removeprefix("\n\n")) if head.strip("\n") else ""
    return Conversation(found["name"], tuple(messages), summary, origin.get("by", ""), origin.get("session", ""))


def _parse_message(part: str) -> Message:
    found = _MESSAGE.fullmatch(part)
    if found is None:
        raise ValueError(part)
    at = datetime.fromisoformat(found["at"]) if found["at"] else None
    return Message(found["role"], unquote_lines(found["said"]), found["name"] or "", at, found["id"] or "")


@dataclass(frozen=True, slots=True)
class ConversationTitle:
    name: str
    by: str = ""


_TITLE = re.compile(r"---\n(?P<front>(?:\w+: [^\n]*\n)*)---\n\n# (?P<name>[^\n]+)")


def read_title(text: str, *, path: str) -> ConversationTitle:
    """Return a conversation's name and who archived it, from the beginning of its file; for any other file, the name
    from its path."""
    found = _TITLE.match(text)
    if found is None:
        return ConversationTitle(path.rpartition("/")[2].removesuffix(".md"))
    by = dict(_ORIGIN.findall(found["front"])).get("by", "")
    try:
        return ConversationTitle(found["name"], str(json.loads(by)) if by else "")
    except ValueError:
        return ConversationTitle(found["name"])


def read_messages(text: str) -> tuple[Message, ...]:
    return parse_conversation(text).messages


# In few words

DIGEST_BYTES = 8_000  # enough to be found by, and no more than a prompt can bear
DIGEST_MESSAGE_LENGTH = 300  # characters of each message
GIST_LENGTH = 300


def render_gist(conversation: Conversation) -> str:
    """Return the gist of the conversation on one line."""
    speakers = ", ".join(dict.fromkeys(message.speaker for message in conversation.messages))
    first = next(
        (message.content for message in conversation.messages if message.role == "user"),
        conversation.messages[0].content,
    )
    return _shorten_line(
        f"Conversation {conversation.name!r} of {speakers}: {' '.join(first.split())}", longest=GIST_LENGTH
    )


def render_digest(conversation: Conversation) -> str:
    """Return the conversation shortened: if it is too long, only its beginning and its end."""
    lines = [
        f"{message.speaker}: {_shorten_line(message.content, longest=DIGEST_MESSAGE_LENGTH)}"
        for message in conversation.messages
    ]
    size = sum(len(line.encode()) + 1 for line in lines)
    if size > DIGEST_BYTES:
        lines = _leave_out_middle(lines, over=size - DIGEST_BYTES)
    return "\n".join([render_gist(conversation), *lines])


def _leave_out_middle(lines: Sequence[str], *, over: int) -> list[str]:
    """Return the lines without so many bytes of the middle ones."""
    half = len(lines) // 2
    left, right = deque(lines[:half]), deque(lines[half:])
    while over > 0:
        middle = left.pop() if len(left) > len(right) else right.popleft()
        over -= len(middle.encode()) + 1
    return [*left, "…", *right]


def _shorten_line(text: str, *, longest: int) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= longest else f"{plain[: longest - 1].rstrip()}…"
