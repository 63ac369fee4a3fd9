"""Every page of a team of 100,000 memories takes a bounded number of statements, each of which reads a bounded part of
the tables that grow."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from memories import paging
from memories.models import Batch, Memory, Type
from memories.recall import statistics
from teams import operations
from teams.models import Project, Role, Token
from tests import factories
from tests.browser.pages import FOUND, PAGES, TEAM
from tests.plans import explained, nodes, touched

MEMORIES, RECALLS, FILES = 100_000, 20_000, 2_000
GROWING = {
    *("memories_memory", "memories_revision", "memories_recalllog", "memories_usage", "memories_association"),
    *("memories_teamfile", "memories_fileversion", "memories_asset", "memories_source", "memories_embedding"),
}
STATEMENTS = 30  # at most for a page
ROWS = 3_000  # at most that a statement reads

COLUMNS = """key, content, summary, type, category, tags, importance, pinned, source, scope, metadata, version,
    verified_by, forgotten_by, forget_reason, expires_at, review_by, forgotten_at"""
# One in 50 is forgotten, expires soon or is due for review; each has a common word, some rare ones and a rollback;
# one is the core memory.
FILL = (
    f"""
INSERT INTO memories_memory (id, organization_id, team_id, agent_id, created_at, updated_at, owns_key, channel_id,
    {COLUMNS})
SELECT gen_random_uuid(), %(organization)s, %(team)s, %(agent)s, now() - n * interval '1 minute',
    now() - n * interval '1 minute', n = 1000, '', CASE WHEN n = 1000 THEN 'core' ELSE '' END,
    concat_ws(' ', 'harbour', 'mid' || (n * 7 %% 100), 'word' || (n * 7919 %% 10007),
        CASE WHEN n %% 500 = 0 THEN 'rollback' END),
    '', (%(types)s::text[])[1 + n %% 9], 'fact', ARRAY['tag' || n %% 40], (n * 37 %% 1000) / 1000.0, n %% 97 = 0,
    'manual', 'team', '{{}}', 1, '', '', '',
    CASE WHEN n %% 50 = 1 THEN now() + n * interval '10 minutes' END, CASE WHEN n %% 50 = 2 THEN now() END,
    CASE WHEN n %% 50 = 3 THEN now() END
FROM generate_series(1, %(memories)s) AS n
""",
    f"""
INSERT INTO memories_revision (id, organization_id, memory_id, agent_id, token_id, audience, created_at, change,
    {COLUMNS})
SELECT gen_random_uuid(), organization_id, id, agent_id, %(token)s, audience, created_at, 'created', {COLUMNS}
FROM memories_memory WHERE organization_id = %(organization)s
""",
    """
INSERT INTO memories_usage (organization_id, memory_id, audience, access_count, last_accessed_at)
SELECT organization_id, id, audience, 3, now() FROM memories_memory WHERE organization_id = %(organization)s LIMIT 20000
""",
    """
INSERT INTO memories_recalllog (id, organization_id, team_id, agent_id, token_id, created_at, query, mode, filters,
    memory_ids, versions, total_found)
SELECT gen_random_uuid(), %(organization)s, %(team)s, %(agent)s, %(token)s, now() - n * interval '2 minutes',
    'question ' || n %% 300, 'hybrid', '{}', CASE WHEN n %% 20 = 0 THEN '{}'::uuid[] ELSE few.ids END,
    CASE WHEN n %% 20 = 0 THEN '{}'::int[] ELSE '{1,1,1}'::int[] END, CASE WHEN n %% 20 = 0 THEN 0 ELSE 3 END
FROM generate_series(1, %(recalls)s) AS n, (
    SELECT array_agg(id) AS ids FROM (
        SELECT id FROM memories_memory WHERE organization_id = %(organization)s LIMIT 3
    ) AS three
) AS few
""",
    """
INSERT INTO memories_teamfile (id, organization_id, team_id, agent_id, created_at, updated_at, path, content, version)
SELECT gen_random_uuid(), %(organization)s, %(team)s, %(agent)s, now(), now(),
    CASE WHEN n %% 2 = 0 THEN 'conversations/2026-01-01-talk-' ELSE 'notes/' || n %% 20 || '/' END || n || '.md',
    '# Title ' || n || CASE WHEN n %% 20 = 1 THEN ' main' ELSE '' END, 1
FROM generate_series(1, %(files)s) AS n
""",
    """
INSERT INTO memories_fileversion (id, organization_id, file_id, agent_id, token_id, created_at, version, path, content,
    change)
SELECT gen_random_uuid(), organization_id, id, agent_id, %(token)s, created_at, 1, path, content, 'created'
FROM memories_teamfile WHERE organization_id = %(organization)s
""",
    """
