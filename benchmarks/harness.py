"""The basis of every benchmark: a durable Postgres of its own, a hub in it, and texts like natural language."""

import os
import random
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import Any

import psycopg

from memoryhub.postgres import Cluster

PROJECT_FOLDER = Path(__file__).resolve().parent.parent
VOCABULARY_SIZE = 20_000  # words


@contextmanager
def database() -> Iterator[str]:
    """Yield the URL of a new database with our schema, as safe as by default. DATABASE_URL may name another server."""
    with tempfile.TemporaryDirectory(prefix="memoryhub-bench-") as name:
        Path(name).chmod(0o755)
        os.environ["MEMORYHUB_DATA"] = name
        cluster = Cluster(Path(name) / "postgres")
        with cluster.running():
            os.environ["DATABASE_URL"] = cluster.url
            os.environ["DJANGO_SETTINGS_MODULE"] = "memoryhub.settings"
            import django
            from django.core.management import call_command

            django.setup()
            call_command("migrate", verbosity=0)
            with psycopg.connect(cluster.url) as connection:
                version = connection.execute("SHOW server_version").fetchone()
            say(f"Postgres {version[0] if version else '?'}, Python {sys.version.split()[0]}, {os.cpu_count()} cores")
            yield cluster.url
            from memoryhub import background

            background.finish_work()  # while there is still a database to write to


class Texts:
    """Sentences whose words are as unevenly frequent as in natural language (Zipf)."""

    def __init__(self, seed: int = 7) -> None:
        self.random = random.Random(seed)
        syllables = [a + b for a in "bcdfglmnprstv" for b in ("a", "e", "i", "o", "u", "an", "er", "il", "or", "us")]
        vocabulary = {
            "".join(self.random.choices(syllables, k=self.random.randint(1, 4))) for _ in range(VOCABULARY_SIZE * 2)
        }
        self.words = sorted(vocabulary)[:VOCABULARY_SIZE]
        self.random.shuffle(self.words)
        self.weights = list(accumulate(1 / (rank + 2.7) for rank in range(len(self.words))))

    def text(self, shortest: int = 20, longest: int = 60) -> str:
        return " ".join(
            self.random.choices(self.words, cum_weights=self.weights, k=self.random.randint(shortest, longest))
        )

    def texts(self, count: int) -> list[str]:
        return [self.text() for _ in range(count)]


# Rows for a benchmark come from nowhere else: no foreign key needs a look, and a crash may lose them.
BULK = "-c session_replication_role=replica -c synchronous_commit=off -c maintenance_work_mem=512MB"
SECONDARY = """
SELECT indexname, indexdef
FROM pg_indexes JOIN pg_index ON indexrelid = format('%%I.%%I', schemaname, indexname)::regclass
WHERE schemaname = current_schema() AND tablename = ANY(%s) AND NOT indisunique
"""


def copy(*, url: str, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Copy rows straight into a table, in one transaction."""
    statement = f"COPY {table} ({', '.join(columns)}) FROM STDIN"
    with psycopg.connect(url, options=BULK) as connection, connection.cursor().copy(statement) as into:
        for row in rows:
            into.write_row(row)


def execute(url: str, *statements: str) -> None:
    """Execute each statement on its own, outside any transaction."""
    with psycopg.connect(url, options=BULK, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


@contextmanager
def filling(url: str, tables: Sequence[str]) -> Iterator[None]:
    """Drop all but the unique indexes of the tables inside this block; afterwards they are as after a quiet night:
    indexed again, vacuumed, analysed and on the disk."""
    with psycopg.connect(url) as connection:
        indexes = connection.execute(SECONDARY, [list(tables)]).fetchall()
    execute(url, *(f'DROP INDEX "{name}"' for name, _ in indexes))
    yield
    sys.stderr.write(f"\rindexing {tables[0]} … ")
    sys.stderr.flush()
    vacuum = f"VACUUM (ANALYZE) {', '.join(tables)}"
    execute(url, *(definition for _, definition in indexes), vacuum, "CHECKPOINT")


def say(text: str) -> None:
    print(text, flush=True)


class Progress:
    """A line on standard error that says how far we are."""

    def __init__(self, total: int, title: str) -> None:
        self.total, self.title, self.done, self.start = total, title, 0.0, time.monotonic()

    def add(self, count: float) -> None:
        self.done += count
        share = self.done / self.total
        left = (time.monotonic() - self.start) * (1 - share) / share
        sys.stderr.write(f"\r{self.title}: {share:4.0%}, {left:4.0f} s left ")
        if self.done >= self.total:
            sys.stderr.write("\r" + " " * 70 + "\r")
        sys.stderr.flush()
