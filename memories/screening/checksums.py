"""Checksums that some numbers and tokens carry."""

import string
import zlib

BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
BASE62_LOWER_FIRST = string.digits + string.ascii_lowercase + string.ascii_uppercase
CRC_DIGITS = 6  # the length of 32 bits in base 62


_DOUBLED = dict(zip(string.digits, (0, 2, 4, 6, 8, 1, 3, 5, 7, 9), strict=True))


def has_luhn(digits: str) -> bool:
    """Check the last digit of a card number, which is in ASCII."""
    return (sum(map(int, digits[-1::-2])) + sum(map(_DOUBLED.__getitem__, digits[-2::-2]))) % 10 == 0


def has_mod_97(letters_and_digits: str) -> bool:
    """Check an IBAN without spaces."""
    turned = letters_and_digits[4:] + letters_and_digits[:4]
    return int("".join(str(int(sign, 36)) for sign in turned)) % 97 == 1


def has_crc(token: str, *, mark: str) -> bool:
    """Check a token of the form that GitHub, npm and this hub use: a mark, random characters, and their CRC in base 62,
    whichever case the digits begin with."""
    random, checksum = token[len(mark) : -CRC_DIGITS], token[-CRC_DIGITS:]
    number = zlib.crc32(random.encode())
    return checksum in (_write_base62(number, alphabet) for alphabet in (BASE62, BASE62_LOWER_FIRST))


def _write_base62(number: int, alphabet: str) -> str:
    signs = []
    for _ in range(CRC_DIGITS):
        number, rest = divmod(number, len(alphabet))
        signs.append(alphabet[rest])
    return "".join(reversed(signs))
