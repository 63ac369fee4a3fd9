"""Finds personal data: addresses of e-mail, telephone numbers, and national numbers by their form and checksum."""

import re
from collections.abc import Callable, Iterator
from itertools import chain
from typing import NamedTuple

from memories.screening.checksums import has_luhn
from memories.screening.findings import Finding, FindingGroup, drop_overlaps

_EMAIL = re.compile(r"(?<=[\w.%+-])@([A-Za-z0-9-]{1,63}+(?:\.[A-Za-z0-9-]{1,63}+){0,8}+)")
_EMAIL_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%+-")
_EXAMPLE_DOMAIN = re.compile(
    r"(?:^|\.)example(?:\.(?:com|org|net|edu))?$|\.(?:test|invalid|local|localhost)$", re.IGNORECASE
)
MAX_EMAIL_NAME = 64
# With the country's code, or as a number of ten digits in three groups.
_PHONE = re.compile(
    r"\+(?<![\w+]\+)[1-9]\d{0,2}(?:[ .-]?\(?\d{1,5}\)?){2,5}(?!\w)"
    r"|\((?<!\w\()\d{3}\)[ ]?\d{3}[ .-]\d{4}(?!\w)"
    r"|\d(?<![\w.,/-]\d)\d\d([.-])\d{3}\1\d{4}(?![\w-])"
    r"|0(?<![\w.,/:-]0)\d{1,4}[ /-](?:\d{6,8}|\d{2,4}(?:[ -]\d{2,4}){1,3})(?![\w-])"
)


def _has_weights(digits: str, weights: str, modulus: int) -> int:
    """Return the rest of the weighted sum of the digits."""
    return sum(int(digit) * int(weight) for digit, weight in zip(digits, weights.split(), strict=False)) % modulus


def is_us_ssn(number: str) -> bool:
    """Tell whether it has the form of a number of the US, written with its dashes: there is no checksum."""
    area, group, serial = number.split("-")
    return area not in ("000", "666", "123", "987") and area < "900" and group != "00" and serial != "0000"


def is_dutch_bsn(digits: str) -> bool:
    return _has_weights(digits, "9 8 7 6 5 4 3 2", 11) == int(digits[8]) and len(set(digits)) > 2


def is_spanish_dni(number: str) -> bool:
    number = number.upper().replace("-", "").replace(" ", "")
    digits = {"X": "0", "Y": "1", "Z": "2"}.get(number[0], number[0]) + number[1:8]
    return number[8] == "TRWAGMYFPDXBNJZSQVHLCKE"[int(digits) % 23]


def is_german_tax_id(digits: str) -> bool:
    rest = 10
    for digit in digits[:10]:
        rest = ((int(digit) + rest) % 10 or 10) * 2 % 11
    counts = [digits[:10].count(digit) for digit in set(digits[:10])]
    return (11 - rest) % 10 == int(digits[10]) and digits[0] != "0" and sorted(counts)[-1] in (2, 3)


def is_british_nino(number: str) -> bool:
    return number[:2] not in ("BG", "GB", "KN", "NK", "NT", "TN", "ZZ")


def is_french_nir(number: str) -> bool:
    digits = number.replace(" ", "")
    return (97 - int(digits[:13]) % 97) == int(digits[13:])


def is_italian_code(code: str) -> bool:
    odd = dict(zip("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", _ITALIAN_ODD, strict=True))
    even = {sign: int(sign, 36) - 10 * sign.isalpha() for sign in odd}
    total = sum(odd[sign] if position % 2 == 0 else even[sign] for position, sign in enumerate(code[:15]))
    return code[15] == chr(ord("A") + total % 26)


_ITALIAN_VALUES = "1 0 5 7 9 13 15 17 19 21 1 0 5 7 9 13 15 17 19 21 2 4 18 20 11 3 6 8 12 14 16 10 22 25 24 23"
_ITALIAN_ODD = tuple(map(int, _ITALIAN_VALUES.split()))


def is_brazilian_cpf(number: str) -> bool:
    digits = number.replace(".", "").replace("-", "")
    first = _has_weights(digits, "10 9 8 7 6 5 4 3 2", 11)
    second = _has_weights(digits, "11 10 9 8 7 6 5 4 3 2", 11)
    return len(set(digits)) > 1 and [max(0, 11 - rest) % 11 % 10 for rest in (first, second)] == [*map(int, digits[9:])]


def is_polish_pesel(digits: str) -> bool:
    month = int(digits[2:4]) % 20
    return 1 <= month <= 12 and (10 - _has_weights(digits, "1 3 7 9 1 3 7 9 1 3", 10)) % 10 == int(digits[10])


