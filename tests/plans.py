"""How Postgres went about a statement: its plan, and how many rows each part of it touched."""

from collections.abc import Iterator
from typing import Any

import orjson
from django.db import connection

from memoryhub.prepared import prepared_cursor

EXPLAIN = "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON)"


def explained(sql: str, params: Any) -> dict[str, Any]:
    """Those with names are prepared, as recall's are."""
    with prepared_cursor() if isinstance(params, dict) else connection.cursor() as cursor:
        cursor.execute(f"{EXPLAIN} {sql}", params)
        found = cursor.fetchone()[0]  # type: ignore[index]
    plan: dict[str, Any] = (orjson.loads(found) if isinstance(found, str | bytes) else found)[0]["Plan"]
    return plan


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for part in plan.get("Plans", ()):
        yield from nodes(part)


def touched(node: dict[str, Any]) -> float:
    removed = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
    return float((node["Actual Rows"] + removed) * node["Actual Loops"])
