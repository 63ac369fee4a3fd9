"""Fills the disk of a whole hub and looks whether readers go on and writers come back.

    python -m benchmarks.disk_full

The hub's data lies on a small tmpfs, so this needs root. Eight write, attach and read while a file takes the space;
then it is removed. Prints what was answered in each phase, and fails if a write that was acknowledged is missing, a
refused one left something, or a read was refused.
"""

import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import psycopg

from tests.hub import Hub

WRITERS, WRITES = 8, 25
DISK, RESERVE = 1024, 128  # megabytes


@contextmanager
def small_disk() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="memoryhub-disk-"))
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}m,mode=755", "none", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
        folder.rmdir()


class Crowd:
    """Eight who write and read at once, and remember what was acknowledged."""

    def __init__(self, hub: Hub, bearer: str) -> None:
        self.hub, self.bearer = hub, bearer
        self.saved: list[str] = []
        self.attached = 0

    def work(self, phase: str) -> dict[str, Counter[int]]:
        with ThreadPoolExecutor(WRITERS) as pool:
            rounds = list(pool.map(lambda number: self.once(f"{phase} {number}"), range(WRITERS * WRITES)))
        names = ("save", "attach", "read", "recall")
        return {name: Counter(statuses) for name, statuses in zip(names, zip(*rounds, strict=True), strict=True)}

    def once(self, text: str) -> tuple[int, int, int, int]:
        content = f"{text} {'berth ' * 500}"
        status, memory = self.hub.request("POST", "/api/v1/memories", {"content": content}, Authorization=self.bearer)
        if status == 201:
            self.saved.append(memory["id"])
        read = self.hub.request("GET", f"/api/v1/memories/{self.saved[0]}", Authorization=self.bearer)[0]
        recall = self.hub.request("POST", "/api/v1/recall", {"query": "berth"}, Authorization=self.bearer)[0]
        return status, self.attach(), read, recall

    def attach(self) -> int:
        form = b'--b\r\nContent-Disposition: form-data; name="file"; filename="list.txt"\r\n\r\n'
        form += b"m" * 100_000 + b"\r\n--b--\r\n"
        path, kind = f"/api/v1/memories/{self.saved[0]}/assets", "multipart/form-data; boundary=b"
        status, _ = self.hub.send("POST", path, form, Authorization=self.bearer, Content_Type=kind)
        self.attached += status == 201
        return status

    def check(self) -> None:
        with psycopg.connect(self.hub.cluster.url) as database:
            rows = database.execute("SELECT id::text FROM memories_memory").fetchall()
            assets = database.execute("SELECT count(*) FROM memories_asset").fetchone()
        files = [path for path in (self.hub.folder / "media").rglob("*") if path.is_file()]
        assert {row[0] for row in rows} == set(self.saved), "what is saved is not what was acknowledged"
        assert assets == (self.attached,), "the attachments are not those that were acknowledged"
        assert len(files) == self.attached, "bytes without a row, or a row without bytes"
        assert {path.stat().st_size for path in files} <= {100_000}, "half-written bytes"


def fill_disk(folder: Path, *, leave: int) -> Path:
    """Take all space but so many megabytes."""
    ballast, found = folder / "ballast", os.statvfs(folder)
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(1, found.f_bavail * found.f_frsize - leave * 2**20))
    return ballast


def main() -> None:
    if os.geteuid() != 0:
        sys.exit("A small disk has to be mounted: run this as root.")
    os.environ["DISK_RESERVE_BYTES"] = str(RESERVE * 2**20)
    with small_disk() as folder:
        hub = Hub(folder)
        hub.start()
        hub.manage("create_team", "--org", "acme", "--team", "ops")
        printed = hub.manage("create_token", "--org", "acme", "--team", "ops", "--agent", "bot")
        crowd = Crowd(hub, f"Bearer {printed.strip()}")
        try:
            run_disk_full(crowd, folder)
        finally:
            hub.stop()


def run_disk_full(crowd: Crowd, folder: Path) -> None:
    print_result("with space", crowd.work("before"))
    ballast, log = fill_disk(folder, leave=RESERVE // 2), folder / "serve.log"
    lines = len(log.read_text().splitlines())
    full = crowd.work("full")
    print_result("full", full)
    print(f"lines logged meanwhile: {len(log.read_text().splitlines()) - lines}")
    ballast.unlink()
    again = crowd.work("after")
    print_result("with space again", again)
    crowd.check()
    assert set(full["save"]) == set(full["attach"]) == {507}
    assert set(full["read"]) == set(full["recall"]) == {200}
    assert set(again["save"]) == {201}
    print("All that was acknowledged is there, and nothing else.")


def print_result(phase: str, answers: dict[str, Counter[int]]) -> None:
    told = ", ".join(f"{name} {dict(counts)}" for name, counts in answers.items())
    print(f"{phase:<18}{told}", flush=True)


if __name__ == "__main__":
    main()
