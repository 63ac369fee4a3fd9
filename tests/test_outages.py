"""A database that is away, or too slow: every door says so in its words, and the log in a line."""

import json
import os
import select
import signal
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from http.cookiejar import CookieJar

import psutil
import psycopg
import pytest
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.exceptions import SessionInterrupted
from django.db import InterfaceError, OperationalError, connection
from django.db.transaction import TransactionManagementError
from django.test import RequestFactory
from procrastinate.exceptions import ConnectorException
from psycopg_pool import PoolClosed, PoolTimeout
from pytest_django import Settings

from memoryhub import background, error_pages, logs, outages, pooled_connections, statement_timeout
from memoryhub.outages import OutageFilter, find_outage
from tests.hub import Hub, hub

PASSWORD = "correct horse battery"


class Browser:
    """Somebody who is logged in."""

    def __init__(self, port: int) -> None:
        self.port, jar = port, CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
        self.get("/login/")
        token = next(cookie.value for cookie in jar if cookie.name == "csrftoken")
        self.get("/login/", {"username": "root", "password": PASSWORD, "csrfmiddlewaretoken": str(token)})
        assert any(cookie.name == "sessionid" for cookie in jar)

    def get(self, path: str, form: dict[str, str] | None = None) -> tuple[int, str | None]:
        """Return the status, and in how many seconds to come again."""
        data = urllib.parse.urlencode(form).encode() if form else None
        try:
            with self.opener.open(f"http://127.0.0.1:{self.port}{path}", data, timeout=20) as response:
                return response.status, None
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers["Retry-After"]


@pytest.fixture(scope="module")
def made() -> Iterator[tuple[Hub, str]]:
    """A hub whose database is a server of its own, which nobody starts again, and a token."""
    with pytest.MonkeyPatch.context() as patch, hub() as found, found.cluster.running():
        patch.setenv("STATEMENT_TIMEOUT", "1")
        patch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
        found.database = found.cluster.url
        found.start("--workers", "1")
        found.manage("create_team", "--org", "acme", "--team", "ops")
        token = found.manage("create_token", "--org", "acme", "--team", "ops", "--agent", "bot").strip()
        found.manage("createsuperuser", "--noinput", "--username=root", "--email=root@example.org")
        yield found, token


def test_a_statement_that_takes_too_long_is_told_as_that(made: tuple[Hub, str]) -> None:
    found, token = made
    with psycopg.connect(found.cluster.url) as other:
        other.execute("LOCK TABLE memories_memory IN ACCESS EXCLUSIVE MODE")
        status, body = found.request("GET", "/api/v1/memories", Authorization=f"Bearer {token}")
    assert (status, json.loads(body)["code"]) == (504, "took_too_long")


def test_every_door_says_that_the_database_is_away(made: tuple[Hub, str]) -> None:
    found, token = made
    browser, bearer = Browser(found.port), f"Bearer {token}"
    ping = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    postmaster, told = found.cluster.pid(), []
    assert postmaster
    backends = psutil.Process(postmaster).children()
    os.kill(postmaster, signal.SIGKILL)
    psutil.wait_procs(backends)  # they answer until they notice
    until = time.monotonic() + 4
    while time.monotonic() < until:
        told += [browser.get(path) for path in ("/", "/account/", "/admin/", "/admin/memories/memory/")]
        told.append(browser.get("/login/", {"username": "root", "password": "wrong"}))
        saved = found.send("POST", "/api/v1/memories", b'{"content": "x"}', Authorization=bearer)
        asked = found.request("POST", "/mcp", ping, Authorization=bearer, Accept="application/json")
        assert [json.loads(body)["code"] for _, body in (saved, asked)] == ["database_unavailable"] * 2
        assert (saved[0], asked[0]) == (503, 503)
    assert set(told) - {(403, None)} == {(503, "3")}  # the log-in without its cookie's token asks no database
    assert found.request("GET", "/healthz")[0] == 200
    assert found.request("GET", "/readyz")[0] == 503
    found.cluster.revive()
    found.wait_until(lambda: found.request("GET", "/readyz")[0] == 200)
    assert found.request("GET", "/api/v1/me", Authorization=bearer)[0] == 200
    assert browser.get("/admin/")[0] == 200
    lines = (found.folder / "serve.log").read_text()
    assert "Traceback" not in lines, lines[lines.index("Traceback") :][:4_000]


