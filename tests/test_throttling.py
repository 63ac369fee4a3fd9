"""Wrong passwords: how many, of whom, from where, and until when."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import Client, RequestFactory
from pytest_django import Settings

from memoryhub.errors import TooMany
from teams import throttling
from teams.models import Attempts
from teams.throttling import Try
from tests import factories
from tests.test_races import at_once

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
MIRA = Try(name="mira", address="192.0.2.1")
RIGHT = "correct horse battery"


@pytest.fixture(autouse=True)
def _few(settings: Settings) -> None:
    settings.LOGIN_TRIES, settings.LOGIN_WAIT = 3, 900


def refused(attempt: Try, now: datetime = NOON) -> bool:
    try:
        throttling.admit(attempt, now=now)
    except TooMany:
        return True
    return False


def test_after_so_many_tries_one_waits_and_then_begins_anew(db: None) -> None:
    assert [refused(MIRA) for _ in range(5)] == [False, False, False, True, True]
    with pytest.raises(TooMany, match="Try again in 5 minutes"):
        throttling.admit(MIRA, now=NOON + timedelta(minutes=10))
    later = NOON + timedelta(minutes=15)
    assert [refused(MIRA, later) for _ in range(4)] == [False, False, False, True]


def test_others_behind_the_same_address_are_not_locked_out(db: None) -> None:
    for _ in range(200):
        refused(MIRA)
    assert not refused(Try(name="tomas", address=MIRA.address))
    assert not refused(Try(name=MIRA.name, address="192.0.2.2"))


def test_many_names_from_one_address_are_too_many(db: None) -> None:
    assert not any(refused(Try(name=f"name-{n}", address="192.0.2.9")) for n in range(30))
    assert refused(Try(name="another", address="192.0.2.9"))
    assert not refused(MIRA)


def test_one_name_from_many_addresses_is_too_many(db: None) -> None:
    assert not any(refused(Try(name="mira", address=f"192.0.2.{n}")) for n in range(30))
    assert refused(Try(name="MIRA", address="192.0.2.99"))


def test_a_right_password_clears_earlier_mistakes(db: None) -> None:
    for _ in range(20):
        throttling.admit(MIRA, now=NOON)
        throttling.admit(MIRA, now=NOON)
        throttling.forgive(MIRA, now=NOON)
    assert not refused(MIRA)


def test_what_is_over_is_swept(db: None) -> None:
    refused(MIRA)
    other = Try(name="tomas", address="192.0.2.2")
    throttling.admit(other, now=NOON + timedelta(hours=1))
    throttling.forgive(other, now=NOON + timedelta(hours=1))
    assert Attempts.objects.filter(until__lt=NOON + timedelta(hours=1)).count() == 0


def test_an_ipv6_household_is_one_address(db: None) -> None:
    assert [refused(Try(name="mira", address=f"2001:db8::{n}")) for n in range(1, 5)] == [False, False, False, True]
    assert not refused(Try(name="mira", address="2001:db8:0:1::1"))


def test_counting_needs_no_log(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT relpersistence FROM pg_class WHERE relname = 'teams_attempts'")
        assert cursor.fetchone() == ("u",)


@pytest.mark.django_db(transaction=True)
def test_of_many_tries_at_once_only_so_many_are_looked_at() -> None:
    assert sum(at_once(12, lambda _: not refused(MIRA))) == 3


@pytest.mark.parametrize(
    ("proxies", "header", "address"),
    [
        (0, "203.0.113.7", "192.0.2.1"),
        (1, "198.51.100.1, 203.0.113.7", "203.0.113.7"),
        (2, "198.51.100.1, 203.0.113.7", "198.51.100.1"),
        (1, "", "192.0.2.1"),
        (3, "203.0.113.7", "203.0.113.7"),
    ],
)
def test_only_our_own_proxies_say_where_a_visitor_is(
    settings: Settings, proxies: int, header: str, address: str
) -> None:
    settings.PROXIES = proxies
    request = RequestFactory().get("/", headers={"X-Forwarded-For": header}, REMOTE_ADDR="192.0.2.1")
    assert throttling.address_of(request) == address


@pytest.mark.parametrize("door", ["/login/", "/admin/login/"])
@pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
def test_every_log_in_refuses_after_too_many_whether_the_name_is_known(
    client: Client, db: None, door: str, *, known: bool
) -> None:
    name = factories.login("mira").username if known else "nobody"
    told = [client.post(door, {"username": name, "password": "wrong"}).text for _ in range(4)]
    assert ["Too many wrong passwords. Try again in 15 minutes." in text for text in told] == [False] * 3 + [True]
    right = client.post(door, {"username": name, "password": RIGHT})
    assert "Too many wrong passwords" in right.text
    assert "_auth_user_id" not in client.session


def test_a_right_password_in_time_is_let_in(client: Client, db: None) -> None:
    user = factories.login("mira")
    for _ in range(5):
        client.post("/login/", {"username": "mira", "password": "wrong"})
        client.post("/login/", {"username": "mira", "password": RIGHT})
        assert client.session["_auth_user_id"] == str(user.pk)
        client.post("/logout/")
