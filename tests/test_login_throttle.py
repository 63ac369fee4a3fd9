"""Wrong passwords: how many, of whom, from where, and until when."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client, RequestFactory
from django.utils import timezone
from pytest_django import Settings

from memoryhub.errors import TooMany
from teams import login_throttle
from teams.login_throttle import LoginAttempt
from teams.models import Attempts
from tests import factories
from tests.test_races import at_once

LOGIN_NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
MIRA = LoginAttempt(name="mira", address="192.0.2.1")
RIGHT_PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def _few(settings: Settings) -> None:
    settings.LOGIN_TRIES, settings.LOGIN_WAIT = 3, 900


def is_throttled(attempt: LoginAttempt, now: datetime = LOGIN_NOON) -> bool:
    try:
        login_throttle.count_attempt(attempt, now=now)
    except TooMany:
        return True
    return False


def test_after_so_many_tries_one_waits_and_then_begins_anew(db: None) -> None:
    assert [is_throttled(MIRA) for _ in range(5)] == [False, False, False, True, True]
    with pytest.raises(TooMany, match="Try again in 5 minutes"):
        login_throttle.count_attempt(MIRA, now=LOGIN_NOON + timedelta(minutes=10))
    later = LOGIN_NOON + timedelta(minutes=15)
    assert [is_throttled(MIRA, later) for _ in range(4)] == [False, False, False, True]


def test_others_behind_the_same_address_are_not_locked_out(db: None) -> None:
    for _ in range(200):
        is_throttled(MIRA)
    assert not is_throttled(LoginAttempt(name="tomas", address=MIRA.address))
    assert not is_throttled(LoginAttempt(name=MIRA.name, address="192.0.2.2"))


def test_many_names_from_one_address_are_too_many(db: None) -> None:
    assert not any(is_throttled(LoginAttempt(name=f"name-{n}", address="192.0.2.9")) for n in range(30))
    assert is_throttled(LoginAttempt(name="another", address="192.0.2.9"))
    assert not is_throttled(MIRA)


def test_one_name_from_many_addresses_is_too_many(db: None) -> None:
    assert not any(is_throttled(LoginAttempt(name="mira", address=f"192.0.2.{n}")) for n in range(30))
    assert is_throttled(LoginAttempt(name="MIRA", address="192.0.2.99"))


def test_a_right_password_clears_earlier_mistakes(db: None) -> None:
    for _ in range(20):
        login_throttle.count_attempt(MIRA, now=LOGIN_NOON)
        login_throttle.count_attempt(MIRA, now=LOGIN_NOON)
        login_throttle.forgive_attempt(MIRA, now=LOGIN_NOON)
    assert not is_throttled(MIRA)


def test_what_is_over_is_swept(db: None) -> None:
    is_throttled(MIRA)
    other = LoginAttempt(name="tomas", address="192.0.2.2")
    login_throttle.count_attempt(other, now=LOGIN_NOON + timedelta(hours=1))
    login_throttle.forgive_attempt(other, now=LOGIN_NOON + timedelta(hours=1))
    assert Attempts.objects.filter(until__lt=LOGIN_NOON + timedelta(hours=1)).count() == 0


def test_an_ipv6_household_is_one_address(db: None) -> None:
    assert [is_throttled(LoginAttempt(name="mira", address=f"2001:db8::{n}")) for n in range(1, 5)] == [
        False,
        False,
        False,
        True,
    ]
    assert not is_throttled(LoginAttempt(name="mira", address="2001:db8:0:1::1"))


def test_counting_needs_no_log(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT relpersistence FROM pg_class WHERE relname = 'teams_attempts'")
        assert cursor.fetchone() == ("u",)


@pytest.mark.django_db(transaction=True)
def test_of_many_tries_at_once_only_so_many_are_looked_at() -> None:
    assert sum(at_once(12, lambda _: not is_throttled(MIRA))) == 3


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
    assert login_throttle.client_address(request) == address


@pytest.mark.parametrize("door", ["/login/", "/admin/login/"])
@pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
def test_every_log_in_refuses_after_too_many_whether_the_name_is_known(
    client: Client, db: None, door: str, *, known: bool
) -> None:
    name = factories.login("mira").username if known else "nobody"
    told = [client.post(door, {"username": name, "password": "wrong"}).text for _ in range(4)]
    assert ["Too many wrong passwords. Try again in 15 minutes." in text for text in told] == [False] * 3 + [True]
    right = client.post(door, {"username": name, "password": RIGHT_PASSWORD})
    assert "Too many wrong passwords" in right.text
    assert "_auth_user_id" not in client.session


def test_a_right_password_in_time_is_let_in(client: Client, db: None) -> None:
    user = factories.login("mira")
    for _ in range(5):
        client.post("/login/", {"username": "mira", "password": "wrong"})
        client.post("/login/", {"username": "mira", "password": RIGHT_PASSWORD})
        assert client.session["_auth_user_id"] == str(user.pk)
        client.post("/logout/")


def lock_name(name: str) -> None:
    """Wrong passwords from everywhere, until the name is locked."""
    while not is_throttled(LoginAttempt(name=name, address="203.0.113.1"), now=timezone.now()):
        pass
    for n in range(40):
        is_throttled(LoginAttempt(name=name, address=f"198.51.100.{n}"), now=timezone.now())
    assert is_throttled(LoginAttempt(name=name, address="192.0.2.77"), now=timezone.now())


def log_in(client: Client, name: str = "mira", password: str = RIGHT_PASSWORD, door: str = "/login/") -> bool:
    client.post(door, {"username": name, "password": password})
    return "_auth_user_id" in client.session


@pytest.fixture
def known_device(db: None) -> Client:
    """A browser in which mira has logged in and out."""
    factories.login("mira")
    client = Client()
    assert log_in(client)
    client.post("/logout/")
    return client


@pytest.mark.parametrize("door", ["/login/", "/admin/login/"])
def test_a_known_device_gets_in_though_others_have_locked_the_name(known_device: Client, door: str) -> None:
    cookie = known_device.cookies["device"]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    User.objects.update(is_staff=True)
    lock_name("mira")
    assert not log_in(Client(), door=door)
    assert log_in(known_device, door=door)


def test_a_known_device_has_few_tries_of_its_own_and_no_others(known_device: Client) -> None:
    lock_name("mira")
    for _ in range(3):
        assert not log_in(known_device, password="wrong")
    assert not log_in(known_device)
    assert Attempts.objects.count() > 0
    thief = Client()
    thief.cookies["device"] = known_device.cookies["device"].value
    assert not log_in(thief)  # the same count, whoever has the cookie


def test_logging_in_again_keeps_the_count_of_a_device(known_device: Client) -> None:
    before = known_device.cookies["device"].value
    assert log_in(known_device)
    after = known_device.cookies["device"].value
    assert before.split(":")[0] == after.split(":")[0]


def test_a_cookie_of_somebody_else_or_made_up_gives_nothing(known_device: Client) -> None:
    factories.login("tomas")
    lock_name("tomas")
    assert not log_in(known_device, "tomas")
    for made_up in ("", "x", "a:b:c", known_device.cookies["device"].value[:-1] + "_"):
        stranger = Client()
        stranger.cookies["device"] = made_up
        lock_name("mira")
        assert not log_in(stranger)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/account/sessions/", {"password": RIGHT_PASSWORD}),
        ("/account/password/", {"old_password": RIGHT_PASSWORD, "new_password1": "a fine long one 9"}),
    ],
)
def test_a_new_password_and_logging_out_elsewhere_make_other_devices_strangers(
    known_device: Client, path: str, said: dict[str, str]
) -> None:
    here = Client()
    log_in(here)
    password = said.get("new_password1", RIGHT_PASSWORD)
    assert here.post(path, {**said, "new_password2": password})["Location"] == "/account/"
    here.post("/logout/")
    lock_name("mira")
    assert not log_in(known_device, password=password)
    assert log_in(here, password=password)


def test_whoever_is_in_can_change_the_password_though_others_have_locked_the_name(known_device: Client) -> None:
    assert log_in(known_device)
    lock_name("mira")
    said = {"old_password": RIGHT_PASSWORD, "new_password1": "a fine long one 9", "new_password2": "a fine long one 9"}
    assert known_device.post("/account/password/", said)["Location"] == "/account/"
