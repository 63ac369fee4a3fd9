"""Preconditions: the version that a caller last read and expects to change (optimistic locking)."""

from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from memories.models import Memory, MemoryQuerySet, TeamFile, TeamFileQuerySet

VersionedRows = TypeVar("VersionedRows", MemoryQuerySet, TeamFileQuerySet)
ID_TAIL_DIGITS = 12  # hex digits at the end of an id: all random, so that no two rows that ever had one name share them


@dataclass(frozen=True, slots=True)
class ExpectedVersion:
    version: int | None = None  # None: any version, but the row must exist
    id_tail: str = ""  # end of the row's id: a name that is reused begins with version 1 again

    @classmethod
    def of(cls, version: "VersionCheck") -> "ExpectedVersion":
        return version if isinstance(version, ExpectedVersion) else cls(version)

    @classmethod
    def of_row(cls, row: Memory | TeamFile) -> "ExpectedVersion":
        """Expect this row as it was read, and no other that has taken its name since."""
        return cls(row.version, tail_of_id(row.pk))

    def filter_rows(self, rows: VersionedRows, *, row_id: UUID) -> VersionedRows:
        """Filter rows of that id down to those at the expected version."""
        if self.id_tail not in ("", tail_of_id(row_id)):
            return rows.none()
        return rows if self.version is None else rows.filter(version=self.version)

    def matches(self, row: Memory | TeamFile) -> bool:
        return self.version in (None, row.version) and self.id_tail in ("", tail_of_id(row.pk))

    def explain_conflict(self, row: Memory | TeamFile) -> str:
        if self.id_tail not in ("", tail_of_id(row.pk)):
            return f"You saw another one than this, which is at version {row.version}."
        if self.version is None:
            return "Somebody else changed this just now. Try again."
        return f"You saw version {self.version}; it is now version {row.version}."


VersionCheck = int | ExpectedVersion | None  # None: no precondition, not even that the row exists


def tail_of_id(row_id: UUID) -> str:
    return row_id.hex[-ID_TAIL_DIGITS:]
