"""A backup, taken while the hub is at work, and restored into an empty folder."""

import tarfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import psycopg
import pytest
from django.conf import settings
from django.db import connection

from memoryhub import backups
from memoryhub.postgres import Cluster, PostgresError
from tests.cluster import FAST, throwaway_folder
from tests.hub import Hub, hub


@pytest.fixture
def empty() -> Iterator[Hub]:
    with hub(new=True) as made:
        yield made


def test_every_write_that_was_acknowledged_before_a_backup_is_in_it(tmp_path: Path, empty: Hub) -> None:
    with hub() as busy:
        busy.start()
        busy.manage("create_team", "--org", "acme", "--team", "ops")
        token = f"Bearer {busy.manage('create_token', '--org', 'acme', '--team', 'ops', '--agent', 'bot').strip()}"
        kept, _ = attach_to_new_memory(busy, token)
        enough, acknowledged = Event(), dict[str, str]()

        def work(number: int) -> None:
            step = 0
            while not enough.is_set():
                body = {"content": f"Step {step} of worker {number}."}
                status, memory = busy.request("POST", "/api/v1/memories", body, Authorization=token)
                assert status == 201
                acknowledged[memory["id"]] = body["content"]
                step += 1

        def discard() -> None:
            while not enough.is_set():
                memory_id, asset_id = attach_to_new_memory(busy, token)
                path = f"/api/v1/memories/{memory_id}/assets/{asset_id}"
                assert busy.request("DELETE", path, Authorization=token)[0] == 204

        with ThreadPoolExecutor(4) as pool:
            workers = [pool.submit(discard), *(pool.submit(work, number) for number in range(3))]
            try:
                busy.wait_until(lambda: len(acknowledged) >= 30)
                before = dict(acknowledged)
                busy.manage("backup", str(tmp_path / "hub.backup"))
            finally:
                enough.set()
            for worker in workers:
                worker.result()
    assert len(acknowledged) > len(before)

    empty.manage("restore_backup", str(tmp_path / "hub.backup"))
    empty.start()
    for memory_id, content in before.items():
        status, memory = empty.request("GET", f"/api/v1/memories/{memory_id}", Authorization=token)
        assert (status, memory["content"]) == (200, content)
    _, found = empty.request("GET", f"/api/v1/memories/{kept}/assets", Authorization=token)
    (asset,) = found["assets"]
    assert empty.content(f"/api/v1/memories/{kept}/assets/{asset['id']}", Authorization=token) == b"milk"
    again = empty.run("restore_backup", str(tmp_path / "hub.backup"))
    assert "The database is not empty" in again.stderr


def attach_to_new_memory(busy: Hub, token: str) -> tuple[str, str]:
    """A memory with an attachment, stored on the disk: the ids of both."""
    _, memory = busy.request("POST", "/api/v1/memories", {"content": "With a list."}, Authorization=token)
    form = b'--b\r\nContent-Disposition: form-data; name="file"; filename="list.txt"\r\n\r\nmilk\r\n--b--\r\n'
    path, kind = f"/api/v1/memories/{memory['id']}/assets", "multipart/form-data; boundary=b"
    status, asset = busy.send("POST", path, form, Authorization=token, Content_Type=kind)
    assert status == 201
    return memory["id"], asset["id"]


@pytest.fixture(scope="module")
def older() -> Iterator[str]:
    """The address of a server of another version than the one that the other tests have."""
    with throwaway_folder() as folder:
        cluster = Cluster(folder / "postgres", settings=FAST, version="16")
        with cluster.running():
            yield cluster.url


def beside(database: str) -> str:
    """The address of a new and empty database on the same server."""
    with psycopg.connect(database, autocommit=True) as server:
        server.execute("DROP DATABASE IF EXISTS another")
        server.execute("CREATE DATABASE another")
    return database.rpartition("/")[0] + "/another"


def migrations(database: str) -> list[tuple[str, str]]:
    with psycopg.connect(database) as server:
        return server.execute("SELECT app, name FROM django_migrations ORDER BY id").fetchall()


def test_a_server_of_another_version_is_backed_up_and_restored(tmp_path: Path, older: str) -> None:
    with hub(database=older) as made:
        made.manage("migrate", "--verbosity=0")
        made.manage("backup", str(tmp_path / "hub.backup"))
    another = beside(older)
    with hub(database=another) as made:
        made.manage("restore_backup", str(tmp_path / "hub.backup"))
    assert migrations(another) == migrations(older) != []


@pytest.mark.django_db
def test_a_server_is_backed_up_and_restored(tmp_path: Path) -> None:
    database = f"{settings.DATABASE_ADDRESS.rpartition('/')[0]}/{connection.settings_dict['NAME']}"
    backups.back_up(database=database, media=tmp_path / "none", to=tmp_path / "hub.backup")
    another = beside(database)
    backups.restore_backup(backup=tmp_path / "hub.backup", database=another, media=tmp_path / "none")
    assert migrations(another) == migrations(database) != []


def test_a_backup_is_not_forced_upon_an_older_server(tmp_path: Path, older: str) -> None:
    made = tmp_path / "hub.backup"
    backups.back_up(database=settings.DATABASE_ADDRESS, media=tmp_path / "none", to=made)
    with pytest.raises(PostgresError, match="Restore into a server that is as new"):
        backups.restore_backup(backup=made, database=beside(older), media=tmp_path / "none")


def test_what_is_purged_meanwhile_does_not_stop_a_backup(tmp_path: Path) -> None:
    media, enough = tmp_path / "media", Event()
    media.mkdir()
    (media / "stays").write_text("milk")

    def come_and_go() -> None:
        files = [media / str(number) for number in range(200)]
        while not enough.is_set():
            for path in files:
                path.write_text("milk")
            for path in files:
                path.unlink()

    with ThreadPoolExecutor(1) as pool:
        busy = pool.submit(come_and_go)
        try:
            for number in range(5):
                backups.back_up(database=settings.DATABASE_ADDRESS, media=media, to=tmp_path / f"{number}.backup")
        finally:
            enough.set()
        busy.result()
    for number in range(5):
        with tarfile.open(tmp_path / f"{number}.backup") as archive:
            assert archive.extractfile("attachments/stays").read() == b"milk"  # type: ignore[union-attr]


def test_what_is_no_backup_is_refused_and_a_backup_replaces_no_file(tmp_path: Path, empty: Hub) -> None:
    (tmp_path / "text").write_text("no backup")
    with tarfile.open(tmp_path / "tar", "w") as archive:
        archive.add(tmp_path / "text", "text")
    sentences = {"text": "cannot be read as a backup", "tar": "is not a backup", "nowhere": "No such file"}
    for name, sentence in sentences.items():
        refused = empty.run("restore_backup", str(tmp_path / name))
        assert refused.returncode == 1
        assert sentence in refused.stderr
    assert "already exists" in empty.run("backup", str(tmp_path / "text")).stderr
    assert (tmp_path / "text").read_text() == "no backup"
    assert {path.name for path in tmp_path.iterdir()} == {"text", "tar"}
