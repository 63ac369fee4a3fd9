"""Fit the table by which recall ranks its candidates, and say how good it is on questions that it was not fitted to.

    python -m benchmarks.fit_ranking FOLDER [FOLDER ...] [--again FOLDER ...] [--held-out TABLES] [--write]

A folder holds `corpus.jsonl` and `queries.jsonl`, as for `benchmarks.quality`. Those after `--again` are loaded a
second time with their memories in random order, so that the ranker learns when neighbours tell nothing. `--write`
replaces memories/recall/ranking.json; without it, the ranking is only tested. `--held-out` writes the table of each
round of the test to a folder, for `benchmarks.quality --held-out`.

The questions are split by teams: a team is a conversation or a collection, and all its questions are on the same side.
In each of six rounds the ranker is fitted to the other teams and tested on those left out; a set of one or two teams is
split by its questions. Then each set is tested by a ranker that was fitted to sets of other families alone: `beam100k`
and `beam500k` are one family, as are a set and its shuffled twin. What is written is fitted to everything. A set counts
as much as any other, however many questions it has, and of each at most `MOST_QUESTIONS` are used.

The score is one third a linear model, which holds on texts of any kind, and two thirds gradient-boosted trees of six
leaves, which know what it cannot say. Both are fitted to whole lists of candidates. It needs LightGBM: `pip install
lightgbm`.
"""

import argparse
import json
import random
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Progress, database, say
from benchmarks.quality import lines, load, ranked_by

ROUNDS = 6  # of the split by teams
MOST_QUESTIONS = 250  # of a set
BEST, OTHERS = 35, 8  # candidates of a question to learn from: the best by words and meaning, and some of the rest
LINEAR_SHARE = 0.5  # of what the trees count
LINEAR_PENALTY = 1e-3
TREES = 150
TREE_OPTIONS: dict[str, Any] = {
    "objective": "lambdarank",
    "lambdarank_truncation_level": 15,
    "num_leaves": 6,
    "learning_rate": 0.08,
    "min_data_in_leaf": 50,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5,
    "max_bin": 63,
    "seed": 1,
    "deterministic": True,
    "num_threads": 1,
    "verbose": -1,
}
FIRST_SCORE, TENTH_SCORE = 0.75, 0.45  # that a usual first and a usual tenth memory get
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Examples:
    """The candidates of questions, question after question, and which of them are right."""

    name: str
    features: Numbers
    right: NDArray[np.bool_]
    counts: NDArray[np.intp]  # of candidates, for each question
    relevant: Numbers  # memories that answer each question, found or not
    teams: tuple[str, ...]  # of each question

    @property
    def starts(self) -> NDArray[np.intp]:
        return np.concatenate([[0], np.cumsum(self.counts)]).astype(np.intp)

    def take(self, questions: Sequence[int] | NDArray[np.intp]) -> "Examples":
        """Return the examples of these questions alone."""
        starts = self.starts
        rows = np.concatenate([np.arange(starts[one], starts[one + 1]) for one in questions] or [np.arange(0)])
        return self.take_rows(rows.astype(np.intp), list(questions), self.counts[list(questions)])

    def take_rows(self, rows: NDArray[np.intp], questions: list[int], counts: NDArray[np.intp]) -> "Examples":
        teams = tuple(self.teams[one] for one in questions)
        return Examples(self.name, self.features[rows], self.right[rows], counts, self.relevant[questions], teams)


Ranks = Callable[[Numbers], Numbers]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--again", nargs="*", type=Path, default=[], metavar="FOLDER")
    parser.add_argument("--held-out", type=Path, metavar="TABLES", help="write the table of each round to this folder")
    parser.add_argument("--write", action="store_true", help="replace the table that recall uses")
    arguments = parser.parse_args()
    try:
        import lightgbm  # noqa: F401
    except ImportError:
        sys.exit("Fitting needs LightGBM, which is no dependency of the hub: pip install lightgbm")
    with database(), NamedTemporaryFile("w", suffix=".json") as plain, ranked_by(Path(plain.name)):
        plain.write(format_table(build_plain_table()))
        plain.flush()
        sets = [collect_examples(folder) for folder in arguments.folders]
        sets += [collect_examples(folder, shuffled=True) for folder in arguments.again]
    from memories.recall.ranker import TABLE

    report(sets)
    if arguments.held_out:
        write_rounds(sets, arguments.held_out)
    if arguments.write:
        TABLE.write_text(format_table(fit_table(sets)), encoding="utf-8")
        say(f"\n{TABLE} has {TREES} trees.")


