"""Tests of what operators see of requests: log lines with an id and a caller, slow statements, Prometheus figures."""

import json
import logging
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction
from django.test import Client
from pytest_django import Settings

from memories.recall import recall
from memoryhub import logs
from tests.cast import Cast
from tests.hub import hub

pytestmark = pytest.mark.django_db


def lines(caplog: pytest.LogCaptureFixture, logger: str) -> list[dict[str, object]]:
    """Return the log lines as a hub in production would write them."""
    return [json.loads(line) for line in caplog.text.splitlines() if f'"{logger}"' in line]


@pytest.fixture(autouse=True)
def _in_production(caplog: pytest.LogCaptureFixture) -> None:
    caplog.handler.setFormatter(logs.JsonFormatter())
    caplog.set_level(logging.INFO)


def test_a_request_is_logged_with_its_id_and_who_asked(
    client: Client, cast: Cast, caplog: pytest.LogCaptureFixture
) -> None:
    writer = cast["writer"]
    token = writer.token()
    answer = client.get("/api/v1/me", headers={"Authorization": f"Bearer {token}", "X-Request-Id": "trace.7-a"})
    (line,) = lines(caplog, "memoryhub.requests")
    assert answer["X-Request-Id"] == line["request"] == "trace.7-a"
    assert line["actor"] == f"agent:{writer.agent.pk}"  # type: ignore[union-attr]
    assert token.startswith(str(line["token"]))
    assert token not in caplog.text
    assert (line["method"], line["path"], line["status"]) == ("GET", "/api/v1/me", 200)


def test_every_door_names_the_agent_alike(client: Client, cast: Cast, caplog: pytest.LogCaptureFixture) -> None:
    writer = cast["writer"]
    headers = {"Authorization": f"Bearer {writer.token()}"}
    client.get("/api/v1/me", headers=headers)
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    client.post("/mcp", body, content_type="application/json", headers=headers)
    assert [line["actor"] for line in lines(caplog, "memoryhub.requests")] == [f"agent:{writer.agent.pk}"] * 2  # type: ignore[union-attr]


def test_a_page_is_logged_with_the_person(client: Client, cast: Cast, caplog: pytest.LogCaptureFixture) -> None:
    viewer = cast["viewer"].user
    assert viewer
    client.force_login(viewer)
    client.get("/t/acme/ops/")
    assert lines(caplog, "memoryhub.requests")[0]["actor"] == f"user:{viewer.pk}"


@pytest.mark.parametrize("path", ["/admin/", "/account/", "/admin/memories/memory/"])
def test_every_page_is_logged_with_who_is_in(client: Client, caplog: pytest.LogCaptureFixture, path: str) -> None:
    root = User.objects.create_superuser("root")
    client.force_login(root)
    client.get(path)
    assert lines(caplog, "memoryhub.requests")[0]["actor"] == f"user:{root.pk}"


@pytest.mark.parametrize("path", ["/login/", "/admin/login/"])
def test_coming_in_is_logged_with_who_came(client: Client, caplog: pytest.LogCaptureFixture, path: str) -> None:
    root = User.objects.create_superuser("root", password="correct horse battery")
    client.post(path, {"username": "root", "password": "wrong"})
    client.post(path, {"username": "root", "password": "correct horse battery"})
    refused, entered = lines(caplog, "memoryhub.requests")
    assert "actor" not in refused
    assert (entered["actor"], entered["status"]) == (f"user:{root.pk}", 302)


@pytest.mark.parametrize("said", ["", "two words", "x" * 65, "a\tb", "ü"])
def test_an_odd_id_is_replaced_by_one_of_ours(client: Client, said: str) -> None:
    answer = client.get("/healthz", headers={"X-Request-Id": said})
    assert re.fullmatch(r"[0-9a-f-]{36}", answer["X-Request-Id"])


def test_one_request_says_nothing_of_the_one_before(
    client: Client, cast: Cast, caplog: pytest.LogCaptureFixture
) -> None:
    client.get("/api/v1/me", headers={"Authorization": f"Bearer {cast['writer'].token()}"})
    client.get("/healthz")
    assert "actor" not in lines(caplog, "memoryhub.requests")[1]


