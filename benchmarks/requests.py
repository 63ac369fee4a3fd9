"""Cost of a request over HTTP beside the SQL that it runs: requests per second, p50 and p95 in milliseconds.

    python -m benchmarks.requests [--size 100000] [--teams 50] [--clients 1,8] [--requests 1000]
        [--endpoints save,get,list,recall,context,session] [--json PATH]

The server is the one that `manage.py serve` starts, in processes of its own with as many workers as by default. The
memories are those of benchmarks.speed, and each team has a core memory beside them. Every request comes from the agent
of a random team, with its token:

    save       a new text of 20 to 60 words
    get        a random memory of the team
    list       the first page, 50 memories
    recall     a hybrid question of 2 to 6 words, 10 memories
    context    the whole prompt context, with such a question: core, pinned, recent and relevant memories
    session    a get that names its session and the person it is for

A client is a process that holds one connection open. "SQL" is what such requests have the database do: their
statements, the authentication's among them, are taken down while the same application answers inside this process (in a
transaction that is rolled back, so that the rows of a save are still to be written), then run by psycopg alone,
prepared and planned once, with BEGIN and COMMIT where the application has them. Both get as many requests, each a new
one, and take turns, so that the machine's mood touches both alike; several clients go from turn to turn together, so
that each kind meets no load but its own. Clients, server and Postgres share the machine.

"x" is the median of the requests over that of their SQL; "x rate" is how many times as often per second the SQL runs.
"""

import argparse
import http.client
import json
import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache, partial
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from benchmarks import replay
from benchmarks.agents import ENDPOINTS, AgentRequest, Agents
from benchmarks.client_processes import CLIENT_PATIENCE, Timings, context, in_processes
from benchmarks.fill_stores import TextSource, grow
from benchmarks.harness import Progress, database, say
from benchmarks.hub import Hub, disconnect
from benchmarks.live_server import start_server
from benchmarks.speed import numbers

if TYPE_CHECKING:
    from django.test import Client

WARM_UP_REQUESTS = (
    30  # requests of each kind that each client makes before the clock runs: the server's connections prepare, too
)
TURN = 10  # requests that a client makes in a row


RequestAct = Callable[[int], None]  # with the number of the request


@dataclass(frozen=True, slots=True)
class RequestKind:
    """One of the things that take turns: how a client gets ready for it."""

    endpoint: str
    over: str
    open: Callable[[int], RequestAct]


@dataclass(slots=True)
class RequestSeries(Timings):
    """Timings with the seconds that each turn took."""

    seconds: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class RequestTiming:
    """One line of the JSON."""

    size: int
    teams: int
    clients: int
    endpoint: str
    over: str  # HTTP or SQL
    per_second: float
    p50: float
    p95: float
    statements: float  # of one request, on average
    requests: int
    load: float  # the machine's, in the last minute


HTTP, SQL = "HTTP", "SQL"


def main() -> None:
    arguments = parse_request_options()
    measured: list[RequestTiming] = []
    with database() as url:
        hub = Hub(url)
        hub.reset(arguments.teams)
        grow(stores=[hub], source=TextSource(teams=arguments.teams), size=arguments.size)
        with start_server() as port:
            agents = Agents(hub)
            say_request_header()
            for clients in arguments.clients:
                case = Case(agents, url=url, port=port, clients=clients, requests=arguments.requests)
                for kind, series, statements in case.measure(arguments.endpoints):
                    measured.append(format_request_line(kind, series, statements, size=arguments.size, case=case))
                say_request_case(measured, clients=clients)
                if arguments.json:
                    write_request_figures(arguments.json, measured)


def parse_request_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=100_000, help="memories in all")
    parser.add_argument("--teams", type=int, default=50)
    parser.add_argument("--clients", type=numbers, default=[1, 8])
    parser.add_argument("--requests", type=int, default=1_000, help="to each endpoint, from all clients together")
    parser.add_argument("--endpoints", type=list_request_names, default=list(ENDPOINTS))
    parser.add_argument("--json", type=Path, help="a file for all figures")
    return parser.parse_args()


def list_request_names(text: str) -> list[str]:
    if unknown := set(text.split(",")) - set(ENDPOINTS):
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: not among {', '.join(ENDPOINTS)}")
    return [name for name in ENDPOINTS if name in text.split(",")]


# Over HTTP


def over_http(requests: Sequence[AgentRequest], port: int) -> RequestAct:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    ready = [(request.method, request.path, request.payload, request.headers) for request in requests]

    def act(number: int) -> None:
        connection.request(*ready[number])
        answer = connection.getresponse()
        body = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{answer.status}: {body.decode()}")

    return act


# The SQL alone


@cache
def application() -> "Client":
    from django.test import Client

    return Client(SERVER_NAME="localhost")


def taken_down(request: AgentRequest) -> list[replay.Statement]:
    """Return the statements that the application runs to answer a request. All of them are undone."""
    with replay.undone() as heard:
        said = {"data": request.payload, "content_type": "application/json", "headers": request.headers}
        answer = application().generic(request.method, request.path, **said)
    if answer.status_code >= 300:
        raise RuntimeError(f"{answer.status_code}: {answer.content.decode()}")
    return heard


def by_sql(heard: Sequence[Sequence[replay.Statement]], url: str) -> RequestAct:
    connection = replay.connect_as_django(url)

    def act(number: int) -> None:
        for one in heard[number]:
            one.run(connection)

    return act


# Taking turns


