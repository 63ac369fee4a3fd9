"""How many there are, without reading all of them."""

import json
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

COUNTED = 10_000


@dataclass(frozen=True, slots=True)
class Count:
    number: int
    exact: bool


def about(rows: QuerySet[Any]) -> Count:
    """Counted as far as 10,000; beyond that, as many as Postgres expects."""
    counted = rows.order_by()[: COUNTED + 1].count()
    if counted <= COUNTED:
        return Count(counted, exact=True)
    (plan,) = json.loads(rows.order_by().explain(format="json"))
    return Count(max(int(plan["Plan"]["Plan Rows"]), counted), exact=False)
