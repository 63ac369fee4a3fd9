"""Contradictions: is the present fact first where later facts override earlier ones?

    python -m benchmarks.conflicts FOLDER

The folder has facts.jsonl (team, n, text: a later fact about the same thing overrides an earlier one) and
questions.jsonl (team, text, answers). The facts are saved in their order, one by one, and the questions are asked in
two ways: of facts that were only saved, and of facts where each save replaced what it was told that it contradicts.
Then each question is asked as of the moment before its answer was saved.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.harness import database, say
from benchmarks.quality import lines

if TYPE_CHECKING:
    from teams.actor import Actor

SHOWN = 5  # hits that are looked at
STEP = timedelta(minutes=1)  # between two saves


@dataclass(frozen=True)
class AskedFact:
    """A question, the place of the fact that answers it now, and those of the facts that it overrode."""

    text: str
    newest: int
    overridden: Sequence[int]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    facts, questions = lines(folder / "facts.jsonl"), lines(folder / "questions.jsonl")
    with database():
        for team in sorted({row["team"] for row in facts}):
            texts = [row["text"] for row in facts if row["team"] == team]
            asked = [find_facts(row, texts) for row in questions if row["team"] == team]
            for replaces in (False, True):
                measure_conflicts(team, texts, [one for one in asked if one], replaces=replaces)


def find_facts(question: dict[str, Any], texts: Sequence[str]) -> AskedFact | None:
    """Return the newest fact that ends with an answer and shares most words with the question, and what it overrode."""
    words = set(question["text"].casefold().strip("?").split())
    ending = [
        (len(words & set(text.casefold().split())), place)
        for place, text in enumerate(texts)
        if any(text.rstrip(".").endswith(answer.rstrip(".")) for answer in question["answers"])
    ]
    if not ending:
        return None
    newest = max(ending)[1]
    answer = next(one for one in question["answers"] if texts[newest].rstrip(".").endswith(one.rstrip(".")))
    frame = texts[newest].rstrip(".").removesuffix(answer.rstrip("."))
    about = [place for place, text in enumerate(texts) if text.startswith(frame)]
    return AskedFact(question["text"], newest, [place for place in about if texts[place] != texts[newest]])


def measure_conflicts(team: str, texts: Sequence[str], asked: Sequence[AskedFact], *, replaces: bool) -> None:
    from memories.recall import recall

    start = datetime.fromisoformat("2026-01-01T00:00:00+00:00")
    actor = make_actor(f"{team}-{replaces}")
    save_facts(actor, texts, start, replaces=replaces)
    first = marked = before = was_before = 0
    for one in asked:
        hits = [hit.memory for hit in recall(actor=actor, query=one.text, limit=SHOWN, noted=False).hits]
        first += bool(hits) and hits[0].content == texts[one.newest]
        old = {texts[place] for place in one.overridden}
        marked += all(memory.disputed for memory in hits if memory.content in old)
        earlier = [place for place in one.overridden if place < one.newest]
        if earlier:
            was_before += 1
            moment = start + one.newest * STEP - STEP / 2
            past = recall(actor=actor, query=one.text, limit=SHOWN, as_of=moment, noted=False).hits
            before += bool(past) and past[0].memory.content == texts[max(earlier)]
    way = "each save replaces what it contradicts" if replaces else "only saved"
    say(f"\n{team}: {len(texts):,} facts, {len(asked)} questions, {way}")
    say(f"  the newest fact is first: {first / len(asked):.3f}")
    say(f"  what it overrode is absent or marked: {marked / len(asked):.3f}")
    say(f"  as of the moment before, the fact before is first: {before / max(was_before, 1):.3f} of {was_before}")


def save_facts(actor: "Actor", texts: Sequence[str], start: datetime, *, replaces: bool) -> None:
    """Save the facts in their order; where they replace others, as an agent would that reads the response."""
    from memories.operations import Draft, save_memory, supersede_memory

    for place, text in enumerate(texts):
        now = start + place * STEP
        saved = save_memory(actor=actor, draft=Draft(content=text), now=now)
        for conflict in saved.conflicts if replaces else ():
            supersede_memory(actor=actor, memory_id=conflict.memory_id, by=saved.pk, at=now, now=now)


def make_actor(slug: str) -> "Actor":
    from teams import auth, operations

    organization = operations.ensure_organization(slug="conflicts")
    team = operations.ensure_team(organization=organization, slug=slug.replace("_", "-").lower())
    token = operations.issue_token(agent=operations.ensure_agent(team=team, slug="asker"))
    return auth.authenticate_agent(token=token.text)


if __name__ == "__main__":
    main()
