"""CPU that the screening of a text costs, in milliseconds; with `--data`, how much it finds and raises falsely.

    python -m benchmarks.screening [--bytes 50000] [--times 5]
    python -m benchmarks.screening --data FOLDER [--seeds 20]

A folder has attacks in `injections.jsonl` and ordinary texts in `clean.jsonl`, a `text` on each line. Secrets are drawn
anew from the shapes of each kind, alone and in the middle of ordinary texts. The texts of the demo organization are
ordinary, too.

The texts are prose, code, and the worst for each detector: one piece, repeated up to the length.
"written" are the detectors that writes need (secrets and instructions), "all" are those and personal data. The least of
several runs counts.
"""

import argparse
import base64
import json
import os
import random
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import django

from memories.screening.findings import FindingGroup
from memories.screening.injection import score_injection
from memories.screening.screen import screen_text
from memories.screening.secrets import find_secrets
from tests.secret_samples import SECRET_TEXTS, Samples

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
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="Measure what is found in the texts of a folder.")
    parser.add_argument("--seeds", type=int, default=20, help="Secrets of each kind.")
    options = parser.parse_args()
    if options.data:
        print_quality(options.data, seeds=options.seeds)
    else:
        print_costs(options)


def print_costs(options: argparse.Namespace) -> None:
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


def print_quality(folder: Path, *, seeds: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
    django.setup()
    from memories.rules.screening_settings import INJECTION_THRESHOLDS

    attacks, clean, demo = read_texts(folder / "injections.jsonl"), read_texts(folder / "clean.jsonl"), read_demo()
    secrets = {kind: [make(Samples(seed)) for seed in range(seeds)] for kind, make in SECRET_TEXTS.items()}
    alone = [text for texts in secrets.values() for text in texts]
    inside = [hide(text, clean[number % len(clean)]) for number, text in enumerate(alone)]
    print(f"{'secrets found, alone':<44}{share(alone, has_secret)}")
    print(f"{'secrets found, in ordinary texts':<44}{share(inside, has_secret)}")
    missed = [kind for kind, texts in secrets.items() if not all(map(has_secret, texts))]
    print(f"{'kinds with a miss':<44}{', '.join(missed) or 'none'}")
    print(f"{'taken for secrets: ordinary texts':<44}{share(clean, has_secret)}")
    print(f"{'taken for secrets: the demo':<44}{share(demo, has_secret)}")
    print(f"{'origin':<14}{'attacks held':>20}{'ordinary texts held':>24}{'demo held':>20}")
    for origin, threshold in INJECTION_THRESHOLDS.items():
        rows = [share(texts, partial(is_order, threshold=threshold)) for texts in (attacks, clean, demo)]
        print(f"{origin:<14}{rows[0]:>20}{rows[1]:>24}{rows[2]:>20}")


def read_texts(path: Path) -> list[str]:
    return [json.loads(line)["text"] for line in path.read_text().splitlines()]


def read_demo() -> list[str]:
    """Return the texts of the demo's memories, and its files."""
    demo = PROJECT / "memories/demo"
    memories = [tomllib.loads(path.read_text())["memory"] for path in sorted((demo / "memories").glob("*.toml"))]
    files = [path.read_text() for path in sorted((demo / "files").rglob("*.*"))]
    return [memory["content"] for part in memories for memory in part] + files


def hide(secret: str, text: str) -> str:
    """Return the text with the secret on a line of its own in the middle."""
    words = text.split(" ")
    half = len(words) // 2
    return f"{' '.join(words[:half])}\n{secret}\n{' '.join(words[half:])}"


def has_secret(text: str) -> bool:
    return bool(find_secrets(text))


def is_order(text: str, *, threshold: float) -> bool:
    return score_injection(text).score >= threshold


def share(texts: Sequence[str], judge: Callable[[str], bool]) -> str:
    count = sum(map(judge, texts))
    return f"{count:,} of {len(texts):,} ({count / len(texts):.1%})"


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
