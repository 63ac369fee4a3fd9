"""Adjustments of the order of hits: what readers said about a memory, an anchor that has failed, and the time that the
question names move it a little among hits that are about as relevant."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby

from django.conf import settings

from memories.recall.hits import Hit


def find_feedback_factor(balance: float) -> float:
    """Return the factor that a balance of feedback is worth: between 1 - FEEDBACK_WEIGHT and 1 + FEEDBACK_WEIGHT."""
    return 1.0 + float(settings.FEEDBACK_WEIGHT) * balance


def find_anchor_factor(anchor_state: str | None) -> float:
    """Return the factor of a memory whose anchors are in this state: below 1 if one has failed."""
    return 1.0 - float(settings.ANCHOR_PENALTY) if anchor_state else 1.0


def find_hit_factor(hit: Hit) -> float:
    """Return the factor of all that moves a hit."""
    feedback = hit.scored.feedback if hit.scored else 0.0
    return find_feedback_factor(feedback) * find_anchor_factor(hit.memory.anchor_state) * hit.time_factor


def adjust_order(hits: Iterable[Hit]) -> list[Hit]:
    """Return the hits in the order of their relevance times their factor. The relevance of each place stays with it,
    and hits that contain the query letter by letter stay in front."""
    ordered = list(hits)
    if all(find_hit_factor(hit) == 1.0 for hit in ordered):
        return ordered
    moved = [hit for _, group in groupby(ordered, key=_is_literal) for hit in _order_group(list(group))]
    return [replace(hit, relevance=place.relevance) for hit, place in zip(moved, ordered, strict=True)]


def _is_literal(hit: Hit) -> bool:
    return hit.scored is None or hit.scored.exact > 0


def _order_group(hits: list[Hit]) -> list[Hit]:
    """Order hits by what each place is worth, at most as much as the place before: near ties keep their order."""
    worth, weighed = hits[0].relevance, []
    for hit in hits:
        worth = min(worth, hit.relevance)
        weighed.append((worth * find_hit_factor(hit), hit))
    return [hit for _, hit in sorted(weighed, key=lambda pair: pair[0], reverse=True)]
