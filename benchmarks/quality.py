"""Quality of recall: recall@1, @5 and @10, nDCG@10 and CPU-ms per question, beside words, meaning and plain BM25 alone.

    python -m benchmarks.quality FOLDER [FOLDER ...] [--categories] [--shuffled]

A folder holds `corpus.jsonl` (id, team, text, created_at) and `queries.jsonl` (id, team, text, relevant, category).
Each text becomes a memory of its team, each query is asked as an agent of its team. EMBEDDING chooses the embedder. If
the teams write in several languages, there is a row for each. Precision, and what nonsense is answered with:
`benchmarks.confidence`.
"""

import argparse
import json
import math
import random
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from benchmarks.bm25 import Bm25
from benchmarks.cpu import read_cpu
from benchmarks.harness import Progress, database, say

if TYPE_CHECKING:
    from teams.actor import Actor

QUALITY_MODES = {"hybrid": "hybrid", "words": "keyword", "meaning": "semantic"}
SAVE_BATCH = 200
LANGUAGE_SAMPLE = 5  # texts
RANKS = (1, 5, 10)
Measures = tuple[float, ...]  # recall at each of RANKS, and nDCG@10
Search = Callable[[str, str], list[str]]  # the ids of the best texts of a team for a query


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--categories", action="store_true", help="a row for each category of queries, too")
    parser.add_argument("--shuffled", action="store_true", help="save the texts of each team in random order")
    arguments = parser.parse_args()
    with database():
        for folder in arguments.folders:
            measure_quality(folder, categories=arguments.categories, shuffled=arguments.shuffled)


def measure_quality(folder: Path, *, categories: bool, shuffled: bool) -> None:
    corpus, queries = lines(folder / "corpus.jsonl"), lines(folder / "queries.jsonl")
    if shuffled:
        random.Random(5).shuffle(corpus)
    actors, ids = load(folder.name, corpus)
    say(f"\n{folder.name}: {len(ids):,} memories, {len(queries):,} queries")
    recalls = "".join(f"{f'recall@{rank}':>10}" for rank in RANKS)
    say(f"{'':10}{'':24}{'queries':>8}{recalls}{'nDCG@10':>9}{'CPU-ms':>8}")
    languages = find_languages(corpus)
    for name, search in build_searches(actors, ids, languages).items():
        rows, spent = ask_questions(queries, search, name)
        report_quality(name, "all", rows, spent)
        groups = [languages[query["team"]] for query in queries] if len(set(languages.values())) > 1 else []
        report_groups(groups, rows)
        report_groups([str(query.get("category")) for query in queries] if categories else [], rows)


def find_languages(corpus: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Return the language that the first texts of each team are in."""
    from memories.text.language import detect_language
    from memoryhub.languages import SIMPLE

    texts: dict[str, list[str]] = defaultdict(list)
    for row in corpus:
        texts[row["team"]].append(row["text"])
    return {team: detect_language(" ".join(some[:LANGUAGE_SAMPLE])) or SIMPLE for team, some in texts.items()}


def build_searches(actors: dict[str, "Actor"], ids: dict[UUID, str], languages: dict[str, str]) -> dict[str, Search]:
    """Return recall in each mode, and what it is compared with."""
    from memories.recall import recall

    def search(team: str, text: str, mode: str) -> list[str]:
        hits = recall(actor=actors[team], query=text, mode=mode, limit=RANKS[-1], fold=False).hits
        return [ids[hit.memory.pk] for hit in hits]

    indexes = {team: Bm25.build(actor.team_id, languages[team]) for team, actor in actors.items()}

    def search_plainly(team: str, text: str) -> list[str]:
        return [ids[memory_id] for memory_id in indexes[team].search(text, RANKS[-1])]

    return {name: partial(search, mode=mode) for name, mode in QUALITY_MODES.items()} | {"BM25": search_plainly}


def lines(path: Path) -> list[dict[str, Any]]:
    with path.open() as file:
        return [json.loads(line) for line in file if line.strip()]


def load(name: str, corpus: Sequence[dict[str, Any]]) -> tuple[dict[str, "Actor"], dict[UUID, str]]:
    """Save the corpus and return an agent for each team, and the id of the text that each memory was made of."""
    from django.db import connection

    from memories.operations import Draft, save_memories
    from teams import auth, operations

    organization = operations.ensure_organization(slug=f"quality-{name}")
    by_team: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in corpus:
        by_team[row["team"]].append(row)
    actors, ids, progress = {}, {}, Progress(len(corpus), f"loading {name}")
    for number, (team, rows) in enumerate(by_team.items()):
        made = operations.ensure_team(organization=organization, slug=f"team-{number}")
        token = operations.issue_token(agent=operations.ensure_agent(team=made, slug="asker"))
        actors[team] = auth.authenticate_agent(token=token.text)
        for start in range(0, len(rows), SAVE_BATCH):
            batch = rows[start : start + SAVE_BATCH]
            drafts = [Draft(content=row["text"].replace("\0", "") or "-", dedupe="create") for row in batch]
            then = datetime.fromisoformat(batch[0]["created_at"]).replace(tzinfo=UTC)
            saved = save_memories(actor=actors[team], drafts=drafts, now=then)
            ids |= {memory.pk: row["id"] for memory, row in zip(saved, batch, strict=True)}
            progress.add(len(batch))
    embed_all(name)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # as autovacuum does within seconds
    return actors, ids


def embed_all(name: str) -> None:
    """Wait for the vectors of a provider that makes them beside the saves."""
    from memories.models import Unembedded
    from memories.operations.embed import catch_up

    left = Unembedded.objects.count()
    progress = Progress(max(left, 1), f"embedding {name}")
    while left:
        catch_up()
        time.sleep(0.5)
        now = Unembedded.objects.count()
        if now < left:
            progress.add(left - now)
        left = now


def ask_questions(queries: Sequence[dict[str, Any]], search: Search, name: str) -> tuple[list[Measures], float]:
    """Return how good each answer is, and the CPU-ms of one, with its work in Postgres."""
    rows, progress, began = [], Progress(len(queries), name), read_all_cpu()
    for query in queries:
        rows.append(score_ranking(set(query["relevant"]), search(query["team"], query["text"][:10_000])))
        progress.add(1)
    return rows, (read_all_cpu() - began) / len(rows)


def read_all_cpu() -> float:
    return read_cpu() + 1000 * time.process_time()


def score_ranking(relevant: set[str], ranked: Sequence[str]) -> Measures:
    right = [place for place, found in enumerate(ranked) if found in relevant]
    gain = sum(1 / math.log2(place + 2) for place in right)
    ideal = sum(1 / math.log2(place + 2) for place in range(min(len(relevant), 10)))
    return *(sum(place < rank for place in right) / len(relevant) for rank in RANKS), gain / ideal


def report_groups(groups: Sequence[str], rows: Sequence[Measures]) -> None:
    """Print a row for each of the groups, which are given for each query."""
    for group in sorted(set(groups)):
        report_quality("", group, [row for row, its in zip(rows, groups, strict=True) if its == group])


def report_quality(name: str, group: str, rows: Sequence[Measures], spent: float | None = None) -> None:
    *recalls, gain = (sum(column) / len(rows) for column in zip(*rows, strict=True))
    measured = "".join(f"{value:10.4f}" for value in recalls)
    cost = "" if spent is None else f"{spent:8.2f}"
    say(f"{name:10}{group[:22]:24}{len(rows):8}{measured}{gain:9.4f}{cost}")


if __name__ == "__main__":
    main()
