"""Validation: checks and normalizes each field of a memory, whichever API it came through."""

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
from memoryhub.text import line_problem, normalize_text, text_problem

METADATA_DEPTH = 32
LARGEST_NUMBER = 2**63  # JSON readers disagree on larger ones


class Unset(Enum):
    """Marks a field that the caller left out, where None would mean "clear it"."""

    UNSET = "unset"


UNSET: Final = Unset.UNSET

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


class BadField(ValueError):
    """One field's error message; `clean_fields` collects them into an Invalid."""


class FieldTooLarge(BadField):
    pass


def clean_fields(values: Mapping[str, Any], *, now: datetime) -> dict[str, Any]:
    """Return the fields that are set, normalized; or raise an Invalid that names every invalid field."""
    cleaned: dict[str, Any] = {}
    wrong: dict[str, str] = {}
    kind: type[Invalid] = Invalid
    for name, value in values.items():
        if value is UNSET:
            continue
        try:
            cleaned[name] = CLEANERS[name](value, now)
        except BadField as error:
            wrong[name] = str(error)
            kind = TooLarge if isinstance(error, FieldTooLarge) else kind
    if wrong:
        raise kind(wrong)
    return cleaned


def clean_text(value: object, *, longest: int) -> str:
    """Return text that Postgres can store, of at most `longest` characters."""
    if not isinstance(value, str):
        raise BadField("This must be text.")
    if found := text_problem(value, longest=longest):
        raise BadField(found)
    return value


def clean_line(value: object, *, longest: int) -> str:
    """Return text that fits on one line, in its normalized form."""
    found = normalize_text(clean_text(value, longest=10 * longest))
    if wrong := line_problem(found, longest=longest):
        raise BadField(wrong)
    return found


def clean_body(value: object, *, most_bytes: int = CONTENT_BYTES) -> str:
    content = clean_text(value, longest=sys.maxsize)
    size = len(content.encode())
    if size > most_bytes:
        raise FieldTooLarge(f"At most {most_bytes:,} bytes of UTF-8; these are {size:,}.")
    return content


def clean_content(value: object) -> str:
    content = clean_body(value)
    if not content.strip():
        raise BadField("There must be something to remember: this is empty.")
    return content


def clean_label(value: object, *, otherwise: str) -> str:
    return clean_line(value, longest=LABEL_LENGTH) or otherwise


def clean_tags(value: object) -> list[str]:
    if not isinstance(value, list | tuple):
        raise BadField("Tags must be a list of texts.")
    cleaned = [_clean_tag(tag) for tag in value]
    unique = list(dict.fromkeys(tag for tag in cleaned if tag))
    if len(unique) > TAG_COUNT:
        raise BadField(f"At most {TAG_COUNT} tags; these are {len(unique)}.")
    return unique


def _clean_tag(value: object) -> str:
    tag = clean_line(value, longest=LABEL_LENGTH)
    return tag.lower() if tag.isascii() else clean_line(tag.lower(), longest=LABEL_LENGTH)  # lower case may be longer


