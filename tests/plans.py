"""Query plans: how Postgres ran a statement, and how many rows each part of it touched."""

from collections.abc import Iterator
from typing import Any

import orjson
from django.db import connection

from memoryhub.prepared_statements import prepared_cursor

EXPLAIN = "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON)"


def explain_statement(sql: str, params: Any) -> dict[str, Any]:
    """Run a statement and return its plan. With named parameters it is prepared, as recall's statements are."""
    with prepared_cursor() if isinstance(params, dict) else connection.cursor() as cursor:
        cursor.execute(f"{EXPLAIN} {sql}", params)
        found = cursor.fetchone()[0]  # type: ignore[index]
    plan: dict[str, Any] = (orjson.loads(found) if isinstance(found, str | bytes) else found)[0]["Plan"]
    return plan


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for part in plan.get("Plans", ()):
        yield from nodes(part)


def count_touched_rows(node: dict[str, Any]) -> float:
    removed = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
    return float((node["Actual Rows"] + removed) * node["Actual Loops"])
