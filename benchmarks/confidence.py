"""Confidence of recall: the precision and the recall of what comes back at several floors.

    python -m benchmarks.confidence FOLDER [FOLDER ...] [--fit SET [SET ...]] [--held-out TABLES]

A folder holds `beliefs.jsonl` (id, text, scope, pinned, superseded) and `cases.jsonl` (id, text, scope, expected). Each
case is asked among the beliefs of its scopes, and what comes back is compared with what is expected. Pinned beliefs,
which every prompt has anyway, do not count, and superseded ones hold until yesterday. What the floor costs other
questions, and what nonsense is answered with: `benchmarks.quality`.

`--fit` looks for better constants of memories/recall/confidence.py. They should leave out what is not expected in the
cases, and keep what is right among the first five hits of the questions of the sets (`corpus.jsonl` and
`queries.jsonl`; `--held-out` as for `benchmarks.quality`). It prints the constants, and what they do to questions and
cases that they were not fitted to: all are split into halves, several times. It needs SciPy: `pip install scipy`.
"""

import argparse
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Progress, database, say
from benchmarks.quality import Folder, embed_all, lines, ranked_by, read_tables

if TYPE_CHECKING:
    from teams.actor import Actor

FLOORS = (0.0, 0.2, 0.3, 0.4, 0.5)


SPLITS = 4  # into halves
KEEPING = 2.0  # what all right hits of a set count, in relation to as many wrong ones of the cases as should be right
MISSED = 1.5  # what a right hit of a case counts, in relation to a wrong one
SOFTNESS = 0.35  # of the step between a hit that passes and one that does not, so that it has a slope
SMALLNESS = 2e-4  # the penalty on great numbers
Numbers = NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--fit", nargs="*", type=Path, default=[], metavar="SET")
    parser.add_argument("--held-out", type=Path, metavar="TABLES", help="rank the sets by tables without their teams")
    arguments = parser.parse_args()
    tables = read_tables(arguments.held_out) if arguments.held_out else {}
    with database():
        cases = [case for folder in arguments.folders for case in measure_precision(folder)]
        if arguments.fit:
            sets = {path.name: judge_set(path, tables) for path in arguments.fit}
            report_fit(cases, sets)


@dataclass(frozen=True, slots=True)
class Judged:
    """The hits of a question, best first, and which of them are right."""

    evidence: Numbers  # for each hit its points, its share of the best score, the cohesion, and 1
    right: NDArray[np.bool_]
    counted: NDArray[np.bool_]  # pinned hits of cases are not
    relevant: int  # memories, returned or not
    answerable: bool  # the question by itself passes the floor

    def count_right(self, weights: Numbers | None, first: int | None = None) -> int:
        """Return how many right hits pass, among the first ones that do. Without weights, all pass."""
        passed = self.right if weights is None else self.right[self.passes(weights)]
        return int(np.count_nonzero(passed[:first]))

    def passes(self, weights: Numbers) -> NDArray[np.bool_]:
        passed: NDArray[np.bool_] = (self.evidence @ weights >= 0) & self.answerable
        return passed


def judge(actor: "Actor", text: str, relevant: set[str], ids: dict[UUID, str], pinned: frozenset[str]) -> Judged:
    from django.conf import settings

    from memories.recall import recall
    from memories.recall.confidence import rate_question

    hits = recall(actor=actor, query=text[:10_000], limit=10, fold=False, noted=False).hits
    sure = [hit.certainty for hit in hits]
    names = [ids[hit.memory.pk] for hit in hits]
    return Judged(
        np.array([(one.evidence.points, one.share, one.cohesion, 1.0) for one in sure]).reshape(-1, 4),
        np.array([name in relevant for name in names], dtype=bool),
        np.array([name not in pinned for name in names], dtype=bool),
        len(relevant),
        bool(sure) and rate_question(sure[0].question) >= settings.RECALL_FLOOR,
    )