def test_slow_statements_are_logged_without_their_values(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    settings.SLOW_STATEMENT = 20
    logs.watch_statements(connection=connection)
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s, pg_sleep(0.05)", ["a secret"])
        cursor.execute("SELECT 1")
    (line,) = lines(caplog, "memoryhub.statement_timeout")
    assert line["statement"] == "SELECT %s, pg_sleep(0.05)"
    assert isinstance(line["ms"], int)
    assert line["ms"] >= 50
    assert "a secret" not in caplog.text


def test_a_failure_is_one_line_of_json(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    try:
        raise ValueError("first\nsecond")
    except ValueError:
        logging.getLogger("memoryhub.test").exception("It broke.")
    (line,) = lines(caplog, "memoryhub.test")
    assert "first\nsecond" in str(line["exception"])


PRIVATE_TEXT = "heron-Zq3v7wX1"


@pytest.mark.parametrize(
    ("path", "logged"),
    [
        (f"/join/{PRIVATE_TEXT}/", "/join/<str:secret>/"),
        (f"/join/{PRIVATE_TEXT}", "(no route)"),
        (f"/jion/{PRIVATE_TEXT}/", "(no route)"),
        (f"/join/{PRIVATE_TEXT}%E2%80%9D/", "/join/<str:secret>/"),
        (f"/join/{PRIVATE_TEXT}%E2%80%9D", "(no route)"),
        (f"/jion/{PRIVATE_TEXT}%5C/", "(no route)"),
        (f"/api/v1/keys/{PRIVATE_TEXT}?scope={PRIVATE_TEXT}", "/api/v1/keys/<path:key>"),
        (f"/api/v1/files/{PRIVATE_TEXT}.md", "/api/v1/files/<path:path>"),
        (f"/api/v1/memories?text={PRIVATE_TEXT}&cursor={PRIVATE_TEXT}", "/api/v1/memories"),
        (f"/api/{PRIVATE_TEXT}", "/^api/"),
        (f"/t/acme/{PRIVATE_TEXT}/", "/t/<str:organization>/<str:team>/"),
        (f"/login/?next=/join/{PRIVATE_TEXT}/", "/login/"),
        (f"/admin/?q={PRIVATE_TEXT}", "/admin/"),
    ],
)
def test_no_secret_and_no_words_of_an_address_are_logged(
    client: Client, caplog: pytest.LogCaptureFixture, path: str, logged: str
) -> None:
    """Neither we nor Django log them, whose own loggers repeat the address of whatever fails."""
    for method in ("get", "post", "put"):
        Client(enforce_csrf_checks=True).generic(method.upper(), path)
    found = {str(line["path"]) for line in lines(caplog, "memoryhub.requests")}
    assert found == {logged}
    assert PRIVATE_TEXT not in caplog.text


def test_ids_of_an_address_are_logged(client: Client, cast: Cast, caplog: pytest.LogCaptureFixture) -> None:
    memory = cast.memory()
    client.get(f"/api/v1/memories/{memory.pk}")
    assert lines(caplog, "memoryhub.requests")[0]["path"] == f"/api/v1/memories/{memory.pk}"


@pytest.mark.parametrize("formatter", [logs.JsonFormatter(), logs.LineFormatter("{message}", style="{")])
def test_what_postgres_quotes_is_not_logged(caplog: pytest.LogCaptureFixture, formatter: logging.Formatter) -> None:
    caplog.handler.setFormatter(formatter)
    refused = ("SELECT %s::int", "INSERT INTO auth_group (id, name) VALUES (1, %s), (1, %s)")
    for statement in refused:
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(statement, [PRIVATE_TEXT] * statement.count("%s"))
        except DatabaseError:
            logging.getLogger("memoryhub.test").exception("It broke.")
    assert "SQLSTATE 22P02" in caplog.text
    assert "SQLSTATE 23505 auth_group auth_group_pkey" in caplog.text
    assert PRIVATE_TEXT not in caplog.text


def test_people_read_lines() -> None:
    logs.start_log_context(request="r", actor="user:1")
    record = logging.makeLogRecord({"msg": "Hello.", "fields": {"ms": 3}})
    assert logs.LineFormatter("{message}", style="{").format(record) == "Hello. [request=r actor=user:1 ms=3]"


def test_metrics_are_not_there_without_their_token(client: Client, settings: Settings) -> None:
    assert client.get("/metrics").status_code == 404
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404
    settings.METRICS_TOKEN = "long-enough-to-be-kept"
    assert client.get("/metrics", headers={"Authorization": "Bearer wrong"}).status_code == 404


def test_metrics_count_requests_by_view_and_say_how_large_tables_are(
    client: Client, cast: Cast, settings: Settings
) -> None:
    settings.METRICS_TOKEN, settings.SLOW_STATEMENT = "long-enough-to-be-kept", 0
    logs.watch_statements(connection=connection)
    client.get(f"/api/v1/memories/{cast.memory().pk}")
    recall(actor=cast["writer"].actor(), query="anything")
    text = client.get("/metrics", headers={"Authorization": "Bearer long-enough-to-be-kept"}).text
    assert re.search(r'memoryhub_requests_total\{method="GET",status="401",view="\S+"\} \d', text)
    assert "memoryhub_request_seconds_bucket" in text
    assert re.search(r'memoryhub_bytes\{table="memories_memory"\} [1-9]', text)
    assert "memoryhub_vectors_waiting 0" in text
    assert re.search(r'memoryhub_recall_seconds_count\{mode="hybrid"\} [1-9]', text)
    assert re.search(r"memoryhub_slow_statements_total [1-9]", text)


def test_the_processes_of_a_server_put_their_figures_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METRICS_TOKEN", "long-enough-to-be-kept")
    with hub() as made:
        made.start()
        for _ in range(20):
            made.request("GET", "/healthz")
        text = made.content("/metrics", Authorization="Bearer long-enough-to-be-kept").decode()
    counted = re.search(r'memoryhub_requests_total\{method="GET",status="200",view="healthz"\} (\d+)', text)
    assert counted
    assert int(counted[1]) >= 20


@pytest.mark.parametrize("host", ["hub:8000", "10.2.3.4", "elsewhere.example"])
@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_probes_are_answered_by_any_name_and_without_tls(
    client: Client, settings: Settings, host: str, path: str
) -> None:
    settings.METRICS_TOKEN, settings.SECURE_SSL_REDIRECT = "long-enough-to-be-kept", True
    headers = {"Host": host, "Authorization": "Bearer long-enough-to-be-kept"}
    assert client.get(path, headers=headers).status_code == 200
    assert client.get("/login/", headers=headers).status_code == 400


def test_metrics_are_not_there_for_strangers_by_any_name(client: Client) -> None:
    assert client.get("/metrics", headers={"Host": "10.2.3.4"}).status_code == 404


def test_readiness_costs_one_statement(client: Client, django_assert_num_queries: Any) -> None:
    client.get("/readyz")
    with django_assert_num_queries(1):
        assert client.get("/readyz").json() == {"status": "ok", "database": "answers"}


def test_a_hub_with_migrations_to_run_is_not_ready(client: Client) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'sessions'")
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["database"]) == (503, "1 migrations to run")
