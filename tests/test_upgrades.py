"""Databases of former versions, brought up to date: nothing is lost, and the schema is that of a new one."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import connection, connections, models
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from memories.models import pgvector
from memoryhub.ids import uuid7
from memoryhub.migration_operations import BuildIndex
from memoryhub.postgres import Cluster
from tests.cluster import FAST, throwaway_folder
from tests.hub import Hub, hub
from tests.introspection import describe_schema
from tests.upgrades.story import ATTACHED, MEANT, SAFE

DUMPS = sorted((Path(__file__).parent / "upgrades").glob("*.sql"))
MEMORIES = "/api/v1/memories"


@contextmanager
def database(name: str, *, server: str) -> Iterator[str]:
    """The address of a new and empty database on the server."""
    with psycopg.connect(server, autocommit=True) as made:
        made.execute(f'CREATE DATABASE "{name}"')
    try:
        yield f"{server.rpartition('/')[0]}/{name}"
    finally:
        with psycopg.connect(server, autocommit=True) as made:
            made.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def load(dump: Path, *, into: str) -> None:
    with psycopg.connect(into) as made:
        made.execute(dump.read_text())


def new_schema() -> dict[str, str]:
    """That of the database that the tests have, where every migration began with nothing."""
    return describe_schema(f"{settings.DATABASE_ADDRESS.rpartition('/')[0]}/{connection.settings_dict['NAME']}")


def differences(one: dict[str, str], other: dict[str, str]) -> dict[str, tuple[str | None, str | None]]:
    names = one.keys() | other.keys()
    return {name: (one.get(name), other.get(name)) for name in names if one.get(name) != other.get(name)}


@pytest.mark.django_db
@pytest.mark.parametrize("dump", DUMPS, ids=lambda dump: dump.stem)
def test_a_former_database_works_on(dump: Path) -> None:
    with database(f"upgrade_{dump.stem}", server=settings.DATABASE_ADDRESS) as url, hub(database=url) as made:
        load(dump, into=url)
        made.manage("migrate", "--verbosity=0")
        assert differences(describe_schema(url), new_schema()) == {}
        made.manage("embeddings", "--make")
        put_bytes(made)
        made.start()
        token = made.manage("create_token", "--org", "acme", "--team", "ops", "--agent", "keeper", "--user", "mira")
        check_what_was_kept(made, f"Bearer {token.strip()}")


def put_bytes(made: Hub) -> None:
    """The attachment's bytes, where the database says that they are."""
    with psycopg.connect(made.database) as connected:
        [(name,)] = connected.execute("SELECT file FROM memories_asset").fetchall()
    path = made.folder / "media" / name
    path.parent.mkdir(parents=True)
    path.write_bytes(ATTACHED)


def check_what_was_kept(made: Hub, token: str) -> None:
    def ask(method: str, path: str, body: object = None) -> Any:
        status, answer = made.request(method, path, body, Authorization=token)
        assert status == 200, answer
        return answer

    for query in ("painting", MEANT):  # by a word, and by what it means
        [first] = ask("POST", "/api/v1/recall", {"query": query})["memories"]
        assert first["content"] == SAFE
    memory = f"{MEMORIES}/{first['id']}"
    assert [version["version"] for version in ask("GET", f"{memory}/history")["versions"]] == [2, 1]
    [asset] = ask("GET", f"{memory}/assets")["assets"]
    assert made.content(f"{memory}/assets/{asset['id']}", Authorization=token) == ATTACHED
    assert [source["quote"] for source in ask("GET", f"{memory}/sources")["sources"]] == ["behind the painting"]
    assert ask("GET", "/api/v1/files/house/plan.md")["content"] == "# Plan B"
    assert made.request("POST", MEMORIES, {"content": "Something new."}, Authorization=token)[0] == 201


@pytest.mark.django_db
def test_a_database_from_before_the_first_version_is_refused() -> None:
    with database("upgrade_refused", server=settings.DATABASE_ADDRESS) as url, hub(database=url) as made:
        load(DUMPS[0], into=url)
        with psycopg.connect(url) as connected:
            connected.execute("DELETE FROM django_migrations WHERE name = '0034_indexes_of_recalls'")
        done = made.run("migrate")
        assert done.returncode == 1
        assert "lacks memories.0034_indexes_of_recalls. Export each organization" in done.stderr


def test_a_dump_loads_into_an_older_postgres_without_pgvector() -> None:
    with throwaway_folder() as folder:
        cluster = Cluster(folder / "postgres", settings=FAST, version="16")
        with cluster.running():
            for dump in DUMPS:
                with database(dump.stem, server=cluster.url) as url:
                    load(dump, into=url)
                    with psycopg.connect(url) as made:
                        contents = made.execute("SELECT content FROM memories_memory WHERE forgotten_at IS NULL")
                        assert contents.fetchall() == [(SAFE,)]


