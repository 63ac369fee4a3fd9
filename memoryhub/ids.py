"""Identifiers that sort by the time they were made: UUID version 7, as RFC 9562 has it."""

import secrets
import time
from datetime import datetime
from uuid import UUID


def uuid7() -> UUID:
    """48 bits of milliseconds, 12 bits of what is left of the millisecond, 62 random bits."""
    milliseconds, nanoseconds = divmod(time.time_ns(), 1_000_000)
    fraction = (nanoseconds << 12) // 1_000_000
    head = milliseconds << 80 | 0x7 << 76 | fraction << 64
    return UUID(int=head | 0b10 << 62 | secrets.randbits(62))


def first_id(moment: datetime) -> UUID:
    """What sorts before all that were made since."""
    return UUID(int=int(moment.timestamp() * 1_000) << 80)


def as_uuid(text: str) -> UUID | None:
    """The id that the text spells, if it does."""
    try:
        return UUID(text)
    except ValueError:
        return None