class Case:
    """A measurement with so many clients at once."""

    def __init__(self, agents: Agents, *, url: str, port: int, clients: int, requests: int) -> None:
        self.agents, self.url, self.port, self.clients = agents, url, port, clients
        self.each = -(-requests // clients)

    def measure(self, endpoints: Sequence[str]) -> Iterator[tuple[RequestKind, RequestSeries, float]]:
        """Yield the figures of each endpoint over HTTP and as SQL, with the number of statements of one request."""
        kinds: list[RequestKind] = []
        counts: dict[str, float] = {}
        progress = Progress(len(endpoints) * self.clients, "taking down statements")
        for endpoint in endpoints:
            asked = [self._requests(endpoint) for _ in range(self.clients)]
            heard = []
            for _ in range(self.clients):
                heard.append([taken_down(request) for request in self._requests(endpoint)])
                progress.add(1)
            every = [request for client in heard for request in client]
            counts[endpoint] = fmean(sum(not one.bounds for one in request) for request in every)
            kinds.append(RequestKind(endpoint, HTTP, partial(self._over_http, asked)))
            kinds.append(RequestKind(endpoint, SQL, partial(self._by_sql, heard)))
        finish()
        for kind, series in zip(kinds, self._take_turns(kinds), strict=True):
            yield kind, series, counts[kind.endpoint]

    def _requests(self, endpoint: str) -> list[AgentRequest]:
        return [self.agents.request(endpoint) for _ in range(WARM_UP_REQUESTS + self.each)]

    def _over_http(self, asked: Sequence[Sequence[AgentRequest]], client: int) -> RequestAct:
        return over_http(asked[client], self.port)

    def _by_sql(self, heard: Sequence[Sequence[Sequence[replay.Statement]]], client: int) -> RequestAct:
        return by_sql(heard[client], self.url)

    def _take_turns(self, kinds: Sequence[RequestKind]) -> list[RequestSeries]:
        """Let all clients do one kind at a time. Every other round goes backwards: whatever one kind leaves warm or
        cold for the next, the next leaves for it."""
        barrier = context.Barrier(self.clients, timeout=CLIENT_PATIENCE)
        title = f"{self.clients} client{'s' if self.clients > 1 else ''}"

        def client(number: int) -> list[RequestSeries]:
            ready = [(kind.open(number), RequestSeries()) for kind in kinds]
            for act, _ in ready:
                for warm in range(WARM_UP_REQUESTS):
                    act(warm)
            progress = Progress(self.each, title)
            for turn, start in enumerate(range(0, self.each, TURN)):
                count = min(TURN, self.each - start)
                for act, series in ready if turn % 2 == 0 else reversed(ready):
                    barrier.wait()
                    take_turn(act, series, range(WARM_UP_REQUESTS + start, WARM_UP_REQUESTS + start + count))
                if number == 0:
                    progress.add(count)
            return [series for _, series in ready]

        return [together(series) for series in zip(*in_processes(self.clients, client, barrier.abort), strict=True)]


def take_turn(act: RequestAct, series: RequestSeries, numbers: Sequence[int]) -> None:
    first = time.perf_counter()
    for number in numbers:
        began = time.perf_counter()
        act(number)
        series.milliseconds.append((time.perf_counter() - began) * 1000)
    series.seconds.append(time.perf_counter() - first)


def together(clients: Sequence[RequestSeries]) -> RequestSeries:
    """Join the series of all clients: a turn ends when the last client has done its part."""
    slowest = [max(turn) for turn in zip(*(series.seconds for series in clients), strict=True)]
    return RequestSeries([one for series in clients for one in series.milliseconds], seconds=slowest)


def finish() -> None:
    """End background work and close connections before the clients start, so that they share nothing with us."""
    from memoryhub import background

    background.finish_work()
    disconnect()


# What came of it


def format_request_line(
    kind: RequestKind, series: RequestSeries, statements: float, *, size: int, case: Case
) -> RequestTiming:
    count = len(series.milliseconds)
    return RequestTiming(
        size=size,
        teams=case.agents.teams,
        clients=case.clients,
        endpoint=kind.endpoint,
        over=kind.over,
        per_second=round(count / sum(series.seconds), 1),
        p50=round(series.p50, 3),
        p95=round(series.p95, 3),
        statements=round(statements, 2),
        requests=count,
        load=round(os.getloadavg()[0], 1),
    )


def say_request_header() -> None:
    http, sql = (f"{'a second':>10}{f'{over} p50':>10}{'p95':>8}" for over in (HTTP, SQL))
    say(f"{'clients':>7}  {'endpoint':9}{http}{sql}{'x':>7}{'x rate':>8}{'statements':>12}")


def say_request_case(measured: Sequence[RequestTiming], *, clients: int) -> None:
    here = {(row.endpoint, row.over): row for row in measured if row.clients == clients}
    for endpoint in dict.fromkeys(endpoint for endpoint, _ in here):
        http, sql = here[endpoint, HTTP], here[endpoint, SQL]
        figures = "".join(f"{row.per_second:10,.0f}{row.p50:10.2f}{row.p95:8.2f}" for row in (http, sql))
        ratios = f"{http.p50 / sql.p50:7.2f}{sql.per_second / http.per_second:8.2f}"
        say(f"{clients:7}  {endpoint:9}{figures}{ratios}{http.statements:12.1f}")


def write_request_figures(path: Path, measured: Sequence[RequestTiming]) -> None:
    machine = {"python": platform.python_version(), "system": platform.platform(), "cores": os.cpu_count()}
    whole = {"machine": machine, "measured": [asdict(row) for row in measured]}
    path.write_text(json.dumps(whole, indent=1) + "\n")


if __name__ == "__main__":
    main()