@contextmanager
def register_database(url: str) -> Iterator[str]:
    """Under which name Django knows the database for a while."""
    alias = "stepping"
    connections.databases[alias] = {**connection.settings_dict, "NAME": url.rpartition("/")[2], "OPTIONS": {}}
    try:
        yield alias
    finally:
        connections[alias].close()
        del connections[alias], connections.databases[alias]


@pytest.mark.usefixtures("django_db_setup")
def test_rows_of_every_step_survive_the_next(django_db_blocker: DjangoDbBlocker) -> None:
    """One migration at a time, with a memory, a file, a vector and a count more after each."""
    server = settings.DATABASE_ADDRESS
    with django_db_blocker.unblock(), database("stepping", server=server) as url, register_database(url) as alias:
        executor, steps = MigrationExecutor(connections[alias]), 0
        for migration, _ in executor.migration_plan(executor.loader.graph.leaf_nodes()):
            state = MigrationExecutor(connections[alias]).migrate([(migration.app_label, migration.name)])
            if ("memories", "unembedded") in state.models:
                steps += 1
                write_rows(state.apps, alias)
        pgvector.adopt_pgvector(connections[alias])
        assert differences(describe_schema(url), new_schema()) == {}
        with psycopg.connect(url) as made:
            for table in ("memory", "revision", "teamfile", "embedding"):
                assert made.execute(f"SELECT count(*) FROM memories_{table}").fetchone() == (steps,)
            found = made.execute("SELECT bool_and(search @@ 'safe' AND audience = team_id) FROM memories_memory")
            assert found.fetchone() == (True,)


@pytest.mark.usefixtures("django_db_setup")
def test_memories_from_before_languages_are_found_in_theirs(django_db_blocker: DjangoDbBlocker) -> None:
    server = settings.DATABASE_ADDRESS
    with django_db_blocker.unblock(), database("languages", server=server) as url, register_database(url) as alias:
        former = [("memories", "0009_word_worth"), ("teams", "0001_initial")]
        apps = MigrationExecutor(connections[alias]).migrate(former).apps
        for content in ("Die Häuser am Hafen sind verkauft.", "The houses are sold.", "Дома у причала проданы."):
            write_rows(apps, alias, content=content)
        executor = MigrationExecutor(connections[alias])
        executor.migrate(executor.loader.graph.leaf_nodes())
        with psycopg.connect(url) as made:
            for table in ("memory", "teamfile"):
                found = made.execute(
                    f"SELECT language, search @@ %s::tsquery FROM memories_{table} ORDER BY id", ["haus | hous | дом"]
                )
                assert found.fetchall() == [("german", True), ("english", True), ("russian", True)]
            assert made.execute("SELECT count(*) FROM memories_vocabulary").fetchone() == (0,)  # to be counted again


@pytest.mark.usefixtures("django_db_setup")
def test_an_index_that_broke_off_is_built_again(django_db_blocker: DjangoDbBlocker) -> None:
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute("CREATE INDEX broke_off ON teams_team (id)")
        try:
            state = MigrationExecutor(connection).loader.project_state()
            with connection.schema_editor(atomic=False) as editor:
                index = models.Index(fields=["name"], name="broke_off")
                BuildIndex("team", index).database_forwards("teams", editor, state, state)
            cursor.execute("SELECT indexdef FROM pg_indexes WHERE indexname = 'broke_off'")
            assert cursor.fetchone()[0].endswith("(name)")
        finally:
            cursor.execute("DROP INDEX broke_off")


def write_rows(apps: Any, alias: str, *, content: str = "The safe.") -> None:
    """One row each, by the models as they are at this step."""

    def write(app: str, model: str, /, **values: Any) -> Any:
        return apps.get_model(app, model).objects.using(alias).create(id=uuid7(), **values)

    organization = write("teams", "Organization", slug=f"o-{uuid7()}", name="O")
    within = {"organization": organization}
    team = write("teams", "Team", **within, slug="t", name="T")
    memory = write("memories", "Memory", **within, team=team, content=content)
    memory.refresh_from_db()
    write("memories", "Revision", **within, memory=memory, content=content, change="created", audience=team.pk)
    write("memories", "TeamFile", **within, team=team, path="a.md", content=content)
    vector = {"model": "m", "dimension": 2, "memory_version": 1, "vector": [0.5, 0.5]}
    write("memories", "Embedding", **within, memory=memory, audience=team.pk, **vector)
    counted = [field.name for field in apps.get_model("memories", "Vocabulary")._meta.fields if "mean" in field.name]
    numbers = {"memories": 1, "counted_at": timezone.now(), **dict.fromkeys(counted, 9.0)}
    write("memories", "Vocabulary", **within, audience=team.pk, **numbers)
