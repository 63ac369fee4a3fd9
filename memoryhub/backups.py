"""The whole database and every attachment as one file, and back: by Postgres' own programs, embedded or on a server."""

import importlib.util
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import Conninfo

from memoryhub.postgres import WHEEL, PostgresError

DATABASE, ATTACHMENTS = "database.dump", "attachments"


def back_up(*, database: str, media: Path, to: Path, programs: str = "") -> None:
    """The database first: every attachment that it names is stored by then."""
    pg_dump = _fitting("pg_dump", programs, server=_version_of(database))
    with _aside(to) as partial, tempfile.NamedTemporaryFile(dir=to.parent, prefix=".dump-") as dump:
        _run(pg_dump.path, "--format=custom", f"--file={dump.name}", database=database)
        with tarfile.open(partial, "w") as archive:
            archive.add(dump.name, DATABASE)
            _add_attachments(archive, media)


def _add_attachments(archive: tarfile.TarFile, media: Path) -> None:
    """One by one: what is purged meanwhile is meant to be gone."""
    for folder, _, names in os.walk(media):
        for name in names:
            path = Path(folder) / name
            with suppress(FileNotFoundError):
                archive.add(path, f"{ATTACHMENTS}/{path.relative_to(media).as_posix()}", recursive=False)


def restore(*, backup: Path, database: str, media: Path, programs: str = "") -> None:
    """Into an empty database, in one transaction, and an empty folder."""
    if tables := _tables(database):
        raise PostgresError(f"The database is not empty: it has {tables} tables. Restore into a new one.")
    if media.is_dir() and any(media.iterdir()):
        raise PostgresError(f"{media} is not empty. Restore into a new folder.")
    try:
        with tarfile.open(backup) as archive, tempfile.TemporaryDirectory(dir=media.parent) as folder:
            _unpack(archive, Path(folder))
            if not (Path(folder) / DATABASE).is_file():
                raise PostgresError(f"{backup} is no backup of MemoryHub.")
            _restore_database(Path(folder) / DATABASE, database=database, programs=programs)
            if (Path(folder) / ATTACHMENTS).is_dir():
                media.mkdir(exist_ok=True)
                shutil.copytree(Path(folder) / ATTACHMENTS, media, dirs_exist_ok=True)
    except (tarfile.TarError, OSError) as error:
        raise PostgresError(f"{backup} cannot be read as a backup: {error}.") from error


def _restore_database(dump: Path, *, database: str, programs: str) -> None:
    """By a program as old as server and dump allow: a newer one says to the server what that does not know yet."""
    server, made = _version_of(database), _dumped_from(dump, programs)
    if made > server:
        raise PostgresError(
            f"The backup is of Postgres {made}, and this server is a {server}. Restore into one as new, or move "
            "organizations by archives (export, import_archive)."
        )
    options = ("--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges")
    name = conninfo_to_dict(database)["dbname"]
    pg_restore = _fitting("pg_restore", programs, server=server)
    _run(pg_restore.path, *options, f"--dbname={name}", str(dump), database=database)


def _unpack(archive: tarfile.TarFile, folder: Path) -> None:
    """Its plain files, none of them outside of the folder."""
    for member in archive:
        path = (folder / member.name).resolve()
        if member.isfile() and path.is_relative_to(folder.resolve()):
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("wb") as file:
                shutil.copyfileobj(archive.extractfile(member), file)  # type: ignore[arg-type]


@contextmanager
def _aside(to: Path) -> Iterator[Path]:
    """A file that gets its name once it is whole and on the disk."""
    if to.exists():
        raise PostgresError(f"{to} is there already. Choose another name, or remove it first.")
    partial = to.with_name(f"{to.name}.partial")
    try:
        yield partial
        with partial.open("rb") as file:
            os.fsync(file.fileno())
        partial.rename(to)
    except OSError as error:
        raise PostgresError(f"{to} cannot be written: {error.strerror or error}.") from error
    finally:
        partial.unlink(missing_ok=True)


def _tables(database: str) -> int:
    with psycopg.connect(database) as connection:
        found = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()").fetchone()
    return int(found[0]) if found else 0


def _version_of(database: str) -> int:
    with psycopg.connect(database) as connection:
        return connection.info.server_version // 10_000


def _dumped_from(dump: Path, programs: str) -> int:
    """The newest program reads the dumps of all."""
    listed = _output(_programs("pg_restore", programs)[-1].path, "--list", str(dump))
    return _number(listed.partition("Dumped from database version:")[2])


@dataclass(frozen=True, order=True)
class Program:
    version: int
    path: str


def _fitting(name: str, folder: str, *, server: int) -> Program:
    """The oldest that is as new as the server."""
    found = _programs(name, folder)
    for program in found:
        if program.version >= server:
            return program
    raise PostgresError(
        f"The server is Postgres {server}, and {name} is of version {found[-1].version}. Install the server's client "
        "programs, and name their folder in MEMORYHUB_POSTGRES_BIN."
    )


def _programs(name: str, folder: str) -> list[Program]:
    """From the folder that was named or else the wheel and the path; the oldest first."""
    spec = importlib.util.find_spec(WHEEL)
    wheel = Path(spec.origin).parent if spec and spec.origin else Path()
    named = Path(folder) / name
    places = (str(wheel / "pginstall" / "bin" / name), str(wheel / "pginstall18" / "bin" / name), shutil.which(name))
    paths = [str(named)] if folder and named.is_file() else [path for path in places if path and Path(path).is_file()]
    if not paths:
        raise PostgresError(f"{name} was not found. Install Postgres' client programs, or name their folder.")
    return sorted(Program(_number(_output(path, "--version")), path) for path in paths)


def _number(text: str) -> int:
    found = re.search(r"\d+", text)
    return int(found.group()) if found else 0


def _run(*command: str, database: str) -> None:
    """By libpq's variables, so that no password stands in a list of processes."""
    variables = {option.keyword.decode(): option.envvar for option in Conninfo.get_defaults()}
    said = {variables[name]: str(value) for name, value in conninfo_to_dict(database).items()}
    _output(*command, **{variable.decode(): value for variable, value in said.items() if variable})


def _output(*command: str, **variables: str) -> str:
    done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise PostgresError(f"{Path(command[0]).name} failed: {done.stderr.strip()}")
    return done.stdout
