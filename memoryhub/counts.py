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


def about(rows: QuerySet[Any], *, up_to: int = COUNTED) -> Count:
    """Counted as far as that; beyond it, as many as Postgres expects."""
    counted = rows.order_by()[: up_to + 1].count()
    if counted <= up_to:
        return Count(counted, exact=True)
    (plan,) = json.loads(rows.order_by().explain(format="json"))
    return Count(max(int(plan["Plan"]["Plan Rows"]), counted), exact=False)
