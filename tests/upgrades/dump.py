"""Writes the database of this version as plain SQL, which any Postgres from 15 on loads, with pgvector or without.

    python -m tests.upgrades.dump VERSION

It writes tests/upgrades/VERSION.sql, for `tests/test_upgrades.py` to upgrade for ever after.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import psycopg

from memoryhub.backups import _find_program, _run_on_database
from memoryhub.postgres import Cluster
from tests.cluster import FAST, throwaway_folder

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent.parent
POSTGRES = "18"  # the one that comes with pgvector
TELL = "from tests.upgrades import story; story.tell()"

# The schema as it is on a server without pgvector: the upgrade takes it into use again, where there is one.
WITHOUT_EXTENSIONS = """
ALTER TABLE memories_embedding DROP COLUMN IF EXISTS signs;
ALTER TABLE memories_embedding ALTER COLUMN vector TYPE real[] USING vector::real[];
DROP EXTENSION IF EXISTS vector;
DROP EXTENSION IF EXISTS pg_trgm CASCADE
"""
# What differs from one machine or Postgres to the next.
MACHINE = re.compile(r"^(\\(un)?restrict .*|-- Dumped .*|SET transaction_timeout .*)\n", re.MULTILINE)


def main() -> None:
    target = FOLDER / f"{sys.argv[1]}.sql"
    with throwaway_folder() as folder:
        cluster = Cluster(folder / "postgres", settings=FAST, version=POSTGRES)
        with cluster.running():
            environment = os.environ | {"MEMORYHUB_DATA": str(folder), "DATABASE_URL": cluster.url}
            for arguments in (["migrate", "--verbosity=0"], ["shell", "--verbosity=0", "-c", TELL]):
                subprocess.run([sys.executable, "manage.py", *arguments], cwd=ROOT, env=environment, check=True)
            write_dump(cluster.url, target)


def write_dump(database: str, target: Path) -> None:
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(WITHOUT_EXTENSIONS)
    options = ("--no-owner", "--no-privileges", "--no-comments", "--inserts", "--rows-per-insert=1000")
    _run_on_database(
        _find_program("pg_dump", "", server=int(POSTGRES)).path, *options, f"--file={target}", database=database
    )
    target.write_text(MACHINE.sub("", target.read_text()))


if __name__ == "__main__":
    main()