WITH numbered AS (
    SELECT id, row_number() OVER (ORDER BY created_at) AS n FROM memories_memory
    WHERE organization_id = %(organization)s
)
INSERT INTO memories_association (id, organization_id, agent_id, created_at, updated_at, origin_id, target_id, relation,
    weight)
SELECT gen_random_uuid(), %(organization)s, %(agent)s, now(), now(), origin.id, target.id, 'related_to', 0.5
FROM numbered AS origin JOIN numbered AS target ON target.n = origin.n + 1 WHERE origin.n %% 5 = 0
""",
    """
INSERT INTO memories_asset (id, organization_id, agent_id, created_at, memory_id, file, name, content_type, size,
    sha256)
SELECT gen_random_uuid(), %(organization)s, %(agent)s, now(), id, 'assets/none', 'chart.bin',
    'application/octet-stream', 1, repeat('0', 64)
FROM memories_memory WHERE organization_id = %(organization)s LIMIT 10000
""",
    """
INSERT INTO memories_source (id, organization_id, agent_id, created_at, memory_id, message_id, url, quote)
SELECT gen_random_uuid(), %(organization)s, %(agent)s, now(), id, '17', '', 'Said so.'
FROM memories_memory WHERE organization_id = %(organization)s LIMIT 10000
""",
    # By a model that does not serve any more.
    """
INSERT INTO memories_embedding (id, organization_id, memory_id, audience, model, dimension, memory_version, vector,
    created_at)
