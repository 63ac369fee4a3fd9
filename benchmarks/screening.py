"""CPU that the screening of a text costs, in milliseconds.

    python -m benchmarks.screening [--bytes 50000] [--times 5]

The texts are prose, code, and the worst for each detector: one piece, repeated up to the length.
"written" are the detectors that writes need (secrets and instructions), "all" are those and personal data. The least of
several runs counts.
"""

import argparse
import base64
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from memories.screening.findings import FindingGroup
from memories.screening.screen import screen_text

PROJECT = Path(__file__).resolve().parent.parent
SHORT_TEXT = 400  # bytes, as most memories have
PIECES = {
    "letters": "a",
    "equals signs": "=",
    "angle brackets": "<",
    "quotation": "> ",
    "quotes": "\"'",
    "zero-width characters": "\u200b",
    "spaces": " ",
    "line breaks": "\n",
    "dots": ".",
    "passwords without a value": "password=",
    "passwords with a value": "password=Ab1!xyz9 ",
    "words for keys": "key ",
    "addresses": "a1://b:c@",
    "key blocks": "-----BEGIN PRIVATE KEY-----",
    "marks of tokens": "sk-",
    "pictures": "![](http://",
    "orders": "ignore previous ",
    "e-mail": "a@b.",
    "wrapped text": base64.b64encode(b"hello world abc123").decode() + " ",
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Print what screening costs.")
    parser.add_argument("--bytes", type=int, default=50_000)
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    print(f"{'text':<28}{'bytes':>8}{'written':>10}{'all':>10}")
    for name, text in list_texts(options.bytes):
        written = measure(lambda text=text: screen_text(text, groups=_WRITTEN), times=options.times)  # type: ignore[misc]
        everything = measure(lambda text=text: screen_text(text), times=options.times)  # type: ignore[misc]
        print(f"{name:<28}{len(text.encode()):>8,}{written:>10.2f}{everything:>10.2f}")


_WRITTEN = (FindingGroup.SECRET, FindingGroup.INJECTION)


def list_texts(length: int) -> Iterator[tuple[str, str]]:
    draw = random.Random(1)
    prose = "\n".join(path.read_text() for path in sorted((PROJECT / "memories/demo/files").rglob("*.md")))
    yield "a short text", prose[:SHORT_TEXT]
    yield "prose", (prose * (length // len(prose) + 1))[:length]
    yield "code", ((PROJECT / "memories/models/memory.py").read_text() * 4)[:length]
    yield "base64", base64.b64encode(draw.randbytes(length)).decode()[:length]
    yield "digits", "".join(draw.choices("0123456789", k=length))
    for name, piece in PIECES.items():
        yield name, (piece * length)[: length // len(piece.encode()) * len(piece)]


def measure(act: Callable[[], object], *, times: int) -> float:
    """Return the CPU-ms of the quickest run. Short work is repeated until the clock can see it."""
    repeated = 1
    while (spent := _spend(act, repeated)) < 0.005:
        repeated *= 4
    return 1000 * min(spent, *(_spend(act, repeated) for _ in range(times - 1))) / repeated


def _spend(act: Callable[[], object], repeated: int) -> float:
    began = time.process_time()
    for _ in range(repeated):
        act()
    return time.process_time() - began


if __name__ == "__main__":
    main()
