"""The embedded Postgres: shared by processes, outliving killed ones, and never touching a stranger's process."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from memoryhub.postgres import Cluster, PostgresError, data_folder
from tests.cluster import FAST, throwaway_folder

HOLD = """
import sys, pathlib
from memoryhub.postgres import Cluster
with Cluster(pathlib.Path(sys.argv[1]), settings={"fsync": "off"}).running():
    print("running", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with throwaway_folder() as folder:
        yield Cluster(folder / "postgres", settings=FAST)


def holder(cluster: Cluster) -> "subprocess.Popen[str]":
    """Another process that uses the cluster until its standard input closes."""
    command = [sys.executable, "-c", HOLD, str(cluster.folder)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "running\n"
    return process


def query(cluster: Cluster, statement: str) -> object:
    with psycopg.connect(cluster.url, autocommit=True) as connection:
        row = connection.execute(statement).fetchone()
        return row[0] if row else None


def write_row(cluster: Cluster) -> None:
    with psycopg.connect(cluster.url, autocommit=True) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")


def wait_gone(pid: int | None) -> None:
    assert pid
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    raise AssertionError(f"process {pid} still runs")


def test_whoever_leaves_last_stops_it(cluster: Cluster) -> None:
    other = holder(cluster)
    with cluster.running():
        pid = cluster.pid()
        other.communicate()
        assert query(cluster, "SELECT 1") == 1
        other = holder(cluster)
    assert cluster.pid() == pid
    other.communicate()
    assert cluster.pid() is None


def test_it_survives_a_killed_owner(cluster: Cluster) -> None:
    owner = holder(cluster)
    write_row(cluster)
    pid = cluster.pid()
    owner.kill()
    owner.communicate()
    with cluster.running():
        assert cluster.pid() == pid
        assert query(cluster, "SELECT answer FROM kept") == 42
    assert cluster.pid() is None


def test_it_comes_back_after_its_own_death(cluster: Cluster) -> None:
    cluster = Cluster(cluster.folder)  # as safe as it is by default
    with cluster.running():
        write_row(cluster)
        assert not cluster.revive()
        pid = cluster.pid()
        assert pid
        os.kill(pid, signal.SIGKILL)
        wait_gone(pid)
        assert cluster.revive()
        assert query(cluster, "SELECT answer FROM kept") == 42


def test_a_pid_file_that_names_a_stranger_harms_neither(cluster: Cluster) -> None:
    with cluster.running():
        write_row(cluster)
    stranger = subprocess.Popen(["sleep", "60"])
    (cluster.data / "postmaster.pid").write_text(f"{stranger.pid}\n{cluster.data}\n")
    with cluster.running():
        assert cluster.pid() not in (None, stranger.pid)
        assert query(cluster, "SELECT answer FROM kept") == 42
    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()


def test_a_half_made_data_folder_is_made_anew(cluster: Cluster) -> None:
    (cluster.folder / "data.new").mkdir(parents=True)
    (cluster.folder / "data.new" / "PG_VERSION").write_text("18\n")
    with cluster.running():
        assert query(cluster, "SELECT 1") == 1


def test_a_long_path_gets_a_short_socket() -> None:
    with throwaway_folder() as folder:
        deep = Cluster(folder / ("d" * 60) / ("e" * 60) / "postgres", settings=FAST)
        with deep.running():
            assert len(str(deep.socket_folder)) < 60
            assert query(deep, "SELECT 1") == 1
            assert deep.socket_folder.stat().st_mode & 0o777 == 0o700


def test_only_the_account_reaches_it_and_only_by_its_socket(cluster: Cluster) -> None:
    with cluster.running():
        assert query(cluster, "SHOW listen_addresses") == ""
        assert cluster.folder.stat().st_mode & 0o777 == 0o700
        assert cluster.data.stat().st_mode & 0o777 == 0o700


LOGGED_SECRET = "the launch code is heron"


def provoke(connection: "psycopg.Connection[object]", *statements: str) -> None:
    for statement in statements:
        with contextlib.suppress(psycopg.Error):
            connection.execute(statement)  # type: ignore[arg-type]


def deadlock(cluster: Cluster) -> None:
    """Two writers lock the same two rows in opposite orders; one of them is cancelled."""
    locked = threading.Barrier(2)

    def write_both(first: int, second: int) -> None:
        with psycopg.connect(cluster.url) as connection, contextlib.suppress(psycopg.Error):
            connection.execute(f"UPDATE diary SET line = '{LOGGED_SECRET} {first}' WHERE id = {first}")
            locked.wait()
            connection.execute(f"UPDATE diary SET line = '{LOGGED_SECRET} {second}' WHERE id = {second}")

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(write_both, (1, 2), (2, 1)))


def crash_while_running(cluster: Cluster, statement: str) -> None:
    """Kills the process that serves a statement: the server then says what has crashed."""
    with psycopg.connect(cluster.url) as connection, ThreadPoolExecutor(1) as pool:
        running = pool.submit(provoke, connection, statement)
        time.sleep(0.3)
        os.kill(connection.info.backend_pid, signal.SIGKILL)
        running.result()
    while True:
        with contextlib.suppress(psycopg.OperationalError):
            assert query(cluster, "SELECT 1") == 1
            return
        time.sleep(0.1)


def test_nobodys_words_reach_the_log(cluster: Cluster) -> None:
    with cluster.running():
        with psycopg.connect(cluster.url, autocommit=True) as connection:
            connection.execute("CREATE TABLE diary (id int UNIQUE, line text CHECK (length(line) < 50))")
            connection.execute("INSERT INTO diary VALUES (1, 'one'), (2, 'two')")
            connection.execute("SET deadlock_timeout = '20ms'")
            provoke(
                connection,
                f"INSERT INTO diary VALUES (3, repeat('{LOGGED_SECRET}', 9))",  # "Failing row contains"
                f"INSERT INTO diary VALUES (1, '{LOGGED_SECRET}')",
                f"SELECT '{LOGGED_SECRET}",  # a syntax error, which quotes what it stumbled over
                f"SELECT '{LOGGED_SECRET}'::uuid",
                f"DO $$ BEGIN RAISE WARNING '{LOGGED_SECRET}'; END $$",
                f"SELECT pg_sleep(1.2), '{LOGGED_SECRET}'",
                "SET statement_timeout = '50ms'",
                f"SELECT pg_sleep(9), '{LOGGED_SECRET}'",
            )
            with contextlib.suppress(psycopg.Error):
                connection.execute("SELECT %s::int, %s", [LOGGED_SECRET, LOGGED_SECRET])
        deadlock(cluster)
        crash_while_running(cluster, f"SELECT pg_sleep(9), '{LOGGED_SECRET}'")
    log = cluster.log.read_text()
    assert "was terminated by signal 9" in log  # what goes wrong with the server itself is still told
    assert "heron" not in log


def test_by_default_nothing_acknowledged_is_lost() -> None:
    with throwaway_folder() as folder:
        durable = Cluster(folder / "postgres")
        with durable.running():
            for setting in ("fsync", "synchronous_commit", "full_page_writes", "data_checksums"):
                assert query(durable, f"SHOW {setting}") == "on"


def test_two_spellings_of_a_folder_are_one_cluster(cluster: Cluster) -> None:
    with cluster.running():
        alias = cluster.folder.parent / "alias"
        alias.symlink_to(cluster.folder.parent)
        other = Cluster(alias / "postgres", settings=FAST)
        assert other.pid() == cluster.pid() is not None
        with other.running():
            assert query(other, "SELECT 1") == 1
        assert query(cluster, "SELECT 1") == 1


def test_a_server_in_another_container_is_never_taken_for_dead(cluster: Cluster) -> None:
    with cluster.running():
        (cluster.folder / "namespace").write_text("pid:[another]")
        pid_file = cluster.data / "postmaster.pid"
        lines = pid_file.read_text()
        pid_file.write_text("1\n" + lines.split("\n", 1)[1])  # a process that is not the server, as seen from here
        with cluster.running():  # it listens, so it is used
            assert query(cluster, "SELECT 1") == 1
        (cluster.socket_folder / ".s.PGSQL.5432").rename(cluster.socket_folder / "hidden")
        with pytest.raises(PostgresError, match="container"), cluster.running():
            raise AssertionError
        assert pid_file.exists()
        (cluster.socket_folder / "hidden").rename(cluster.socket_folder / ".s.PGSQL.5432")
        pid_file.write_text(lines)


def test_data_of_an_unknown_version_is_refused_by_name(cluster: Cluster) -> None:
    cluster.data.mkdir(parents=True)
    (cluster.data / "PG_VERSION").write_text("99\n")
    with pytest.raises(PostgresError, match="version 99"), cluster.running():
        raise AssertionError


def test_the_data_folder_is_one_that_the_account_can_enter(tmp_path: Path) -> None:
    with throwaway_folder() as opened:
        project = opened / "hub"
        assert data_folder(project=project, chosen="") == project / "var"
        assert data_folder(project=project, chosen=str(opened / "kept")) == opened / "kept"
        opened.chmod(0o700)
        if os.geteuid() == 0:
            assert data_folder(project=project, chosen="").is_relative_to("/var/lib/memoryhub")
            assert data_folder(project=project, chosen="") != data_folder(project=opened / "two" / "hub", chosen="")
            with pytest.raises(PostgresError, match="MEMORYHUB_DATA"):
                data_folder(project=project, chosen=str(opened / "kept"))
        else:
            assert data_folder(project=project, chosen="") == project / "var"
