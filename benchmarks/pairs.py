"""Pairs: how many contradictions and near-duplicates among sentence pairs are found, and how many findings are right.

    python -m benchmarks.pairs FOLDER

The folder has sick.jsonl (a, b, label: contradiction, neutral or entailment) and msr.jsonl (a, b, label: paraphrase or
different). The rules were made with every second row, beginning with the first; the others are measured alone. Without
a database: the two texts are compared as the hub does it, with the vectors of the default model, and again as a hub
without a model compares them.
"""

import argparse
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.harness import say
from benchmarks.quality import lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    os.environ["DJANGO_SETTINGS_MODULE"] = "memoryhub.settings"
    import django

    django.setup()
    from memories.models import PairKind

    same = {PairKind.DUPLICATE, PairKind.NEAR_DUPLICATE}
    for name, label, kinds in (("sick", "contradiction", {PairKind.CONTRADICTION}), ("msr", "paraphrase", same)):
        rows = lines(folder / f"{name}.jsonl")
        for half, part in (("made with", rows[::2]), ("measured", rows[1::2])):
            right = [row["label"] == label for row in part]
            for way, measure in (("by meaning", measure_by_meaning), ("by letters", measure_by_letters)):
                report_pairs(f"{name}, {half}, {way}: {label}", right, find_kinds(part, kinds, measure))


def find_kinds(rows: Sequence[dict[str, Any]], kinds: set[Any], measure: Callable[[str, str], float]) -> list[bool]:
    """Return of which pairs of sentences the hub would say one of these."""
    from memories.rules.pairs import ComparedMemory, rate_pair, read_pair_threshold

    above, found = read_pair_threshold({}), []
    for row in rows:
        one, other = ComparedMemory(row["a"]), ComparedMemory(row["b"])
        finding = rate_pair(one, other, similarity=measure(row["a"], row["b"]), above=above)
        found.append(finding is not None and finding.kind in kinds)
    return found


def measure_by_meaning(first: str, second: str) -> float:
    from memories.embedding import get_provider

    provider = get_provider()
    assert provider
    return sum(left * right for left, right in zip(*provider.documents([first, second]), strict=True))


def measure_by_letters(first: str, second: str) -> float:
    from memories.text.wording import measure_overlap

    return measure_overlap(first, second)


def report_pairs(title: str, right: Sequence[bool], found: Sequence[bool]) -> None:
    both = sum(one and other for one, other in zip(right, found, strict=True))
    precision, recall = both / max(sum(found), 1), both / max(sum(right), 1)
    say(f"{title}: precision {precision:.3f}, recall {recall:.3f} ({sum(found)} found, {sum(right)} there)")


if __name__ == "__main__":
    main()
