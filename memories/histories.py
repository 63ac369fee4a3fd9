"""What each version of a memory changed."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from memories.models import Memory, Revision

SHOWN = ("content", "summary", "key", "type", "category", "tags", "importance", "pinned", "expires_at", "review_by")
COMPARED = (*SHOWN, "source", "metadata", "verified_at", "verified_by", "forget_reason")
LABELS = {"content": "Text", "expires_at": "Expires", "review_by": "Review by", "verified_at": "Verified"}
LONGEST = 20_000  # characters of two texts that are compared where many versions are listed


@dataclass(frozen=True, slots=True)
class Changed:
    """A field as it was and as it became, in words."""

    name: str
    old: str
    new: str

    @property
    def label(self) -> str:
        return label(self.name)

    @property
    def long(self) -> bool:
        return len(self.old) + len(self.new) > LONGEST


@dataclass(frozen=True, slots=True)
class Step:
    """A version and what it changed; nothing is said of the first that there is."""

    revision: Revision
    changed: list[Changed] | None


def steps(revisions: Sequence[Revision]) -> list[Step]:
    """Each beside the one before it. They come newest first, with one more than is shown if there is one."""
    told = [
        Step(new, changes(old, new) if old.version + 1 == new.version else None) for new, old in pairwise(revisions)
    ]
    return [*told, Step(revisions[-1], None)] if revisions else []


def changes(old: Revision | Memory, new: Revision | Memory) -> list[Changed]:
    pairs = ((name, getattr(old, name), getattr(new, name)) for name in COMPARED)
    return [Changed(name, worded(before), worded(after)) for name, before, after in pairs if before != after]


def label(name: str) -> str:
    return LABELS.get(name, name.replace("_", " ").capitalize())


def worded(value: Any) -> str:
    """A field's value as a person would read it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M} UTC"
    if isinstance(value, list):
        return ", ".join(value)
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, sort_keys=True) if value else ""
    return "" if value is None else str(value)
