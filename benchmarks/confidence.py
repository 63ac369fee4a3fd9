"""Confidence of recall: the precision and the recall of what comes back at several floors.

    python -m benchmarks.confidence FOLDER [FOLDER ...]

A folder holds `beliefs.jsonl` (id, text, scope, pinned, superseded) and `cases.jsonl` (id, text, scope, expected). Each
case is asked among the beliefs of its scopes, and what comes back is compared with what is expected. Pinned beliefs,
which every prompt has anyway, do not count, and superseded ones hold until yesterday. What the floor costs other
questions, and what nonsense is answered with: `benchmarks.quality`.
"""

import argparse
from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from benchmarks.harness import database, say
from benchmarks.quality import embed_all, lines

if TYPE_CHECKING:
    from teams.actor import Actor

FLOORS = (0.0, 0.2, 0.3, 0.4, 0.5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    with database():
        for folder in parser.parse_args().folders:
            measure_precision(folder)


def ask(actor: "Actor", text: str, floor: Any, ids: dict[UUID, str]) -> list[str]:
    from memories.recall import recall

    hits = recall(actor=actor, query=text[:10_000], limit=10, min_confidence=floor, noted=False).hits
    return [ids[hit.memory.pk] for hit in hits]


def measure_precision(folder: Path) -> None:
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
