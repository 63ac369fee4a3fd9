"""Backs up the whole database and every attachment to one file, and restores it, with Postgres' own programs."""

import importlib.util
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import Conninfo

from memoryhub.postgres import WHEEL, PostgresError
from memoryhub.private_files import private_umask, write_aside

DATABASE, ATTACHMENTS = "database.dump", "attachments"


def back_up(*, database: str, media: Path, to: Path, programs: str = "") -> None:
    """Write a backup. The database comes first: every attachment that it names is stored by then."""
    pg_dump = _find_program("pg_dump", programs, server=_server_version(database))
    with write_aside(to) as file, tempfile.NamedTemporaryFile(dir=to.parent, prefix=".dump-") as dump:
        _run_on_database(pg_dump.path, "--format=custom", f"--file={dump.name}", database=database)
        with tarfile.open(fileobj=file, mode="w") as archive:
            archive.add(dump.name, DATABASE)
            _add_attachments(archive, media)


def _add_attachments(archive: tarfile.TarFile, media: Path) -> None:
    """Add the attachments one by one, skipping those that are purged in the meantime."""
    for folder, _, names in os.walk(media):
        for name in names:
            path = Path(folder) / name
            with suppress(FileNotFoundError):
                archive.add(path, f"{ATTACHMENTS}/{path.relative_to(media).as_posix()}", recursive=False)


@private_umask()
def restore_backup(*, backup: Path, database: str, media: Path, programs: str = "") -> None:
    """Restore into an empty database, in one transaction, and an empty folder."""
    if tables := _count_tables(database):
        raise PostgresError(f"The database is not empty: it has {tables} tables. Restore into a new one.")
    if media.is_dir() and any(media.iterdir()):
        raise PostgresError(f"{media} is not empty. Restore into a new folder.")
    try:
        with tarfile.open(backup) as archive, tempfile.TemporaryDirectory(dir=media.parent) as folder:
            _unpack(archive, Path(folder))
            if not (Path(folder) / DATABASE).is_file():
                raise PostgresError(f"{backup} is not a backup of MemoryHub.")
            _restore_database(Path(folder) / DATABASE, database=database, programs=programs)
            if (Path(folder) / ATTACHMENTS).is_dir():
                media.mkdir(exist_ok=True)
                shutil.copytree(Path(folder) / ATTACHMENTS, media, dirs_exist_ok=True)
    except (tarfile.TarError, OSError) as error:
        raise PostgresError(f"{backup} cannot be read as a backup: {error}.") from error


def _restore_database(dump: Path, *, database: str, programs: str) -> None:
    """Restore with the oldest program that server and dump allow: a newer one may send what the server does not
    know."""
    server, dumped = _server_version(database), _read_dump_version(dump, programs)
    if dumped > server:
        raise PostgresError(
            f"The backup is from Postgres {dumped}, and this server is version {server}. Restore into a server that is "
            "as new, or move organizations as archives (export, import_archive)."
        )
    options = ("--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges")
    name = conninfo_to_dict(database)["dbname"]
    pg_restore = _find_program("pg_restore", programs, server=server)
    _run_on_database(pg_restore.path, *options, f"--dbname={name}", str(dump), database=database)


def _unpack(archive: tarfile.TarFile, folder: Path) -> None:
    """Extract the regular files, none of them outside the folder."""
    for member in archive:
        path = (folder / member.name).resolve()
        if member.isfile() and path.is_relative_to(folder.resolve()):
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("wb") as file:
                shutil.copyfileobj(archive.extractfile(member), file)  # type: ignore[arg-type]


def _count_tables(database: str) -> int:
    with psycopg.connect(database) as connection:
        row = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()").fetchone()
    return int(row[0]) if row else 0


def _server_version(database: str) -> int:
    with psycopg.connect(database) as connection:
        return connection.info.server_version // 10_000


def _read_dump_version(dump: Path, programs: str) -> int:
    """Return the version of Postgres that wrote the dump; the newest program reads all dumps."""
    listed = _run_program(_list_programs("pg_restore", programs)[-1].path, "--list", str(dump))
    return _first_number(listed.partition("Dumped from database version:")[2])


@dataclass(frozen=True, order=True)
class Program:
    version: int
    path: str


def _find_program(name: str, folder: str, *, server: int) -> Program:
    """Return the oldest program that is at least as new as the server."""
    programs = _list_programs(name, folder)
    for program in programs:
        if program.version >= server:
            return program
    raise PostgresError(
        f"The server is Postgres {server}, but {name} is version {programs[-1].version}. Install the server's client "
        "programs, and set MEMORYHUB_POSTGRES_BIN to their folder."
    )


def _list_programs(name: str, folder: str) -> list[Program]:
    """List the programs in the configured folder, or else in the wheel and on the path, oldest first."""
    spec = importlib.util.find_spec(WHEEL)
    wheel = Path(spec.origin).parent if spec and spec.origin else Path()
    configured = Path(folder) / name
    places = (str(wheel / "pginstall" / "bin" / name), str(wheel / "pginstall18" / "bin" / name), shutil.which(name))
    installed = [path for path in places if path and Path(path).is_file()]
    paths = [str(configured)] if folder and configured.is_file() else installed
    if not paths:
        raise PostgresError(
            f"{name} was not found. Install Postgres' client programs, or set MEMORYHUB_POSTGRES_BIN to their folder."
        )
    return sorted(Program(_first_number(_run_program(path, "--version")), path) for path in paths)


def _first_number(text: str) -> int:
    match = re.search(r"\d+", text)
    return int(match.group()) if match else 0


def _run_on_database(*command: str, database: str) -> None:
    """Run a program on the database, passed by libpq's variables so that no list of processes shows a password."""
    variables = {option.keyword.decode(): option.envvar for option in Conninfo.get_defaults()}
    values = {variables[name]: str(value) for name, value in conninfo_to_dict(database).items()}
    _run_program(*command, **{variable.decode(): value for variable, value in values.items() if variable})


def _run_program(*command: str, **variables: str) -> str:
    done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise PostgresError(f"{Path(command[0]).name} failed: {done.stderr.strip()}")
    return done.stdout
