"""Speed of the operators' pages in a large hub: each list, search, filter, form and choice, beside a look-up.

    python -m benchmarks.admin [--size 1000000] [--teams 50] [--rounds 5] [--json PATH]

Every page is opened by Django's own client in this process, as a superuser. Its statements and the time that they take
are noted as Django sees them; "look-up" is one memory by its primary key, by psycopg alone on a connection of its own,
and "empty page" is the admin's form for a password, which shows no rows: what a page costs before it shows anything.
All take turns, and every other round goes backwards. Figures are medians; the first round is not counted.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import psycopg

from benchmarks.harness import Progress, database, say

if TYPE_CHECKING:
    from django.db.models import Model

LOOK_UP, EMPTY = "look-up", "empty page"
DAYS = 180  # of which the memories are


def main() -> None:
    arguments = parse_admin_options()
    with database() as url:
        from django.conf import settings

        settings.STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
        settings.STATIC_ROOT.mkdir()
        settings.SLOW_STATEMENT = 3_600_000  # filling takes long
        began = time.monotonic()
        fill_hub(memories=arguments.size, teams=arguments.teams)
        say(f"{arguments.size:,} memories and what belongs to them, made in {time.monotonic() - began:.0f} s")
        rows = measure_pages(url, rounds=arguments.rounds)
    print_timing(rows)
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")


def parse_admin_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=1_000_000, help="memories in all")
    parser.add_argument("--teams", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=5, help="of which the first is not counted")
    parser.add_argument("--json", type=Path, help="a file for all figures")
    return parser.parse_args()


def fill_hub(*, memories: int, teams: int) -> None:
    from django.utils import timezone

    from benchmarks import crowd
    from memories.models import Type
    from memories.recall import word_stats
    from teams import operations
    from teams.models import Agent, Team, Token

    organization = operations.ensure_organization(slug="large")
    root = Team.objects.get(organization=organization, parent=None)
    made = [Team(organization=organization, parent=root, slug=f"team-{n}", name=f"Team {n}") for n in range(teams)]
    agents = [Agent(organization=organization, team=team, slug="asker") for team in Team.objects.bulk_create(made)]
    Agent.objects.bulk_create(agents)
    operations.issue_token(agent=agents[0])
    values: dict[str, Any] = {
        "organization": organization.pk,
        "teams": [team.pk for team in made],
        "agents": [agent.pk for agent in agents],
        "token": Token.objects.get(agent=agents[0]).pk,
        "types": Type.values,
        "memories": memories,
        "recalls": memories // 5,
        "files": memories // 50,
        "vectors": memories,
        "people": memories // 10,
        "step": f"{DAYS * 24 * 60 / memories} minutes",
    }
    crowd.fill(values)
    word_stats.count(within=word_stats.Within(organization.pk), audience=made[0].pk, now=timezone.now())


@dataclass(frozen=True, slots=True)
class PageTiming:
    """The figures of one page."""

    page: str
    ms: float
    sql_ms: float
    statements: int
    look_ups: float  # how many look-ups its statements take
    empty_pages: float  # and how many empty pages the whole takes


def measure_pages(url: str, *, rounds: int) -> list[PageTiming]:
    from django.contrib import admin
    from django.contrib.auth.models import User
    from django.test import Client

    client = Client(SERVER_NAME="localhost")
    client.force_login(User.objects.create_superuser("root"))
    paths = [EMPTY, "/admin/", *(path for model in admin.site._registry for path in pages(model))]
    took: dict[str, list[tuple[float, float, int]]] = {path: [] for path in paths}
    looked: list[float] = []
    progress = Progress(rounds * len(paths), "opening pages")
    with psycopg.connect(url, autocommit=True) as raw:
        look_up = looking(raw)
        for turn in range(rounds):
            for path in paths if turn % 2 == 0 else reversed(paths):
                looked.append(look_up())
                took[path].append(open_page(client, "/admin/password_change/" if path == EMPTY else path))
                progress.add(1)
    one, empty = median(looked), median(ms for ms, _, _ in took[EMPTY][1:])
    return [row(path, some[1:] or some, look_up=one, empty=empty) for path, some in took.items()] + [
        PageTiming(LOOK_UP, one, one, 1, 1.0, one / empty)
    ]


def row(path: str, some: list[tuple[float, float, int]], *, look_up: float, empty: float) -> PageTiming:
    ms, sql = median(found[0] for found in some), median(found[1] for found in some)
    return PageTiming(path, ms, sql, max(found[2] for found in some), sql / look_up, ms / empty)


def looking(raw: "psycopg.Connection[Any]") -> Callable[[], float]:
    """Return a function that times a prepared look-up, of another row each time."""
    ids = raw.execute("SELECT id FROM memories_memory TABLESAMPLE SYSTEM (1) LIMIT 1000").fetchall()
    ids = ids or raw.execute("SELECT id FROM memories_memory LIMIT 1000").fetchall()
    turn = 0

    def look_up() -> float:
        nonlocal turn
        turn += 1
        began = time.perf_counter()
        found = raw.execute("SELECT * FROM memories_memory WHERE id = %s", ids[turn % len(ids)], prepare=True)
        found.fetchone()
        return (time.perf_counter() - began) * 1_000

    return look_up


def open_page(client: Any, path: str) -> tuple[float, float, int]:
    """Open a page and return its time in all, its time in the database, and its number of statements."""
    from django.db import connection

    with note_statements(connection) as statements:
        began = time.perf_counter()
        response = client.get(path)
        took = (time.perf_counter() - began) * 1_000
    if response.status_code != 200:
        raise RuntimeError(f"{path}: {response.status_code}")
    return took, sum(statements), len(statements)


@contextmanager
def note_statements(connection: Any) -> Iterator[list[float]]:
    found: list[float] = []

    def note(execute: Any, *arguments: Any) -> Any:
        began = time.perf_counter()
        try:
            return execute(*arguments)
        finally:
            found.append((time.perf_counter() - began) * 1_000)

    with connection.execute_wrapper(note):
        yield found


SEARCH_WORDS = ("harbour", "question 7", "mid5 word77", "project-7", "mh_000000007", "nowhere")


def pages(model: "type[Model]", *, words: Iterable[str] = SEARCH_WORDS) -> Iterator[str]:
    """Yield the pages that the admin has for a model: its list, filtered and searched in each way, a form, and look-ups
    by name. The form is that of the row in the middle of the newest hundred."""
    from django.contrib import admin
    from django.urls import reverse

    site, name = admin.site._registry[model], model._meta.label_lower.replace(".", "_")
    listed = reverse(f"admin:{name}_changelist")
    ids = list(model._default_manager.order_by("-pk").values_list("pk", flat=True)[:100])
    yield listed
    yield f"{listed}?p=2"
    if site.search_fields:
        yield from (f"{listed}?{urlencode({'q': term})}" for term in (*words, *ids[50:51]))
    yield from (f"{listed}?{urlencode(said)}" for said in narrowings(site))
    yield from (reverse(f"admin:{name}_change", args=[known]) for known in ids[len(ids) // 2 :][:1])
    if model.__name__ in ADDED:
        yield reverse(f"admin:{name}_add")
    asked = {"app_label": model._meta.app_label, "model_name": model._meta.model_name}
    for field in looked_up(site):
        yield f"{reverse('admin:autocomplete')}?{urlencode(asked | {'field_name': field, 'term': 'a'})}"


ADDED = {"Organization", "Workspace", "Team", "Agent", "Project", "Person", "Membership", "Admission", "User", "Group"}


def narrowings(site: Any) -> Iterator[dict[str, Any]]:
    """Yield each filter with each of its choices, or with one row."""
    for filtered in site.list_filter:
        if not isinstance(filtered, tuple):
            yield from ({filtered.parameter_name: value} for value, _ in filtered.lookups(filtered, None, site))
            continue
        field = site.model._meta.get_field(filtered[0])
        if field.is_relation:
            known = field.related_model._default_manager.order_by("-pk").values_list("pk", flat=True).first()
            yield {f"{field.name}__id__exact": known}
        else:
            values = [value for value, _ in field.choices] if field.choices else [1, 0]
            yield from ({f"{field.name}__exact": value} for value in values)


def looked_up(site: Any) -> list[str]:
    """Return the foreign keys that are chosen by a name, in the model's form or in a filter."""
    filters = [filtered[0] for filtered in site.list_filter if isinstance(filtered, tuple)]
    links = [name for name in filters if site.model._meta.get_field(name).is_relation]
    named = site.get_autocomplete_fields(None) if site.model.__name__ in ADDED else []
    return sorted({*links, *named})


def print_timing(rows: list[PageTiming]) -> None:
    say(f"\n{'page':78} {'ms':>7} {'x empty':>8} {'SQL ms':>7} {'x look-up':>9} {'statements':>10}")
    for found in sorted(rows, key=lambda row: row.ms):
        say(
            f"{found.page[:78]:78} {found.ms:7.1f} {found.empty_pages:8.1f} {found.sql_ms:7.1f} {found.look_ups:9.1f}"
            f" {found.statements:10}"
        )


if __name__ == "__main__":
    main()
