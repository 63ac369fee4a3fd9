"""A backup, taken while the hub is at work, and restored into an empty folder."""

import tarfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from tests.hub import Hub, hub


@pytest.fixture
def empty() -> Iterator[Hub]:
    with hub() as made:
        yield made


def test_every_write_that_was_acknowledged_before_a_backup_is_in_it(tmp_path: Path, empty: Hub) -> None:
    with hub() as busy:
        busy.start()
        busy.manage("create_team", "--org", "acme", "--team", "ops")
        token = f"Bearer {busy.manage('create_token', '--org', 'acme', '--team', 'ops', '--agent', 'bot').strip()}"
        kept = attached(busy, token)
        enough, acknowledged = Event(), list[str]()

        def work(number: int) -> None:
            step = 0
            while not enough.is_set():
                body = {"content": f"Step {step} of worker {number}."}
                status, memory = busy.request("POST", "/api/v1/memories", body, Authorization=token)
                assert status == 201
                acknowledged.append(memory["id"])
                step += 1

        with ThreadPoolExecutor(3) as pool:
            workers = [pool.submit(work, number) for number in range(3)]
            try:
                busy.wait_until(lambda: len(acknowledged) >= 30)
                before = list(acknowledged)
                busy.manage("backup", str(tmp_path / "hub.backup"))
            finally:
                enough.set()
            for worker in workers:
                worker.result()
    assert len(acknowledged) > len(before)

    empty.manage("restore_backup", str(tmp_path / "hub.backup"))
    empty.start()
    for memory_id in before:
        assert empty.request("GET", f"/api/v1/memories/{memory_id}", Authorization=token)[0] == 200
    status, assets = empty.request("GET", f"/api/v1/memories/{kept}/assets", Authorization=token)
    assert (status, len(assets["assets"])) == (200, 1)
    again = empty.run("restore_backup", str(tmp_path / "hub.backup"))
    assert "The database is not empty" in again.stderr


def attached(busy: Hub, token: str) -> str:
    """A memory with an attachment, stored on the disk."""
    _, memory = busy.request("POST", "/api/v1/memories", {"content": "With a list."}, Authorization=token)
    form = b'--b\r\nContent-Disposition: form-data; name="file"; filename="list.txt"\r\n\r\nmilk\r\n--b--\r\n'
    path, kind = f"/api/v1/memories/{memory['id']}/assets", "multipart/form-data; boundary=b"
    assert busy.send("POST", path, form, Authorization=token, Content_Type=kind)[0] == 201
    return str(memory["id"])


def test_what_is_no_backup_is_refused_and_a_backup_replaces_no_file(tmp_path: Path, empty: Hub) -> None:
    (tmp_path / "text").write_text("no backup")
    with tarfile.open(tmp_path / "tar", "w") as archive:
        archive.add(tmp_path / "text", "text")
    sentences = {"text": "cannot be read as a backup", "tar": "is no backup", "nowhere": "No such file"}
    for name, sentence in sentences.items():
        refused = empty.run("restore_backup", str(tmp_path / name))
        assert refused.returncode == 1
        assert sentence in refused.stderr
    assert "is there already" in empty.run("backup", str(tmp_path / "text")).stderr
    assert (tmp_path / "text").read_text() == "no backup"
    assert {path.name for path in tmp_path.iterdir()} == {"text", "tar"}
