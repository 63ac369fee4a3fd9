"""The whole database and every attachment as one file, and back: by Postgres' own programs, embedded or on a server."""

import importlib.util
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import Conninfo

from memoryhub.postgres import WHEEL, PostgresError

DATABASE, ATTACHMENTS = "database.dump", "attachments"


def back_up(*, database: str, media: Path, to: Path, programs: str = "") -> None:
    """The database first: every attachment that it names is stored by then."""
    with _aside(to) as partial, tempfile.NamedTemporaryFile(dir=to.parent, prefix=".dump-") as dump:
        _run(_program("pg_dump", programs), "--format=custom", f"--file={dump.name}", database=database)
        with tarfile.open(partial, "w") as archive:
            archive.add(dump.name, DATABASE)
            if media.is_dir():
                archive.add(media, ATTACHMENTS)


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
            options = ("--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges")
            name = conninfo_to_dict(database)["dbname"]
            command = (_program("pg_restore", programs), *options, f"--dbname={name}", f"{folder}/{DATABASE}")
            _run(*command, database=database)
            if (Path(folder) / ATTACHMENTS).is_dir():
                media.mkdir(exist_ok=True)
                shutil.copytree(Path(folder) / ATTACHMENTS, media, dirs_exist_ok=True)
    except (tarfile.TarError, OSError) as error:
        raise PostgresError(f"{backup} cannot be read as a backup: {error}.") from error


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


def _program(name: str, folder: str) -> str:
    """From the folder that was named, the wheel, or the path: a dump needs programs as new as the server."""
    spec = importlib.util.find_spec(WHEEL)
    wheel = Path(spec.origin).parent if spec and spec.origin else Path()
    for candidate in (Path(folder), wheel / "pginstall18" / "bin", wheel / "pginstall" / "bin"):
        if (candidate / name).is_file():
            return str(candidate / name)
    if found := shutil.which(name):
        return found
    raise PostgresError(f"{name} was not found. Install Postgres' client programs, or name their folder.")


def _run(*command: str, database: str) -> None:
    """By libpq's variables, so that no password stands in a list of processes."""
    variables = {option.keyword.decode(): option.envvar for option in Conninfo.get_defaults()}
    said = {variables[name]: str(value) for name, value in conninfo_to_dict(database).items()}
    known = {variable.decode(): value for variable, value in said.items() if variable}
    done = subprocess.run(command, env={**os.environ, **known}, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise PostgresError(f"{Path(command[0]).name} failed: {done.stderr.strip()}")