def is_swedish_number(number: str) -> bool:
    digits = number.replace("-", "").replace("+", "")[-10:]
    return 1 <= int(digits[2:4]) <= 12 and has_luhn(digits)


def is_canadian_sin(number: str) -> bool:
    digits = number.replace(" ", "").replace("-", "")
    return digits[0] not in "08" and has_luhn(digits)


class NationalNumber(NamedTuple):
    kind: str
    form: re.Pattern[str]
    is_right: Callable[[str], bool]
    word: str = ""  # nearby that says what it is, for numbers without a form of their own


_NEARBY = 50  # characters
NATIONAL_NUMBERS = (
    NationalNumber("social security number (US)", re.compile(r"\d{3}-\d{2}-\d{4}"), is_us_ssn),
    NationalNumber("DNI or NIE (Spain)", re.compile(r"(?:\d{8}|[XYZxyz]-?\d{7})-?[A-Za-z]"), is_spanish_dni),
    NationalNumber(
        "codice fiscale (Italy)", re.compile(r"[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z]"), is_italian_code
    ),
    NationalNumber("NIR (France)", re.compile(r"[12]\d{14}"), is_french_nir),
    NationalNumber("CPF (Brazil)", re.compile(r"\d{3}\.\d{3}\.\d{3}-\d\d"), is_brazilian_cpf),
    NationalNumber("personal number (Sweden)", re.compile(r"(?:\d\d)?\d{6}[-+]\d{4}"), is_swedish_number),
    NationalNumber(
        "national insurance number (UK)", re.compile(r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]"), is_british_nino
    ),
    NationalNumber("BSN (Netherlands)", re.compile(r"\d{9}"), is_dutch_bsn, "bsn|burgerservice|sofi"),
    NationalNumber(
        "SIN (Canada)", re.compile(r"\d{9}|\d{3}-\d{3}-\d{3}"), is_canadian_sin, r"\bsin\b|social insurance"
    ),
    NationalNumber("tax id (Germany)", re.compile(r"\d{11}"), is_german_tax_id, "steuer|tax|idnr|tin"),
    NationalNumber("PESEL (Poland)", re.compile(r"\d{11}"), is_polish_pesel, "pesel"),
)
# The same numbers as they are written: in one piece, or in groups with spaces.
_WRITTEN = re.compile(
    r"[A-Za-z0-9](?<![\w.+@/-][A-Za-z0-9])(?:"
    r"[A-Za-z]{0,5}\d[\w.+-]{6,18}+(?!\w)"
    r"|[A-Z] \d\d \d\d \d\d [A-D](?!\w)|(?<=\d)(?: \d\d){3} \d{3} \d{3} \d\d(?!\w)"
    r"|(?<=\d)\d\d(?: \d{3}){2}(?![\w ]\d)|(?<=\d)\d{7} [A-Z](?!\w))"
)


def find_personal_data(text: str) -> list[Finding]:
    """Return the personal data in the order of the text."""
    return drop_overlaps(chain(_find_emails(text), _find_national_numbers(text), _find_phones(text)))


def _find_emails(text: str) -> Iterator[Finding]:
    done = 0
    for match in _EMAIL.finditer(text) if "@" in text else ():
        start, first = match.start(), max(done, match.start() - MAX_EMAIL_NAME)
        done = match.end()
        while start > first and text[start - 1] in _EMAIL_NAME:
            start -= 1
        name, domain = text[start : match.start()].strip("."), match[1].rstrip("-")
        last = domain.rpartition(".")[2]
        if name and "." in domain and last.isalpha() and len(last) > 1 and not _EXAMPLE_DOMAIN.search(domain):
            yield Finding(start, match.end(), FindingGroup.PERSONAL, "e-mail address")


def _find_phones(text: str) -> Iterator[Finding]:
    for match in _PHONE.finditer(text):
        digits = "".join(filter(str.isdigit, match[0]))
        if 7 <= len(digits) <= 15 and len(set(digits)) > 2:
            yield Finding(*match.span(), FindingGroup.PERSONAL, "phone number")


def _find_national_numbers(text: str) -> Iterator[Finding]:
    for match in _WRITTEN.finditer(text):
        written = match[0].rstrip(".-")
        plain = written.replace(" ", "")
        for number in NATIONAL_NUMBERS:
            if _is_number(number, plain) and _stands_near(text, number.word, *match.span()):
                yield Finding(match.start(), match.start() + len(written), FindingGroup.PERSONAL, number.kind)
                break


def _is_number(number: NationalNumber, written: str) -> bool:
    return number.form.fullmatch(written) is not None and number.is_right(written)


def _stands_near(text: str, word: str, start: int, end: int) -> bool:
    return not word or re.search(word, text[max(0, start - _NEARBY) : end + _NEARBY], re.IGNORECASE) is not None
