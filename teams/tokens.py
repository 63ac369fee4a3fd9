"""Tokens: `mh_`, 40 random letters and digits, and a checksum that tells a typing error from a stranger's token."""

import hashlib
import hmac
import secrets
import string
import zlib
from dataclasses import dataclass

ALPHABET = string.digits + string.ascii_letters
LEADING_MARK = "mh_"
RANDOM_LENGTH = 40  # 238 bits, so a plain digest is enough to store
CHECKSUM_LENGTH = 6  # the length of 32 bits in base 62
PREFIX_LENGTH = len(LEADING_MARK) + 9


@dataclass(frozen=True)
class Secret:
    """Holds a token in clear text: shown to its owner once and never stored."""

    text: str

    @property
    def prefix(self) -> str:
        return self.text[:PREFIX_LENGTH]

    @property
    def digest(self) -> bytes:
        return hashlib.sha256(self.text.encode()).digest()

    def matches(self, digest: bytes) -> bool:
        return hmac.compare_digest(self.digest, digest)


def generate_token() -> Secret:
    return _add_checksum("".join(secrets.choice(ALPHABET) for _ in range(RANDOM_LENGTH)))


def derive_token(*, key: str, purpose: str) -> Secret:
    """Return the same token for the same key and purpose: the demo must be able to show its token again."""
    number = int.from_bytes(hashlib.shake_256(f"{key}\0{purpose}".encode()).digest(64))
    return _add_checksum(_base62(number, RANDOM_LENGTH))


def parse_token(text: str) -> Secret | None:
    """Return the token, if the text has the form of one."""
    body = text.removeprefix(LEADING_MARK)
    if len(body) != RANDOM_LENGTH + CHECKSUM_LENGTH or not text.startswith(LEADING_MARK) or not text.isascii():
        return None
    return Secret(text) if _add_checksum(body[:RANDOM_LENGTH]).text == text else None


def _add_checksum(random: str) -> Secret:
    return Secret(LEADING_MARK + random + _base62(zlib.crc32(random.encode()), CHECKSUM_LENGTH))


def _base62(number: int, length: int) -> str:
    digits = []
    for _ in range(length):
        number, digit = divmod(number, len(ALPHABET))
        digits.append(ALPHABET[digit])
    return "".join(reversed(digits))
