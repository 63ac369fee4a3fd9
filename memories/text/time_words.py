"""Words of time in a question: the period that "last week", "in March" or "2 days ago" means."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

MOST_WORDS = 200  # of a question that are looked at
LONGEST_AGO = 1_000  # days, weeks, months or years
FIRST_YEAR, YEARS_AHEAD = 1970, 1  # other numbers are no years
LAST_YEAR = 9_000  # of a present moment: the calendar ends soon after

WORD = re.compile(r"[\w-]+")  # "goal-q3" and "2025-03" are one word each
DATE = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2}))?")
QUARTER = re.compile(r"q([1-4])")
DAY = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?")

MONTH_NAMES = (
    "january jan januar jänner enero janvier",
    "february feb februar febrero février",
    "march märz marzo mars",
    "april apr abril avril",
    "may mai mayo",
    "june jun juni junio juin",
    "july jul juli julio juillet",
    "august aug agosto août",
    "september sept sep septiembre septembre",
    "october oct oktober octubre octobre",
    "november nov noviembre novembre",
    "december dec dezember diciembre décembre",
)
MONTHS = {name: number for number, names in enumerate(MONTH_NAMES, 1) for name in names.split()}
INTO_MONTHS = frozenset(["in", "im", "en", "during", "since", "of", "from", "early", "late", "mid", "last"])
INTO_YEARS = frozenset(["in", "en", "during", "since", "of", "from"])
DAYS_AGO = {"today": 0, "heute": 0, "hoy": 0, "yesterday": 1, "gestern": 1, "ayer": 1}
UNITS = {f"{unit}{plural}": unit for unit in ("day", "week", "month", "quarter", "year") for plural in ("", "s")}
NUMBERS = {
    name: number
    for number, name in enumerate(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], 1)
}
NUMBERS |= {"a": 1, "an": 1, "eleven": 11, "twelve": 12}
ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
# A word of time begins with one of these, or with a digit. Most words of a question are passed over by this.
FIRST_WORDS = INTO_MONTHS | INTO_YEARS | MONTHS.keys() | DAYS_AGO.keys() | NUMBERS.keys() | ORDINALS.keys()
FIRST_WORDS |= {"this", "last", "previous", "past", "q1", "q2", "q3", "q4"}


@dataclass(frozen=True, slots=True)
class Period:
    """The time from `start` up to `end`, and the words that mean it."""

    start: datetime
    end: datetime
    words: str


Span = tuple[datetime, datetime]
Found = tuple[Span, int] | None  # a time, and how many words mean it
Rule = Callable[[Sequence[str], datetime], Found]  # given the words from one on, and the present moment


def find_period(query: str, now: datetime) -> Period | None:
    """Return the first period that the query names, counted from `now` in UTC; None if it names none."""
    if not FIRST_YEAR <= now.year <= LAST_YEAR:
        return None
    places = [match.span() for _, match in zip(range(MOST_WORDS), WORD.finditer(query), strict=False)]
    words = [query[start:end].lower() for start, end in places]
    now = now.astimezone(UTC)
    for first, word in enumerate(words):
        if not (word in FIRST_WORDS or word[0].isdigit()):
            continue
        if found := _find_at(words[first : first + LONGEST_PHRASE], now):
            (start, end), length = found
            return Period(start, end, query[places[first][0] : places[first + length - 1][1]])
    return None


def _find_at(words: Sequence[str], now: datetime) -> Found:
    return next((found for rule in RULES if (found := rule(words, now))), None)


# Rules


def _read_date(words: Sequence[str], now: datetime) -> Found:
    """Read 2025-03-14 and 2025-03."""
    match = DATE.fullmatch(words[0])
    if not match:
        return None
    year, month, day = int(match[1]), int(match[2]), int(match[3] or 0)
    if not (_is_year(year, now) and 1 <= month <= 12):
        return None
    span = _day_of_month(year, month, day) if day else _month(year, month)
    return (span, 1) if span else None


def _read_near_day(words: Sequence[str], now: datetime) -> Found:
    """Read "today", "yesterday" and "last night"."""
    if words[0] in DAYS_AGO:
        return _days_ago(now, DAYS_AGO[words[0]]), 1
    return (_days_ago(now, 1), 2) if words[:2] == ["last", "night"] else None


def _read_near_unit(words: Sequence[str], now: datetime) -> Found:
    """Read "last week" and "this month"."""
    back = {"this": 0, "last": 1, "previous": 1, "past": 1}.get(words[0])
    if back is None or len(words) < 2 or words[1] not in UNITS or words[1].endswith("s"):
        return None
    return _units_ago(now, words[1], back), 2


def _read_last_units(words: Sequence[str], now: datetime) -> Found:
    """Read "the last 3 weeks", until now."""
    if len(words) < 3 or words[0] not in ("last", "past", "previous"):
        return None
    number = _read_number(words[1])
    if not number or words[2] not in UNITS:
        return None
    return (_units_ago(now, UNITS[words[2]], number)[0], now), 3


def _read_ago(words: Sequence[str], now: datetime) -> Found:
    """Read "2 days ago" and "a month ago"."""
    if len(words) < 3 or words[2] != "ago" or words[1] not in UNITS:
        return None
    number = _read_number(words[0])
    return (_units_ago(now, UNITS[words[1]], number), 3) if number else None


def _read_quarter(words: Sequence[str], now: datetime) -> Found:
    """Read "Q1", "Q1 2025" and "first quarter of 2025"."""
    match, length = QUARTER.fullmatch(words[0]), 1
    number = int(match[1]) if match else 0
    if not match and words[0] in ORDINALS and words[1:2] == ["quarter"]:
        number, length = ORDINALS[words[0]], 2
    if not number:
        return None
    year, length = _read_year_after(words, length, now)
    month = 3 * number - 2
    return (_month(year or _latest_year(now, month), month, 3), length)


def _read_month(words: Sequence[str], now: datetime) -> Found:
    """Read "in March", "March 2025" and "in March 2025". The word "may" needs "in" before it."""
    length = 2 if len(words) > 1 and words[0] in INTO_MONTHS and words[1] in MONTHS else 1
    name = words[length - 1]
    if name not in MONTHS or (name == "may" and words[0] != "in"):
        return None
    into = length == 2
    year, length = _read_year_after(words, length, now)
    if not (into or year):
        return None
    return _month(year or _latest_year(now, MONTHS[name]), MONTHS[name]), length


def _read_day_of_month(words: Sequence[str], now: datetime) -> Found:
    """Read "14 March", "March 14th" and both with a year."""
    if len(words) < 2 or "may" in words[:2]:
        return None
    name, number = (words[0], words[1]) if words[0] in MONTHS else (words[1], words[0])
    match = DAY.fullmatch(number)
    if name not in MONTHS or not match:
        return None
    year, length = _read_year_after(words, 2, now)
    span = _day_of_month(year or _latest_year(now, MONTHS[name], int(match[1])), MONTHS[name], int(match[1]))
    return (span, length) if span else None


def _read_year(words: Sequence[str], now: datetime) -> Found:
    """Read "in 2025"."""
    if len(words) < 2 or words[0] not in INTO_YEARS or not _is_year_word(words[1], now):
        return None
    return _month(int(words[1]), 1, 12), 2


LONGEST_PHRASE = 5  # words, as in "14 of March 2025" and "first quarter of 2025"
RULES: tuple[Rule, ...] = (
    _read_date,
    _read_near_day,
    _read_near_unit,
    _read_last_units,
    _read_ago,
    _read_quarter,
    _read_day_of_month,
    _read_month,
    _read_year,
)


# Numbers and moments


def _read_number(word: str) -> int:
    """Return the number that the word means; 0 if it means none, or a very large one."""
    number = int(word) if word.isascii() and word.isdigit() and len(word) < 5 else NUMBERS.get(word, 0)
    return number if number <= LONGEST_AGO else 0


def _is_year(number: int, now: datetime) -> bool:
    return FIRST_YEAR <= number <= now.year + YEARS_AHEAD


def _is_year_word(word: str, now: datetime) -> bool:
    return len(word) == 4 and word.isascii() and word.isdigit() and _is_year(int(word), now)


def _read_year_after(words: Sequence[str], length: int, now: datetime) -> tuple[int, int]:
    """Return the year after so many words, also after "of", and the number of words with it; year 0 if none is
    there."""
    for skipped in (1, 2) if words[length : length + 1] == ["of"] else (1,):
        place = length + skipped - 1
        if place < len(words) and _is_year_word(words[place], now):
            return int(words[place]), place + 1
    return 0, length


def _latest_year(now: datetime, month: int, day: int = 1) -> int:
    """Return the year in which that day came last."""
    return now.year if (month, day) <= (now.month, now.day) else now.year - 1


def _midnight(now: datetime) -> datetime:
    return now.replace(hour=0, minute=0, second=0, microsecond=0)


def _days_ago(now: datetime, days: int, length: int = 1) -> Span:
    start = _midnight(now) - timedelta(days=days)
    return start, start + timedelta(days=length)


def _units_ago(now: datetime, unit: str, number: int) -> Span:
    """Return the day, or the calendar week, month, quarter or year, so many ago."""
    if unit == "day":
        return _days_ago(now, number)
    if unit == "week":
        return _days_ago(now, now.weekday() + 7 * number, 7)
    length = {"month": 1, "quarter": 3, "year": 12}[unit]
    month = 12 * now.year + (now.month - 1) // length * length - number * length
    return _month(month // 12, month % 12 + 1, length)


def _month(year: int, month: int, length: int = 1) -> Span:
    """Return the time of so many months, from this one on."""
    following = 12 * year + month - 1 + length
    return datetime(year, month, 1, tzinfo=UTC), datetime(following // 12, following % 12 + 1, 1, tzinfo=UTC)


def _day_of_month(year: int, month: int, day: int) -> Span | None:
    """Return the day, if the month has it."""
    try:
        start = datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        return None
    return start, start + timedelta(days=1)
