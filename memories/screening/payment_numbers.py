"""Finds numbers of cards and bank accounts by their form and their checksum."""

import re
from collections.abc import Iterator

from memories.screening.checksums import has_luhn, has_mod_97
from memories.screening.findings import Finding, FindingGroup

# Digits as cards have them printed: in one piece, in fours, or as American Express and Diners Club group them.
_CARD = re.compile(
    r"[0-9](?<![\w.,/#-][0-9])"
    r"(?:[0-9]{3}([ -])[0-9]{4}\1[0-9]{4}\1[0-9]{1,4}(?:\1[0-9]{3})?|[0-9]{3}([ -])[0-9]{6}\2[0-9]{4,5}|[0-9]{12,18})"
    r"(?![\w/-]|[.,]\d)"
)
_ISSUERS = (  # how the numbers of an issuer begin, and how long they are
    ("4", (13, 16, 19)),
    (tuple(map(str, range(51, 56))), (16,)),
    (tuple(map(str, range(2221, 2721))), (16,)),
    (("34", "37"), (15,)),
    (("6011", "65", *map(str, range(644, 650))), (16,)),
    (("300", "301", "302", "303", "304", "305", "36", "38"), (14,)),
    (tuple(map(str, range(3528, 3590))), (16,)),
    (("62", "81"), (16, 17, 18, 19)),
    (("5018", "5020", "5038", "5893", "6304", "6759", "6761", "6762", "6763"), (16,)),
)
_COMMON_LENGTHS = (15, 16)
_CARD_WORD = re.compile(r"card|visa|master|amex|diners|maestro|jcb|pan\b|karte|tarjeta|carte", re.IGNORECASE)
_CARD_WORD_REACH = 60  # characters around a number

_LENGTHS = """
    AD:24 AE:23 AL:28 AT:20 AZ:28 BA:20 BE:16 BG:22 BH:22 BR:29 BY:28 CH:21 CR:22 CY:28 CZ:24 DE:22 DK:18 DO:28
    EE:20 EG:29 ES:24 FI:18 FO:18 FR:27 GB:22 GE:22 GI:23 GL:18 GR:27 GT:28 HR:21 HU:28 IE:22 IL:23 IQ:23 IS:26
    IT:27 JO:30 KW:30 KZ:20 LB:28 LC:32 LI:21 LT:20 LU:20 LV:21 LY:25 MC:27 MD:24 ME:22 MK:19 MR:27 MT:31 MU:30
    NL:18 NO:15 PK:24 PL:28 PS:29 PT:25 QA:29 RO:24 RS:22 SA:24 SC:31 SE:24 SI:19 SK:24 SM:27 ST:25 SV:28 TL:23
    TN:24 TR:26 UA:29 VA:22 VG:24 XK:20
"""
IBAN_LENGTHS = dict(pair.split(":") for pair in _LENGTHS.split())
_IBAN = re.compile(r"[A-Z][A-Z]\d\d(?<![A-Za-z0-9][A-Z]{2}\d{2})(?:[ -]?[A-Z0-9]{4}){2,7}+(?:[ -]?[A-Z0-9]{1,3})?")


def find_payment_numbers(text: str) -> Iterator[Finding]:
    for match in _CARD.finditer(text):
        if _is_card(match, text):
            yield Finding(*match.span(), FindingGroup.SECRET, "card number")
    for match in _IBAN.finditer(text):
        if length := _measure_iban(match[0]):
            yield Finding(match.start(), match.start() + length, FindingGroup.SECRET, "bank account (IBAN)")


def _is_card(match: re.Match[str], text: str) -> bool:
    digits = match[0].replace(" ", "").replace("-", "")
    if len(set(digits)) < 2 or not _is_issued(digits) or not has_luhn(digits):
        return False
    if len(digits) in _COMMON_LENGTHS or len(digits) < len(match[0]):
        return True
    around = text[max(0, match.start() - _CARD_WORD_REACH) : match.end() + _CARD_WORD_REACH]
    return bool(_CARD_WORD.search(around))  # other lengths are those of timestamps and ids, too


def _is_issued(digits: str) -> bool:
    return any(digits.startswith(marks) and len(digits) in lengths for marks, lengths in _ISSUERS)


def _measure_iban(written: str) -> int:
    """Return how many of the characters are an IBAN: words may follow it without a sign between."""
    wanted = int(IBAN_LENGTHS.get(written[:2], 0))
    plain = ""
    for position, sign in enumerate(written):
        plain += sign if sign.isalnum() else ""
        if len(plain) == wanted:
            return position + 1 if has_mod_97(plain) else 0
    return 0
