"""Finds secrets by the shape of their value: keys and tokens of services, private keys, passwords that are assigned,
numbers of cards and accounts. The word "password" alone is no secret."""

import binascii
import re
from collections.abc import Iterator, Sequence
from itertools import chain

from memories.screening.assigned_values import find_assigned_values
from memories.screening.findings import Finding, FindingGroup, drop_overlaps
from memories.screening.folding import lower_in_place
from memories.screening.payment_numbers import find_payment_numbers
from memories.screening.tokens import Span, find_tokens, list_long_runs

MAX_WRAPPINGS = 2  # how often a secret may be wrapped in base64
MAX_KEY_BLOCK = 20_000  # characters of a private key

_KEY_BEGINS = "-----BEGIN "
_KEY_BLOCK = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY = re.compile(
    r"(?:[\sA-Za-z0-9+/=:,>\"'-]|\\[nr]){40,20000}+"
)  # base64 with headers, perhaps in a string of code
_PUTTY_KEY = re.compile(r"Private-Lines: \d+\s+([A-Za-z0-9+/=\s]{40,20000})")
# Base64 of ASCII: the first bit of each byte is 0, which leaves few characters at three places of every four.
_WRAPPED = re.compile(
    r"(?<![A-Za-z0-9+/=_-])(?:[A-Za-f][A-HQ-Xg-nw-z0-3][ABEFIJMNQRUVYZcdghklopstwx014589][A-Za-z0-9+/_-]){4,}+"
    r"[A-Za-z0-9+/_-]{0,3}={0,2}(?![A-Za-z0-9+/_-])"
)


def find_secrets(text: str, *, wrappings: int = MAX_WRAPPINGS) -> list[Finding]:
    """Return the secrets in the order of the text, also those that are wrapped in base64."""
    runs = list_long_runs(text)
    found = chain(
        _find_private_keys(text),
        find_tokens(text, runs),
        find_payment_numbers(text),
        find_assigned_values(text, lower_in_place(text)),
        _find_wrapped(text, runs, wrappings=wrappings) if wrappings else (),
    )
    return drop_overlaps(found)


def _find_private_keys(text: str) -> Iterator[Finding]:
    position = text.find(_KEY_BEGINS)
    while position >= 0:
        begin = _KEY_BLOCK.match(text, position)
        body = begin and _KEY_BODY.match(text, begin.end())
        if body and sum(map(str.isalnum, body[0][:200])) >= 40:
            yield Finding(position, _find_key_end(text, body.end()), FindingGroup.SECRET, "private key")
        position = text.find(_KEY_BEGINS, body.end() if body else position + 1)
    if "Private-Lines: " in text:
        for match in _PUTTY_KEY.finditer(text):
            yield Finding(*match.span(1), FindingGroup.SECRET, "private key")


_KEY_ENDS = re.compile(r"-{0,5}(?:END [A-Z0-9 ]{0,40}KEY(?: BLOCK)?-----)?")


def _find_key_end(text: str, position: int) -> int:
    match = _KEY_ENDS.match(text, position)
    return match.end() if match else position


def _find_wrapped(text: str, places: Sequence[Span], *, wrappings: int) -> Iterator[Finding]:
    """Yield the runs of base64 that have a secret inside. All are unwrapped together and searched once."""
    runs, unwrapped, length = [], [], 0
    for match in chain.from_iterable(_WRAPPED.finditer(text, start, end) for start, end in places):
        if inside := _unwrap(match[0]):
            runs.append((length, match.span()))
            unwrapped.append(inside)
            length += len(inside) + 1
    if not runs:
        return
    findings = iter(find_secrets("\n".join(unwrapped), wrappings=wrappings - 1))
    finding = next(findings, None)
    for number, (_, span) in enumerate(runs):
        end = runs[number + 1][0] if number + 1 < len(runs) else length
        if finding and finding.start < end:
            yield Finding(*span, FindingGroup.SECRET, f"{finding.kind} (base64)")
        while finding and finding.start < end:
            finding = next(findings, None)


def _unwrap(encoded: str) -> str:
    """Return the text that was encoded, or nothing if it is none."""
    body = encoded.rstrip("=").translate(_URL_SAFE)
    if len(body) % 4 == 1:
        return ""
    try:
        inside = binascii.a2b_base64(body + "=" * (-len(body) % 4))
    except (binascii.Error, ValueError):
        return ""
    return inside.decode() if inside.isascii() and inside.translate(None, _PRINTABLE) == b"" else ""


_URL_SAFE = str.maketrans("-_", "+/")
_PRINTABLE = bytes([9, 10, 13, *range(32, 127)])
