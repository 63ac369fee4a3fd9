"""Odd requests, made by chance: a seed and a number always make the same one, so that each can be sent again."""

import argparse
import http.client
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

LONG_TEXT = "long " * 12_000  # more than a memory may say
DEEP: Any = json.loads("[" * 200 + "]" * 200)
ODD_TEXTS = (
    *(
        "",
        " ",
        "\0",
        "a\0b",
        "\ud800",
        "\udfff\ud800",
        "é",
        "e\u0301",
        "\u202e",
        "\ufeff",
        "𝔘",
        "😀" * 50,
        "%",
        "_",
        "\\",
        "%00",
        "'",
    ),
    *(
        '"',
        "--",
        "<script>",
        "../../etc/passwd",
        "/",
        "//",
        ".",
        "..",
        "a/../b",
        "null",
        "true",
        "0",
        "-1",
        "1e400",
        "NaN",
    ),
    *(
        "2026-13-45T99:99:99Z",
        "2030-01-01",
        "0001-01-01T00:00:00Z",
        "9999-12-31T23:59:59-14:00",
        "\r\n",
        "\x1b[0m",
        "x" * 300,
    ),
    *(
        "00000000-0000-0000-0000-000000000000",
        "not-a-uuid",
        "memory://",
        "memory://x/%00",
        "file:///etc/passwd",
        "=?base64??=",
    ),
    *("{{7*7}}", "${x}", "on", "1" * 5_000, LONG_TEXT),
)
ODD_NUMBERS = (0, -1, 1, 2, 10**9, 2**31, 2**63, -(2**63), 10**30, 0.5, -0.0, 1e308, 1.5)
ODD_VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        [],
        {},
        [[]],
        [None],
        {"": ""},
        {"a": {"b": [1]}},
        DEEP,
        ["x"] * 600,
        {f"f{n}": n for n in range(300)},
    ),
    *ODD_NUMBERS,
    *ODD_TEXTS,
)


@dataclass(frozen=True)
class Shot:
    """One request."""

    number: int
    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass
class FuzzVerdict:
    statuses: Counter[int] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def note(self, shot: Shot, status: int, answer: bytes) -> None:
        self.statuses[status] += 1
        if status >= 500:
            told = f"{shot.number}: {status} for {shot.method} {shot.path} {dict(shot.headers)} {shot.body[:500]!r}"
            self.failures.append(f"{told}\n    {answer[:300]!r}")

    def summary(self) -> str:
        counts = ", ".join(f"{status}: {count}" for status, count in sorted(self.statuses.items()))
        return f"{sum(self.statuses.values()):,} requests ({counts})"


def places(value: Any) -> list[tuple[Any, ...]]:
    """Return the way to every part of a JSON value, itself included."""
    items: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    return [(), *((key, *rest) for key, part in items for rest in places(part))]


def replace_part(value: Any, place: tuple[Any, ...], part: Any) -> Any:
    """Return the value with another part at that place."""
    if not place:
        return part
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[place[0]] = replace_part(value[place[0]], place[1:], part)
    return copy


def mutate_value(value: Any, chance: Random) -> Any:
    """Return the value with one part made odd, left out, added or moved."""
    place = chance.choice(places(value))
    part = value
    for key in place:
        part = part[key]
    kind = chance.randrange(6)
    if kind == 0 and isinstance(part, dict) and part:
        gone = chance.choice(list(part))
        return replace_part(value, place, {name: inner for name, inner in part.items() if name != gone})
    if kind == 1 and isinstance(part, dict):
        return replace_part(value, place, part | {chance.choice(ODD_TEXTS): chance.choice(ODD_VALUES)})
    if kind == 2:
        return replace_part(value, place, [part] * chance.choice((1, 2, 40)))
    if kind == 3 and isinstance(part, str):
        return replace_part(value, place, part + chance.choice(ODD_TEXTS))
    return replace_part(value, place, chance.choice(ODD_VALUES))


def header_text(text: str) -> str:
    """Return what of the text a header can carry."""
    return "".join(letter for letter in text if letter.isprintable() and ord(letter) < 256)[:4_000]


def arguments(description: str, *, requests: int) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--requests", type=int, default=requests)
    parser.add_argument("--only", type=int, help="The number of the one request to send again.")
    parser.add_argument("--seconds", type=int, default=1_200, help="After that long no more is sent.")
    return parser.parse_args()


def send_garbage(shots: Iterable[Shot], send: Callable[[Shot], tuple[int, bytes]], *, said: argparse.Namespace) -> None:
    """Send each, say how many were answered in which way, and end with an error if the server failed at one."""
    verdict, end = FuzzVerdict(), time.monotonic() + said.seconds
    for shot in shots:
        if said.only in (None, shot.number):
            verdict.note(shot, *send(shot))
        if time.monotonic() > end:
            print(f"Stopped after {said.seconds} seconds.")
            break
    print(f"Seed {said.seed}:", verdict.summary())
    sys.exit("\n".join(["The server failed:", *verdict.failures]) if verdict.failures else 0)


class Line:
    """A connection to the hub that is kept open."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def send(self, shot: Shot) -> tuple[int, bytes]:
        status, _, answer = self.ask(shot)
        return status, answer

    def ask(self, shot: Shot) -> tuple[int, http.client.HTTPMessage, bytes]:
        try:
            return self._ask(shot)
        except (http.client.HTTPException, OSError):  # the server may hang up on what it refused
            self.connection.close()
            return self._ask(shot)

    def _ask(self, shot: Shot) -> tuple[int, http.client.HTTPMessage, bytes]:
        self.connection.request(shot.method, shot.path, shot.body, dict(shot.headers))
        response = self.connection.getresponse()
        return response.status, response.headers, response.read()
