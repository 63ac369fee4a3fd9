"""A whole hub in processes of its own, as `make run` starts it: for tests that kill things."""

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from memoryhub.postgres import Cluster
from tests.cluster import SHELF, throwaway_folder

PROJECT_ROOT = Path(__file__).resolve().parent.parent


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


@dataclass
class Hub:
    folder: Path
    port: int = field(default_factory=free_port)
    database: str = ""  # a server's address; without one, its own Postgres
    process: "subprocess.Popen[str] | None" = None

    @property
    def cluster(self) -> Cluster:
        return Cluster(self.folder / "postgres")

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {"MEMORYHUB_DATA": str(self.folder), "DATABASE_URL": self.database}

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(
            command, cwd=PROJECT_ROOT, env=self.environment, capture_output=True, text=True, check=False
        )

    def manage(self, *arguments: str) -> str:
        done = self.run(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self, *options: str) -> None:
        """Without a worker, unless it is said that there are no such options: its start takes a second or two."""
        command = [sys.executable, "manage.py", "serve", "--port", str(self.port), *(options or ["--no-worker"])]
        with (self.folder / "serve.log").open("a") as log:
            self.process = subprocess.Popen(
                command,
                cwd=PROJECT_ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
                text=True,
                start_new_session=True,
            )
        self.wait_until(lambda: self.request("GET", "/readyz")[0] == 200)

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        assert self.process
        self.process.send_signal(number)
        return self.process.wait(timeout=60)

    def kill_everything(self) -> None:
        """The server, its workers and Postgres, all with signal 9."""
        assert self.process
        parent = psutil.Process(self.process.pid)
        postmaster = self.cluster.pid()
        for process in (parent, *parent.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                process.kill()
        if postmaster:
            os.kill(postmaster, signal.SIGKILL)
        self.process.wait()

    def wait_until(self, condition: Any, seconds: float = 300) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and not (self.process and self.process.poll()):
            try:
                if condition():
                    return
            except OSError:
                pass
            time.sleep(0.1)
        raise AssertionError((self.folder / "serve.log").read_text())

    def request(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, Any]:
        data = None if body is None else json.dumps(body).encode()
        return self.send(method, path, data, **({"Content_Type": "application/json"} | headers))

    def content(self, path: str, **headers: str) -> bytes:
        with urllib.request.urlopen(self._request("GET", path, headers), timeout=20) as response:
            found: bytes = response.read()
            return found

    def send(self, method: str, path: str, data: bytes | None, **headers: str) -> tuple[int, Any]:
        request = self._request(method, path, headers)
        try:
            with urllib.request.urlopen(request, data=data, timeout=20) as response:
                return response.status, json.loads(response.read() or b"null")
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()

    def _request(self, method: str, path: str, headers: Mapping[str, str]) -> urllib.request.Request:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", method=method, headers=named)


def ready(shelf: Path) -> Path:
    """The data of a hub with its schema and its static files in place."""
    folder = shelf / "hub"
    with (shelf / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            making = shelf / "making"
            making.mkdir(mode=0o755)
            for command in (["migrate", "--verbosity=0"], ["gather_static"]):
                Hub(making).manage(*command)
            making.rename(folder)
    return folder


@contextmanager
def hub(*, database: str = "", new: bool = False) -> Iterator[Hub]:
    """Without a server of its own, and unless it is to be a new one, a copy of one that was made ready once in a run of
    the tests: it starts sooner."""
    with throwaway_folder() as folder:
        if SHELF in os.environ and not database and not new:
            subprocess.run(["cp", "--archive", f"{ready(Path(os.environ[SHELF]))}/.", str(folder)], check=True)
        made = Hub(folder, database=database)
        try:
            yield made
        finally:
            if made.process and made.process.poll() is None:
                made.kill_everything()
            leftover = made.cluster.pid()
            if leftover:
                os.kill(leftover, signal.SIGKILL)
                time.sleep(0.5)
