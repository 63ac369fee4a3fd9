"""Connections of the pool: a check that asks Postgres only if there is a reason to."""

import select
from typing import Any

import psycopg
from psycopg_pool import ConnectionPool

_ask_postgres = ConnectionPool.check_connection


def check_connection(connection: "psycopg.Connection[Any]") -> None:
    """Raise an error if the connection is lost. One that Postgres has closed has something to read: its end. To ask
    Postgres before each request costs as much as a look-up."""
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    if poll.poll(0):
        _ask_postgres(connection)


def check_by_socket() -> None:
    """Let the pools that Django makes check their connections in this way."""
    ConnectionPool.check_connection = staticmethod(check_connection)  # type: ignore[method-assign, assignment]
