"""Retrievers of candidates, as the settings name them: words, meaning and links, and custom functions."""

import logging
from collections.abc import Iterable
from functools import cache
from itertools import islice
from typing import Protocol
from uuid import UUID

from django.conf import settings
from django.utils.module_loading import import_string

from teams.actor import Actor

log = logging.getLogger(__name__)
MOST = 50  # that a retriever of one's own brings


class Retriever(Protocol):
    def __call__(self, *, actor: Actor, query: str) -> Iterable[tuple[UUID, float]]:
        """Return the ids of memories that may answer, each with a score from 0 to 1. Recall itself leaves out those
        that the actor may not see."""
        ...


def uses(name: str) -> bool:
    return name in settings.RETRIEVERS


def run_retrievers(*, actor: Actor, query: str) -> list[tuple[UUID, float]]:
    """Return what the custom retrievers find. One that fails is logged and contributes nothing."""
    found: list[tuple[UUID, float]] = []
    for name in settings.RETRIEVERS:
        if "." in name:
            try:
                found += [(memory_id, min(max(score, 0.0), 1.0)) for memory_id, score in _first(name, actor, query)]
            except Exception:
                log.exception("The retriever %s failed.", name)
    return found


def _first(name: str, actor: Actor, query: str) -> Iterable[tuple[UUID, float]]:
    return islice(_load_retriever(name)(actor=actor, query=query), MOST)


@cache
def _load_retriever(name: str) -> Retriever:
    made: Retriever = import_string(name)
    return made
