"""Identifiers that sort by creation time: UUID version 7 (RFC 9562)."""

import secrets
import time
from datetime import datetime
from uuid import UUID


def uuid7() -> UUID:
    """Return a new id: 48 bits of milliseconds, 12 bits of the rest of the millisecond, 62 random bits."""
    milliseconds, nanoseconds = divmod(time.time_ns(), 1_000_000)
    fraction = (nanoseconds << 12) // 1_000_000
    head = milliseconds << 80 | 0x7 << 76 | fraction << 64
    return UUID(int=head | 0b10 << 62 | secrets.randbits(62))


def first_id(moment: datetime) -> UUID:
    """Return an id that sorts before all that were created since the moment."""
    return UUID(int=int(moment.timestamp() * 1_000) << 80)


def parse_uuid(text: str) -> UUID | None:
    """Return the id, or None if the text is not one."""
    try:
        return UUID(text)
    except ValueError:
        return None
