"""Recall by meaning: the memories whose vectors are nearest to the query's."""

from dataclasses import dataclass
from typing import Any

from memories.embedding.active_model import QueryVector
from memories.models.vector_field import vector_literal


@dataclass(frozen=True, slots=True)
class VectorLimits:
    """The number of candidates that each step of the search by meaning leaves."""

    final: int
    rescored: int  # candidates compared by full vectors, before visibility is checked
    by_sign_bits: int  # candidates preselected by sign bits, which contain practically all of these


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
