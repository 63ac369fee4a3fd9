"""The first pages: log in, home, health."""

import pytest
from django.db import OperationalError
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from memories import demo
from memoryhub.error_pages import answer_outage as answer
from teams.models import Role
from tests import factories
from tests.cast import Cast

pytestmark = pytest.mark.django_db


def test_home_asks_to_log_in_first(client: Client) -> None:
    response = client.get("/")
    assert (response.status_code, response["Location"]) == (302, "/login/?next=/")


def test_one_can_log_in_and_out(client: Client) -> None:
    account = demo.seed()
    wrong = client.post("/login/", {"username": account.username, "password": "no"})
    assert "enter a correct username and password" in wrong.text
    right = client.post("/login/", {"username": account.username, "password": account.password}, follow=True)
    assert "Tidewater" in right.text
    assert "Engineering" in right.text
    assert client.post("/logout/").status_code == 302
    assert client.get("/").status_code == 302


def test_the_way_in_leads_to_the_team_where_one_was_last(client: Client, cast: Cast) -> None:
    viewer = cast["viewer"].user
    assert viewer
    client.force_login(viewer)
    factories.member(cast.sales, Role.VIEWER, viewer)
    assert client.get("/")["Location"] == "/t/acme/ops/"
    client.get("/t/acme/sales/")
    assert client.get("/")["Location"] == "/t/acme/sales/"


def test_without_a_team_one_is_told_whom_to_ask(client: Client) -> None:
    client.force_login(factories.login())
    assert "not a member of any team yet" in client.get("/").text


def test_a_team_one_is_not_in_does_not_exist(client: Client, cast: Cast) -> None:
    client.force_login(cast["viewer"].user)  # type: ignore[arg-type]
    for team in ("acme/sales", "acme/nonsense", "globex/executive"):
        response = client.get(f"/t/{team}/")
        assert response.status_code == 404
        assert "Page not found" in response.text


def test_light_or_dark_can_be_chosen_and_left_to_the_system(client: Client) -> None:
    chosen = client.post("/theme/", {"theme": "dark", "next": "/login/"})
    assert chosen["Location"] == "/login/"
    assert 'data-theme="dark"' in client.get("/login/").text
    client.post("/theme/", {"theme": "system", "next": "https://elsewhere.example/"})
    assert "data-theme" not in client.get("/login/").text


def test_single_keys_can_be_switched_off_and_on(client: Client) -> None:
    client.force_login(factories.login())
    client.post("/keys/", {"keys": "off", "next": "/account/"})
    page = client.get("/account/").text
    assert 'data-keys="off"' in page
    assert "Turn on single-key shortcuts" in page
    client.post("/keys/", {"keys": "on"})
    assert "data-keys" not in client.get("/account/").text


def test_no_form_leads_to_another_site(client: Client) -> None:
    for elsewhere in ("https://elsewhere.example/", "//elsewhere.example/", "javascript:alert(1)"):
        assert client.post("/theme/", {"next": elsewhere})["Location"] == "/"


def test_pages_are_shown_under_a_strict_policy(client: Client) -> None:
    policy = client.get("/login/")["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_health_and_readiness(client: Client, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(0):
        assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ok", "database": "answers"}


def test_a_database_that_does_not_answer_is_a_503_and_a_full_disk_a_507() -> None:
    class DiskFull(Exception):
        sqlstate = "53100"

    away = answer(OperationalError("connection refused"))
    assert (away.status_code, away["Retry-After"]) == (503, "3")
    full = OperationalError("could not extend file")
    full.__cause__ = DiskFull()
    assert answer(full).status_code == 507