SELECT gen_random_uuid(), organization_id, id, audience, 'former', 4, 1, '[1,0,0,0]', now()
FROM memories_memory WHERE organization_id = %(organization)s LIMIT 20000
""",
)


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
        ids: dict[str, Any] = {"organization": team.organization_id, "team": team.pk, "agent": agent.pk}
        operations.issue_token(agent=agent)
        ids |= {
            "token": Token.objects.get(agent=agent).pk,
            "types": Type.values,
            "memories": MEMORIES,
            "recalls": RECALLS,
            "files": FILES,
        }
        with connection.cursor() as cursor:
            for statement in FILL:
                cursor.execute(statement, ids)
            cursor.execute(f"VACUUM ANALYZE {', '.join(sorted(GROWING))}")
        statistics.count(organization_id=team.organization_id, audience=team.pk, now=timezone.now())
        yield Crowd(owner, f"/t/{team.organization.slug}/{team.slug}/")
        with connection.cursor() as cursor:
            cursor.execute(f"TRUNCATE {', '.join(sorted(GROWING))}, teams_organization, auth_user CASCADE")
        connection.close()


@pytest.mark.django_db
@pytest.mark.parametrize("name", [name for name in PAGES if name != "nowhere"])
def test_each_page_reads_a_bounded_part(crowd: Crowd, name: str) -> None:
    client = Client()
    client.force_login(crowd.owner)
    path = crowd.moved(PAGES[name]).format(**_found(client, crowd, PAGES[name]))
    client.get(path)  # which learns the words
    assert_bounded(client, path)


# Besides those that have a picture: each filter by itself, what comes while one types, the middle of the list.
ASKED = {
    **{filter: f"memories/?{filter}" for filter in (
        *("type=goal", "category=fact", "tags=tag3", "scope=team", "scope=project", "project=harbour", "source=manual"),
        *("pinned=yes", "pinned=no", "expiring=7", "expiring=30", "review=due", "sort=changed", "sort=importance"),
        *("q=rollback&sort=created", "q=harbour&sort=created", "q=harbour&sort=importance", "q=word77+harbour"),
        *("q=harbour&type=goal", "forgotten=yes&q=harbour"),
    )},
    "palette": "palette/",
    "palette-asked": "palette/?q=rollback",
}  # fmt: skip


# Those that read more: all that are pinned, which their index has by importance; what a search ranks before a filter.
DEARER = 6_000
DEAR = ("pinned=yes", "q=harbour&type=goal")


@pytest.mark.django_db
@pytest.mark.parametrize("name", ASKED)
def test_whatever_a_list_is_asked_for_it_reads_a_bounded_part(crowd: Crowd, name: str) -> None:
    client = Client()
    client.force_login(crowd.owner)
    path = f"{crowd.home}{ASKED[name]}"
    client.get(path)  # which learns the words
    assert_bounded(client, path, rows=DEARER if name in DEAR else ROWS, headers={"HX-Target": "section#found"})


@pytest.mark.django_db
@pytest.mark.parametrize("order", ["created_at", "updated_at", "importance"])
def test_the_middle_of_a_list_is_as_near_as_its_beginning(crowd: Crowd, order: str) -> None:
    client = Client()
    client.force_login(crowd.owner)
    sort = {"created_at": "", "updated_at": "changed", "importance": "importance"}[order]
    row = Memory.objects.order_by(f"-{order}", "-id")[MEMORIES // 2]
    cursor = paging.mark(f"memories.Memory -{order}", getattr(row, order), row.pk)
    assert_bounded(client, f"{crowd.home}memories/?{urlencode({'sort': sort, 'cursor': cursor})}")


@pytest.mark.django_db
def test_a_batch_of_the_most_reads_a_bounded_part(crowd: Crowd) -> None:
    client = Client()
    client.force_login(crowd.owner)
    preview = f"{crowd.home}memories/batches/preview/"
    assert_bounded(client, preview, body={"deed": "pin", "all": "tags=tag3"})
    client.post(preview, {"deed": "pin", "all": "q=harbour"})
    assert_bounded(client, preview, rows=DEARER, body={"deed": "pin", "all": "q=harbour"})
    seen = " ".join(f"{pk}:{version}" for pk, version in Memory.objects.alive().values_list("pk", "version")[:500])
    client.post(f"{crowd.home}memories/batches/", {"deed": "tag", "tags": "x", "seen": seen})
    assert_bounded(client, f"{crowd.home}memories/batches/{Batch.objects.get().pk}/")


# Of the operators' pages, with the ids of a memory and a file.
OPERATORS = {
    "memory": (
        *("", "?p=20", "?q=harbour", "?q=rollback", "?q=mid5+word77", "?q={memory}", "?o=1", "?content__icontains=x"),
        *("?q=rollback&team__id__exact={team}", "?q=harbour&team__id__exact={team}&state=forgotten"),
        *("?q=rollback&state=expiring", "?state=forgotten", "?state=expiring", "?state=living"),
        *("?team__id__exact={team}", "?team__id__exact={team}&type__exact=decision", "?scope__exact=project"),
        *("?team__id__exact={team}&pinned__exact=1", "?team__id__exact={team}&state=expiring"),
        *("?type__exact=goal", "?pinned__exact=1", "{memory}/change/", "act/forget/?ids={memory}"),
    ),
    "revision": ("", "?q=harbour", "?q={memory}", "?change__exact=forgotten", "{revision}/change/"),
    "recalllog": ("", "?q=question", "{recalllog}/change/"),
    "teamfile": ("", "?q=main", "?q={teamfile}", "{teamfile}/change/"),
    "fileversion": ("", "?q=talk", "?q={teamfile}", "?change__exact=updated", "{fileversion}/change/"),
}


@pytest.mark.django_db
@pytest.mark.parametrize(("model", "page"), [(model, page) for model in OPERATORS for page in OPERATORS[model]])
def test_each_page_of_operators_reads_a_bounded_part(crowd: Crowd, model: str, page: str) -> None:
    named = {name: apps.get_model("memories", name) for name in OPERATORS if f"{{{name}}}" in page}
    ids = {name: rows.objects.values_list("pk", flat=True)[0] for name, rows in named.items()}
    root = User.objects.create_superuser("root")
    client = Client()
    client.force_login(root)
    team = Project.objects.get(slug="harbour").team_id
    assert_bounded(client, f"/admin/memories/{model}/{page.format(team=team, **ids)}")


def assert_bounded(
    client: Client, path: str, *, rows: int = ROWS, body: dict[str, Any] | None = None, **options: Any
) -> None:
    """Each statement is explained where it stands, for what was set before it may matter."""
    statements: list[tuple[str, list[dict[str, Any]]]] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if not sql.startswith("EXPLAIN"):
            asks = sql.lstrip().startswith(("SELECT", "WITH", "("))
            statements.append((sql, list(nodes(explained(sql, params))) if asks else []))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        response = client.post(path, body, **options) if body else client.get(path, **options)
    assert response.status_code == 200
    assert len(statements) <= STATEMENTS, [sql for sql, _ in statements]
    for sql, plan in statements:
        parts = [node for node in plan if node.get("Relation Name") in GROWING]
        assert sum(map(touched, parts)) <= rows, (sql, parts)


def _found(client: Client, crowd: Crowd, path: str) -> dict[str, str]:
    """What stands in braces, by links as a person would find it."""
    names = {}
    for name, (place, pattern) in FOUND.items():
        if f"{{{name}}}" in path:
            links = re.findall(r'href="([^"]+)"', client.get(crowd.moved(place)).text)
            names[name] = next(found[1] for link in links if (found := re.search(pattern, link)))
    return names
