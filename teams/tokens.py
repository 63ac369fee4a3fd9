"""Tokens: `mh_`, 40 random letters and digits, and a checksum that tells a typing error from a stranger's token."""

import hashlib
import hmac
import secrets
import string
import zlib
from dataclasses import dataclass

ALPHABET = string.digits + string.ascii_letters
MARK = "mh_"
RANDOM_LENGTH = 40  # 238 bits, so a plain digest is enough to store
CHECKSUM_LENGTH = 6  # what 32 bits take in base 62
PREFIX_LENGTH = len(MARK) + 9


@dataclass(frozen=True)
class Secret:
    """A token in the clear: shown to its owner once and never stored."""

    text: str

    @property
    def prefix(self) -> str:
        return self.text[:PREFIX_LENGTH]

    @property
    def digest(self) -> bytes:
        return hashlib.sha256(self.text.encode()).digest()

    def matches(self, digest: bytes) -> bool:
        return hmac.compare_digest(self.digest, digest)


def generate() -> Secret:
    return _sealed("".join(secrets.choice(ALPHABET) for _ in range(RANDOM_LENGTH)))


def derived(*, key: str, purpose: str) -> Secret:
    """The same token for the same key and purpose: for demo data, which must be able to show its token again."""
    number = int.from_bytes(hashlib.shake_256(f"{key}\0{purpose}".encode()).digest(64))
    return _sealed(_base62(number, RANDOM_LENGTH))


def parse(text: str) -> Secret | None:
    """The token, if the text has the form of one."""
    body = text.removeprefix(MARK)
    if len(body) != RANDOM_LENGTH + CHECKSUM_LENGTH or not text.startswith(MARK) or not text.isascii():
        return None
    return Secret(text) if _sealed(body[:RANDOM_LENGTH]).text == text else None


def _sealed(random: str) -> Secret:
    return Secret(MARK + random + _base62(zlib.crc32(random.encode()), CHECKSUM_LENGTH))


def _base62(number: int, length: int) -> str:
    digits = []
    for _ in range(length):
        number, digit = divmod(number, len(ALPHABET))
        digits.append(ALPHABET[digit])
    return "".join(reversed(digits))
