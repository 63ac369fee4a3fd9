"""Quality of recall: what it finds of the right memories, what the hub's floor leaves of that, and what it costs.

    python -m benchmarks.quality FOLDER [FOLDER ...] [--categories] [--shuffled] [--no-neighbours] [--held-out TABLES]

A folder holds `corpus.jsonl` (id, team, text, created_at) and `queries.jsonl` (id, team, text, relevant, category).
Each text becomes a memory of its team, and each query is asked as an agent of its team by the same `recall` that the
hub's endpoints call. EMBEDDING chooses the embedder.

A row gives recall@1, @5 and @10 and nDCG@10 without a floor; with the hub's floor recall@5, and precision, the share of
what is returned that is right; and how many of as many nonsense questions (words of random letters) are answered in
spite of the floor. Recall in each mode is beside plain BM25, which has no floor. If the teams of a folder write in
several languages, each has a row.

The ranker that the hub comes with has seen the questions it was fitted to. `--held-out` names a folder of tables from
`benchmarks.fit_ranking --held-out`: each question is then answered by a ranker that has not seen its team.
"""

import argparse
import json
import math
import random
import string
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from benchmarks.bm25 import PIECES, Bm25
from benchmarks.cpu import read_cpu
from benchmarks.harness import Progress, database, say

if TYPE_CHECKING:
    from memories.recall import Floor
    from teams.actor import Actor

QUALITY_MODES = {"hybrid": "hybrid", "words": "keyword", "meaning": "semantic"}
PLAIN = "BM25"
SAVE_BATCH = 200
LANGUAGE_SAMPLE = 5  # texts
RANKS = (1, 5, 10)
AT = RANKS.index(5)  # the rank at which the floor is measured
TITLES = (*(f"recall@{rank}" for rank in RANKS), "nDCG@10", "@5,floor", "precision", "nonsense", "CPU-ms")
Row = dict[str, Any]  # of a file


@dataclass(frozen=True, slots=True)
class Folder:
    """A set of questions, with the memories that they are put to."""

    name: str
    queries: Sequence[Row]
    actors: Mapping[str, "Actor"]  # by team
    ids: Mapping[UUID, str]
    languages: Mapping[str, str]  # by team

    @classmethod
    def load(cls, folder: Path, *, shuffled: bool, neighbours: bool) -> "Folder":
        corpus, queries = lines(folder / "corpus.jsonl"), lines(folder / "queries.jsonl")
        if shuffled:
            random.Random(5).shuffle(corpus)
        actors, ids = load(folder.name, corpus)
        if not neighbours:
            forget_neighbours()
        return cls(folder.name, queries, actors, ids, find_languages(corpus))

    def recall(self, query: Row, text: str, *, mode: str, floor: "Floor" = 0.0) -> list[str]:
        """Return the texts that recall finds, best first."""
        from memories.recall import recall

        actor = self.actors[query["team"]]
        hits = recall(actor=actor, query=text[:10_000], mode=mode, limit=RANKS[-1], min_confidence=floor).hits
        return [self.ids[hit.memory.pk] for hit in hits]


@dataclass(slots=True)
class Measured:
    """The measures of one question: recall at each of RANKS and nDCG@10, and what the floor leaves."""

    query: Row
    ranking: tuple[float, ...]
    language: str
    cost: float  # CPU-ms; that of its language's questions at the mean
    at_floor: float = math.nan  # recall@5
    returned: int = 0  # at the floor
    right: int = 0  # of these
    nonsense: float = math.nan  # 1 if a nonsense question in its place is answered


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--categories", action="store_true", help="a row for each category of queries, too")
    parser.add_argument("--shuffled", action="store_true", help="save the texts of each team in random order")
    parser.add_argument("--no-neighbours", action="store_true", help="forget which text was saved before which")
    parser.add_argument("--held-out", type=Path, metavar="TABLES", help="rank by tables that have not seen the team")
    arguments = parser.parse_args()
    tables = read_tables(arguments.held_out) if arguments.held_out else {}
    with database():
        for path in arguments.folders:
            folder = Folder.load(path, shuffled=arguments.shuffled, neighbours=not arguments.no_neighbours)
            if missing := {f"{folder.name}/{team}" for team in folder.actors if tables} - tables.keys():
                parser.error(f"No table was fitted without {', '.join(sorted(missing))}.")
            report_folder(folder, tables, categories=arguments.categories)


def read_tables(folder: Path) -> dict[str, Path]:
    """Return the table by which the questions of each team are ranked, by the names of its set and of the team."""
    return {team: path for path in sorted(folder.glob("*.json")) for team in json.loads(path.read_text())["left_out"]}


@contextmanager
def ranked_by(table: Path | None) -> Iterator[None]:
    """Have recall rank by this table inside the block, or by its own if there is none."""
    from memories.recall import ranker

    usual, ranker.TABLE = ranker.TABLE, table or ranker.TABLE
    ranker.get_ranker.cache_clear()
    try:
        yield
    finally:
        ranker.TABLE = usual
        ranker.get_ranker.cache_clear()


def report_folder(folder: Folder, tables: Mapping[str, Path], *, categories: bool) -> None:
    say(f"\n{folder.name}: {len(folder.ids):,} memories, {len(folder.queries):,} queries")
    say(f"{'':10}{'':24}{'queries':>8}{''.join(f'{title:>10}' for title in TITLES)}")
    for name in (*QUALITY_MODES, PLAIN):
        measured = measure_mode(folder, name, tables)
        report_row(name, "all", measured)
        several = len(set(folder.languages.values())) > 1
        report_groups(measured, [one.language for one in measured] if several else [])
        report_groups(measured, [str(one.query.get("category")) for one in measured] if categories else [])


