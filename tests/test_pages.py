"""The first pages: log in, home, health."""

import pytest
from django.db import OperationalError
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from memories import demo
from memoryhub.middleware import answer
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
    assert "do not go together" in wrong.text
    right = client.post("/login/", {"username": account.username, "password": account.password}, follow=True)
    assert "Tidewater" in right.text
    assert "Engineering" in right.text
    assert client.post("/logout/").status_code == 302
    assert client.get("/").status_code == 302


def test_home_shows_ones_teams_and_no_others(client: Client, cast: Cast) -> None:
    cast.memory(content="Pager in the drawer.")
    factories.memory(cast["stranger"].actor(), "Sales secret.")
    client.force_login(cast["viewer"].user)  # type: ignore[arg-type]
    page = client.get("/").text
    assert "Ops" in page
    assert "Sales" not in page


def test_memories_are_text_on_the_page(client: Client) -> None:
    team = factories.team()
    factories.memory(factories.actor(factories.agent(team)), "<script>alert(1)</script>", key="<b>")
    client.force_login(factories.member(team, Role.VIEWER))
    page = client.get("/").text
    assert "&lt;script&gt;alert(1)" in page
    assert "<script" not in page


def test_empty_states_say_what_to_expect(client: Client) -> None:
    client.force_login(factories.login())
    assert "not a member of any team yet" in client.get("/").text
    client.force_login(factories.member(factories.team(), Role.OWNER))
    assert "Nothing is remembered here yet" in client.get("/").text


def test_home_costs_the_same_however_many_memories(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    demo.seed()
    client.force_login(demo.User.objects.get(username="demo"))
    with django_assert_num_queries(8):
        client.get("/")


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
