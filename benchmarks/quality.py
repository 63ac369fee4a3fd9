"""How often recall finds the right memories: recall@5, recall@10, MRR@10 and nDCG@10, by words, by meaning and by both.

    python -m benchmarks.quality FOLDER [FOLDER ...] [--categories]

A folder holds `corpus.jsonl` (id, team, text, created_at) and `queries.jsonl` (id, team, text, relevant, category).
Each text becomes a memory of its team, each query is asked as an agent of its team. EMBEDDING chooses the embedder.
"""

import argparse
import json
import math
import time
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from benchmarks.ground import Progress, database, say

if TYPE_CHECKING:
    from teams.actor import Actor

MODES = {"words": "keyword", "meaning": "semantic", "hybrid": "hybrid"}
BATCH = 200
Measures = tuple[float, float, float, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--categories", action="store_true", help="a row for each category of queries, too")
    arguments = parser.parse_args()
    with database():
        for folder in arguments.folders:
            measure(folder, categories=arguments.categories)


def measure(folder: Path, *, categories: bool) -> None:
    actors, ids = load(folder.name, lines(folder / "corpus.jsonl"))
    queries = lines(folder / "queries.jsonl")
    say(f"\n{folder.name}: {len(ids):,} memories, {len(queries):,} queries")
    say(f"{'':10}{'':24}{'queries':>8}{'recall@5':>10}{'recall@10':>10}{'MRR@10':>8}{'nDCG@10':>9}{'ms':>7}")
    for name, mode in MODES.items():
        rows, seconds = ask(actors, ids, queries, mode)
        report(name, "all", [row for _, row in rows], seconds / len(rows) * 1000)
        for category in sorted({category for category, _ in rows}) if categories else ():
            report("", category, [row for found, row in rows if found == category])


def lines(path: Path) -> list[dict[str, Any]]:
    with path.open() as file:
        return [json.loads(line) for line in file if line.strip()]


def load(name: str, corpus: Sequence[dict[str, Any]]) -> tuple[dict[str, "Actor"], dict[UUID, str]]:
    """An agent for each team, and which text each memory is."""
    from django.db import connection

    from memories.operations import Draft, save_many
    from teams import auth, operations

    organization = operations.ensure_organization(slug=f"quality-{name}")
    by_team: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in corpus:
        by_team[row["team"]].append(row)
    actors, ids, progress = {}, {}, Progress(len(corpus), f"loading {name}")
    for number, (team, rows) in enumerate(by_team.items()):
        made = operations.ensure_team(organization=organization, slug=f"team-{number}")
        token = operations.issue_token(agent=operations.ensure_agent(team=made, slug="asker"))
        actors[team] = auth.agent_actor(token=token.text)
        for start in range(0, len(rows), BATCH):
            batch = rows[start : start + BATCH]
            drafts = [Draft(content=row["text"].replace("\0", "") or "-") for row in batch]
            then = datetime.fromisoformat(batch[0]["created_at"]).replace(tzinfo=UTC)
            saved = save_many(actor=actors[team], drafts=drafts, now=then)
            ids |= {memory.pk: row["id"] for memory, row in zip(saved, batch, strict=True)}
            progress.add(len(batch))
    embed_all(name)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # as autovacuum does within seconds
    return actors, ids


def embed_all(name: str) -> None:
    """Waits for the vectors of a provider that makes them beside the saves."""
    from memories.models import Unembedded
    from memories.operations.embedding import catch_up

    left = Unembedded.objects.count()
    progress = Progress(max(left, 1), f"embedding {name}")
    while left:
        catch_up()
        time.sleep(0.5)
        now = Unembedded.objects.count()
        if now < left:
            progress.add(left - now)
        left = now


def ask(
    actors: dict[str, "Actor"], ids: dict[UUID, str], queries: Sequence[dict[str, Any]], mode: str
) -> tuple[list[tuple[str, Measures]], float]:
    from memories.recall import recall

    rows, progress, start = [], Progress(len(queries), mode), time.perf_counter()
    for query in queries:
        hits = recall(actor=actors[query["team"]], query=query["text"][:10_000], mode=mode, limit=10).hits
        rows.append((str(query.get("category")), scored(set(query["relevant"]), [ids[hit.memory.pk] for hit in hits])))
        progress.add(1)
    return rows, time.perf_counter() - start


def scored(relevant: set[str], ranked: Sequence[str]) -> Measures:
    right = [place for place, found in enumerate(ranked) if found in relevant]
    gain = sum(1 / math.log2(place + 2) for place in right)
    ideal = sum(1 / math.log2(place + 2) for place in range(min(len(relevant), 10)))
    at_5 = sum(place < 5 for place in right) / len(relevant)
    return at_5, len(right) / len(relevant), 1 / (right[0] + 1) if right else 0.0, gain / ideal


def report(name: str, category: str, rows: Sequence[Measures], milliseconds: float | None = None) -> None:
    means = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    cost = "" if milliseconds is None else f"{milliseconds:7.1f}"
    say(f"{name:10}{category[:22]:24}{len(rows):8}{means[0]:10.4f}{means[1]:10.4f}{means[2]:8.4f}{means[3]:9.4f}{cost}")


if __name__ == "__main__":
    main()
