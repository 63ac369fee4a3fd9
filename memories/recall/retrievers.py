"""Which ways lead to candidates, as the settings name them: words, meaning and links, and functions of one's own."""

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
        """Ids of memories that may answer, each with a score from 0 to 1. Those that the actor may not see are left
        out by recall itself."""
        ...


def uses(name: str) -> bool:
    return name in settings.RETRIEVERS


def brought(*, actor: Actor, query: str) -> list[tuple[UUID, float]]:
    """What the retrievers of one's own bring. One that fails is noted in the log and brings nothing."""
    found: list[tuple[UUID, float]] = []
    for name in settings.RETRIEVERS:
        if "." in name:
            try:
                found += [(memory_id, min(max(score, 0.0), 1.0)) for memory_id, score in _first(name, actor, query)]
            except Exception:
                log.exception("The retriever %s failed.", name)
    return found


def _first(name: str, actor: Actor, query: str) -> Iterable[tuple[UUID, float]]:
    return islice(_loaded(name)(actor=actor, query=query), MOST)


@cache
def _loaded(name: str) -> Retriever:
    made: Retriever = import_string(name)
    return made
