"""Vectors in the database: pgvector's type where the server has it, an array of reals where it has not."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import orjson
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

if TYPE_CHECKING:
    VectorBase = models.Field[Sequence[float], list[float]]
else:
    VectorBase = models.Field


def vector_literal(vector: Sequence[float]) -> str:
    """Return the vector as pgvector reads it."""
    return orjson.dumps(list(vector)).decode()


class VectorField(VectorBase):
    """Created as an array; `adopt_pgvector` turns the column into a vector once the server has pgvector.

    Vectors of different models may differ in length, so the column has no dimension of its own.
    """

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        return "real[]"

    def from_db_value(self, value: Any, expression: Any, connection: BaseDatabaseWrapper) -> list[float] | None:
        parsed: list[float] | None = json.loads(value) if isinstance(value, str) else value
        return parsed

    def get_db_prep_value(self, value: Any, connection: BaseDatabaseWrapper, prepared: bool = False) -> Any:
        # An array of doubles: Postgres casts it on assignment to either type.
        return None if value is None else [float(number) for number in value]