def build_plain_table() -> dict[str, Any]:
    """Return a table for collecting examples: the present one may have been fitted for other features."""
    from memories.recall.features import NAMES

    return {
        "names": NAMES,
        "weights": [float(name in {"words_relative", "nearness_relative"}) for name in NAMES],
        "neutral": [0.0 for _ in NAMES],
        "middle": 1.0,
        "width": 1.0,
        "features": [[0]],
        "thresholds": [[0.0]],
        "ruled_out": [[0]],
        "leaves": [[0.0, 0.0]],
    }


def collect_examples(folder: Path, *, shuffled: bool = False) -> Examples:
    """Ask every question of a folder and return its candidates' features."""
    from django.utils import timezone

    from memories.recall.explain import ALL
    from memories.recall.meaning import SHORT
    from memories.recall.query import Question, ask

    corpus, queries = lines(folder / "corpus.jsonl"), lines(folder / "queries.jsonl")
    if shuffled:
        random.Random(5).shuffle(corpus)
    name = f"{folder.name}{' shuffled' if shuffled else ''}"
    actors, ids = load(name.replace(" ", "-"), corpus)
    progress = Progress(len(queries), f"asking {name}")
    features, right, counts = [], [], []
    for query in queries:
        actor, now = actors[query["team"]], timezone.now()
        question = Question.read(actor=actor, query=query["text"][:10_000], by_words=True, by_meaning=True, now=now)
        found = ask(actor=actor, question=question, rule=None, limit=ALL, limits=SHORT, now=now)
        hits = [(memory, scored) for memory, scored in found.hits if scored.features is not None]
        features += [scored.features for _, scored in hits]
        right += [ids[memory.pk] in set(query["relevant"]) for memory, _ in hits]
        counts.append(len(hits))
        progress.add(1)
    return Examples(
        name,
        np.array(features),
        np.array(right),
        np.array(counts, dtype=np.intp),
        np.array([len(query["relevant"]) for query in queries], dtype=float),
        tuple(query["team"] for query in queries),
    )


def report(sets: Sequence[Examples]) -> None:
    """Print recall@5 on questions that were left out."""
    say(f"\n{'':24}{'questions':>10}{'by teams':>10}{'by sets':>10}")
    by_teams = test_by_teams(sets)
    for place, one in enumerate(sets):
        others = [other for other in sets if find_family(other.name) != find_family(one.name)]
        unseen = measure_recall(one, fit_ranks(others)(one.features)).mean() if others else float("nan")
        say(f"{one.name:24}{len(one.counts):10,}{by_teams[place]:10.4f}{unseen:10.4f}")


def find_family(name: str) -> str:
    """Return the name of a set without its size and without saying that it was shuffled."""
    return re.sub(r"\d.*", "", name.split()[0])


def test_by_teams(sets: Sequence[Examples]) -> list[float]:
    """Return the recall@5 of each set, each question answered by a ranker that has not seen its team."""
    reached: list[list[float]] = [[] for _ in sets]
    rounds = [assign_rounds(one) for one in sets]
    for number in range(ROUNDS):
        ranks = fit_ranks([one.take(np.flatnonzero(of != number)) for one, of in zip(sets, rounds, strict=True)])
        for one, of, found in zip(sets, rounds, reached, strict=True):
            left_out = one.take(np.flatnonzero(of == number))
            if len(left_out.counts):
                found += measure_recall(left_out, ranks(left_out.features)).tolist()
    return [float(np.mean(found)) for found in reached]


def assign_rounds(one: Examples) -> NDArray[np.intp]:
    """Return the round in which each question is left out."""
    teams = {team: place % ROUNDS for place, team in enumerate(sorted(set(one.teams)))}
    if len(teams) < 3:
        return np.arange(len(one.teams)) % ROUNDS
    return np.array([teams[team] for team in one.teams], dtype=np.intp)