def test_a_worker_that_loses_its_database_ends_with_a_line(made: tuple[Hub, str]) -> None:
    found, _ = made
    away = Hub(found.folder, database="postgres://nobody@127.0.0.1:1/nothing")
    done = away.run("work")
    assert done.returncode != 0
    assert "The database does not answer: " in done.stderr
    assert "Traceback" not in done.stderr


def chain_cause(error: Exception, by: Exception) -> Exception:
    error.__cause__ = by
    return error


def chain_context(error: Exception, while_: Exception) -> Exception:
    error.__context__ = while_
    return error


AWAY = OperationalError("the connection is lost")
OUTAGES = [
    AWAY,
    InterfaceError("connection already closed"),
    psycopg.OperationalError("the connection is closed"),
    psycopg.errors.AdminShutdown("terminating connection due to administrator command"),
    PoolTimeout("couldn't get a connection after 3.00 sec"),
    PoolClosed("the pool is already closed"),
    chain_cause(ConnectorException(), AWAY),
    chain_cause(TransactionManagementError(), AWAY),
    chain_context(SessionInterrupted(), chain_context(UpdateError(), AWAY)),
]


@pytest.mark.parametrize("error", OUTAGES, ids=lambda error: type(error).__name__)
def test_whatever_says_that_the_database_is_away_is_answered_alike(error: Exception) -> None:
    request = RequestFactory().get("/api/v1/me")
    try:  # as Django calls it, while the error is handled
        raise error
    except Exception:
        answers = [error_pages.server_error(request), error_pages.bad_request(request, error)]
    assert [(answer.status_code, answer["Retry-After"]) for answer in answers] == [(503, "3")] * 2


def test_a_fault_of_ours_is_not_taken_for_an_outage() -> None:
    assert find_outage(chain_context(ValueError("ours"), AWAY)) is None
    assert find_outage(psycopg.errors.UniqueViolation("a key")) is None


def test_an_outage_is_logged_in_a_line_and_a_fault_with_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    caplog.handler.setFormatter(logs.LineFormatter("{message}", style="{"))
    caplog.handler.addFilter(OutageFilter())
    outages._logged_at.clear()

    def fail(error: Exception) -> None:
        raise error

    background.run_and_log(lambda: fail(OperationalError("connection failed:\n  no such file")))
    assert caplog.text.count("\n") == 1
    assert "The database does not serve requests. OperationalError: connection failed: no such file" in caplog.text
    background.run_and_log(lambda: fail(ValueError("ours")))
    assert "Traceback" in caplog.text
    caplog.handler.filters.clear()


@pytest.mark.django_db
def test_the_pool_gives_out_no_connection_that_postgres_has_closed() -> None:
    with psycopg.connect(**connection.get_connection_params()) as pooled:
        pooled_connections.check_connection(pooled)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s)", [pooled.info.backend_pid])
        assert select.select([pooled], [], [], 60)[0]
        with pytest.raises(psycopg.OperationalError):
            pooled_connections.check_connection(pooled)


@pytest.mark.django_db
def test_behind_a_pooler_we_cancel_what_takes_too_long_ourselves() -> None:
    watch, done = statement_timeout.StatementWatch(limit=0), threading.Event()

    def look() -> None:
        while not done.wait(0.02):
            watch.cancel_long()

    looking = threading.Thread(target=look)
    with connection.execute_wrapper(watch.execute), connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        looking.start()
        try:
            with pytest.raises(OperationalError) as raised:
                cursor.execute("SELECT pg_sleep(60)")
        finally:
            done.set()
            looking.join()
    assert error_pages.answer_outage(raised.value).status_code == 504
    assert not watch.running


def test_the_limit_is_the_servers_own_unless_a_pooler_stands_before_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"prepare_threshold": 5, "options": "-c statement_timeout=5min"}
    monkeypatch.setitem(settings.DATABASES["default"], "OPTIONS", options)
    settings.STATEMENT_TIMEOUT = 0
    statement_timeout.limit_statements()
    assert options["options"] == "-c statement_timeout=5min"
    settings.STATEMENT_TIMEOUT = 30
    statement_timeout.limit_statements()
    assert options["options"] == "-c statement_timeout=30s -c statement_timeout=5min"


def test_commands_have_no_limit(made: tuple[Hub, str]) -> None:
    found, _ = made
    shown = found.manage("shell", "-v0", "-c", "from django.db import connection as c; k = c.cursor();"
                         " k.execute('SHOW statement_timeout'); print(k.fetchone()[0])")  # fmt: skip
    assert shown.strip() == "0"
