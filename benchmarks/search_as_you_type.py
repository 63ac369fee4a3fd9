"""Search as one types: how long the list's answer to each keystroke takes over HTTP, beside its recall alone.

    python -m benchmarks.search_as_you_type [--size 100000] [--teams 1] [--words 60] [--json PATH]

A person of a team types words of its memories letter by letter into the search of the list, as a browser does: after
each letter one request, with the cookie of their session, for the part of the page that changes. The server is the
one that `manage.py serve` starts. "recall" is the same question asked of `recall()` in this process, with snippets, by
the same person, 50 memories at most; "SQL" is what that has the database do, run by psycopg alone, prepared and planned
once. The three take turns on each prefix, and every other one goes backwards, so that the machine's mood touches all
alike. Each sees every prefix for the first time once, the server's caches among them.

"x recall" and "x SQL" are the medians of the requests over those of the others.
"""

import argparse
import http.client
import json
import os
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlencode

from benchmarks import replay
from benchmarks.client_processes import Timings
from benchmarks.fill_stores import TextSource, grow
from benchmarks.harness import Progress, Texts, database, say
from benchmarks.hub import Hub
from benchmarks.live_server import start_server

LETTER_COUNTS = 6  # at most: by then one has seen what one looked for
WARM_UP_KEYSTROKES = 5  # words that are typed before the clock runs
PAGE, RECALL, SQL = "page", "recall", "SQL"
AskServer = Callable[[str], int]  # returns how much came back


@dataclass(frozen=True, slots=True)
class KeystrokeTiming:
    """One line of the JSON."""

    size: int
    letters: str
    kind: str
    p50: float
    p95: float
    asked: int
    load: float  # the machine's, in the last minute


def main() -> None:
    arguments = parse_typing_options()
    with database() as url:
        hub = Hub(url)
        hub.reset(arguments.teams)
        grow(stores=[hub], source=TextSource(teams=arguments.teams), size=arguments.size)
        with start_server() as port:
            person = Person(hub)
            timings = measure_asks(person.asks(url=url, port=port), words=arguments.words)
    rows = [format_keystroke_line(key, found, size=arguments.size) for key, found in timings.items()]
    print_keystrokes(rows)
    if arguments.json:
        machine = {"python": platform.python_version(), "system": platform.platform(), "cores": os.cpu_count()}
        whole = {"machine": machine, "measured": [asdict(row) for row in rows]}
        arguments.json.write_text(json.dumps(whole, indent=1) + "\n")


def parse_typing_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=100_000, help="memories in all")
    parser.add_argument("--teams", type=int, default=1)
    parser.add_argument("--words", type=int, default=60, help="typed letter by letter")
    parser.add_argument("--json", type=Path, help="a file for all figures")
    return parser.parse_args()


class Person:
    """An owner of the first team, logged in."""

    def __init__(self, hub: Hub) -> None:
        from django.contrib.auth.models import User
        from django.test import Client

        from teams.models import Membership, Role, Team

        self.team = Team.objects.select_related("organization").get(pk=hub.actors[0].team_id)
        self.user = User.objects.create_user(username="typist")
        organization = self.team.organization
        Membership.objects.create(organization=organization, team=self.team, user=self.user, role=Role.OWNER)
        browser = Client()
        browser.force_login(self.user)
        self.cookie = f"sessionid={browser.session.session_key}"

    def asks(self, *, url: str, port: int) -> dict[str, AskServer]:
        return {PAGE: self._page(port), RECALL: self._recall(), SQL: self._sql(url)}

    def _page(self, port: int) -> AskServer:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        path = f"/t/{self.team.organization.slug}/{self.team.slug}/memories/"
        headers = {"Cookie": self.cookie, "HX-Request": "true", "HX-Target": "section#found"}

        def ask(typed: str) -> int:
            connection.request("GET", f"{path}?{urlencode({'q': typed})}", headers=headers)
            answer = connection.getresponse()
            body = answer.read()
            if answer.status != 200:
                raise RuntimeError(f"{answer.status}: {body.decode()[:500]}")
            return len(body)

        return ask

    def _recall(self) -> AskServer:
        from memories.recall import MOST, recall
        from teams import rights

        actor = rights.login_actor(user=self.user, team_id=self.team.pk)

        def ask(typed: str) -> int:
            return len(recall(actor=actor, query=typed, limit=MOST, snippets=True, noted=False).hits)

        return ask

    def _sql(self, url: str) -> AskServer:
        """Return a function that runs the recall's statements, recorded before its clock runs: see `timed`."""
        connection, recall = replay.connect_as_django(url), self._recall()
        heard: dict[str, Sequence[replay.Statement]] = {}

        def ask(typed: str) -> int:
            if typed not in heard:
                with replay.undone() as statements:
                    recall(typed)
                heard[typed] = statements
                return 0
            return sum(len(one.run(connection)) for one in heard.pop(typed))

        return ask


def prefixes(words: int, *, seed: int) -> Iterator[str]:
    """Yield the text in the field after each letter."""
    texts = Texts(seed=seed)
    for _ in range(words):
        word = max(texts.text(5, 10).split(), key=len)
        yield from (word[:length] for length in range(1, min(len(word), LETTER_COUNTS) + 1))


def measure_asks(asks: Mapping[str, AskServer], *, words: int) -> dict[tuple[str, str], Timings]:
    timings: dict[tuple[str, str], Timings] = {}
    for typed in prefixes(WARM_UP_KEYSTROKES, seed=17):
        for ask in asks.values():
            ask(typed)
            ask(typed)
    typed_later = list(dict.fromkeys(prefixes(words, seed=13)))
    progress = Progress(len(typed_later), "typing")
    for turn, typed in enumerate(typed_later):
        asks[SQL](typed)
        for kind, ask in list(asks.items())[:: 1 if turn % 2 == 0 else -1]:
            took = time_ask(ask, typed)
            for letters in (str(len(typed)), "all"):
                timings.setdefault((letters, kind), Timings()).milliseconds.append(took)
        progress.add(1)
    return timings


def time_ask(ask: AskServer, typed: str) -> float:
    began = time.perf_counter()
    ask(typed)
    return (time.perf_counter() - began) * 1000


def format_keystroke_line(key: tuple[str, str], found: Timings, *, size: int) -> KeystrokeTiming:
    letters, kind = key
    asked, load = len(found.milliseconds), round(os.getloadavg()[0], 1)
    return KeystrokeTiming(size, letters, kind, round(found.p50, 3), round(found.p95, 3), asked, load)


def print_keystrokes(rows: Sequence[KeystrokeTiming]) -> None:
    by = {(row.letters, row.kind): row for row in rows}
    heads = "".join(f"{f'{kind} p50':>12}{'p95':>9}" for kind in (PAGE, RECALL, SQL))
    say(f"{'letters':>7}{heads}{'x recall':>10}{'x SQL':>8}{'asked':>7}")
    for letters in sorted({row.letters for row in rows}):
        page, recall, sql = (by[letters, kind] for kind in (PAGE, RECALL, SQL))
        figures = "".join(f"{row.p50:12.2f}{row.p95:9.2f}" for row in (page, recall, sql))
        ratios = f"{page.p50 / recall.p50:10.2f}{page.p50 / sql.p50:8.2f}"
        say(f"{letters:>7}{figures}{ratios}{page.asked:7}")


if __name__ == "__main__":
    main()
