"""Every page of a team of 100,000 memories, and every page of its operators, takes a bounded number of statements, each
of which reads a bounded part of the tables that grow."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from benchmarks.admin import pages
from benchmarks.crowd import fill
from memories.models import Batch, Memory, Type
from memories.queries import paging
from memories.recall import word_stats
from teams import operations
from teams.models import Project, Role, Token
from tests import factories
from tests.browser.pages import FOUND, PAGES, TEAM
from tests.plans import count_touched_rows, explain_statement, nodes

MEMORIES, RECALLS, FILES, VECTORS, PEOPLE = 100_000, 20_000, 2_000, 1_000, 10_000
GROWING = {
    *("memories_memory", "memories_revision", "memories_recalllog", "memories_usage", "memories_association"),
    *("memories_teamfile", "memories_fileversion", "memories_asset", "memories_source", "memories_embedding"),
    *("memories_unembedded", "memories_answer", "memories_batch", "teams_person", "teams_session", "django_admin_log"),
}
ALSO = {"teams_organization", "auth_user", "memories_growth", "memories_embeddingmodel", "procrastinate_jobs"}
STATEMENTS = 30  # at most for a page
ROWS = 3_000  # at most that a statement reads


@dataclass(frozen=True)
class Crowd:
    owner: User
    home: str

    def moved(self, path: str) -> str:
        return path.replace(TEAM, self.home)


@pytest.fixture(scope="module")
def crowd(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Crowd]:
    """A large team, made once outside of any test's transaction and taken away again."""
    with django_db_blocker.unblock():
        team = factories.team()
        agent, owner = factories.agent(team), factories.member(team, Role.OWNER)
        Project.objects.create(organization=team.organization, team=team, slug="harbour", name="Harbour")
        operations.issue_token(agent=agent)
        fill(
            {
                "organization": team.organization_id,
                "teams": [team.pk],
                "agents": [agent.pk],
                "token": Token.objects.get(agent=agent).pk,
                "types": Type.values,
                "memories": MEMORIES,
                "recalls": RECALLS,
                "files": FILES,
                "vectors": VECTORS,
                "people": PEOPLE,
                "step": "1 minute",
            }
        )
        word_stats.count(within=word_stats.Within(team.organization_id), audience=team.pk, now=timezone.now())
        yield Crowd(owner, f"/t/{team.organization.slug}/{team.slug}/")
        with connection.cursor() as cursor:
            cursor.execute(f"TRUNCATE {', '.join(sorted(GROWING | ALSO))} CASCADE")
        connection.close()


@pytest.mark.django_db
@pytest.mark.parametrize("name", [name for name in PAGES if name != "nowhere"])
def test_each_page_reads_a_bounded_part(crowd: Crowd, name: str) -> None:
    client = Client()
    client.force_login(crowd.owner)
    path = crowd.moved(PAGES[name]).format(**_find_path_values(client, crowd, PAGES[name]))
    client.get(path)  # which learns the words
    assert_bounded(client, path)


# Besides those that have a picture: each filter by itself, what comes while one types, the middle of the list.
QUERY_STRINGS = {
    **{filter: f"memories/?{filter}" for filter in (
        *("type=goal", "category=fact", "tags=tag3", "scope=team", "scope=project", "project=harbour", "source=manual"),
        *("pinned=yes", "pinned=no", "expiring=7", "expiring=30", "review=due", "sort=changed", "sort=importance"),
        *("q=rollback&sort=created", "q=harbour&sort=created", "q=harbour&sort=importance", "q=word77+harbour"),
        *("q=no-such-word", "q=harbour&type=goal", "forgotten=yes&q=harbour"),
    )},
    "palette": "palette/",
    "palette-asked": "palette/?q=rollback",
}  # fmt: skip


# Those that read more: all that are pinned, which their index has by importance; what a search ranks before a filter,
# by words and by meaning; and where it finds nothing, the newest.
DEARER = 8_000
DEAR = ("pinned=yes", "q=harbour&type=goal", "q=no-such-word")


@pytest.mark.django_db
@pytest.mark.parametrize("name", QUERY_STRINGS)
def test_whatever_a_list_is_asked_for_it_reads_a_bounded_part(crowd: Crowd, name: str) -> None:
    client = Client()
    client.force_login(crowd.owner)
    path = f"{crowd.home}{QUERY_STRINGS[name]}"
    client.get(path)  # which learns the words
    assert_bounded(client, path, rows=DEARER if name in DEAR else ROWS, headers={"HX-Target": "section#memory-list"})