def clean_fraction(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadField("This must be a number from 0.0 to 1.0.")
    if not 0 <= value <= 1:  # which not-a-number is not either
        raise BadField("This must be a number from 0.0 to 1.0.")
    return round(float(value), 6)  # far below what anybody means, and far above where Postgres' arithmetic ends


def clean_choice(value: object, *, choices: Iterable[str]) -> str:
    if not isinstance(value, str) or value not in choices:
        raise BadField(f"This must be one of {', '.join(choices)}.")
    return str(value)


def clean_flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise BadField("This must be true or false.")
    return value


def clean_moment(value: object) -> datetime | None:
    if value is not None and (not isinstance(value, datetime) or value.tzinfo is None):
        raise BadField("This must be a date and time with its time zone, or null.")
    try:
        return value.astimezone(UTC) if value else None
    except OverflowError as error:
        raise BadField("This time is out of range.") from error


def clean_future(value: object, now: datetime) -> datetime | None:
    found = clean_moment(value)
    if found and found <= now:
        raise BadField("This time is already past.")
    return found


def clean_metadata(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadField("This must be a JSON object.")
    _check_json(value, depth=0)
    try:
        size = len(json.dumps(value, ensure_ascii=False, allow_nan=False).encode())
    except (TypeError, ValueError) as error:
        raise BadField(
            "This must be plain JSON: objects, lists, texts, finite numbers, true, false and null."
        ) from error
    if size > METADATA_BYTES:
        raise BadField(f"At most {METADATA_BYTES:,} bytes of JSON; these are {size:,}.")
    return value


def _check_json(value: object, *, depth: int) -> None:
    if depth > METADATA_DEPTH:
        raise BadField(f"This is nested more than {METADATA_DEPTH} deep.")
    if isinstance(value, dict):
        for key, inner in value.items():
            clean_text(key, longest=METADATA_BYTES)
            _check_json(inner, depth=depth + 1)
    elif isinstance(value, list | tuple):
        for inner in value:
            _check_json(inner, depth=depth + 1)
    elif isinstance(value, int | float) and abs(value) >= LARGEST_NUMBER:
        raise BadField("Numbers must be smaller than 2 to the power of 63.")
    elif isinstance(value, str):
        clean_text(value, longest=METADATA_BYTES)


def clean_file_path(value: object) -> str:
    """Return a path inside the team's folder, normalized."""
    found = clean_line(value, longest=PATH_LENGTH)
    if "\\" in found:
        raise BadField("Use / between folders, not a backslash.")
    if not found or any(part in ("", ".", "..") for part in found.split("/")):
        raise BadField("This must be a path like notes/today.md: no empty parts, no . or .., no / at the ends.")
    return found


def clean_url(value: object) -> str:
    found = clean_line(value, longest=2000)
    if found and not re.match(r"https?://[^\s/]+", found):
        raise BadField("This must be an http or https URL.")
    return found


def clean_file_body(value: object) -> str:
    return clean_body(value, most_bytes=FILE_BYTES)


def default_if_null(value: object, empty: object) -> object:
    """Return the empty value for null, which clears a field."""
    return empty if value is None else value


Cleaner = Callable[[Any, datetime], Any]

# The fields of a memory that callers write, in the order in which a comparison of versions shows them. A new one is
# declared here, as a column of `MemoryFields`, in `operations.Draft`, and in `contract.memory_fields` and
# `contract.outputs`; a form that edits it names it, too.
MEMORY_FIELDS: Mapping[str, Cleaner] = {
    "content": lambda value, now: clean_content(value),
    "summary": lambda value, now: clean_text(default_if_null(value, ""), longest=SUMMARY_LENGTH).strip(),
    "key": lambda value, now: clean_line(default_if_null(value, ""), longest=KEY_LENGTH),
    "type": lambda value, now: clean_choice(value, choices=Type.values),
    "category": lambda value, now: clean_label(default_if_null(value, ""), otherwise="fact"),
    "tags": lambda value, now: clean_tags(default_if_null(value, [])),
    "importance": lambda value, now: clean_fraction(value),
    "pinned": lambda value, now: clean_flag(value),
    "expires_at": clean_future,
    "review_by": lambda value, now: clean_moment(value),
    "valid_from": lambda value, now: clean_moment(value),
    "valid_until": lambda value, now: clean_moment(value),
    "source": lambda value, now: clean_label(default_if_null(value, ""), otherwise="manual"),
    "metadata": lambda value, now: clean_metadata(default_if_null(value, {})),
}
CLEANERS: Mapping[str, Cleaner] = {
    **MEMORY_FIELDS,
    "scope": lambda value, now: clean_choice(value, choices=Scope.values),
    "reason": lambda value, now: clean_text(value, longest=SUMMARY_LENGTH).strip(),
    "relation": lambda value, now: clean_choice(value, choices=Relation.values),
    "weight": lambda value, now: clean_fraction(value),
    "path": lambda value, now: clean_file_path(value),
    "file": lambda value, now: clean_file_body(value),
    "url": lambda value, now: clean_url(value),
    "quote": lambda value, now: clean_text(value, longest=5000).strip(),
    "message_id": lambda value, now: clean_line(value, longest=200),
    "idempotency_key": lambda value, now: clean_line(value, longest=255),
}