def measure_recall(one: Examples, scores: Numbers) -> Numbers:
    """Return the share of the right memories that are among the first five, for each question."""
    starts = one.starts
    best = [np.argsort(-scores[a:b], kind="stable")[:5] + a for a, b in pairwise(starts)]
    return np.array([one.right[first].sum() for first in best]) / one.relevant


def fit_ranks(sets: Sequence[Examples]) -> Ranks:
    """Return a function that scores candidates by both models."""
    samples = [sample(one) for one in sets]
    weights, booster = fit_linear(samples), fit_trees(samples)
    spread, height = measure_spread(samples, weights, booster)

    def rank(features: Numbers) -> Numbers:
        scores: Numbers = LINEAR_SHARE * (features @ weights) / spread + booster.predict(features) / height
        return scores

    return rank


def measure_spread(samples: Sequence[Examples], weights: Numbers, booster: Any) -> tuple[float, float]:
    """Return the standard deviations of the two models, by which they are brought to one scale."""
    features = np.concatenate([one.features for one in samples])
    return float((features @ weights).std()), float(booster.predict(features).std())


def sample(one: Examples) -> Examples:
    """Return the questions and candidates to learn from: all right ones, and more of the good than of the others."""
    from memories.recall.features import NAMES

    chance, starts = np.random.default_rng(0), one.starts
    first = one.features[:, NAMES.index("words_relative")] + one.features[:, NAMES.index("nearness_relative")]
    questions = [n for n in range(len(one.counts)) if one.right[starts[n] : starts[n + 1]].any()]
    if len(questions) > MOST_QUESTIONS:
        questions = sorted(chance.choice(questions, MOST_QUESTIONS, replace=False).tolist())
    rows = []
    for number in questions:
        start, end = starts[number], starts[number + 1]
        order = start + np.argsort(-first[start:end], kind="stable")
        others = chance.permutation(order[BEST:])[:OTHERS]
        rows.append(np.unique([*order[:BEST], *others, *(start + np.flatnonzero(one.right[start:end]))]))
    counts = np.array([len(some) for some in rows], dtype=np.intp)
    return one.take_rows(np.concatenate(rows).astype(np.intp), questions, counts)


def fit_linear(samples: Sequence[Examples]) -> Numbers:
    """Return the weights under which the right candidates have the greatest share of the softmax of each question."""
    from scipy.optimize import minimize

    features = np.concatenate([one.features for one in samples])
    right = np.concatenate([one.right for one in samples]).astype(float)
    counts = np.concatenate([one.counts for one in samples])
    each = np.concatenate([np.full(len(one.counts), 1 / len(one.counts)) for one in samples]) / len(samples)
    spread = features.std(axis=0) + 1e-9
    scaled, starts, of = features / spread, np.cumsum(counts) - counts, np.repeat(np.arange(len(counts)), counts)
    target = right / np.add.reduceat(right, starts)[of]

    def loss(weights: Numbers) -> tuple[float, Numbers]:
        scores = scaled @ weights
        highest = np.maximum.reduceat(scores, starts)
        shares = np.exp(scores - highest[of])
        whole = np.add.reduceat(shares, starts)
        likelihood = np.add.reduceat(target * scores, starts) - highest - np.log(whole)
        slope = scaled.T @ ((shares / whole[of] - target) * each[of])
        penalty = LINEAR_PENALTY * float(weights @ weights)
        return penalty - float(each @ likelihood), slope + 2 * LINEAR_PENALTY * weights

    fitted: Numbers = minimize(loss, np.zeros(features.shape[1]), jac=True, method="L-BFGS-B").x / spread
    fitted[np.abs(fitted) < 1e-9] = 0.0  # of features that are the same for all candidates
    return fitted


def fit_trees(samples: Sequence[Examples]) -> Any:
    """Return LightGBM's trees for the samples."""
    import lightgbm

    weights = np.concatenate([np.full(len(one.right), 1 / len(one.counts)) for one in samples])
    data = lightgbm.Dataset(
        np.concatenate([one.features for one in samples]),
        np.concatenate([one.right for one in samples]).astype(int),
        group=np.concatenate([one.counts for one in samples]),
        weight=weights * len(weights) / weights.sum(),
    )
    return lightgbm.train(TREE_OPTIONS, data, TREES)


