"""Anchors: what one may say, and what a check's finding says about it."""

import re
from dataclasses import dataclass, fields
from typing import Any

from memories.models import (
    COMMIT_FORM,
    LINE_HASH_LENGTH,
    LINE_HASHES_FORM,
    MOST_HASHED_LINES,
    REPOSITORY_LENGTH,
    SALT_FORM,
    SHA256_FORM,
    AnchorState,
    Source,
)
from memories.rules.fields import BadField, clean_file_path, clean_line
from memoryhub.errors import Invalid

LAST_LINE = 2**31 - 1
FIELD_FORMS = {
    "sha256": (SHA256_FORM, "This must be a SHA-256: 64 hexadecimal digits in lower case."),
    "line_hashes": (LINE_HASHES_FORM, f"These must be {LINE_HASH_LENGTH} hexadecimal digits for each line, joined."),
    "commit": (COMMIT_FORM, "This must be the id of a commit: 7 to 64 hexadecimal digits."),
    "salt": (SALT_FORM, "This must be 16 to 64 hexadecimal digits."),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class PlaceHashes:
    """The hash of a text, of its lines, and where in its file these are."""

    sha256: str
    line_hashes: str = ""
    first_line: int | None = None
    last_line: int | None = None
    commit: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class NewAnchor(PlaceHashes):
    repository: str = ""
    path: str = ""
    salt: str = ""


def clean_anchor(anchor: NewAnchor, *, url: str) -> dict[str, Any]:
    """Return the columns of a source that is this anchor, or raise an Invalid that names every invalid field."""
    wrong = find_problems(anchor)
    repository = _clean_named(wrong, "repository", clean_line, anchor.repository, longest=REPOSITORY_LENGTH)
    path = _clean_named(wrong, "path", clean_file_path, anchor.path) if anchor.path else ""
    if (not wrong and bool(url) == bool(repository and path)) or bool(repository) != bool(path):
        wrong["anchor"] = "Name a repository and the path of a file in it, or a URL, but not both."
    if url and anchor.first_line is not None:
        wrong["first_line"] = "What is at a URL has no lines."
    if wrong:
        raise Invalid(wrong)
    place = {field.name: getattr(anchor, field.name) for field in fields(PlaceHashes)}
    state = AnchorState.UNCHECKED
    return place | {"repository": repository, "file_path": path, "salt": anchor.salt, "state": state}


def find_problems(place: PlaceHashes) -> dict[str, str]:
    """Return what is wrong with each field, if anything is."""
    wrong = {
        name: sentence
        for name, (form, sentence) in FIELD_FORMS.items()
        if not re.fullmatch(form, getattr(place, name, "")) or getattr(place, name, "").endswith("\n")
    }
    if (place.first_line is None) != (place.last_line is None):
        wrong["last_line"] = "Say both the first and the last line, or neither."
    elif place.first_line is not None and not 1 <= place.first_line <= (place.last_line or 0) <= LAST_LINE:
        wrong["last_line"] = "Lines count from 1, and the last one is not before the first."
    elif "line_hashes" not in wrong and not _fits_lines(place):
        wrong["line_hashes"] = f"There must be one for each line, up to {MOST_HASHED_LINES} lines, or none."
    return wrong


def _fits_lines(place: PlaceHashes) -> bool:
    number = len(place.line_hashes) // LINE_HASH_LENGTH
    lines = number if place.first_line is None else (place.last_line or 0) - place.first_line + 1
    return number <= MOST_HASHED_LINES and number in (0, lines)


def _clean_named(wrong: dict[str, str], name: str, clean: Any, value: object, **bounds: int) -> Any:
    try:
        return clean(value, **bounds)
    except BadField as error:
        wrong[name] = str(error)
        return ""


def judge_place(source: Source, place: PlaceHashes | None) -> AnchorState:
    """Return the state of an anchor by what is there now: nothing at all is gone."""
    if place is None:
        return AnchorState.GONE
    return AnchorState.HOLDS if place.sha256 == source.sha256 else AnchorState.CHANGED
