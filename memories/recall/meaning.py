"""Recall by meaning: the memories whose vectors are nearest to the query's."""

from dataclasses import dataclass
from typing import Any

from memories.embedding.active_model import QueryVector
from memories.models.vector_field import vector_literal


@dataclass(frozen=True, slots=True)
class VectorLimits:
    """The number of candidates that each step of the search by meaning leaves."""

    final: int
    rescored: int  # by their whole vectors, before it is looked who of them may be seen
    by_sign_bits: int  # by the signs of their numbers alone: among them are practically all of those


SHORT, LONG = VectorLimits(30, 50, 100), VectorLimits(50, 80, 150)
MOST_SCANNED = 400  # vectors that are all compared as they are: looking them up by their sign bits would take longer


def choose_limits(limit: int) -> VectorLimits:
    """Return the limits that so many hits need."""
    return SHORT if limit <= SHORT.final else LONG


def bind_vector(query: QueryVector) -> dict[str, Any]:
    """Return the parameters of the statement that stand for the query's vector."""
    return {
        "vector": vector_literal(query.vector),
        "sign_bits": "".join(["1" if number > 0 else "0" for number in query.vector]),
        "model": query.model,
    }
