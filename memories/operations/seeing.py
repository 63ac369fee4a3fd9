"""What a caller has seen of what it wants to change: a version, of whatever is there or of one row alone."""

from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from memories.models import Memory, MemoryQuerySet, TeamFile, TeamFileQuerySet

Rows = TypeVar("Rows", MemoryQuerySet, TeamFileQuerySet)
TAIL = 12  # hex digits at the end of an id: all random, so that no two rows that ever had one name share them


@dataclass(frozen=True, slots=True)
class Seen:
    version: int | None = None  # whichever, but there must be one
    tail: str = ""  # of the row's id: a name that was given anew begins with version 1 again

    @classmethod
    def of(cls, version: "Version") -> "Seen":
        return version if isinstance(version, Seen) else cls(version)

    @classmethod
    def this(cls, row: Memory | TeamFile) -> "Seen":
        """The row as it was read, and no other that has taken its name since."""
        return cls(row.version, tail(row.pk))

    def among(self, rows: Rows, *, row_id: UUID) -> Rows:
        """Those of the rows with that id that are as they were seen."""
        if self.tail not in ("", tail(row_id)):
            return rows.none()
        return rows if self.version is None else rows.filter(version=self.version)

    def still(self, row: Memory | TeamFile) -> bool:
        return self.version in (None, row.version) and self.tail in ("", tail(row.pk))

    def refusal(self, row: Memory | TeamFile) -> str:
        if self.tail not in ("", tail(row.pk)):
            return f"You saw another one than this, which is at version {row.version}."
        if self.version is None:
            return "Somebody else changed this just now. Try again."
        return f"You saw version {self.version}; it is now version {row.version}."


Version = int | Seen | None  # None: the caller does not care, not even whether there is one


def tail(row_id: UUID) -> str:
    return row_id.hex[-TAIL:]
