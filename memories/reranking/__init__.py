"""Rerankers: models that read the query together with each text, which is slower and tells more than comparing vectors.

None is used unless the settings name one.
"""

from collections.abc import Sequence
from functools import cache
from typing import Protocol

from django.conf import settings
from django.utils.module_loading import import_string


class RerankerUnavailable(Exception):
    """The reranker cannot score just now; the text says why, for an operator."""


class Reranker(Protocol):
    def score(self, query: str, texts: Sequence[str], *, seconds: float) -> list[float]:
        """Return how well each text answers the query, on any scale: the higher, the better.

        If the time is up earlier, return the scores of the first texts alone.
        """
        ...


# Imported on demand: the cross-encoder needs libraries that the others do without.
RERANKERS = {
    "endpoint": "memories.reranking.endpoint.RerankerEndpoint",
    "cross-encoder": "memories.reranking.cross_encoder.CrossEncoder",
}


@cache
def get_reranker() -> Reranker | None:
    """Return the reranker that the settings name, or None. Raises RerankerUnavailable if it cannot be loaded."""
    if settings.RERANKER == "none":
        return None
    path = RERANKERS.get(settings.RERANKER, settings.RERANKER)
    try:
        reranker: Reranker = import_string(path)()
    except ImportError as error:
        raise RerankerUnavailable(f"RERANKER names {path}, which cannot be imported: {error}") from error
    return reranker
