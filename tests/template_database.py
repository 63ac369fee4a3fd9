"""A migrated database from which each process of a run clones its own: one migrates, the others copy."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings
from django.core.management import call_command

from tests.cluster import SHELF, template_name


@contextmanager
def cloned_database(connection: Any) -> Iterator[None]:
    """Give the connection a database of its own, cloned from the template."""
    usual, name = connection.settings_dict["NAME"], connection.settings_dict["TEST"]["NAME"]
    _ensure_template(connection)
    _run(f'CREATE DATABASE "{name}" TEMPLATE "{template_name()}"')
    use_database(connection, name)
    try:
        yield
    finally:
        use_database(connection, usual)
        _run(f'DROP DATABASE "{name}" WITH (FORCE)')


def _ensure_template(connection: Any) -> None:
    """Migrate the template, unless another process of this run did."""
    migrated = Path(os.environ[SHELF]) / "template"
    with migrated.with_suffix(".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if migrated.exists():
            return
        _run(f'CREATE DATABASE "{template_name()}"')
        use_database(connection, template_name())
        call_command("migrate", verbosity=0)
        connection.close()
        connection.close_pool()  # a database that somebody is connected to cannot be cloned
        migrated.touch()


def use_database(connection: Any, name: str) -> None:
    """Have the connection, and what the settings say of it, name this database."""
    connection.close()
    connection.close_pool()
    settings.DATABASES[connection.alias]["NAME"] = connection.settings_dict["NAME"] = name


def _run(statement: str) -> None:
    with psycopg.connect(settings.DATABASE_ADDRESS, autocommit=True) as server:
        server.execute(statement)
