"""Counts of rows, estimated where counting would read too many."""

import json
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

COUNT_UP_TO = 10_000


@dataclass(frozen=True, slots=True)
class EstimatedCount:
    number: int
    exact: bool


def estimate_count(rows: QuerySet[Any], *, up_to: int = COUNT_UP_TO) -> EstimatedCount:
    """Count up to that many rows; beyond that return Postgres' estimate."""
    counted = rows.order_by()[: up_to + 1].count()
    if counted <= up_to:
        return EstimatedCount(counted, exact=True)
    (plan,) = json.loads(rows.order_by().explain(format="json"))
    return EstimatedCount(max(int(plan["Plan"]["Plan Rows"]), counted), exact=False)
