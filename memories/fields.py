"""What each field of a memory may hold: checked and brought into form here, whichever door it came through."""

import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from enum import Enum
from typing import Any, Final

from memories.models import (
    CONTENT_BYTES,
    FILE_BYTES,
    KEY_LENGTH,
    LABEL_LENGTH,
    METADATA_BYTES,
    PATH_LENGTH,
    SUMMARY_LENGTH,
    TAG_COUNT,
    Relation,
    Scope,
    Type,
)
from memoryhub.errors import Invalid, TooLarge
from memoryhub.text import flaw, line_flaw, tidy

METADATA_DEPTH = 32
LARGEST_NUMBER = 2**63  # JSON readers disagree on larger ones


class Said(Enum):
    """Marks a field that the caller left out, where None would mean "empty it"."""

    NOTHING = "nothing"


UNSAID: Final = Said.NOTHING

DEFAULT_IMPORTANCE: Mapping[str, float] = {
    Type.IDENTITY: 1.0,
    Type.DECISION: 0.8,
    Type.PREFERENCE: 0.7,
    Type.GOAL: 0.7,
    Type.LESSON: 0.7,
    Type.FACT: 0.5,
    Type.EVENT: 0.5,
    Type.OBSERVATION: 0.4,
    Type.TODO: 0.3,
}


class Bad(ValueError):
    """One field's sentence, gathered into an Invalid."""


class BadSize(Bad):
    pass


def clean(values: Mapping[str, Any], *, now: datetime) -> dict[str, Any]:
    """The fields that were said, each in its form; or an Invalid that names every field that is not right."""
    cleaned: dict[str, Any] = {}
    wrong: dict[str, str] = {}
    kind: type[Invalid] = Invalid
    for name, value in values.items():
        if value is UNSAID:
            continue
        try:
            cleaned[name] = CLEANERS[name](value, now)
        except Bad as error:
            wrong[name] = str(error)
            kind = TooLarge if isinstance(error, BadSize) else kind
    if wrong:
        raise kind(wrong)
    return cleaned


def text(value: object, *, longest: int) -> str:
    """Text that Postgres can hold, of at most so many characters."""
    if not isinstance(value, str):
        raise Bad("This must be text.")
    if found := flaw(value, longest=longest):
        raise Bad(found)
    return value


def line(value: object, *, longest: int) -> str:
    """Text that fits on one line, in its one way of writing it."""
    found = tidy(text(value, longest=10 * longest))
    if wrong := line_flaw(found, longest=longest):
        raise Bad(wrong)
    return found


def body(value: object, *, most_bytes: int = CONTENT_BYTES) -> str:
    content = text(value, longest=sys.maxsize)
    size = len(content.encode())
    if size > most_bytes:
        raise BadSize(f"At most {most_bytes:,} bytes of UTF-8; these are {size:,}.")
    return content


def filled(value: object) -> str:
    content = body(value)
    if not content.strip():
        raise Bad("There must be something to remember: this is empty.")
    return content


def label(value: object, *, otherwise: str) -> str:
    return line(value, longest=LABEL_LENGTH) or otherwise


def tags(value: object) -> list[str]:
    if not isinstance(value, list | tuple):
        raise Bad("Tags are a list of texts.")
    cleaned = [line(line(tag, longest=LABEL_LENGTH).lower(), longest=LABEL_LENGTH) for tag in value]
    unique = list(dict.fromkeys(tag for tag in cleaned if tag))
    if len(unique) > TAG_COUNT:
        raise Bad(f"At most {TAG_COUNT} tags; these are {len(unique)}.")
    return unique


