"""Tests of how often a token may call."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from pytest_django import Settings

from memoryhub.errors import TooMany
from teams import auth, rate_limits
from teams.models import Token
from tests.caller import Caller

pytestmark = pytest.mark.django_db
RATE_NOON = datetime(2026, 5, 1, 12, 0, 15, tzinfo=UTC)


def test_without_a_limit_nothing_is_counted(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        rate_limits.count_request(token=Token(), now=RATE_NOON)


def test_each_token_has_its_own_minute(settings: Settings) -> None:
    settings.REQUESTS_PER_MINUTE = 2
    one, other = Caller(), Caller()
    for caller in (one, other):
        for _ in range(2):
            auth.authenticate_agent(token=caller.token, now=RATE_NOON)
    with pytest.raises(TooMany, match="in 45 seconds"):
        auth.authenticate_agent(token=one.token, now=RATE_NOON)
    auth.authenticate_agent(token=one.token, now=RATE_NOON + timedelta(seconds=45))


def test_too_many_are_told_when_to_come_again(settings: Settings) -> None:
    settings.REQUESTS_PER_MINUTE = 1
    caller = Caller()
    refused = next(found for found in (caller("GET", "me") for _ in range(4)) if found.status_code != 200)
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_requests")
    assert 1 <= int(refused["Retry-After"]) <= 60
    assert refused["Content-Type"] == "application/problem+json"


def test_counting_costs_one_statement_and_no_log(settings: Settings, django_assert_num_queries: Any) -> None:
    settings.REQUESTS_PER_MINUTE = 100
    caller = Caller()
    caller("GET", "me")
    with django_assert_num_queries(2):
        assert caller("GET", "me").status_code == 200
    with connection.cursor() as cursor:
        cursor.execute("SELECT relpersistence FROM pg_class WHERE relname = 'teams_pace'")
        assert cursor.fetchone() == ("u",)


def test_other_origins_are_told_nothing() -> None:
    response = Caller()("GET", "me", Origin="https://elsewhere.example")
    assert not [name for name in response.headers if name.startswith("Access-Control")]
