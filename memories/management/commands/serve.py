"""Runs the hub: brings the schema up to date, starts web server and worker, watches over them and Postgres."""

import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.checks import WARNING, Tags, run_checks
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections

from memories import demo
from memoryhub import locks, metrics_page
from memoryhub.errors import Trouble
from memoryhub.parent_death import end_with_parent
from memoryhub.postgres import Cluster, PostgresError

WATCH_INTERVAL = 0.5  # seconds between checks of the running processes
POLL_INTERVAL = 0.1  # seconds between checks of a process that is starting or stopping
SERVER_STOP_SECONDS = 30  # seconds for requests in flight to end
RESTART_DELAY = 5.0  # seconds since the last start, so that a process that cannot run does not keep the machine busy


class Command(BaseCommand):
    help = "Run the hub: migrations, web server, worker and, without DATABASE_URL, Postgres. Ctrl-C stops it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--workers", type=int, default=min(4, os.cpu_count() or 1))
        parser.add_argument(
            "--no-worker", action="store_true", help="Do not start a worker; `manage.py work` runs elsewhere."
        )
        parser.add_argument("--demo", action="store_true", help="Add the demo organization and print how to log in.")

    def handle(self, *args: Any, **options: Any) -> None:
        address = (options["host"], options["port"])
        refuse_taken_port(*address)
        self.say("Bringing the database up to date …")
        with locks.hold_lock("migrations", wait=True):  # several may be started at once on one server
            call_command("migrate", verbosity=0)
            call_command("gather_static")
        for warning in run_checks(tags=[Tags.database], databases=["default"]):
            if warning.level >= WARNING:
                self.say(f"{warning.msg} {warning.hint}")
        account = self.seed() if options["demo"] else None
        connections.close_all()
        hub = Hub(WebServer(*address, workers=options["workers"]), *([] if options["no_worker"] else [Worker()]))
        self.stop_on_signals(hub)
        hub.start()
        try:
            hub.server.wait_until_it_answers(hub)
            self.announce(hub.server.url, account)
            hub.watch()
        finally:
            self.say("Stopping …")
            hub.stop()

    def seed(self) -> demo.Account:
        try:
            demo.refuse_in_production()
        except Trouble as refusal:
            raise CommandError(f"{refusal.message} Start without --demo.") from refusal
        self.say("Adding the demo data …" if not demo.exists() else "The demo data is there.")
        return demo.seed()

    def announce(self, url: str, account: demo.Account | None) -> None:
        lines = [f"\nMemoryHub is at {url}"]
        if account:
            lines += [f"  log in as    {account.username}", f"  password     {account.password}"]
            lines += [f"  agent token  {account.token}", f"  agent        {account.agent}"]
            lines += [f"  admin        {url}/admin/, once {sys.executable} manage.py createsuperuser made an operator"]
        where = "DATABASE_URL" if settings.DATABASE_URL else f"embedded Postgres in {settings.DATA_FOLDER}"
        lines += [f"  database     {where}", "Ctrl-C stops it.\n"]
        self.say("\n".join(lines))

    def say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()

    def stop_on_signals(self, hub: "Hub") -> None:
        def stop(number: int, frame: FrameType | None) -> None:
            hub.stopping = True

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, stop)


class WatchedProcess:
    """Runs a child process in a group of its own, so that Ctrl-C reaches only us and we stop processes in order."""

    name: str
    command: list[str]
    environment: Mapping[str, str] = {}

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.started = 0.0

    def start(self) -> None:
        self.started = time.monotonic()
        self.process = subprocess.Popen(  # noqa: S603
            self.command,
            cwd=settings.BASE_DIR,
            env=os.environ | self.environment,
            start_new_session=True,
            preexec_fn=end_with_parent,
        )

    def has_ended(self) -> bool:
        return self.process is not None and self.process.poll() is not None

    def revive(self) -> None:
        if self.has_ended() and time.monotonic() - self.started > RESTART_DELAY:
            sys.stderr.write(f"The {self.name} had stopped and is started again.\n")
            self.kill_group()
            self.start()

    def tell_to_stop(self) -> None:
        if self.process:
            self.process.terminate()

    def wait(self, *, until: float) -> None:
        if self.process:
            while not self.has_ended() and time.monotonic() < until:
                pause(POLL_INTERVAL)
            self.kill_group()

    def kill_group(self) -> None:
        """Kill the whole group: workers whose parent was killed would keep the port."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)  # type: ignore[union-attr]


class WebServer(WatchedProcess):
    """Runs the web server, Granian."""

    name = "web server"

    def __init__(self, host: str, port: int, *, workers: int) -> None:
        super().__init__()
        self.url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        self.command = [sys.executable, "-m", "memoryhub.preload", "--interface", "asginl", "--http", "1", "--no-ws"]
        self.command += ["--host", host, "--port", str(port), "--workers", str(workers)]
        self.command += ["--respawn-failed-workers", "--log-level", "error", "memoryhub.asgi:application"]
        self.figures = tempfile.TemporaryDirectory(prefix="memoryhub-")  # metrics of its processes together
        self.environment = {metrics_page.METRICS_FOLDER: self.figures.name}

    def wait_until_it_answers(self, hub: "Hub") -> None:
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # whatever proxy the environment names
        while not hub.stopping:
            try:
                with direct.open(f"{self.url}/healthz", timeout=5):
                    return
            except urllib.error.HTTPError:
                return  # it answers, if only to say that it does not know this host's name
            except OSError:
                if self.has_ended():
                    raise CommandError("The web server did not start; see its error above.") from None
                pause(POLL_INTERVAL)


class Worker(WatchedProcess):
    """Runs the process for background jobs. Its statements have no time limit."""

    name = "worker"
    command = [sys.executable, "manage.py", "work"]


class Hub:
    """Runs all processes of the hub."""

    def __init__(self, server: WebServer, *others: WatchedProcess) -> None:
        self.server = server
        self.parts = (server, *others)
        self.stopping = False

    def start(self) -> None:
        for part in self.parts:
            part.start()

    def watch(self) -> None:
        """Restart processes that have died, until we are told to stop."""
        cluster = settings.EMBEDDED_POSTGRES
        while not self.stopping:
            if cluster:
                revive(cluster)
            for part in self.parts:
                part.revive()
            pause(WATCH_INTERVAL)

    def stop(self) -> None:
        until = time.monotonic() + SERVER_STOP_SECONDS
        for part in self.parts:
            part.tell_to_stop()
        for part in self.parts:
            part.wait(until=until)


def pause(seconds: float) -> None:
    """Wait, whatever the clock says. `time.sleep` and `Popen.wait` wait for a moment of the monotonic clock, which the
    kernel refuses (EINVAL) when a clock that was set back has that moment lie before its beginning."""
    select.select([], [], [], seconds)


def revive(cluster: Cluster) -> None:
    """Start Postgres again if it has stopped. If it cannot run, as on a full disk, we go on and try again."""
    try:
        if cluster.revive():
            sys.stderr.write("Postgres had stopped and was started again.\n")
    except PostgresError as error:
        sys.stderr.write(f"{error}\n")
        pause(RESTART_DELAY)


def refuse_taken_port(host: str, port: int) -> None:
    try:
        with socket.create_server((host, port)):
            return
    except (OSError, OverflowError) as error:
        raise CommandError(
            f"{host}:{port} cannot be used ({error}). Choose another port: make run PORT=8080"
        ) from error
