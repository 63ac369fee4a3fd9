"""Before any test: a throwaway Postgres of this run's own, unless DATABASE_URL names a server.

Loaded as a pytest plugin, early enough to come before the settings. The workers of a parallel run inherit it.
"""

import atexit
import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from memoryhub.postgres import Cluster

FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "shared_buffers": "128MB"}
SHELF = "MEMORYHUB_TEST_SHELF"  # where a run keeps what several tests start from
_stack = contextlib.ExitStack()
atexit.register(_stack.close)


@contextlib.contextmanager
def throwaway_folder() -> Iterator[Path]:
    """A folder that other accounts may enter: as root, Postgres runs as somebody else."""
    folder = Path(tempfile.mkdtemp(prefix="memoryhub-test-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    if "PYTEST_XDIST_WORKER" in os.environ:
        return
    folder = _stack.enter_context(throwaway_folder())
    (folder / "static").mkdir()
    os.environ[SHELF] = str(_stack.enter_context(throwaway_folder()))
    os.environ["MEMORYHUB_DATA"] = str(folder)
    os.environ["DATABASE_POOL_SIZE"] = "16"  # tests with many threads
    os.environ["MEMORYHUB_TEST_DATABASE"] = f"test_memoryhub_{os.getpid()}"
    if not os.environ.get("DATABASE_URL"):
        cluster = Cluster(folder / "postgres", settings=FAST)
        _stack.enter_context(cluster.running())
        os.environ["DATABASE_URL"] = cluster.url
    _stack.callback(drop_template)


def template_name() -> str:
    """The name of the database that the processes of a run clone."""
    return f"{os.environ['MEMORYHUB_TEST_DATABASE']}_template"


def drop_template() -> None:
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
        server.execute(f'DROP DATABASE IF EXISTS "{template_name()}" WITH (FORCE)')