def judge_set(path: Path, tables: dict[str, Path]) -> list[Judged]:
    folder = Folder.load(path, shuffled=False, neighbours=True)
    judged, progress = [], Progress(len(folder.queries), f"asking {folder.name}")
    for team, actor in folder.actors.items():
        with ranked_by(tables.get(f"{folder.name}/{team}")):
            for query in (query for query in folder.queries if query["team"] == team):
                judged.append(judge(actor, query["text"], set(query["relevant"]), dict(folder.ids), frozenset()))
                progress.add(1)
    return judged


def report_fit(cases: Sequence[Judged], sets: dict[str, list[Judged]]) -> None:
    """Print the constants that fit best, and how they do on halves that they were not fitted to."""
    from django.conf import settings

    weights = fit_weights(cases, sets)
    floor = float(np.log(settings.RECALL_FLOOR / (1 - settings.RECALL_FLOOR)))
    standing, together, even = weights[1:] / weights[0]
    say(f"\nSTANDING = {standing:.2f}, TOGETHER = {together:.2f}, HIT_EVEN = {-even - floor:.2f}")
    say(f"{'':12}{'precision':>11}{'recall':>8}" + "".join(f"{name[:12]:>14}" for name in sets))
    report_judged("fitted", cases, sets, [weights] * len(cases), {name: [weights] * len(sets[name]) for name in sets})
    for seed in range(SPLITS):
        chance = random.Random(seed)
        sides = [chance.random() < 0.5 for _ in cases]
        set_sides = {name: [place // 5 % 2 == seed % 2 for place in range(len(sets[name]))] for name in sets}
        fitted = {
            side: fit_weights(
                [case for case, its in zip(cases, sides, strict=True) if its != side],
                {
                    name: [one for one, its in zip(sets[name], set_sides[name], strict=True) if its != side]
                    for name in sets
                },
            )
            for side in (False, True)
        }
        by_set = {name: [fitted[side] for side in set_sides[name]] for name in sets}
        report_judged(f"held out {seed + 1}", cases, sets, [fitted[side] for side in sides], by_set)


def report_judged(
    title: str,
    cases: Sequence[Judged],
    sets: dict[str, list[Judged]],
    weights: Sequence[Numbers],
    by_set: dict[str, list[Numbers]],
) -> None:
    """Print precision and recall of the cases, and what each set loses of recall@5."""
    pairs = list(zip(cases, weights, strict=True))
    returned = sum(int(np.count_nonzero(case.passes(its) & case.counted)) for case, its in pairs)
    right = sum(case.count_right(its) for case, its in pairs)
    expected = sum(case.relevant for case in cases)
    lost = [
        np.mean(
            [
                (one.count_right(its, 5) - one.count_right(None, 5)) / one.relevant
                for one, its in zip(sets[name], by_set[name], strict=True)
                if one.relevant
            ]
        )
        for name in sets
    ]
    say(
        f"{title:12}{right / max(returned, 1):11.3f}{right / expected:8.3f}"
        + "".join(f"{float(one):14.4f}" for one in lost)
    )


def fit_weights(cases: Sequence[Judged], sets: dict[str, list[Judged]]) -> Numbers:
    """Return the weights of the evidence with the fewest errors: hits of cases on the wrong side, and right ones among
    the first five of the sets that do not pass."""
    from scipy.optimize import minimize

    rows: list[tuple[Numbers, float, float]] = []  # the evidence of a hit, 1 if it should pass or -1, what it counts
    expected = sum(case.relevant for case in cases)
    for case in (case for case in cases if case.answerable):
        hits = zip(case.evidence, case.right, case.counted, strict=True)
        rows += [
            (hit, 1.0, MISSED / expected) if right else (hit, -1.0, 1 / expected)
            for hit, right, counted in hits
            if counted
        ]
    for judged in sets.values():
        for one in (one for one in judged if one.answerable):
            hits = one.evidence[:5][one.right[:5]]
            rows += [(hit, 1.0, KEEPING / one.relevant / len(judged)) for hit in hits]
    evidence, sides, counts = (np.array(column) for column in zip(*rows, strict=True))
    penalty = SMALLNESS * np.array([1.0, 1.0, 1.0, 0.0])

    def count_errors(weights: Numbers) -> tuple[float, Numbers]:
        errors = 1 / (1 + np.exp(np.clip(sides * (evidence @ weights) / SOFTNESS, -50, 50)))
        slope = evidence.T @ (-counts * errors * (1 - errors) * sides / SOFTNESS)
        return float(counts @ errors + penalty @ weights**2), slope + 2 * penalty * weights

    starts = [np.array([points, 2.5 * points, 0.6 * points, -2.4 * points]) for points in (1.0, 2.0, 4.0)]
    fits = [minimize(count_errors, start, jac=True, method="L-BFGS-B") for start in starts]
    best: Numbers = min(fits, key=lambda fit: float(fit.fun)).x
    return best


def ask(actor: "Actor", text: str, floor: Any, ids: dict[UUID, str]) -> list[str]:
    from memories.recall import recall

    hits = recall(actor=actor, query=text[:10_000], limit=10, min_confidence=floor, noted=False).hits
    return [ids[hit.memory.pk] for hit in hits]


def measure_precision(folder: Path) -> list[Judged]:
    """Print precision and recall at several floors, and return the hits of each case."""
    beliefs, cases = lines(folder / "beliefs.jsonl"), lines(folder / "cases.jsonl")
    pinned = {belief["id"] for belief in beliefs if belief["pinned"]}
    places = {scopes: save_beliefs(beliefs, scopes) for scopes in {tuple(case["scope"]) for case in cases}}
    embed_all(folder.name)
    say(f"\n{folder.name}: {len(beliefs)} beliefs, {len(cases)} cases")
    say(f"{'floor':>8}{'precision':>11}{'recall':>8}{'answered, though nothing is expected':>38}")
    for floor in FLOORS:
        counts: dict[str, int] = defaultdict(int)
        for case in cases:
            actor, ids = places[tuple(case["scope"])]
            hits = set(ask(actor, case["text"], floor, ids)) - pinned
            counts["returned"] += len(hits)
            counts["right"] += len(hits & set(case["expected"]))
            counts["expected"] += len(case["expected"])
            counts["unasked"] += bool(hits) and not case["expected"]
        precision, share = counts["right"] / max(counts["returned"], 1), counts["right"] / counts["expected"]
        nothing = sum(not case["expected"] for case in cases)
        say(f"{floor:8}{precision:11.3f}{share:8.3f}{counts['unasked']:>32} of {nothing}")
    judged = []
    for case in cases:
        actor, ids = places[tuple(case["scope"])]
        judged.append(judge(actor, case["text"], set(case["expected"]), ids, frozenset(pinned)))
    return judged


def save_beliefs(beliefs: Sequence[dict[str, Any]], scopes: tuple[str, ...]) -> tuple["Actor", dict[UUID, str]]:
    """Save the beliefs of these scopes in a team of their own."""
    from django.utils import timezone

    from memories.operations import Draft, save_memories
    from teams import auth, operations

    organization = operations.ensure_organization(slug="precision")
    team = operations.ensure_team(
        organization=organization, slug="-".join("".join(filter(str.isalnum, scope)) for scope in scopes)
    )
    token = operations.issue_token(agent=operations.ensure_agent(team=team, slug="asker"))
    actor = auth.authenticate_agent(token=token.text)
    chosen = [belief for belief in beliefs if set(belief["scope"]) & set(scopes)]
    past = timezone.now() - timedelta(days=1)
    drafts = [
        Draft(
            content=belief["text"],
            pinned=belief["pinned"],
            valid_until=past if belief.get("superseded") else None,
        )
        for belief in chosen
    ]
    saved = save_memories(actor=actor, drafts=drafts)
    return actor, {memory.pk: belief["id"] for memory, belief in zip(saved, chosen, strict=True)}


if __name__ == "__main__":
    main()
