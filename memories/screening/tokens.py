"""Finds tokens of known services by their shape, and JSON web tokens by their header."""

import base64
import binascii
import json
import re
from collections.abc import Iterator, Sequence
from itertools import chain

from memories.screening.checksums import has_crc
from memories.screening.findings import Finding, FindingGroup
from memories.screening.randomness import is_placeholder, is_sequence, is_wordlike
from memories.screening.token_shapes import TOKEN_SHAPES, TokenShape

MAX_HEADER = 1_000  # characters of a web token's header that are decoded
AWS_SECRET_REACH = 300  # characters after an AWS access key in which its secret is looked for

# Shapes that begin like any word: looked for only where their telling part is in the text.
_TELLING_PARTS = (
    ("Azure client secret", "Q~", re.compile(r"(?<![\w~.-])[\w~.]{3}\dQ~[\w~.-]{31,34}")),
    ("MaxMind key", "_mmk", re.compile(r"(?<!\w)[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk")),
    ("Mailchimp key", "-us", re.compile(r"(?<!\w)[0-9a-f]{32}-us\d{1,2}")),
    ("Telegram bot token", ":AA", re.compile(r"(?<!\w)\d{8,10}:A[\w-]{34}(?!\w)")),
    (
        "Slack webhook",
        "hooks.slack.com/",
        re.compile(r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w/+]{30,})"),
    ),
    ("Discord webhook", "/api/webhooks/", re.compile(r"discord(?:app)?\.com/api/webhooks/(\d{15,20}/[\w-]{50,})")),
    ("Teams webhook", ".webhook.office.com/", re.compile(r"\.webhook\.office\.com/webhookb2/([\w@/-]{80,})")),
    ("PayPal token", "access_token$", re.compile(r"access_token\$production\$\w{16}\$[0-9a-f]{32}")),
    ("Asana token", "1/", re.compile(r"(?<![\w/])[0-2]/\d{15,17}:[0-9a-f]{32}")),
    ("Azure signature", "sig=", re.compile(r"(?<![a-z])sig=([\w%+/=-]{40,})")),
    ("AWS signature", "X-Amz-Signature=", re.compile(r"X-Amz-Signature=([0-9a-f]{64})")),
    ("Google OAuth code", "4/0A", re.compile(r"(?<![\w/])4/0A[\w-]{30,}")),
)
_WEB_TOKEN = re.compile(r"(?<![A-Za-z0-9])eyJ[\w-]{8,}+\.[\w-]{8,}+(?:\.[\w-]*+){1,3}")
_LONG_RUNS = re.compile(r"(?:\S{0,15}+\s++)*+(\S{16,}+(?:\s\S{16,}+)*+)")  # no token is shorter
_HEX = re.compile("[0-9a-f]+")
_DIGIT = re.compile("[0-9]")
_AWS_SECRET = re.compile(r"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")


Span = tuple[int, int]


def list_long_runs(text: str) -> list[Span]:
    """Return the places of the text that stand without a space and are long enough for a token. Neighbours are one."""
    runs, match = [], _LONG_RUNS.match(text)
    while match:  # never searched: from each place on, the short words would be passed over again
        runs.append(match.span(1))
        match = _LONG_RUNS.match(text, match.end())
    return runs


def find_tokens(text: str, runs: Sequence[Span]) -> Iterator[Finding]:
    yield from _find_web_tokens(text)
    for start, end in runs:
        yield from _find_tokens_between(text, start, end)
    for kind, part, expression in _TELLING_PARTS:
        if part in text:
            for match in chain.from_iterable(expression.finditer(text, start, end) for start, end in runs):
                if not is_placeholder(match[0]):
                    yield Finding(*match.span(match.lastindex or 0), FindingGroup.SECRET, kind)


def _find_tokens_between(text: str, start: int, end: int) -> Iterator[Finding]:
    secret_from = 0
    for match in _TOKENS.finditer(text, start, end):
        mark, shape = _SHAPES[(match.lastindex or 0) - 1]
        if _is_token(match[0], mark, shape):
            yield Finding(*match.span(), FindingGroup.SECRET, shape.kind)
            if shape.kind == "AWS access key":
                reach = match.end() + AWS_SECRET_REACH
                yield from _find_aws_secrets(text, max(secret_from, match.end()), reach)
                secret_from = reach


def _is_token(token: str, mark: str, shape: TokenShape) -> bool:
    """Tell whether a token of that shape is one rather than an example or a name in code. A right checksum settles it;
    a wrong one does not, because a token may have been cut or mistyped."""
    if shape.checksum and has_crc(token, mark=mark):
        return True
    body = token[len(mark) :]
    return not (is_placeholder(body) or is_sequence(body) or (is_wordlike(body) and not _has_digits(body)))


def _has_digits(text: str) -> bool:
    return len(_DIGIT.findall(text)) >= 2


def _find_aws_secrets(text: str, start: int, end: int) -> Iterator[Finding]:
    """Yield what looks like the secret that belongs to an access key just before."""
    for match in _AWS_SECRET.finditer(text, start, end):
        if not is_placeholder(match[0]) and not _HEX.fullmatch(match[0]):
            yield Finding(*match.span(), FindingGroup.SECRET, "AWS secret key")


def _find_web_tokens(text: str) -> Iterator[Finding]:
    if "eyJ" in text:
        for match in _WEB_TOKEN.finditer(text):
            if _is_web_token_header(match[0].partition(".")[0]):
                yield Finding(*match.span(), FindingGroup.SECRET, "JSON web token")


def _is_web_token_header(encoded: str) -> bool:
    if len(encoded) > MAX_HEADER:
        return False
    try:
        header = json.loads(base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        return False
    return isinstance(header, dict) and bool({"alg", "typ", "enc"} & set(header))


class _Mark:
    """A place in the tree of the marks that tokens begin with: what may follow, and the shapes that begin here."""

    def __init__(self) -> None:
        self.following: dict[str, _Mark] = {}
        self.shapes: list[TokenShape] = []

    def plant(self, mark: str, shape: TokenShape) -> None:
        place = self
        for sign in mark:
            place = place.following.setdefault(sign, _Mark())
        place.shapes.append(shape)

    def compile(self, order: list[tuple[str, TokenShape]], mark: str = "") -> str:
        """Build the expression of all that begins here, longer marks first. Groups are numbered in the given order."""
        branches = [f"{re.escape(sign)}{place.compile(order, mark + sign)}" for sign, place in self.following.items()]
        for shape in self.shapes:
            order.append((mark, shape))
            branches.append(f"({shape.body})")
        return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"


def _compile_shapes() -> tuple[re.Pattern[str], list[tuple[str, TokenShape]]]:
    tree = _Mark()
    for shape in TOKEN_SHAPES:
        for mark in shape.marks.split():
            tree.plant(mark, shape)
    order: list[tuple[str, TokenShape]] = []
    return re.compile(rf"(?<![A-Za-z0-9]){tree.compile(order)}"), order


_TOKENS, _SHAPES = _compile_shapes()
