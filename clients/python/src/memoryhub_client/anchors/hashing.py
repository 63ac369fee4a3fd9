"""Hashes of lines: salted, so that the same line has another hash in each anchor, and short for single lines, so that
nobody can be sure of a guessed one."""

import secrets
from collections.abc import Sequence
from hashlib import sha256

from memoryhub_client.shapes import HashedPlace

DIGITS_PER_LINE = 4  # hexadecimal digits
MOST_HASHES = 500  # that the hub keeps hashes of


def new_salt() -> str:
    return secrets.token_hex(16)


def split_lines(content: bytes) -> list[bytes]:
    """Return the lines, each with a line feed at its end, whatever the file ends its lines with."""
    lines = content.replace(b"\r\n", b"\n").split(b"\n")
    return [line + b"\n" for line in (lines if lines[-1] else lines[:-1])]


def hash_block(lines: Sequence[bytes], salt: str) -> str:
    return sha256(bytes.fromhex(salt) + b"".join(lines)).hexdigest()


def hash_line(line: bytes, salt: str) -> str:
    return hash_block([line], salt)[:DIGITS_PER_LINE]


def hash_place(lines: Sequence[bytes], salt: str, *, first: int | None) -> HashedPlace:
    """Return the hashes of these lines, of which the first is that one of its file; None for a whole file."""
    return HashedPlace(
        sha256=hash_block(lines, salt),
        line_hashes="".join(hash_line(line, salt) for line in lines) if len(lines) <= MOST_HASHES else "",
        first_line=first,
        last_line=first and first + len(lines) - 1,
    )


def split_hashes(joined: str) -> list[str]:
    return [joined[at : at + DIGITS_PER_LINE] for at in range(0, len(joined), DIGITS_PER_LINE)]
