"""The period that words of time in a question mean."""

from datetime import UTC, datetime, timedelta

import pytest

from memories.text.time_words import find_period

WEDNESDAY = datetime(2026, 11, 18, 15, 30, tzinfo=UTC)
PERIODS = {
    "What happened yesterday?": ("2026-11-17", "2026-11-18", "yesterday"),
    "today's plan": ("2026-11-18", "2026-11-19", "today"),
    "What broke last night?": ("2026-11-17", "2026-11-18", "last night"),
    "What did we decide last week?": ("2026-11-09", "2026-11-16", "last week"),
    "this week": ("2026-11-16", "2026-11-23", "this week"),
    "Last month's costs": ("2026-10-01", "2026-11-01", "Last month"),
    "this year": ("2026-01-01", "2027-01-01", "this year"),
    "last year": ("2025-01-01", "2026-01-01", "last year"),
    "last quarter": ("2026-07-01", "2026-10-01", "last quarter"),
    "3 days ago": ("2026-11-15", "2026-11-16", "3 days ago"),
    "two weeks ago": ("2026-11-02", "2026-11-09", "two weeks ago"),
    "a month ago": ("2026-10-01", "2026-11-01", "a month ago"),
    "12 months ago": ("2025-11-01", "2025-12-01", "12 months ago"),
    "5 years ago": ("2021-01-01", "2022-01-01", "5 years ago"),
    "What did we decide in March?": ("2026-03-01", "2026-04-01", "in March"),
    "in November": ("2026-11-01", "2026-12-01", "in November"),
    "in December": ("2025-12-01", "2026-01-01", "in December"),
    "What shipped in May?": ("2026-05-01", "2026-06-01", "in May"),
    "in May 2024": ("2024-05-01", "2024-06-01", "in May 2024"),
    "the June 2025 release": ("2025-06-01", "2025-07-01", "June 2025"),
    "on 14 March": ("2026-03-14", "2026-03-15", "14 March"),
    "March 14th, 2025": ("2025-03-14", "2025-03-15", "March 14th, 2025"),
    "December 24": ("2025-12-24", "2025-12-25", "December 24"),
    "in 2025": ("2025-01-01", "2026-01-01", "in 2025"),
    "on 2025-03-14 at noon": ("2025-03-14", "2025-03-15", "2025-03-14"),
    "2025-12": ("2025-12-01", "2026-01-01", "2025-12"),
    "goals of Q3": ("2026-07-01", "2026-10-01", "Q3"),
    "Q4 2024": ("2024-10-01", "2025-01-01", "Q4 2024"),
    "first quarter of 2025": ("2025-01-01", "2025-04-01", "first quarter of 2025"),
    "Was war im März?": ("2026-03-01", "2026-04-01", "im März"),
    "¿Qué pasó en agosto?": ("2026-08-01", "2026-09-01", "en agosto"),
    "en février 2025": ("2025-02-01", "2025-03-01", "en février 2025"),
}
NO_PERIOD = (
    "",
    "When may we deploy?",
    "May I deploy?",
    "We may 2 times",
    "march on",
    "goal-q3",
    "in 1200",
    "in 2050",
    "31 February",
    "2025-13-01",
    "2025-02-30",
    "99999 days ago",
    "0 days ago",
    "the last straw",
    "at last weeks",
    "in ²025",
)


@pytest.mark.parametrize("query", PERIODS)
def test_words_of_time_mean_a_period(query: str) -> None:
    period = find_period(query, WEDNESDAY)
    assert period
    assert (f"{period.start:%Y-%m-%d}", f"{period.end:%Y-%m-%d}", period.words) == PERIODS[query]
    assert period.start.tzinfo is UTC
    assert period.start.hour == period.end.hour == 0


@pytest.mark.parametrize("query", NO_PERIOD)
def test_other_words_mean_none(query: str) -> None:
    assert find_period(query, WEDNESDAY) is None


def test_the_last_weeks_end_now() -> None:
    period = find_period("in the last 3 days", WEDNESDAY)
    assert period
    assert (period.start, period.end) == (datetime(2026, 11, 15, tzinfo=UTC), WEDNESDAY)


def test_days_are_those_of_utc() -> None:
    late = datetime.fromisoformat("2026-11-18T23:30:00-05:00")
    period = find_period("yesterday", late)
    assert period
    assert f"{period.start:%Y-%m-%d}" == "2026-11-18"


def test_the_ends_of_the_calendar_do_no_harm() -> None:
    for moment in (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)):
        assert find_period("last year", moment) is None
    first = datetime(1970, 1, 1, tzinfo=UTC)
    for unit in ("days", "weeks", "months", "quarters", "years"):
        assert find_period(f"1000 {unit} ago", first)


def test_a_long_question_is_read_only_in_part() -> None:
    assert find_period("word " * 200 + "yesterday", WEDNESDAY) is None
    assert find_period("x" * 50_000 + " yesterday", WEDNESDAY)
    for worst in ("in " * 20_000, "last " * 10_000, "in 2" * 10_000, "-" * 50_000):
        assert find_period(worst, WEDNESDAY + timedelta(days=1)) is None
