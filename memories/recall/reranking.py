"""Reranking: the best of a ranking put in the order of a reranker, if one is configured and answers in time."""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings

from memories.models import Memory
from memories.reranking import RerankerUnavailable, get_reranker

log = logging.getLogger(__name__)
RERANKED_CHARACTERS = 2_000  # characters of each text that the reranker reads
PAUSE = 10.0  # seconds that a reranker is left alone after it failed: each recall would wait for it again
UNAVAILABLE_NOTE = "The reranker does not answer just now; the order is the one without it."

_paused_until = 0.0


@dataclass(frozen=True, slots=True)
class Reranking:
    """The positions of the reranked memories, best first, and the reranker's score of each."""

    order: tuple[int, ...] = ()
    scores: tuple[float, ...] = ()
    note: str = ""


def count_candidates(limit: int) -> int:
    """Return how many hits to collect for a limit: a reranker needs some to choose from."""
    return limit if settings.RERANKER == "none" else max(limit, settings.RERANKER_CANDIDATES)


def rerank_memories(*, query: str, memories: Sequence[Memory]) -> Reranking:
    """Return the order in which the reranker puts the first of these memories. If its time was too short for all, the
    rest are left out. If it fails, nothing is reranked, and the note says so."""
    global _paused_until
    if settings.RERANKER == "none" or len(memories) < 2:
        return Reranking()
    if time.monotonic() < _paused_until:
        return Reranking(note=UNAVAILABLE_NOTE)
    texts = [_build_text(memory) for memory in memories[: settings.RERANKER_CANDIDATES]]
    try:
        scores = _score_texts(query, texts)
    except RerankerUnavailable as error:
        log.warning("%s", error)
        _paused_until = time.monotonic() + PAUSE
        return Reranking(note=UNAVAILABLE_NOTE)
    order = sorted(range(len(scores)), key=lambda place: -scores[place])
    return Reranking(tuple(order), tuple(scores[place] for place in order))


def _score_texts(query: str, texts: Sequence[str]) -> list[float]:
    """Return the scores. Whatever a class of the operator's own raises, recall goes on without it."""
    try:
        reranker = get_reranker()
        seconds = settings.RERANKER_MILLISECONDS / 1_000
        return reranker.score(query, texts, seconds=seconds)[: len(texts)] if reranker else []
    except RerankerUnavailable:
        raise
    except Exception as error:
        raise RerankerUnavailable(f"The reranker failed: {error!r}") from error


def _build_text(memory: Memory) -> str:
    """Return the beginning of what the memory says, with its key, if it has one."""
    return "\n".join(part for part in (memory.key, memory.content) if part)[:RERANKED_CHARACTERS]
