"""A full disk: writes are refused and leave nothing behind, reads go on, and all is right once there is space again."""

import resource
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError, connection
from django.test import Client
from pytest_django import Settings

from memories.models import Asset, Memory, RecallLog
from memoryhub import background, disk_space, outages
from memoryhub.postgres import Cluster
from tests.cast import Cast
from tests.hub import hub
from tests.test_serve import token

NO_DISK_IS_THAT_LARGE = 2**60


@pytest.fixture
def almost_full(settings: Settings, tmp_path: Path) -> Iterator[Settings]:
    """As if Postgres were ours and its disk had less space than is kept in reserve."""
    settings.EMBEDDED_POSTGRES = Cluster(tmp_path)
    settings.DISK_RESERVE_BYTES = NO_DISK_IS_THAT_LARGE
    disk_space.watch_space(connection=connection)
    yield settings
    connection.execute_wrappers.remove(disk_space._refuse_when_full)


@contextmanager
def small_files(most: int) -> Iterator[None]:
    """The kernel refuses to write further into any file."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def bearer(cast: Cast) -> dict[str, str]:
    return {"Authorization": f"Bearer {cast['teammate'].token()}"}


def save_by_page(client: Client, cast: Cast, content: str) -> Any:
    body = {"content": content}
    return client.post("/api/v1/memories", body, content_type="application/json", headers=bearer(cast))


def attach(client: Client, cast: Cast, memory_id: str) -> tuple[int, str]:
    file = SimpleUploadedFile("list.txt", b"m" * 300_000)
    answer = client.post(f"/api/v1/memories/{memory_id}/assets", {"file": file}, headers=bearer(cast))
    return answer.status_code, answer.json().get("code", "")


def list_media_files(folder: Path) -> list[Path]:
    return [path for path in (folder / "media").rglob("*") if path.is_file()]


def test_an_attachment_that_does_not_fit_leaves_neither_bytes_nor_row(
    client: Client, cast: Cast, tmp_path: Path
) -> None:
    memory = save_by_page(client, cast, "With a list.").json()["id"]
    with small_files(100_000):
        assert attach(client, cast, memory) == (507, "storage_full")
    assert (list_media_files(tmp_path), Asset.objects.count()) == ([], 0)
    assert attach(client, cast, memory)[0] == 201
    assert len(list_media_files(tmp_path)) == 1


def test_an_attachment_into_the_reserve_is_refused_before_it_is_written(
    client: Client, cast: Cast, tmp_path: Path, settings: Settings
) -> None:
    memory = save_by_page(client, cast, "With a list.").json()["id"]
    settings.DISK_RESERVE_BYTES = disk_space.free_bytes(tmp_path) // 2
    assert attach(client, cast, memory)[0] == 201
    settings.DISK_RESERVE_BYTES = NO_DISK_IS_THAT_LARGE
    assert attach(client, cast, memory) == (507, "storage_full")
    assert len(list_media_files(tmp_path)) == 1


def test_every_door_refuses_writes_and_answers_reads(client: Client, cast: Cast, almost_full: Settings) -> None:
    headers, refused = bearer(cast), save_by_page(client, cast, "x")
    assert (refused.status_code, refused.json()["code"]) == (507, "storage_full")
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    call |= {"params": {"name": "memory_save", "arguments": {"content": "x"}}}
    told = client.post("/mcp/graph", call, content_type="application/json", headers=headers)
    assert told.status_code == 507
    client.force_login(cast["editor"].user)  # type: ignore[arg-type]
    assert client.post("/t/acme/ops/memories/new/", {"content": "x", "type": "fact"}).status_code == 507
    assert Memory.objects.count() == 0
    for path in ("/t/acme/ops/", "/t/acme/ops/memories/", "/t/acme/ops/activity/"):
        assert client.get(path).status_code == 200
    for path in ("/api/v1/memories", "/api/v1/context?query=anything", "/api/v1/files"):
        assert client.get(path, headers=headers).status_code == 200
    asked = client.post("/api/v1/recall", {"query": "any"}, content_type="application/json", headers=headers)
    assert asked.status_code == 200
    assert RecallLog.objects.count() == 0


def test_a_page_is_shown_though_its_session_cannot_be_written(client: Client, cast: Cast) -> None:
    client.force_login(cast["editor"].user)  # type: ignore[arg-type]

    def refuse(execute: object, sql: str, *rest: object) -> object:
        if "django_session" in sql and sql.startswith(("UPDATE", "INSERT")):
            raise OperationalError from psycopg.errors.DiskFull()
        return execute(sql, *rest)  # type: ignore[operator]

    with connection.execute_wrapper(refuse):
        assert client.get("/t/acme/ops/").status_code == 200
    assert "last-team" not in client.session


def test_a_full_disk_is_logged_once_in_a_while(
    client: Client, cast: Cast, almost_full: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    outages._logged_at.clear()
    for number in range(30):
        save_by_page(client, cast, f"x{number}")
    assert [record.getMessage() for record in caplog.records] == ["The disk is full: nothing can be saved."]


def test_work_beside_a_request_does_not_fail_it() -> None:
    def fail() -> None:
        raise OperationalError

    background.run_soon("anything", fail)


def test_readers_of_a_hub_go_on_and_writers_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    with hub() as made:
        made.start()
        bearer = f"Bearer {token(made)}"
        _, memory = made.request("POST", "/api/v1/memories", {"content": "blue berth"}, Authorization=bearer)
        made.stop()
        monkeypatch.setenv("DISK_RESERVE_BYTES", str(NO_DISK_IS_THAT_LARGE))
        made.start()

        def write(number: int) -> int:
            return made.request("POST", "/api/v1/memories", {"content": f"no. {number}"}, Authorization=bearer)[0]

        with ThreadPoolExecutor(8) as writers:
            assert set(writers.map(write, range(80))) == {507}
        assert made.request("GET", f"/api/v1/memories/{memory['id']}", Authorization=bearer)[0] == 200
        status, found = made.request("POST", "/api/v1/recall", {"query": "berth"}, Authorization=bearer)
        assert (status, found["memories"][0]["id"]) == (200, memory["id"])
        made.stop()
        assert (made.folder / "serve.log").read_text().count("The disk is full") <= 8
        monkeypatch.delenv("DISK_RESERVE_BYTES")
        made.start()
        with ThreadPoolExecutor(8) as writers:
            assert set(writers.map(write, range(16))) == {201}
        with psycopg.connect(made.cluster.url) as database:
            assert database.execute("SELECT count(*) FROM memories_memory").fetchone() == (17,)
