"""Scores how much a text is an instruction to the model that reads it, rather than something that a team knows."""

import math
from typing import NamedTuple

from memories.screening.injection_features import FEATURES, Reading

BIAS = -3.15
INJECTION_THRESHOLD = 0.5  # a text with this score or more is taken for an instruction to a model
STRETCH, STRETCH_OVERLAP = 3_000, 200  # characters: features count if they stand close together


class InjectionReason(NamedTuple):
    feature: str
    weight: float


class InjectionScore(NamedTuple):
    """How much a text is an instruction to a model, from 0 to 1, why, and which part of it."""

    score: float = 0.0
    reasons: tuple[InjectionReason, ...] = ()
    start: int = 0
    end: int = 0

    @property
    def is_injection(self) -> bool:
        return self.score >= INJECTION_THRESHOLD


def score_injection(text: str) -> InjectionScore:
    """Return the score of the stretch that reads most like an instruction, with its reasons, the weightiest first."""
    starts = range(0, max(1, len(text) - STRETCH_OVERLAP), STRETCH - STRETCH_OVERLAP)
    return max((_score_stretch(text, start) for start in starts), key=lambda score: score.score)


def _score_stretch(text: str, start: int) -> InjectionScore:
    stretch = text[start : start + STRETCH]
    reading = Reading(stretch)
    weights = ((name, weight * float(measure(reading))) for name, (weight, measure) in FEATURES.items())
    reasons = tuple(sorted((InjectionReason(*pair) for pair in weights if pair[1]), key=lambda reason: -reason.weight))
    score = 1 / (1 + math.exp(-BIAS - sum(reason.weight for reason in reasons)))
    return InjectionScore(round(score, 3), reasons, start, start + len(stretch))
