"""Time of a recall as memories and teams grow: p50 and p95 in milliseconds, beside bare SQL and other stores.

    python -m benchmarks.speed [--sizes 1000,10000,100000,1000000] [--teams 50,1000] [--clients 1,8] [--queries 400]
        [--modes hybrid,keyword,semantic,recent,important,typed] [--no-peers] [--peer-sizes 1000,10000,100000]
        [--find-all] [--json PATH]
    python -m benchmarks.speed --same-team-size [1000000] [--clients 1,8] [--queries 400] [--json PATH]

Each memory has 20 to 60 words, as unevenly frequent as in natural language, and belongs to one of the teams in turn.
Rows are copied straight into the tables; from 50,000 on a vector is that of an earlier text with some noise. The same
database grows from size to size and is vacuumed and analysed each time; for another number of teams it starts anew.
Combinations with fewer than 10 memories a team are left out.

A question has 2 to 6 words of the same kind, comes from a random team and is new to whoever is asked. A client is a
process with a connection of its own; each asks a few questions of every kind before the clock runs. The kinds take
turns, so that the machine's mood touches all alike; several clients go from kind to kind together, so that each kind
meets no load but its own.

"x SQL" is the median of hybrid recall over that of its own statements: on questions of their own the two take turns,
and what recall reads is run again, prepared, by psycopg alone ten questions later.

Peers get the questions of hybrid recall, in their own words by default settings: SQLite FTS5 (by words, a file a team),
LangGraph's PostgresStore (by meaning) and mem0 on pgvector (by meaning, then words), on the same Postgres server with
the same vectors and embedder. They are shown as p50 / p95, and how many memories of ten they found: an HNSW index
under a filter finds fewer. With --find-all those indexes look on until they have ten (hnsw.iterative_scan).

With --same-team-size hybrid recall alone is asked in a small and in a large database where each team has as much:
1,000 memories a team (10,000 in all and 1,000,000), and 20,000 a team (20,000 in all and 1,000,000). The small one is
asked before and after the large one, minutes apart: its figure is the mean, and their difference the machine's mood.
"""

import argparse
import json
import os
import platform
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import fmean

from benchmarks import peers, replay
from benchmarks.client_processes import WARM_UP_CALLS, CallKind, Timings, measure_calls
from benchmarks.fill_stores import Store, StoreQuestion, TextSource, grow
from benchmarks.harness import Texts, database, execute, say
from benchmarks.hub import MODES, Hub

FEWEST = 10  # memories a team, or there is nothing to find
HYBRID, BARE, PAIRED = "hybrid", "bare SQL", "hybrid beside bare SQL"


@dataclass(frozen=True, slots=True)
class RecallTiming:
    """One line of the JSON: what was asked where, and how long it took."""

    size: int
    teams: int
    clients: int
    kind: str
    p50: float
    p95: float
    hits: float  # of 10
    questions: int
    load: float  # the machine's, in the last minute


@dataclass(frozen=True, slots=True)
class Plan:
    """The sizes for each number of teams, and what is asked there."""

    cases: Sequence[tuple[int, Sequence[int]]]
    clients: Sequence[int]
    modes: Sequence[str]
    queries: int
    peer_sizes: Sequence[int] = ()
    find_all: bool = False


def main() -> None:
    arguments = parse_speed_options()
    measured = run_speed(plan(arguments), json_path=arguments.json)
    compare_sizes(measured)