def write_rounds(sets: Sequence[Examples], folder: Path) -> None:
    """Write a table for each round of the test, with the teams that it has not seen."""
    folder.mkdir(parents=True, exist_ok=True)
    rounds = [assign_rounds(one) for one in sets]
    for number in range(ROUNDS):
        seen = [one.take(np.flatnonzero(of != number)) for one, of in zip(sets, rounds, strict=True)]
        left_out = {
            f"{one.name}/{one.teams[question]}"
            for one, of in zip(sets, rounds, strict=True)
            for question in np.flatnonzero(of == number)
        }
        table = fit_table(seen) | {"left_out": sorted(left_out)}
        (folder / f"round-{number + 1}.json").write_text(format_table(table), encoding="utf-8")


def fit_table(sets: Sequence[Examples]) -> dict[str, Any]:
    """Return the table that recall reads, fitted to all of the sets."""
    from memories.recall.features import NAMES
    from memories.recall.ranker import Ranker

    samples = [sample(one) for one in sets]
    weights, booster = fit_linear(samples), fit_trees(samples)
    spread, height = measure_spread(samples, weights, booster)
    trees = [read_tree(tree["tree_structure"], height) for tree in booster.dump_model()["tree_info"]]
    table = {
        "names": NAMES,
        "weights": round_all(LINEAR_SHARE * weights / spread),
        "neutral": round_all(find_neutral(samples)),
        "middle": 0.0,
        "width": 1.0,
        **{name: [tree[name] for tree in trees] for name in ("features", "thresholds", "ruled_out", "leaves")},
    }
    ranker = Ranker.read(table)
    sums = [np.sort(ranker.sum_up(one.take([n]).features))[::-1] for one in samples for n in range(len(one.counts))]
    first, tenth = (float(np.median([some[min(place, len(some) - 1)] for some in sums])) for place in (0, 9))
    table["width"] = (first - tenth) / (find_logit(FIRST_SCORE) - find_logit(TENTH_SCORE))
    table["middle"] = first - table["width"] * find_logit(FIRST_SCORE)
    return table


def find_logit(score: float) -> float:
    return float(np.log(score / (1 - score)))


def find_neutral(samples: Sequence[Examples]) -> Numbers:
    """Return the features of a memory that has nothing of the question: zero, the least there is or the usual."""
    from memories.recall.features import NAMES

    features = np.concatenate([one.features for one in samples])
    usual = {"length", "length_relative"}
    least = np.minimum(np.percentile(features, 1, axis=0), 0.0)
    neutral: Numbers = np.where([name in usual for name in NAMES], np.median(features, axis=0), least)
    return neutral


def read_tree(node: dict[str, Any], height: float) -> dict[str, list[Any]]:
    """Return a tree as Ranker reads it: its leaves from left to right, and its splits with the leaves that each rules
    out for those above it. Splits that a small tree lacks rule out nothing."""
    leaves: list[float] = []
    splits: list[tuple[int, float, int]] = []

    def walk(node: dict[str, Any]) -> None:
        if "leaf_value" in node:
            leaves.append(node["leaf_value"] / height)
            return
        begin = len(leaves)
        walk(node["left_child"])
        ruled_out = sum(1 << leaf for leaf in range(begin, len(leaves)))
        splits.append((node["split_feature"], node["threshold"], ruled_out))
        walk(node["right_child"])

    walk(node)
    splits += [(0, 0.0, 0)] * (TREE_OPTIONS["num_leaves"] - 1 - len(splits))
    features, thresholds, ruled_out = zip(*splits, strict=True)
    padded = [*leaves, *[0.0] * (TREE_OPTIONS["num_leaves"] - len(leaves))]
    return {
        "features": list(features),
        "thresholds": round_all(thresholds),
        "ruled_out": list(ruled_out),
        "leaves": round_all(padded),
    }


def round_all(numbers: Any) -> list[float]:
    return [float(f"{number:.6g}") for number in numbers]


def format_table(table: dict[str, Any]) -> str:
    """Return the table as JSON with a line for each row."""
    parts = []
    for name, value in table.items():
        rows = isinstance(value, list) and value and isinstance(value[0], list)
        text = "[\n" + ",\n".join(json.dumps(row) for row in value) + "\n]" if rows else json.dumps(value)
        parts.append(f'"{name}": {text}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    main()
