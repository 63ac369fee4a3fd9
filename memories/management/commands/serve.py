"""Runs the hub: brings the schema up to date, starts web server and worker, watches over them and Postgres."""

import ctypes
import os
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
from memoryhub import locks, metrics

LOOK_EVERY = 0.5  # seconds between looks at what we watch
STOP_WITHIN = 30  # seconds for requests in flight to end
STATEMENT_LIMIT = "-c statement_timeout=30s"  # no request may keep the embedded Postgres busy for longer
START_AGAIN_AFTER = 5.0  # seconds since the last start, so that what cannot run does not keep the machine busy
PARENT_DEATH_SIGNAL = 1  # Linux' PR_SET_PDEATHSIG


class Command(BaseCommand):
    help = "Runs the hub: migrations, web server, worker and, without DATABASE_URL, Postgres. Ctrl-C stops it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--workers", type=int, default=min(4, os.cpu_count() or 1))
        parser.add_argument("--no-worker", action="store_true", help="Jobs are done by `manage.py work` elsewhere.")
        parser.add_argument("--demo", action="store_true", help="Adds the demo organization and says how to log in.")

    def handle(self, *args: Any, **options: Any) -> None:
        address = (options["host"], options["port"])
        refuse_taken(*address)
        self.say("Bringing the database up to date …")
        with locks.alone("migrations", wait=True):  # several may be started at once on one server
            call_command("migrate", verbosity=0)
            call_command("gather_static")
        for warning in run_checks(tags=[Tags.database], databases=["default"]):
            if warning.level >= WARNING:
                self.say(f"{warning.msg} {warning.hint}")
        account = self.seed() if options["demo"] else None
        connections.close_all()
        hub = Hub(Server(*address, workers=options["workers"]), *([] if options["no_worker"] else [Worker()]))
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
        self.say("Adding the demo data …" if not demo.exists() else "The demo data is there.")
        return demo.seed()

    def announce(self, url: str, account: demo.Account | None) -> None:
        lines = [f"\nMemoryHub is at {url}"]
        if account:
            lines += [f"  log in as    {account.username}", f"  password     {account.password}"]
            lines += [f"  agent token  {account.token}", f"  agent        {account.agent}"]
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


class Watched:
    """A process in a group of its own, so that Ctrl-C reaches only us and we stop things in order."""

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

    def ended(self) -> bool:
        return self.process is not None and self.process.poll() is not None

    def revive(self) -> None:
        if self.ended() and time.monotonic() - self.started > START_AGAIN_AFTER:
            sys.stderr.write(f"The {self.name} had stopped and is started again.\n")
            self.kill_group()
            self.start()

    def tell_to_stop(self) -> None:
        if self.process:
            self.process.terminate()

    def wait(self, *, until: float) -> None:
        if self.process:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=max(0.0, until - time.monotonic()))
            self.kill_group()

    def kill_group(self) -> None:
        """Workers whose parent was killed would keep the port."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)  # type: ignore[union-attr]


class Server(Watched):
    """Granian."""

    name = "web server"

    def __init__(self, host: str, port: int, *, workers: int) -> None:
        super().__init__()
        self.url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        threads = str(settings.DATABASES["default"]["OPTIONS"]["pool"]["max_size"] - 1)
        self.command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--no-ws"]
        self.command += ["--host", host, "--port", str(port), "--workers", str(workers), "--blocking-threads", threads]
        self.command += ["--respawn-failed-workers", "--log-level", "error", "memoryhub.wsgi:application"]
        self.figures = tempfile.TemporaryDirectory(prefix="memoryhub-")  # of its processes together
        limited = {} if settings.DATABASE_URL else {"PGOPTIONS": STATEMENT_LIMIT}
        self.environment = {metrics.FOLDER: self.figures.name} | limited

    def wait_until_it_answers(self, hub: "Hub") -> None:
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # whatever proxy the environment names
        while not hub.stopping:
            try:
                with direct.open(f"{self.url}/healthz", timeout=5):
                    return
            except urllib.error.HTTPError:
                return  # it answers, if only to say that it does not know this host's name
            except OSError:
                if self.ended():
                    raise CommandError("The web server did not start; its reason stands above.") from None
                time.sleep(0.1)


class Worker(Watched):
    """Does the jobs. What it runs takes as long as it takes: no limit for its statements."""

    name = "worker"
    command = [sys.executable, "manage.py", "work"]


class Hub:
    """All that runs."""

    def __init__(self, server: Server, *others: Watched) -> None:
        self.server = server
        self.parts = (server, *others)
        self.stopping = False

    def start(self) -> None:
        for part in self.parts:
            part.start()

    def watch(self) -> None:
        """Starts again whichever has died, until we are told to stop."""
        cluster = settings.EMBEDDED_POSTGRES
        while not self.stopping:
            if cluster and cluster.revive():
                sys.stderr.write("Postgres had stopped and was started again.\n")
            for part in self.parts:
                part.revive()
            time.sleep(LOOK_EVERY)

    def stop(self) -> None:
        until = time.monotonic() + STOP_WITHIN
        for part in self.parts:
            part.tell_to_stop()
        for part in self.parts:
            part.wait(until=until)


def end_with_parent() -> None:
    """Runs in the new process: on Linux it is told to end when we are killed and cannot tell it ourselves."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGTERM)


def refuse_taken(host: str, port: int) -> None:
    try:
        with socket.create_server((host, port)):
            return
    except (OSError, OverflowError) as error:
        raise CommandError(
            f"{host}:{port} cannot be used ({error}). Choose another port: make run PORT=8080"
        ) from error
