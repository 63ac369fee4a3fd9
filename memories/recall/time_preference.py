"""Words of time in a question: memories of the period that they mean are preferred a little."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta

from django.conf import settings

from memories.models import Memory
from memories.recall.hits import Hit, TimePreference
from memories.text.time_words import Period

NOTHING = timedelta()


def prefer_period(hits: Iterable[Hit], period: Period | None) -> list[Hit]:
    """Return the hits, each with the factor of its nearness to the period that the question names."""
    weight = float(settings.TIME_WEIGHT)
    if period is None or not weight:
        return list(hits)
    return [
        replace(hit, time=TimePreference(period, 1.0 + weight * measure_closeness(hit.memory, period))) for hit in hits
    ]


def measure_closeness(memory: Memory, period: Period) -> float:
    """Return 1 for a memory that holds from a moment in the period, or was saved in it, falling to 0 at as far from
    the period as that is long."""
    moment = memory.valid_from or memory.created_at
    distance = max(period.start - moment, moment - period.end, NOTHING)
    return max(0.0, 1.0 - distance / (period.end - period.start))
