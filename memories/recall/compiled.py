"""A queryset as SQL inside our own statements, so that who may see stays said in one place."""

from typing import Any

from django.db.models import QuerySet


def named(rows: QuerySet[Any, Any], *, prefix: str) -> tuple[str, dict[str, Any]]:
    """The queryset's SQL with named parameters, and those."""
    sql, parameters = rows.query.sql_with_params()
    names = [f"{prefix}_{number}" for number in range(len(parameters))]
    return sql % tuple(f"%({name})s" for name in names), dict(zip(names, parameters, strict=True))
