"""Differences between the versions of a memory."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Any

from memories.models import Memory, Revision
from memories.rules.fields import MEMORY_FIELDS
from memories.text.diff import DiffBudget, DiffPart, diff_texts

COMPARED_FIELDS = (*MEMORY_FIELDS, "verified_at", "verified_by", "forget_reason")
FIELD_LABELS = {
    "content": "Text",
    "valid_from": "Holds from",
    "valid_until": "Holds until",
    "expires_at": "Expires",
    "review_by": "Review by",
    "verified_at": "Verified",
}
MAX_COMPARED_LENGTH = 20_000  # characters of two texts that are compared where many versions are listed


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field before and after a change, in words."""

    name: str
    old: str
    new: str
    budget: DiffBudget = field(default_factory=DiffBudget, compare=False, repr=False)

    @property
    def label(self) -> str:
        return field_label(self.name)

    @property
    def long(self) -> bool:
        return len(self.old) + len(self.new) > MAX_COMPARED_LENGTH

    @property
    def parts(self) -> list[DiffPart]:
        return diff_texts(self.old, self.new, budget=self.budget)


@dataclass(frozen=True, slots=True)
class RevisionStep:
    """A version and what it changed; None for the oldest one, which has nothing to be compared with."""

    revision: Revision
    changed: list[FieldChange] | None


def diff_revisions(revisions: Sequence[Revision]) -> list[RevisionStep]:
    """Compare each revision with the one before it. They come newest first, with one more than is shown if there is
    one."""
    budget = DiffBudget()
    steps = [
        RevisionStep(new, compare_versions(old, new, budget=budget) if old.version + 1 == new.version else None)
        for new, old in pairwise(revisions)
    ]
    return [*steps, RevisionStep(revisions[-1], None)] if revisions else []


def compare_versions(
    old: Revision | Memory, new: Revision | Memory, *, budget: DiffBudget | None = None
) -> list[FieldChange]:
    budget = budget or DiffBudget()
    pairs = ((name, getattr(old, name), getattr(new, name)) for name in COMPARED_FIELDS)
    return [
        FieldChange(name, format_value(before), format_value(after), budget)
        for name, before, after in pairs
        if before != after
    ]


def field_label(name: str) -> str:
    return FIELD_LABELS.get(name, name.replace("_", " ").capitalize())


def format_value(value: Any) -> str:
    """Return a field's value as a person would read it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M} UTC"
    if isinstance(value, list):
        return ", ".join(value)
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, sort_keys=True) if value else ""
    return "" if value is None else str(value)