def measure_mode(folder: Folder, name: str, tables: Mapping[str, Path]) -> list[Measured]:
    """Return the measures of all questions, asked team by team."""
    measured, progress = [], Progress(len(folder.queries), f"{folder.name}, {name}")
    for team, actor in folder.actors.items():
        queries = [query for query in folder.queries if query["team"] == team]
        index = Bm25.build(actor.team_id, folder.languages[team]) if name == PLAIN else None
        with ranked_by(tables.get(f"{folder.name}/{team}")):
            measured += ask_team(folder, queries, name, index)
        progress.add(len(queries))
    return measured


def ask_team(folder: Folder, queries: Sequence[Row], name: str, index: Bm25 | None) -> list[Measured]:
    if not queries:
        return []
    began = read_all_cpu()
    if index:
        found = [[folder.ids[pk] for pk in index.search(query["text"][:10_000], RANKS[-1])] for query in queries]
    else:
        found = [folder.recall(query, query["text"], mode=QUALITY_MODES[name]) for query in queries]
    cost = (read_all_cpu() - began) / len(queries)
    language = folder.languages[queries[0]["team"]]
    measured = [
        Measured(query, score_ranking(set(query["relevant"]), ranked), language, cost)
        for query, ranked in zip(queries, found, strict=True)
    ]
    for one, nonsense in zip(measured, make_nonsense(len(queries)), strict=True):
        if not index:
            measure_floor(folder, one, nonsense, mode=QUALITY_MODES[name])
    return measured


def measure_floor(folder: Folder, measured: Measured, nonsense: str, *, mode: str) -> None:
    """Add what the hub's floor leaves of the answer, and of the answer to nonsense."""
    query = measured.query
    relevant = set(query["relevant"])
    sure = folder.recall(query, query["text"], mode=mode, floor="auto")
    measured.at_floor = score_ranking(relevant, sure)[AT]
    measured.returned, measured.right = len(sure), len(relevant & set(sure))
    measured.nonsense = float(bool(folder.recall(query, nonsense, mode=mode, floor="auto")))


def make_nonsense(count: int, seed: int = 7) -> Iterator[str]:
    """Yield so many questions of random letters."""
    chance = random.Random(seed)
    for _ in range(count):
        lengths = [chance.randint(3, 10) for _ in range(chance.randint(1, 5))]
        yield " ".join("".join(chance.choices(string.ascii_lowercase, k=length)) for length in lengths)


def find_languages(corpus: Sequence[Row]) -> dict[str, str]:
    """Return the language that the first texts of each team are in."""
    from memories.recall.tokens import UNSPACED
    from memories.text.language import detect_language
    from memoryhub.languages import SIMPLE

    texts: dict[str, list[str]] = defaultdict(list)
    for row in corpus:
        texts[row["team"]].append(row["text"])
    samples = {team: " ".join(some[:LANGUAGE_SAMPLE]) for team, some in texts.items()}
    return {
        team: PIECES if len(UNSPACED.findall(sample)) > len(sample) / 2 else detect_language(sample) or SIMPLE
        for team, sample in samples.items()
    }


def lines(path: Path) -> list[Row]:
    with path.open() as file:
        return [json.loads(line) for line in file if line.strip()]


def load(name: str, corpus: Sequence[Row]) -> tuple[dict[str, "Actor"], dict[UUID, str]]:
    """Save the corpus and return an agent for each team, and the id of the text that each memory was made of."""
    from django.db import connection

    from memories.operations import Draft, save_memories
    from teams import auth, operations

    organization = operations.ensure_organization(slug=f"quality-{name}")
    by_team: dict[str, list[Row]] = defaultdict(list)
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


def forget_neighbours() -> None:
    from memories.models import Memory

    Memory.objects.update(follows=None)


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


def read_all_cpu() -> float:
    return read_cpu() + 1000 * time.process_time()


def score_ranking(relevant: set[str], ranked: Sequence[str]) -> tuple[float, ...]:
    """Return recall at each of RANKS, and nDCG@10."""
    right = [place for place, found in enumerate(ranked) if found in relevant]
    gain = sum(1 / math.log2(place + 2) for place in right)
    ideal = sum(1 / math.log2(place + 2) for place in range(min(len(relevant), 10)))
    return *(sum(place < rank for place in right) / len(relevant) for rank in RANKS), gain / ideal


def report_groups(measured: Sequence[Measured], groups: Sequence[str]) -> None:
    """Print a row for each of the groups, which are given for each question."""
    for group in sorted(set(groups)):
        report_row("", group, [one for one, its in zip(measured, groups, strict=True) if its == group])


def report_row(name: str, group: str, measured: Sequence[Measured]) -> None:
    ranking = [sum(column) / len(measured) for column in zip(*(one.ranking for one in measured), strict=True)]
    at_floor, nonsense, cost = (
        sum(column) / len(measured)
        for column in zip(*((one.at_floor, one.nonsense, one.cost) for one in measured), strict=True)
    )
    returned, right = (sum(column) for column in zip(*((one.returned, one.right) for one in measured), strict=True))
    precision = right / returned if returned else math.nan
    numbers = [*ranking, at_floor, precision, nonsense, cost]
    say(f"{name:10}{group[:22]:24}{len(measured):8}{''.join(f'{number:10.4f}' for number in numbers)}")


if __name__ == "__main__":
    main()