def parse_speed_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=numbers, default=[1_000, 10_000, 100_000, 1_000_000], help="memories in all")
    parser.add_argument("--teams", type=numbers, default=[50, 1_000])
    parser.add_argument("--clients", type=numbers, default=[1, 8])
    parser.add_argument("--queries", type=int, default=400, help="of each kind, from all clients together")
    parser.add_argument("--modes", type=list_store_names, default=list(MODES))
    parser.add_argument("--peers", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--peer-sizes", type=numbers, default=[1_000, 10_000, 100_000], help="where peers are asked")
    parser.add_argument("--find-all", action="store_true", help="let the peers' indexes look on until they find enough")
    parser.add_argument("--same-team-size", type=int, nargs="?", const=1_000_000, metavar="LARGEST")
    parser.add_argument("--json", type=Path, help="a file for all figures, written after each step")
    return parser.parse_args()


def numbers(text: str) -> list[int]:
    return sorted(int(part.replace("_", "")) for part in text.split(","))


def list_store_names(text: str) -> list[str]:
    if unknown := set(text.split(",")) - set(MODES):
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: not among {', '.join(MODES)}")
    return [mode for mode in MODES if mode in text.split(",")]


def plan(arguments: argparse.Namespace) -> Plan:
    if largest := arguments.same_team_size:
        few, many = (10, [10_000]), (1, [20_000])
        cases = [few, (largest // 1_000, [largest]), few, many, (largest // 20_000, [largest]), many]
        return Plan(cases, arguments.clients, [HYBRID], arguments.queries)
    cases = [(teams, [size for size in arguments.sizes if size >= teams * FEWEST]) for teams in arguments.teams]
    cases = [(teams, sizes) for teams, sizes in cases if sizes]
    peer_sizes = arguments.peer_sizes if arguments.peers else ()
    return Plan(cases, arguments.clients, arguments.modes, arguments.queries, peer_sizes, arguments.find_all)


def run_speed(plan: Plan, *, json_path: Path | None = None) -> list[RecallTiming]:
    measured: list[RecallTiming] = []
    with database() as url:
        if plan.find_all:
            execute(url, "ALTER ROLE CURRENT_USER SET hnsw.iterative_scan = 'relaxed_order'")
        hub = Hub(url)
        beside = peers.find_stores(url) if plan.peer_sizes and HYBRID in plan.modes else []
        say_recall_header(beside)
        for teams, sizes in plan.cases:
            source = TextSource(teams=teams)
            for store in (hub, *beside):
                store.reset(teams)
            for size in sizes:
                growing = beside if size <= max(plan.peer_sizes, default=0) else []
                grow(stores=[hub, *growing], source=source, size=size)
                asked = growing if size in plan.peer_sizes else []
                for clients in plan.clients:
                    measured += case(plan, hub, asked, size=size, teams=teams, clients=clients)
                    say_recall_case(measured, beside, size=size, teams=teams, clients=clients)
                    if json_path:
                        write_recall_figures(json_path, measured, beside)
    return measured


def case(plan: Plan, hub: Hub, beside: Sequence[Store], *, size: int, teams: int, clients: int) -> list[RecallTiming]:
    asker = Asker(size=size, teams=teams, clients=clients, queries=plan.queries)
    kinds: list[CallKind] = []
    if HYBRID in plan.modes:
        asked, echoed, echo = asker.questions(), asker.questions(), replay.Echo(hub)
        kinds += [CallKind(store.name, store.client, asked) for store in (hub, *beside)]
        kinds += [CallKind(PAIRED, echo.recall, echoed), CallKind(BARE, echo.bare, echoed)]
    for mode in plan.modes:
        if mode != HYBRID:
            kinds.append(CallKind(mode, partial(hub.client, mode), asker.questions()))
    title = f"{size:,} memories, {teams:,} teams, {clients} client{'s' if clients > 1 else ''}"
    timings = measure_calls(title=title, kinds=kinds, clients=clients)
    return [format_recall_line(kind, timings[kind], size=size, teams=teams, clients=clients) for kind in timings]


def format_recall_line(kind: str, timings: Timings, *, size: int, teams: int, clients: int) -> RecallTiming:
    times = {"p50": round(timings.p50, 3), "p95": round(timings.p95, 3), "hits": round(timings.hits, 2)}
    load = round(os.getloadavg()[0], 1)
    return RecallTiming(size, teams, clients, kind, **times, questions=len(timings.milliseconds), load=load)


class Asker:
    """A source of questions that were not asked before."""

    def __init__(self, *, size: int, teams: int, clients: int, queries: int) -> None:
        self.teams, self.clients, self.each = teams, clients, WARM_UP_CALLS + -(-queries // clients)
        self.texts = Texts()
        self.texts.random.seed(f"{size} {teams} {clients}")

    def questions(self) -> list[list[StoreQuestion]]:
        """Return new questions for each client."""
        return [
            [(self.texts.random.randrange(self.teams), self.texts.text(2, 6)) for _ in range(self.each)]
            for _ in range(self.clients)
        ]


def say_recall_header(beside: Sequence[Store]) -> None:
    columns = f"{'size':>9}{'teams':>7}{'per team':>10}{'clients':>9}  {'mode':10}{'p50':>8}{'p95':>8}{'x SQL':>7}"
    say(columns + "".join(f"{store.name:>24}" for store in beside))


def say_recall_case(
    measured: Sequence[RecallTiming], beside: Sequence[Store], *, size: int, teams: int, clients: int
) -> None:
    here = {row.kind: row for row in measured if (row.size, row.teams, row.clients) == (size, teams, clients)}
    for mode in (mode for mode in MODES if mode in here):
        row = here[mode]
        text = f"{size:9,}{teams:7,}{size // teams:10,}{clients:9}  {mode:10}{row.p50:8.2f}{row.p95:8.2f}"
        if mode == HYBRID:
            text += f"{here[PAIRED].p50 / here[BARE].p50:7.2f}"
            text += "".join(f"{format_recall_cell(here.get(store.name)):>24}" for store in beside)
        say(text)


def format_recall_cell(row: RecallTiming | None) -> str:
    return f"{row.p50:.2f} /{row.p95:7.2f} ({row.hits:4.1f})" if row else ""


def compare_sizes(measured: Iterable[RecallTiming]) -> None:
    """Print how recall compares where teams of one size were asked in databases of several sizes."""
    alike: dict[tuple[int, int], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in measured:
        if row.kind == HYBRID:
            alike[row.size // row.teams, row.clients][row.size].append(row.p95)
    for (per_team, clients), sizes in alike.items():
        small, large = min(sizes), max(sizes)
        if small < large:
            before, after = fmean(sizes[small]), fmean(sizes[large])
            say(
                f"{per_team:,} memories a team, {clients} client{'s' if clients > 1 else ''}: hybrid p95 is "
                f"{before:.2f} ms in {small:,} and {after:.2f} ms in {large:,}, x {after / before:.2f}"
            )


def write_recall_figures(path: Path, measured: Sequence[RecallTiming], beside: Sequence[Store]) -> None:
    machine = {"python": platform.python_version(), "system": platform.platform(), "cores": os.cpu_count()}
    versions = {store.name: store.version for store in beside}
    whole = {"machine": machine, "peers": versions, "measured": [asdict(row) for row in measured]}
    path.write_text(json.dumps(whole, indent=1) + "\n")


if __name__ == "__main__":
    main()