def fraction(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Bad("This must be a number from 0.0 to 1.0.")
    if not 0 <= value <= 1:  # which not-a-number is not either
        raise Bad("This must be a number from 0.0 to 1.0.")
    return round(float(value), 6)  # far below what anybody means, and far above where Postgres' arithmetic ends


def one_of(value: object, *, choices: Iterable[str]) -> str:
    if not isinstance(value, str) or value not in choices:
        raise Bad(f"This must be one of {', '.join(choices)}.")
    return str(value)


def flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise Bad("This must be true or false.")
    return value


def moment(value: object) -> datetime | None:
    if value is not None and (not isinstance(value, datetime) or value.tzinfo is None):
        raise Bad("This must be a date and time with its time zone, or null.")
    try:
        return value.astimezone(UTC) if value else None
    except OverflowError as error:
        raise Bad("This moment is too far away.") from error


def future(value: object, now: datetime) -> datetime | None:
    found = moment(value)
    if found and found <= now:
        raise Bad("This moment has passed already.")
    return found


def metadata(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Bad("This must be a JSON object.")
    _check_json(value, depth=0)
    try:
        size = len(json.dumps(value, ensure_ascii=False, allow_nan=False).encode())
    except (TypeError, ValueError) as error:
        raise Bad("This must be plain JSON: objects, lists, texts, finite numbers, true, false and null.") from error
    if size > METADATA_BYTES:
        raise Bad(f"At most {METADATA_BYTES:,} bytes of JSON; these are {size:,}.")
    return value


def _check_json(value: object, *, depth: int) -> None:
    if depth > METADATA_DEPTH:
        raise Bad(f"This is nested more than {METADATA_DEPTH} deep.")
    if isinstance(value, dict):
        for key, inner in value.items():
            text(key, longest=METADATA_BYTES)
            _check_json(inner, depth=depth + 1)
    elif isinstance(value, list | tuple):
        for inner in value:
            _check_json(inner, depth=depth + 1)
    elif isinstance(value, int | float) and abs(value) >= LARGEST_NUMBER:
        raise Bad("Numbers must be smaller than 2 to the power of 63.")
    elif isinstance(value, str):
        text(value, longest=METADATA_BYTES)


def path(value: object) -> str:
    """A path inside the team's folder, in its shortest form."""
    found = line(value, longest=PATH_LENGTH)
    if "\\" in found:
        raise Bad("Use / between folders, not a backslash.")
    if not found or any(part in ("", ".", "..") for part in found.split("/")):
        raise Bad("This must be a path like notes/today.md: no empty parts, no . or .., no / at the ends.")
    return found


def url(value: object) -> str:
    found = line(value, longest=2000)
    if found and not re.match(r"https?://[^\s/]+", found):
        raise Bad("This must be an http or https address.")
    return found


def file_body(value: object) -> str:
    return body(value, most_bytes=FILE_BYTES)


def given(value: object, empty: object) -> object:
    """Null empties a field."""
    return empty if value is None else value


CLEANERS: Mapping[str, Callable[[Any, datetime], Any]] = {
    "key": lambda value, now: line(given(value, ""), longest=KEY_LENGTH),
    "content": lambda value, now: filled(value),
    "summary": lambda value, now: text(given(value, ""), longest=SUMMARY_LENGTH).strip(),
    "type": lambda value, now: one_of(value, choices=Type.values),
    "category": lambda value, now: label(given(value, ""), otherwise="fact"),
    "tags": lambda value, now: tags(given(value, [])),
    "importance": lambda value, now: fraction(value),
    "pinned": lambda value, now: flag(value),
    "expires_at": future,
    "source": lambda value, now: label(given(value, ""), otherwise="manual"),
    "scope": lambda value, now: one_of(value, choices=Scope.values),
    "metadata": lambda value, now: metadata(given(value, {})),
    "review_by": lambda value, now: moment(value),
    "reason": lambda value, now: text(value, longest=SUMMARY_LENGTH).strip(),
    "relation": lambda value, now: one_of(value, choices=Relation.values),
    "weight": lambda value, now: fraction(value),
    "path": lambda value, now: path(value),
    "file": lambda value, now: file_body(value),
    "url": lambda value, now: url(value),
    "quote": lambda value, now: text(value, longest=5000).strip(),
    "message_id": lambda value, now: line(value, longest=200),
    "idempotency_key": lambda value, now: line(value, longest=255),
}