@pytest.mark.django_db
@pytest.mark.parametrize("order", ["created_at", "updated_at", "importance"])
def test_the_middle_of_a_list_is_as_near_as_its_beginning(crowd: Crowd, order: str) -> None:
    client = Client()
    client.force_login(crowd.owner)
    sort = {"created_at": "", "updated_at": "changed", "importance": "importance"}[order]
    row = Memory.objects.order_by(f"-{order}", "-id")[MEMORIES // 2]
    cursor = paging.make_cursor(f"memories.Memory -{order}", getattr(row, order), row.pk)
    assert_bounded(client, f"{crowd.home}memories/?{urlencode({'sort': sort, 'cursor': cursor})}")


@pytest.mark.django_db
def test_a_batch_of_the_most_reads_a_bounded_part(crowd: Crowd) -> None:
    client = Client()
    client.force_login(crowd.owner)
    preview = f"{crowd.home}memories/batches/preview/"
    assert_bounded(client, preview, body={"kind": "pin", "all": "tags=tag3"})
    client.post(preview, {"kind": "pin", "all": "q=harbour"})
    assert_bounded(client, preview, rows=DEARER, body={"kind": "pin", "all": "q=harbour"})
    seen = " ".join(f"{pk}:{version}" for pk, version in Memory.objects.alive().values_list("pk", "version")[:500])
    client.post(f"{crowd.home}memories/batches/", {"kind": "tag", "tags": "x", "seen": seen})
    made = Batch.objects.latest("created_at")
    assert_bounded(client, f"{crowd.home}memories/batches/{made.pk}/")


# Of the operators' pages, what `pages` does not offer: several things at once, and how a kind is asked for.
TOGETHER = (
    *("?o=1", "?content__icontains=x", "?q={memory}", "?q=rollback&team__id__exact={team}"),
    *("?q=harbour&team__id__exact={team}&state=forgotten", "?q=rollback&state=expiring"),
    *("?team__id__exact={team}", "?team__id__exact={team}&type__exact=decision"),
    *("?team__id__exact={team}&pinned__exact=1", "?team__id__exact={team}&state=expiring", "act/forget/?ids={memory}"),
)


# What most rows say, what few say, and what only those of one table say.
WORDS = ("harbour", "mid5 word77")
OWN = {"RecallLog": "question 7", "SettledQuestion": "question 7", "Project": "project-7", "Token": "mh_000000007"}


@pytest.mark.django_db
@pytest.mark.parametrize("model", admin.site._registry, ids=lambda model: model.__name__)
def test_each_page_of_operators_reads_a_bounded_part(crowd: Crowd, model: type[Model]) -> None:
    root = operator()
    for path in pages(model, words=(*WORDS, OWN.get(model.__name__, "nowhere"))):
        assert_bounded(root, path)


@pytest.mark.django_db
def test_whatever_narrows_a_list_together_reads_a_bounded_part(crowd: Crowd) -> None:
    root, memory = operator(), Memory.objects.values_list("pk", flat=True)[5]
    team = Project.objects.get(slug="harbour").team_id
    for page in TOGETHER:
        assert_bounded(root, f"/admin/memories/memory/{page.format(team=team, memory=memory)}")


@pytest.mark.django_db
def test_the_operators_first_page_reads_a_bounded_part(crowd: Crowd) -> None:
    root = operator()
    root.get("/admin/")  # which counts the days that are over
    assert_bounded(root, "/admin/")


def operator() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    return client


def assert_bounded(
    client: Client, path: str, *, rows: int = ROWS, body: dict[str, Any] | None = None, **options: Any
) -> None:
    """Assert that the page's statements, and the rows they read, are bounded. Each is explained just before it runs,
    because earlier settings may matter."""
    statements: list[tuple[str, list[dict[str, Any]]]] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if not sql.startswith("EXPLAIN"):
            asks = sql.lstrip().startswith(("SELECT", "WITH", "("))
            statements.append((sql, list(nodes(explain_statement(sql, params))) if asks else []))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        response = client.post(path, body, **options) if body else client.get(path, **options)
    assert response.status_code == 200
    assert len(statements) <= STATEMENTS, [sql for sql, _ in statements]
    for sql, plan in statements:
        parts = [node for node in plan if node.get("Relation Name") in GROWING]
        assert sum(map(count_touched_rows, parts)) <= rows, (sql, parts)


def _find_path_values(client: Client, crowd: Crowd, path: str) -> dict[str, str]:
    """Return the values for the braces in a path, found by following links as a person would."""
    names = {}
    for name, (place, pattern) in FOUND.items():
        if f"{{{name}}}" in path:
            links = re.findall(r'href="([^"]+)"', client.get(crowd.moved(place)).text)
            names[name] = next(found[1] for link in links if (found := re.search(pattern, link)))
    return names
